/**
 * Turns ledger rows into typed lines. Every source gives rows of text, and the same SQL reads all of them into the table `line` as
 * codes, days and minor units. Values that cannot be read stay NULL there, and ledger-checks.ts reports them. The
 * text is read again, into the table `raw`, where something is wrong.
 */

import { statSync } from 'node:fs'
import { amountMacros, amountsSql } from '../../database/amount-sql.ts'
import { type Database, orderedParallel, quoted, ROW_GROUP, tablesOf } from '../../database/database.ts'
import { DATE_MACROS, dateSql, daysSql } from '../../database/date-sql.ts'
import type { LedgerInput, LedgerPlan } from '../../ingest/format/intake.ts'
import {
  EXTRA_COLUMNS,
  EXTRA_DAYS,
  type ExtraColumn,
  LEDGER_COLUMNS,
  type LedgerColumn,
} from '../../ingest/format/ledger-columns.ts'
import type { RoundingReach } from '../../ingest/text/amount.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { BASIS_CODE } from './codes.ts'
import { WRONG_ROWS } from './engine/wrong-rows.ts'
import { among, byYear, NEVER, NOTHING_OF_WHOLE, ofYearSql, sharedSql, type Whole } from './entry-ids.ts'
import { settleEntries } from './grouping.ts'
import { CODED, codesSql, createKeys, type LedgerKeys } from './key-sql.ts'
import { readCsv } from './ledger-csv.ts'
import { hasDays, parquetRows, readParquet, scalesOf } from './parquet/rows.ts'
/** The references, journals and types by which company.yaml marks entries. */
export interface EntryMarks {
  readonly references: readonly string[]
  readonly journals: readonly string[]
  readonly types: readonly string[]
}

export interface LedgerOptions {
  readonly decimals: number
  readonly currency: string
  /** How far amounts may be rounded; null where no amount may. */
  readonly reach: RoundingReach | null
  /** The columns of this kind that any file has. */
  readonly extras: readonly ExtraColumn[]
  readonly opening: EntryMarks & {
    readonly files: readonly string[]
    readonly transactions: readonly string[]
  }
  readonly closing: EntryMarks
  /** The last day of the fiscal year that ends in a calendar year. */
  readonly yearEndOf: (year: number) => string
  /** The posting period that the company says a period's name in its exports means. */
  readonly adjustmentPeriods: Readonly<Record<string, string>>
}

/** Gives the query for the lines of a file that an engine has read; null for a file that DuckDB reads. */
export type ReadLines = (file: number) => string | null

/** The result of reading one ledger input. */
export interface LedgerReading {
  /** The number of rows that are not CSV records. */
  readonly rejected: number
  readonly findings: readonly Finding[]
}

/** The columns of this kind that any of the files has. */
export const extrasOf = (inputs: readonly LedgerInput[]): ExtraColumn[] =>
  EXTRA_COLUMNS.filter((column) => inputs.some(({ columns }) => columns[column] !== undefined))

const TABLES = `
CREATE OR REPLACE TABLE raw (file INTEGER, row BIGINT, ${LEDGER_COLUMNS.map((column) => `${column} VARCHAR`).join(', ')});
CREATE OR REPLACE TABLE line (
  file INTEGER, row BIGINT, basis TINYINT, tx VARCHAR, line_id VARCHAR, day DATE, account INTEGER, class INTEGER,
  department INTEGER, amount BIGINT, memo VARCHAR, reference VARCHAR, settles VARCHAR, currency VARCHAR, journal VARCHAR,
  type VARCHAR, open_item VARCHAR, entered DATE, opening BOOLEAN, closing BOOLEAN, credited BOOLEAN, period VARCHAR);`

const SCHEMA = `
-- Closing periods such as 2025-13, with the last day of their fiscal year.
CREATE TABLE closing_period (period VARCHAR, day DATE);
${DATE_MACROS}`

/**
 * Reads all ledger inputs into `line` and returns one reading for each, in the order of `inputs`. Rows that are not CSV records
 * become findings.
 */
