/** Reads the rows of a ledger CSV with all columns as text. A record that does not fit the header becomes a finding with its row. */

import { csvSql, type Database, quoted } from '../../database/database.ts'
import type { LedgerPlan } from '../../ingest/format/intake.ts'
import { LEDGER_COLUMNS, type LedgerColumn } from '../../ingest/format/ledger-columns.ts'
import { recordsIn, scanRecords } from '../../ingest/text/delimited.ts'
import { footerLeftOut, footersOf } from '../../ingest/text/footer.ts'
import { LONGEST_LINE, scanFile } from '../../ingest/text/scan.ts'
import { capFindings, LISTED } from '../../workspace/findings/cap-findings.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'

export interface CsvReading {
  readonly rejected: number
  readonly findings: readonly Finding[]
}

/**
 * Reads one CSV into `table`, with the statement that `insert` makes from a SELECT of the columns of `raw`. A record that does
 * not fit the header becomes a finding, and the rows below it keep their numbers. The rows are committed once `turn` resolves,
 * so that files that are read in parallel end up in the table in their order.
 */
export async function readCsv(
  db: Database,
  file: number,
  plan: LedgerPlan,
  table: 'raw' | 'staged' | 'line',
  insert: (rows: string) => string,
  turn: Promise<unknown> = Promise.resolve(),
): Promise<CsvReading> {
  const blankRows = blankRowsOf(plan)
  const rejected = `rejects_${table}_${file}`
  try {
    await db.run(`BEGIN; ${insert(rowsOf(file, plan, rejected, `scans_${table}_${file}`))}`)
  } catch (problem) {
    await db.run('ROLLBACK')
    await Promise.all([blankRows, turn])
    return { rejected: 0, findings: [await unreadableCsv(plan, problem)] }
  }
  const uncounted = await blankRows
  await turn
  await db.run('COMMIT')
  const rejects = await db.rows<Reject>(
    `SELECT line, any_value(error_type) AS error_type, any_value(csv_line) AS csv_line
     FROM ${rejected} GROUP BY line ORDER BY line`,
  )
  await renumber(db, table, file, [...uncounted, ...rejects.map(({ line }) => Number(line))])
  const footers = await footersIn(db, table, file, rejects, plan.delimiter)
  const malformed = rejects.slice(0, rejects.length - footers.length)
  const findings = malformed
    .slice(0, LISTED)
    .map((reject) => malformedRow(plan.file, Number(reject.line), reject.error_type, reject.csv_line))
  return {
    rejected: malformed.length,
    findings: [
      ...capFindings(findings, malformed.length),
      ...footers.map(({ line, csv_line }) => footerLeftOut(plan.file, Number(line), csv_line?.trim() ?? '')),
    ],
  }
}

interface Reject extends Record<string, unknown> {
  readonly line: string
  readonly error_type: string
  readonly csv_line: string | null
}

/** The last records, where they stand below all rows and are no torn ones. */
async function footersIn(
  db: Database,
  table: string,
  file: number,
  rejects: readonly Reject[],
  delimiter: string,
): Promise<readonly Reject[]> {
  if (rejects.length === 0) return []
  const { last } = await db.row<{ last: string | null }>(
    `SELECT max(row)::VARCHAR AS last FROM ${table} WHERE file = ${file}`,
  )
  const cellsOf = ({ csv_line }: Reject) =>
    recordsIn(csv_line?.trim() ?? '', delimiter, () => {})[0]?.cells ?? []
  const below = rejects.map((reject) => ({
    reject,
    cells: Number(reject.line) > Number(last ?? 0) ? cellsOf(reject) : [],
  }))
  return footersOf(below).map(({ reject }) => reject)
}

async function blankRowsOf(plan: LedgerPlan): Promise<number[]> {
  // In a file written by an importer, a column holds the row numbers.
  if (plan.rowColumn !== undefined || !(await mayHoldBlankRows(plan))) return []
  return (await scanRecords(plan.path, plan.delimiter)).blank.filter((row) => row > headerRows(plan))
}

const mayHoldBlankRows = async (plan: LedgerPlan): Promise<boolean> =>
  plan.mayHoldBlankRows ?? (await scanFile(plan.path)).mayHoldBlankRows

const headerRows = ({ isHeaderless }: LedgerPlan): number => (isHeaderless ? 0 : 1)

