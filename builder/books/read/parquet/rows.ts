/**
 * Reads the rows of a Parquet ledger inside DuckDB, where no row passes through JavaScript. Values keep the types of the file: days
 * and amounts are not written as text and read again.
 */

import { type Database, identifier, parquetSql, quoted } from '../../../database/database.ts'
import type { LedgerInput, LedgerParquet } from '../../../ingest/format/intake.ts'
import { LEDGER_COLUMNS, type LedgerColumn } from '../../../ingest/format/ledger-columns.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'

const AMOUNTS: readonly LedgerColumn[] = ['debit', 'credit', 'amount']

/** Whether the dates of a ledger are days already, and not text. */
export function hasDays(input: LedgerInput): boolean {
  const date = input.kind === 'parquet' ? input.columns.date : undefined
  return date !== undefined && 'read' in date && (date.read === 'day' || date.read === 'time')
}

/**
 * The query for the rows of a Parquet ledger, with the columns of `raw`. Amounts are decimals and dates days. The row is the place of
 * the record in the file, from 1, unless a query gives it. `where` is a condition on `row`.
 */
export const parquetRows = (file: number, input: LedgerParquet, decimals: number, where = 'true'): string => `
  SELECT * FROM (
    SELECT ${file} AS file, ${input.query === undefined ? PLACE : 'row'} AS row, ${LEDGER_COLUMNS.map((column) => `${valueSql(input, column, decimals)} AS ${column}`).join(', ')}
    FROM ${input.query === undefined ? parquetSql(input.path) : `(${input.query})`}) WHERE ${where}`

/** SQL for the place of a record in its Parquet file, from 1. Any column of DuckDB with places could be one of the file too. */
export const PLACE = 'row_number() OVER ()'

export function valueSql({ columns }: LedgerParquet, column: LedgerColumn, decimals: number): string {
  const value = columns[column]
  if (value === undefined) return AMOUNTS.includes(column) ? 'NULL::DECIMAL(18, 2)' : 'NULL::VARCHAR'
  if ('folder' in value) return value.folder === null ? 'NULL::VARCHAR' : quoted(value.folder)
  const name = identifier(value.column)
  if (value.read === 'whole') return `${name}::VARCHAR`
  if (value.read === 'time') return `${name}::DATE`
  return value.read === 'minor' ? unitsOf(name, decimals) : name
}

/** SQL for an amount in minor units as a decimal: a product of decimals is exact, and 20 digits hold every BIGINT. */
const unitsOf = (minor: string, decimals: number): string =>
  `(${minor}::DECIMAL(20, 0) * ${(10 ** -decimals).toFixed(decimals)}::DECIMAL(${decimals + 1}, ${decimals}))`

/** The digits after the point of the columns with amounts. */
export const scalesOf = ({ columns }: LedgerParquet, decimals: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    AMOUNTS.flatMap((column) => {
      const value = columns[column]
      return value === undefined ? [] : [[column, 'scale' in value ? value.scale : decimals]]
    }),
  )

/**
 * Reads one Parquet ledger with the statement `insert`. A file that cannot be read is a finding. The rows are
 * committed once `turn` resolves, so that files that are read in parallel end up in the table in their order.
 */
export async function readParquet(
  db: Database,
  input: LedgerParquet,
  insert: string,
  turn: Promise<unknown>,
): Promise<{ readonly rejected: number; readonly findings: readonly Finding[] }> {
  try {
    await db.run(`BEGIN; ${insert}`)
  } catch (problem) {
    await db.run('ROLLBACK')
    await turn
    return { rejected: 0, findings: [unreadable(input, problem)] }
  }
  await turn
  await db.run('COMMIT')
  return { rejected: 0, findings: [] }
}

/** What lacks in the machine is no mistake in the file. */
const OF_THE_MACHINE = /^Out of Memory|No space left|max_temp_directory_size|INTERRUPT/i

function unreadable({ file }: LedgerParquet, problem: unknown): Finding {
  const message = problem instanceof Error ? problem.message : String(problem)
  if (OF_THE_MACHINE.test(message)) throw problem
  const [first = ''] = message.split('\n')
  return error('unreadable-parquet', `cannot be read as Parquet: ${first}`, {
    file,
    remedy: 'the file is damaged, or written in a form that DuckDB does not read: write it again',
  })
}