export async function loadLedger(
  db: Database,
  inputs: readonly LedgerInput[],
  keys: LedgerKeys,
  options: LedgerOptions,
  linesOf: ReadLines = () => null,
): Promise<LedgerReading[]> {
  await db.run(SCHEMA)
  await db.run(amountMacros(options.currency))
  const variables = [
    await createKeys(db, 'account_key', keys.accounts),
    await createKeys(db, 'class_key', keys.classes),
    await createKeys(db, 'department_key', keys.departments),
  ].join(';')
  const connect = async (): Promise<Database> => {
    const connection = await db.connect()
    await connection.run(variables)
    return connection
  }
  if (inputs.some(({ columns }) => columns.period !== undefined))
    await db.append('closing_period', closingPeriods(options.yearEndOf))
  const extras = options.extras.map((column) => `ALTER TABLE line ADD COLUMN ${column} VARCHAR;`)
  // The column says which lines were rounded; it exists only where rounding is allowed.
  const rounded = options.reach === null ? '' : 'ALTER TABLE line ADD COLUMN rounded BOOLEAN'
  await db.run(`${TABLES} ${extras.join(' ')} ${rounded}`)
  const readings = await eachOnOneThread(db, (count) =>
    orderedParallel(batchesOf(inputs, options), { count, connect }, (connection, batch, _, turn) =>
      readBatch(connection, batch, options, turn, linesOf),
    ),
  )
  if (await settleEntries(db, inputs)) {
    const named = among('tx', options.opening.transactions)
    if (named !== NEVER) await db.run(`UPDATE line SET opening = true WHERE ${named}`)
  }
  await markEntries(db, 'opening', options.opening)
  await markEntries(db, 'closing', options.closing)
  return readings.flat()
}

/** Small files whose rows a single statement reads. */
interface Alike {
  readonly alike: readonly { readonly file: number; readonly plan: LedgerPlan }[]
  readonly statement: string
  readonly bytes: number
}

/** One input, or several small files with the same layout. */
type Batch = { readonly file: number; readonly input: LedgerInput } | Alike

/**
 * A file of fewer bytes has fewer rows than a row group, because even the shortest row (`1,1.1.25,1,1`) has 12 bytes and a
 * line end. DuckDB appends so few rows to the last row group of the table, whether they come from one file or from several.
 */
const MOST_ALIKE = ROW_GROUP * 12

/** The inputs in their order; small ones that follow one another are read together where one statement reads them. */
function batchesOf(inputs: readonly LedgerInput[], options: LedgerOptions): Batch[] {
  const batches: Batch[] = []
  for (const [file, input] of inputs.entries()) {
    const last = batches.at(-1)
    const next = batchOf(file, input, options)
    if (last !== undefined && 'alike' in last && 'alike' in next && areAlike(last, next))
      batches.splice(-1, 1, {
        ...last,
        alike: [...last.alike, ...next.alike],
        bytes: last.bytes + next.bytes,
      })
    else batches.push(next)
  }
  return batches
}

function batchOf(file: number, input: LedgerInput, options: LedgerOptions): Batch {
  if (input.kind !== 'csv') return { file, input }
  const bytes = statSync(input.path).size
  if (bytes >= MOST_ALIKE) return { file, input }
  return { alike: [{ file, plan: input }], statement: lineSql('FROM staged', input, options), bytes }
}

const areAlike = (run: Alike, next: Alike): boolean =>
  run.statement === next.statement && run.bytes + next.bytes < MOST_ALIKE

/**
 * Reads small files through a table of their text. DuckDB takes longer to plan the statement that interprets the text than to run it
 * on the file of a month, so it runs once for all of them.
 */
async function readAlike(
  db: Database,
  { alike, statement }: Alike,
  turn: Promise<unknown>,
): Promise<LedgerReading[]> {
  await db.run('CREATE OR REPLACE TEMP TABLE staged AS FROM raw LIMIT 0')
  const readings: LedgerReading[] = []
  for (const { file, plan } of alike)
    readings.push(await readCsv(db, file, plan, 'staged', (rows) => `INSERT INTO staged ${rows}`))
  await db.run(`BEGIN; ${statement}`)
  await turn
  await db.run('COMMIT')
  return readings
}

async function readBatch(
  db: Database,
  batch: Batch,
  options: LedgerOptions,
  turn: Promise<unknown>,
  linesOf: ReadLines,
): Promise<LedgerReading[]> {
  if ('alike' in batch) return readAlike(db, batch, turn)
  const lines = linesOf(batch.file)
  const insert = lines === null ? null : `INSERT INTO line ${lines}`
  return [await readInput(db, batch.input, batch.file, options, turn, insert)]
}

async function readInput(
  db: Database,
  input: LedgerInput,
  file: number,
  options: LedgerOptions,
  turn: Promise<unknown>,
  /** Inserts the lines that an engine has read; null where it has not. */
  insert: string | null,
): Promise<LedgerReading> {
  if (input.kind === 'csv')
    return readCsv(db, file, input, 'line', (rows) => lineSql(rows, input, options), turn)
  return readParquet(
    db,
    input,
    insert ?? lineSql(parquetRows(file, input, options.decimals), input, options),
    turn,
  )
}

