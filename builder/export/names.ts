/** The words of an export. Without imports, as the command loads it always. */

export const TABLES = ['statements', 'trial-balance', 'postings'] as const
export type TableName = (typeof TABLES)[number]

export const FORMATS = ['csv', 'parquet', 'arrow', 'xlsx'] as const
export type Format = (typeof FORMATS)[number]
