/** The engines that may read a ledger in the place of DuckDB. */
export const LEDGER_ENGINES = ['spark'] as const
export type LedgerEngineName = (typeof LEDGER_ENGINES)[number]