/**
 * Reads the text of the files into `raw`, to show wrong values as they were written. Of Parquet, which may hold hundreds of
 * millions of rows, only those that `wrong` selects from `line` are read.
 */
export async function loadText(
  db: Database,
  inputs: readonly LedgerInput[],
  decimals: number,
  wrong: string,
): Promise<void> {
  const isKept = (await tablesOf(db, [WRONG_ROWS])).length > 0
  for (const [file, input] of inputs.entries()) {
    if (input.kind === 'csv') await readCsv(db, file, input, 'raw', (rows) => `INSERT INTO raw ${rows}`)
    if (input.kind === 'parquet' && input.engine !== undefined && isKept)
      await db.run(`INSERT INTO raw SELECT * FROM ${WRONG_ROWS} WHERE file = ${file}`)
    else if (input.kind === 'parquet') {
      const isWrong = `row IN (SELECT row FROM line WHERE file = ${file} AND (${wrong}))`
      await db.run(`INSERT INTO raw ${parquetRows(file, input, decimals, isWrong)}`)
    }
  }
}

/** A mark on one line marks the whole entry, because some exports write the reference on the first line only. */
async function markEntries(db: Database, mark: 'opening' | 'closing', by: EntryMarks): Promise<void> {
  const conditions = [
    among('reference', by.references),
    among('journal', by.journals),
    among('type', by.types),
  ].filter((condition) => condition !== NEVER)
  if (conditions.length > 0)
    await db.run(
      `UPDATE line SET ${mark} = true WHERE (basis, tx) IN (SELECT (basis, tx) FROM line WHERE ${conditions.join(' OR ')})`,
    )
}

/**
 * Calls `read` with the number of threads, while each query uses one. Several threads would divide the rows of a file into row groups
 * unpredictably, and the published Parquet has the row groups of its table.
 */
async function eachOnOneThread<T>(db: Database, read: (threads: number) => Promise<T>): Promise<T> {
  const setting = await db.row<{ threads: string }>(`SELECT current_setting('threads') AS threads`)
  await db.run('SET threads = 1')
  try {
    return await read(Number(setting.threads))
  } finally {
    await db.run(`SET threads = ${setting.threads}`)
  }
}

/**
 * SQL for the effective date of a posting (accounting.md §1): its date, or the nearest day of its posting period if the date
 * lies outside. Periods 13 to 16 of a year mean the last day of the fiscal year that ends in it.
 */
export const EFFECTIVE_DAY = `
  CASE WHEN period IS NULL THEN entered
       WHEN closing_period.day IS NOT NULL THEN closing_period.day
       ELSE greatest(least(entered, last_day(try_cast(period || '-01' AS DATE))), try_cast(period || '-01' AS DATE)) END`
/** Pattern of a posting period: a month (`2025-07`), or a closing period (`2025-13` to `2025-16`). */
export const POSTING_PERIOD = '(19|2[01])[0-9]{2}-(0[1-9]|1[0-6])'

const namedPeriod = (value: string, names: LedgerOptions['adjustmentPeriods']): string => {
  const known = Object.entries(names).map(([name, period]) => `WHEN ${quoted(name)} THEN ${quoted(period)}`)
  return known.length === 0 ? value : `CASE ${value} ${known.join(' ')} ELSE ${value} END`
}

/** Joins the closing periods only where the input has periods, because a join would not keep the order of rows. */
const datedSql = (hasPeriods: boolean): string =>
  hasPeriods
    ? `SELECT figure.*, ${EFFECTIVE_DAY} AS day FROM figure LEFT JOIN closing_period USING (period)`
    : 'SELECT *, entered AS day FROM figure'

export const closingPeriods = (yearEndOf: (year: number) => string): string[][] =>
  Array.from({ length: 300 }, (_, i) => 1900 + i).flatMap((year) =>
    [13, 14, 15, 16].map((period) => [`${year}-${period}`, yearEndOf(year)]),
  )

const AMOUNTS = ['debit', 'credit', 'amount'] as const

/** SQL for the day of a line. An opening is the state at the start of its year, whatever the day of its entry or of its invoice. */
function enteredSql(isCarried: string, whole: Whole): string {
  const last = whole.years.at(-1)
  if (last === undefined) return 'entered'
  if (whole.isWithin) {
    const [start, end] = [`DATE '${last.start}'`, `DATE '${last.end}'`]
    return `CASE WHEN entered > ${end} THEN ${end} WHEN entered >= ${start} THEN entered ELSE ${start} END`
  }
  if (isCarried === NEVER) return 'entered'
  return `CASE WHEN ${isCarried} THEN ${byYear(whole, ({ start }) => `DATE '${start}'`)} ELSE entered END`
}