/** SQL for the records below the header, with the cells c0, c1, … as text. */
export function recordsSql(plan: LedgerPlan, rejects: string): string {
  const columns = plan.header.map((_, i) => `'c${i}': 'VARCHAR'`).join(', ')
  // By default a buffer holds sixteen lines of the greatest length, which is a quarter of a build's memory for each file.
  return csvSql(
    plan.path,
    `skip = ${headerRows(plan)}, columns = {${columns}}, delim = ${quoted(plan.delimiter)}, quote = '"', escape = '"', null_padding = false,
    strict_mode = true, max_line_size = ${LONGEST_LINE}, buffer_size = ${2 * LONGEST_LINE}, ${rejects}`,
  )
}

/** `rejected` and `scans`: the names of the tables of what is rejected. */
function rowsOf(file: number, plan: LedgerPlan, rejected: string, scans: string): string {
  const source = (column: LedgerColumn): string => {
    const header = plan.columns[column]
    return `${header === undefined ? 'NULL' : `c${plan.header.indexOf(header)}`} AS ${column}`
  }
  // row_number() gives the rows of the file, because each file is read in order by a single thread.
  const row =
    plan.rowColumn === undefined
      ? `row_number() OVER () + ${headerRows(plan)}`
      : `c${plan.header.indexOf(plan.rowColumn)}::BIGINT`
  const given = LEDGER_COLUMNS.filter((column) => plan.columns[column] !== undefined)
  const rejects = `store_rejects = true, rejects_table = '${rejected}', rejects_scan = '${scans}', rejects_limit = 0`
  // A spreadsheet saves blank rows as rows of delimiters. They are numbered but not read. Where a column has the
  // numbers there are none, and a row without a value is one with a remark beside the columns that are read. CASE looks at the other columns of few rows
  // only; DuckDB may turn the sides of an OR around.
  return `
    SELECT * FROM (
      SELECT ${file} AS file, ${row} AS row, ${LEDGER_COLUMNS.map(source).join(', ')}
      FROM ${recordsSql(plan, rejects)})
    ${plan.rowColumn === undefined ? `WHERE CASE WHEN begins_bare(transaction_id) THEN true ELSE trimmed(concat(${given.join(', ')})) <> '' END` : ''}`
}

/** Corrects the row numbers: `row_number` counted neither blank nor rejected records, so each of them moves the rows below down by one. */
async function renumber(
  db: Database,
  table: string,
  file: number,
  uncounted: readonly number[],
): Promise<void> {
  if (uncounted.length === 0) return
  // The i-th uncounted record (from 0) stands above every row whose number so far is at least its own number minus i.
  const shifts = new Map(
    [...uncounted].sort((a, b) => a - b).map((row, i): [first: number, rows: number] => [row - i, i + 1]),
  )
  await db.run('CREATE TEMP TABLE shift (first BIGINT, rows BIGINT)')
  await db.append('shift', shifts)
  await db.run(`
    UPDATE ${table} SET row = moved.row FROM (
      SELECT t.row AS old, t.row + shift.rows AS row FROM ${table} t ASOF JOIN shift ON t.row >= shift.first WHERE t.file = ${file}
    ) AS moved WHERE ${table}.file = ${file} AND ${table}.row = moved.old;
    DROP TABLE shift`)
}

async function unreadableCsv(plan: LedgerPlan, problem: unknown): Promise<Finding> {
  // Too little memory is not a mistake in the file.
  if (problem instanceof Error && problem.message.startsWith('Out of Memory')) throw problem
  const { otherLineEnd } = await scanRecords(plan.path, plan.delimiter)
  if (otherLineEnd !== null)
    return error('mixed-line-ends', `row ${otherLineEnd} ends with another line end than the first row`, {
      file: plan.file,
      row: otherLineEnd,
      remedy:
        'save the file with one kind of line end, all CR LF or all LF: two files were put together, perhaps',
    })
  const [message] = (problem instanceof Error ? problem.message : String(problem)).split('\n')
  return error('unreadable-csv', `cannot be read as delimited text: ${message}`, {
    file: plan.file,
    remedy: 'export the file again',
  })
}

const MALFORMED: Readonly<Record<string, readonly [string, string]>> = {
  'MISSING COLUMNS': [
    'has fewer columns than the header',
    'the row, or the file, was cut off: export it again',
  ],
  'TOO MANY COLUMNS': ['has more columns than the header', 'quote values that hold the separator'],
  'UNQUOTED VALUE': [
    'has a quotation mark that is never closed',
    'close the quotation mark, or export the file again',
  ],
}

function malformedRow(file: string, row: number, type: string, text: string | null): Finding {
  const [what, remedy] = MALFORMED[type] ?? [
    `cannot be read (${type.toLowerCase()})`,
    'export the file again',
  ]
  return error('malformed-row', `row ${row} ${what}`, {
    file,
    row,
    text: text === null ? null : text.trim().slice(0, 200),
    remedy,
  })
}
