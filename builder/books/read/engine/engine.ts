/**
 * What a ledger engine gives to the books: the lines of the ledger as codes, days and minor units, and what a look at all of
 * them at once shows. DuckDB answers each of these questions itself (ledger.ts, entries.ts, input-totals.ts, cells.ts); an
 * engine on a cluster answers them all in one job. From these answers on the books are made by the same code, so that a ledger
 * gives the same bytes whichever engine read it.
 */

import type { Database } from '../../../database/database.ts'
import type { LedgerParquet } from '../../../ingest/format/intake.ts'
import type { Entries } from '../entries.ts'
import type { LedgerKeys } from '../key-sql.ts'
import type { LedgerOptions } from '../ledger.ts'

/** An input that an engine reads, with its number, which the column `file` of its lines holds. */
export interface EngineInput {
  readonly file: number
  readonly input: LedgerParquet
}

export interface EngineJob {
  readonly inputs: readonly EngineInput[]
  readonly keys: LedgerKeys
  readonly options: LedgerOptions
  /** The codes of the accounts of equity. */
  readonly equity: readonly number[]
  /** SQL condition of DuckDB on `line` that is true for wrong rows. */
  readonly wrong: string
}

export interface LedgerEngine {
  /** Reads the inputs of a job. Throws FindingsError where the engine fails. */
  read(db: Database, job: EngineJob): Promise<EngineResult>
}

export interface EngineResult {
  /** The query for the lines of a file, in the order of its rows, with the columns of the table `line`. */
  linesOf(file: number): string
  /** Null where some row is wrong or repeated: the checks then look at the lines themselves, to say which. */
  readonly facts: LedgerFacts | null
  /** Removes what the engine left on disk, once the lines are in the table `line`. */
  dispose(): void
}

/** What is known of a ledger without a wrong or repeated row. */
export interface LedgerFacts {
  readonly entries: Entries
  /** Some line settles a document that is in none of the files. */
  readonly settleUnknown: boolean
  /** Control totals by the number of the file, in minor units as integer text. */
  readonly totals: ReadonlyMap<number, FileTotals>
}

/** Debit and credit as they were written. Dates are `YYYY-MM-DD`. */
export interface FileTotals {
  readonly rows: number
  readonly debit: string
  readonly credit: string
  readonly first: string | null
  readonly last: string | null
}

/**
 * The tables that an engine with {@link LedgerFacts} makes in DuckDB: the entries that move a result inside equity, and the sums by day
 * of all lines but openings, with the number of lines behind each.
 */
export const ENGINE_TABLES = {
  transfer: 'basis TINYINT, tx VARCHAR',
  day_sum:
    'basis TINYINT, day DATE, account INTEGER, class INTEGER, department INTEGER, amount HUGEINT, lines BIGINT',
} as const
