/** Names of the tables and formats of an export. Without imports, because every start of the CLI loads it. */

export const TABLES = ['statements', 'trial-balance', 'postings'] as const
export type TableName = (typeof TABLES)[number]

export const EXPORT_FORMATS = ['csv', 'parquet', 'arrow', 'xlsx'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The statements of a month as a workbook to send on, beside the tables. */
export const PACK = 'pack'