/** The SQL statement that reads text into `line`. `rows` is a query with the columns of `raw`. */
function lineSql(rows: string, input: LedgerInput, options: LedgerOptions): string {
  const { decimals, opening, reach, extras } = options
  const basis =
    input.basis === null
      ? `CASE upper(value_of(basis)) WHEN 'ACCRUAL' THEN 0 WHEN 'CASH' THEN 1 END`
      : String(BASIS_CODE[input.basis])
  const whole = (input.kind === 'csv' ? input.whole : undefined) ?? NOTHING_OF_WHOLE
  const isCarried = among('journal', whole.openingJournals)
  const isOpening = opening.files.includes(input.file)
    ? 'true'
    : `(${among('tx', opening.transactions)} OR ${isCarried})`
  const has = (column: LedgerColumn): boolean => input.columns[column] !== undefined
  const value = (column: LedgerColumn): string => (has(column) ? `value_of(${column})` : 'NULL::VARCHAR')
  const values = (...columns: LedgerColumn[]): string =>
    columns.map((column) => `${value(column)} AS ${column}`).join(', ')
  const id = ofYearSql(value('transaction_id'), whole)
  const [finest] = sharedSql(whole, (column) => (has(column) ? value(column) : null))
  const amounts = AMOUNTS.filter(has)
  const minor = (column: LedgerColumn): string => (has(column) ? `${column}_minor` : 'NULL::BIGINT')
  const form = input.kind === 'parquet' ? { ...input, scales: scalesOf(input, decimals) } : input
  // A day is kept as ISO text, and what is none as it stands, which a warning quotes (extra-days.ts).
  const extraSql = (column: ExtraColumn): string => {
    if (!EXTRA_DAYS.includes(column) || !has(column)) return value(column)
    const text = `value_of(${column}::VARCHAR)`
    const day = `coalesce(${dateSql(`day_text(${text})`, input.dateFormat)}::VARCHAR, ${text})`
    // Most are ISO already, which need no pattern.
    const isIso = `strlen(${column}::VARCHAR) = 10 AND try_cast(${column} AS DATE)::VARCHAR = ${column}::VARCHAR`
    return `CASE WHEN ${column} IS NULL THEN NULL WHEN coalesce(${isIso}, false) THEN ${column}::VARCHAR ELSE ${day} END`
  }
  const coded = codesSql(rows, CODED.filter(has))
  const dated = hasDays(input)
    ? `SELECT *, date AS entered FROM (${coded})`
    : daysSql(coded, input.dateFormat)
  return `
    INSERT INTO line
    WITH figure AS (
      SELECT file, row, ${basis} AS basis, ${finest === undefined ? id : `coalesce(${id}, ${finest})`} AS tx, ${enteredSql(isCarried, whole)} AS entered,
        ${ofYearSql(value('line_id'), whole)} AS line_id,
        ${CODED.map((column) => `${has(column) ? `${column}_code` : 0} AS ${column}`).join(', ')},
        ${values('memo', 'reference', 'settles', 'currency', 'journal', 'type', 'open_item')},
        ${namedPeriod(value('period'), options.adjustmentPeriods)} AS period,${extras.map((column) => ` ${extraSql(column)} AS ${column},`).join('')}
        debit, credit, amount, ${minor('debit')} AS dr, ${minor('credit')} AS cr, ${minor('amount')} AS net${reach === null ? '' : `, (${amounts.map((column) => `${column}_rounded`).join(' OR ') || 'false'}) AS rounded`}
      FROM (${amountsSql(dated, amounts, form, decimals, reach)})
    ), dated AS (
      ${datedSql(has('period'))}
    )
    SELECT file, row, basis, tx, line_id,
      CASE WHEN day BETWEEN DATE '1900-01-01' AND DATE '2199-12-31' THEN day END, account, class, department,
      CASE WHEN amount IS NOT NULL AND debit IS NULL AND credit IS NULL THEN net
           WHEN amount IS NOT NULL OR (debit IS NULL AND credit IS NULL) THEN NULL
           WHEN dr <> 0 AND cr <> 0 THEN NULL
           WHEN (debit IS NOT NULL AND dr IS NULL) OR (credit IS NOT NULL AND cr IS NULL) THEN NULL
           ELSE coalesce(dr, 0) - coalesce(cr, 0) END,
      memo, reference, settles, currency, journal, type, open_item, entered, ${isOpening}, false,
      CASE WHEN amount IS NOT NULL THEN net < 0 ELSE coalesce(cr, 0) <> 0 END, dated.period${extras.map((column) => `, ${column}`).join('')}${reach === null ? '' : ', rounded'}
    FROM dated`
}
