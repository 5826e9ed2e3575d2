/**
 * Writes the books as Parquet files that any data tool can read, with ids as text and amounts as decimals, and reads them
 * back for the ad-hoc engine. Each file has a fixed order, so that equal books give equal bytes on any machine.
 */

import { join } from 'node:path'
import { decimalOfMinor, minorOfDecimal } from '../../database/amount-sql.ts'
import {
  type Cell,
  columnsOf,
  confine,
  copySql,
  type Database,
  type DatabaseOptions,
  openDatabase,
  parquetSql,
  quoted,
  ROW_GROUP,
} from '../../database/database.ts'
import { monthSql } from '../../database/date-sql.ts'
import type { Rows } from '../../ingest/format/column-rows.ts'
import type { ExtraColumn } from '../../ingest/format/ledger-columns.ts'
import { writeWhole } from '../../system/effects.ts'
import { readFile } from '../../system/plain-file.ts'
import type { Books } from '../books.ts'
import { type BudgetFigure, keptFigures } from '../post/budget-figures.ts'
import { extraSql, extrasIn, tableExtras } from '../post/extras.ts'
import { keptValues, type MetricValue, type MetricValues } from '../post/metric-values.ts'
import type { OpeningCell } from '../post/openings.ts'
import { KIND, KINDS, PUBLISHED_KIND } from '../post/postings.ts'
import { CASH_FLOW_ROWS, COMPUTED_CODES, decimalsOf, type Frame } from '../reference/frame.ts'
import { parseFrame } from '../reference/frame-schema.ts'
import type { Tree } from '../reference/tree.ts'
import { budgetCells, createLeaves } from '../sums/monthly-sums.ts'

/** The files of a snapshot's `books/` folder. */
export const BOOK_FILES = [
  'frame.json',
  'postings.parquet',
  'openings.parquet',
  'budgets.parquet',
  'metrics.parquet',
] as const
type BookFile = (typeof BOOK_FILES)[number]

