/** A ledger CSV into `raw`, all columns as text: what is no record of the header's columns is a finding, with its row. */
import { LEDGER_COLUMNS, type LedgerColumn, type LedgerPlan } from '../ingest/intake.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { mayHoldBlankRows, scanRecords } from './csv-records.ts'
import { type Database, identifier, quoted } from './database.ts'
import { LISTED, withRest } from './listed.ts'

interface CsvReading {
  readonly rejected: number
  readonly findings: readonly Finding[]
}

/** Reads one CSV into `raw`. What is no record of the header's columns is a finding; the rows below it keep their numbers. */
export async function readCsv(db: Database, file: number, plan: LedgerPlan): Promise<CsvReading> {
  const columns = plan.header.map((_, i) => `'c${i}': 'VARCHAR'`).join(', ')
  const source = (column: LedgerColumn): string => {
    const header = plan.columns[column]
    return header === undefined ? 'NULL' : `c${plan.header.indexOf(header)}`
  }
  try {
    await db.run(`
      INSERT INTO raw
      SELECT ${file}, row_number() OVER () + 1, ${LEDGER_COLUMNS.map(source).join(', ')}
      FROM read_csv(${quoted(plan.path)}, auto_detect = false, header = false, skip = 1, columns = {${columns}},
        delim = ${quoted(plan.delimiter)}, quote = '"', escape = '"', null_padding = false,
        strict_mode = true, max_line_size = 16777216, store_rejects = true, rejects_table = 'rejects_${file}',
        rejects_scan = 'scans_${file}', rejects_limit = 0)`)
  } catch (problem) {
    return { rejected: 0, findings: [await unreadableCsv(plan, problem)] }
  }
  const rejects = await db.rows<{ line: string; error_type: string; csv_line: string | null }>(
    `SELECT line, any_value(error_type) AS error_type, any_value(csv_line) AS csv_line
     FROM ${identifier(`rejects_${file}`)} GROUP BY line ORDER BY line`,
  )
  const blank = (await mayHoldBlankRows(plan.path))
    ? (await scanRecords(plan.path, plan.delimiter)).blank
    : []
  await renumber(db, file, [...blank.filter((row) => row > 1), ...rejects.map(({ line }) => Number(line))])
  // A spreadsheet saves blank rows as rows of delimiters.
  await db.run(
    `DELETE FROM raw WHERE file = ${file} AND coalesce(${LEDGER_COLUMNS.map((column) => `value_of(${column})`).join(', ')}) IS NULL`,
  )
  const findings = rejects
    .slice(0, LISTED)
    .map((reject) => malformedRow(plan.file, Number(reject.line), reject.error_type, reject.csv_line))
  return { rejected: rejects.length, findings: withRest(findings, rejects.length) }
}

/** `row_number` counted neither blank nor rejected records: rows below them move down by one each. */
async function renumber(db: Database, file: number, uncounted: readonly number[]): Promise<void> {
  if (uncounted.length === 0) return
  // The i-th uncounted record stands above every row whose number so far is at least its own less i.
  const shifts = new Map(
    [...uncounted].sort((a, b) => a - b).map((row, i): [first: number, rows: number] => [row - i, i + 1]),
  )
  await db.run('CREATE TEMP TABLE shift (first BIGINT, rows BIGINT)')
  await db.append('shift', shifts)
  await db.run(`
    UPDATE raw SET row = moved.row FROM (
      SELECT raw.row AS old, raw.row + shift.rows AS row FROM raw ASOF JOIN shift ON raw.row >= shift.first WHERE raw.file = ${file}
    ) AS moved WHERE raw.file = ${file} AND raw.row = moved.old;
    DROP TABLE shift`)
}

async function unreadableCsv(plan: LedgerPlan, problem: unknown): Promise<Finding> {
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