const PARQUET = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP}`

/**
 * Writes all files of the books into `folder`. `ledgerFiles` are the ledger files by the number that `posting.file` holds. Of the
 * columns that only some books have, those are written that `isKept` says.
 */
export async function writeBooks(
  books: Books,
  folder: string,
  ledgerFiles: readonly string[],
  isKept: (column: ExtraColumn) => boolean = () => true,
): Promise<void> {
  const { db, frame } = books
  await takeSeveralThreads(db)
  await codeTables(db, frame)
  await budgetTable(books)
  await metricTable(books)
  const basisText = await texts(db, 'basis', ['accrual', 'cash'])
  const figure = publishedAmount(frame)
  const extras = (await extrasIn(db)).filter(isKept)
  const queries = {
    'postings.parquet': await postingsSql(db, frame, ledgerFiles, basisText, extras),
    'openings.parquet': `SELECT ${basisText('basis')} AS basis, account_code.id AS account, class_code.id AS class, department_code.id AS department,
       ${figure} AS amount, current, file, row${extras.length === 0 ? '' : `, ${openingExtras(extras)}`}
     FROM ${extras.length === 0 ? 'opening' : await openingsWithLines(db, ledgerFiles, extras)} t JOIN account_code ON t.account = account_code.code ${MEMBERS} ORDER BY ALL`,
    'budgets.parquet': `SELECT budget, printf('%04d-%02d', month // 12, month % 12 + 1) AS month, account_code.id AS account,
       class_code.id AS class, department_code.id AS department, ${figure} AS amount, file, row
     FROM budget_figure t JOIN account_code ON t.account = account_code.code ${MEMBERS} ORDER BY ALL`,
    'metrics.parquet': `SELECT metric, date::DATE AS date, whole_month, (${WHOLE_VALUE} * 0.000001::DECIMAL(7, 6))::DECIMAL(38, 6) AS value,
       class_code.id AS class, department_code.id AS department, budget, file, row
     FROM metric_value t ${MEMBERS} ORDER BY ALL`,
  }
  for (const [name, query] of Object.entries(queries))
    await db.run(copySql(query, join(folder, name), PARQUET))
  await db.run('DROP TABLE budget_figure; DROP TABLE metric_value')
  writeWhole(join(folder, 'frame.json'), frameText(frame))
}

/**
 * With one thread DuckDB writes other row groups of a table from which rows were removed than with any larger number, which would
 * give equal books other bytes on a machine of one core.
 */
async function takeSeveralThreads(db: Database): Promise<void> {
  const { threads } = await db.row<{ threads: string }>(`SELECT current_setting('threads') AS threads`)
  if (Number(threads) === 1) await db.run('SET threads = 2')
}

/** SQL for the millionths of a value, which are text. DuckDB takes two hundred times as long to read text as a number of 128 bits. */
const WHOLE_VALUE =
  'CASE WHEN length(value) < 19 THEN value::BIGINT::DECIMAL(30, 0) ELSE value::DECIMAL(30, 0) END'

/** The columns of openings that are lines of the ledger by which later lines and their parties find them. */
const openingExtras = (extras: readonly ExtraColumn[]): string =>
  [...extras.map(extraSql), 'transaction_id, line_id, open_item, source_date'].join(', ')

/** SQL for the openings with the columns of the ledger's lines that they are. */
async function openingsWithLines(
  db: Database,
  ledgerFiles: readonly string[],
  extras: readonly ExtraColumn[],
): Promise<string> {
  await db.run('CREATE OR REPLACE TEMP TABLE file_name (number INTEGER, file VARCHAR)')
  await db.append(
    'file_name',
    ledgerFiles.map((file, number) => [number, file]),
  )
  return `(FROM opening LEFT JOIN (
    SELECT basis, file_name.file, row, ${extras.join(', ')}, tx AS transaction_id, line_id, open_item, entered AS source_date
    FROM opening_line JOIN file_name ON opening_line.file = number) USING (basis, file, row))`
}

/** SQL joins that give the ids of the members in table `t`. */
const MEMBERS = `LEFT JOIN class_code ON t.class = class_code.code LEFT JOIN department_code ON t.department = department_code.code`

async function budgetTable({ db, budgetFigures }: Books): Promise<void> {
  await db.run(
    `CREATE TABLE budget_figure (budget VARCHAR, month INTEGER, account INTEGER, class INTEGER, department INTEGER, amount BIGINT, file VARCHAR, row BIGINT)`,
  )
  const cells = (f: BudgetFigure): Cell[] => [
    ...[f.budget, f.month, f.account, f.class, f.department],
    ...[f.amount, f.file, f.row],
  ]
  await db.append('budget_figure', eachOf(budgetFigures, cells))
}

async function metricTable({ db, metricValues }: Books): Promise<void> {
  await db.run(
    `CREATE TABLE metric_value (metric VARCHAR, date VARCHAR, whole_month BOOLEAN, value VARCHAR, class INTEGER, department INTEGER, budget VARCHAR, file VARCHAR, row BIGINT)`,
  )
  const cells = (v: MetricValue): Cell[] => [
    ...[v.metric, v.date, v.wholeMonth, String(v.value)],
    ...[v.class, v.department, v.budget, v.file, v.row],
  ]
  await db.append('metric_value', eachOf(metricValues, cells))
}

function* eachOf<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Generator<Made, void> {
  for (const item of items) yield make(item)
}

/**
 * The query for `postings.parquet`. A scan keeps the order of its table as long as nothing is joined, so codes are turned into text
 * by lists. row_number() needs a single thread and is used only if row ids are missing, as they are after opening lines were
 * removed.
 */
async function postingsSql(
  db: Database,
  frame: Frame,
  ledgerFiles: readonly string[],
  basisText: (of: string) => string,
  extras: readonly ExtraColumn[],
): Promise<string> {
  const numbers = await db.row<{ complete: boolean }>(
    'SELECT max(rowid) + 1 = count(*) AS complete FROM posting',
  )
  const seq = numbers.complete ? 'rowid + 1' : 'row_number() OVER ()'
  // A dictionary lists all its texts, used or not: equal books of format 2 and 3 are equal bytes.
  const moves = frame.cashFlowRows !== undefined
  const accountText = await texts(
    db,
    'account',
    accountIds(frame).slice(0, moves ? undefined : -CASH_FLOW_ROWS.length),
  )
  const classText = await texts(db, 'class', memberIds(frame.classes))
  const departmentText = await texts(db, 'department', memberIds(frame.departments))
  const fileText = await texts(db, 'file', ledgerFiles)
  const kindText = await texts(db, 'kind', moves ? KINDS : KINDS.slice(0, KIND.disposal))
  return `SELECT (${seq})::INTEGER AS seq, ${basisText('basis')} AS basis, tx AS transaction_id, line_id, day AS date, ${accountText('account')} AS account,
       ${classText('class - 1')} AS class, ${departmentText('department - 1')} AS department, ${publishedAmount(frame)} AS amount,
       ${kindText('kind')} AS kind, memo, reference, settles, journal, type, open_item, entered AS source_date,
       ${fileText('file')} AS file, row${extras.map((column) => `, ${extraSql(column)}`).join('')}
     FROM posting`
}

/** SQL for the amount of a row as the published tables have it. */
const publishedAmount = (frame: Frame): string => decimalOfMinor('amount', decimalsOf(frame), 18)

/** The text of `frame.json` as it is published. */
export const frameText = (frame: Frame): string => `${JSON.stringify(frame, null, 1)}\n`

/**
 * Returns a function that makes SQL for the text with the number `of`, counted from 0, or NULL if there is none. The texts are
 * values of an enumeration, which gives the Parquet writer its dictionary; to search for repeated texts took a quarter of the time.
 */
async function texts(db: Database, name: string, all: readonly string[]): Promise<(of: string) => string> {
  if (all.length === 0) return () => 'NULL::VARCHAR'
  await db.run(`
    CREATE TEMP TYPE ${name}_text AS ENUM (${[...new Set(all)].map(quoted).join(', ')});
    SET VARIABLE ${name}_texts = [${all.map(quoted).join(', ')}]::${name}_text[]`)
  return (of) => `getvariable('${name}_texts')[${of} + 1]`
}

async function codeTables(db: Database, frame: Frame): Promise<void> {
  await db.run(`
    CREATE OR REPLACE TABLE account_code (code INTEGER, id VARCHAR);
    CREATE OR REPLACE TABLE class_code (code INTEGER, id VARCHAR);
    CREATE OR REPLACE TABLE department_code (code INTEGER, id VARCHAR);`)
  await db.append(
    'account_code',
    accountIds(frame).map((id, code) => [code, id]),
  )
  await db.append(
    'class_code',
    memberIds(frame.classes).map((id, i) => [i + 1, id]),
  )
  await db.append(
    'department_code',
    memberIds(frame.departments).map((id, i) => [i + 1, id]),
  )
}

/** Ids by code: those of the accounts, then those of the computed rows. */
const accountIds = (frame: Frame): string[] => [...frame.accounts.map(({ id }) => id), ...COMPUTED_CODES]

const memberIds = ({ members }: Tree): string[] => members.map(({ id }) => id)

/** The columns that only some books have, as the books in `folder` have them. */
export async function publishedExtras(folder: string): Promise<readonly ExtraColumn[]> {
  const db = await openDatabase({ folders: [folder] })
  try {
    return await tableExtras(db, parquetSql(join(folder, 'postings.parquet')))
  } finally {
    db.close()
  }
}

/** SQL for the metrics of published books. Books of earlier versions lack file and row, which are NULL then. */
export async function metricsFrom(db: Database, folder: string): Promise<string> {
  const source = parquetSql(join(folder, 'metrics.parquet'))
  const namesFile = (await columnsOf(db, source)).includes('file')
  return `SELECT *${namesFile ? '' : ', NULL::VARCHAR AS file, NULL::BIGINT AS row'} FROM ${source}`
}

/**
 * Loads a snapshot's `books/` folder into memory with the monthly sums of its postings. Afterwards the database can reach no
 * file and change no setting. `look` is called before that, for queries that need the files. The caller closes `db`.
 */
export async function readBooks(
  folder: string,
  options: DatabaseOptions = {},
  look: (db: Database, frame: Frame) => Promise<void> = async () => {},
): Promise<Books> {
  const frame = parseFrame(
    await readFile(join(folder, 'frame.json'), 'utf8'),
    (problem) => new Error(`the books in ${folder} cannot be read: ${problem}`),
  )
  const db = await openDatabase({ ...options, folders: null })
  try {
    return await loadBooks(folder, frame, db, look)
  } catch (problem) {
    db.close()
    throw problem
  }
}

async function loadBooks(
  folder: string,
  frame: Frame,
  db: Database,
  look: (db: Database, frame: Frame) => Promise<void>,
): Promise<Books> {
  await codeTables(db, frame)
  const stored: Stored = {
    db,
    minor: minorOfDecimal('amount', decimalsOf(frame)),
    from: (name) => parquetSql(join(folder, name)),
  }
  await loadPostings(stored)
  await createLeaves(db, frame)
  const openings = await storedOpenings(stored)
  const budgetFigures = await storedBudgets(stored)
  const metricValues = await storedMetrics(db, await metricsFrom(db, folder))
  await look(db, frame)
  // Defence in depth: everything is in tables by now, so no query needs a file.
  await confine(db)
  return {
    ...{ frame, db, openings, budgetFigures, metricValues },
    budgetCells: budgetCells(frame, budgetFigures),
  }
}

/** How to query the published tables. */
interface Stored {
  readonly db: Database
  /** SQL for the amount in minor units. */
  readonly minor: string
  /** SQL for the table in a file. */
  from(name: BookFile): string
}

const CODES = `coalesce(class_code.code, 0) AS class, coalesce(department_code.code, 0) AS department`
const BY_ID = `LEFT JOIN class_code ON t.class = class_code.id LEFT JOIN department_code ON t.department = department_code.id`

const loadPostings = ({ db, from, minor }: Stored): Promise<void> =>
  db.run(`
    CREATE TABLE posting AS
    SELECT (basis = 'cash')::TINYINT AS basis, date AS day, ${monthSql('date')} AS month,
      account_code.code AS account, ${CODES},
      ${minor} AS amount, ${PUBLISHED_KIND} AS kind
    FROM ${from('postings.parquet')} t JOIN account_code ON t.account = account_code.id ${BY_ID}
    ORDER BY basis, day`)

/** A figure with its codes and its source. Numbers beyond 2^31 come as text. */
interface StoredPlace extends Record<string, unknown> {
  account: number
  class: number
  department: number
  amount: string
  file: string
  row: string
}

async function storedOpenings({ db, from, minor }: Stored): Promise<OpeningCell[]> {
  const rows = await db.rows<StoredPlace & { basis: string; current: boolean }>(
    `SELECT upper(basis) AS basis, account_code.code AS account, ${CODES}, ${minor} AS amount, current, file, row
     FROM ${from('openings.parquet')} t JOIN account_code ON t.account = account_code.id ${BY_ID} ORDER BY ALL`,
  )
  return rows.map((row) => ({
    ...row,
    basis: row.basis === 'CASH' ? 'CASH' : 'ACCRUAL',
    amount: Number(row.amount),
    row: Number(row.row),
  }))
}

async function storedBudgets({ db, from, minor }: Stored): Promise<Rows<BudgetFigure>> {
  const figures = keptFigures()
  const rows = db.eachRow<StoredPlace & { budget: string; month: number }>(
    `SELECT budget, (substr(month, 1, 4)::INTEGER * 12 + substr(month, 6, 2)::INTEGER - 1) AS month,
       account_code.code AS account, ${CODES}, ${minor} AS amount, file, row
     FROM ${from('budgets.parquet')} t JOIN account_code ON t.account = account_code.id ${BY_ID} ORDER BY ALL`,
  )
  for await (const row of rows) figures.push({ ...row, amount: Number(row.amount), row: Number(row.row) })
  return figures
}

async function storedMetrics(db: Database, metrics: string): Promise<MetricValues> {
  const values = keptValues()
  const rows = db.eachRow<{
    metric: string
    date: string
    whole_month: boolean
    value: string
    class: number
    department: number
    budget: string | null
    file: string | null
    row: string | null
  }>(
    `SELECT metric, date::VARCHAR AS date, whole_month, (value * 1000000)::DECIMAL(38, 0)::VARCHAR AS value,
       ${CODES}, budget, file, row
     FROM (${metrics}) t ${BY_ID} ORDER BY ALL`,
  )
  for await (const { whole_month, value, row, ...rest } of rows)
    values.push({
      ...rest,
      row: row === null ? null : Number(row),
      wholeMonth: whole_month,
      value: BigInt(value),
    })
  return values
}
