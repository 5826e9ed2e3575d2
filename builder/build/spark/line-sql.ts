/**
 * The query for the lines of a ledger in Spark. It gives what `lineSql` of books/read/ledger.ts and the macros of database/amount-sql.ts give in
 * DuckDB, for Parquet: the same codes, days and minor units, and NULL for the same values that cannot be read.
 */

import { BASIS_CODE } from '../../books/read/codes.ts'
import type { EngineInput, EngineJob } from '../../books/read/engine/engine.ts'
import { among } from '../../books/read/entry-ids.ts'
import { EFFECTIVE_DAY } from '../../books/read/ledger.ts'
import { addTo } from '../../contract/grouping.ts'
import { present } from '../../contract/present.ts'
import type { LedgerParquet, ParquetValue } from '../../ingest/format/intake.ts'
import { BEFORE_COMPANY } from '../../ingest/format/keys.ts'
import type { LedgerColumn } from '../../ingest/format/ledger-columns.ts'
import { EXTRA_DAYS, type ExtraColumn } from '../../ingest/format/ledger-columns.ts'
import type { RoundingReach } from '../../ingest/text/amount.ts'
import { TIME_OF_DAY } from '../../ingest/text/months.ts'
import { fromDuckDb, readAddress, sparkColumn, sparkName, sparkText } from './dialect.ts'

/** Files with the same columns and types, which one query reads. */
export interface AlikeFiles {
  /** What Spark reads: the folder with a link to each of them, or a pattern of their own addresses. */
  readonly path: string
  readonly inputs: readonly EngineInput[]
}

/** The columns with text, without those that become codes, days or minor units. */
const TEXTS = [
  'line_id',
  'memo',
  'reference',
  'settles',
  'currency',
  'journal',
  'type',
  'open_item',
  'period',
] as const
const AMOUNTS = ['debit', 'credit', 'amount'] as const
type Amount = (typeof AMOUNTS)[number]

/** White space around a value, which does not belong to it; the same as in database/amount-sql.ts. */
const bareOf = (text: string): string => `nullif(trim(BOTH ${AROUND} FROM ${text}), '')`
const AROUND = sparkText(' \t\n\r\u00a0')

/** Groups the inputs by the query that can read them together. */
export function alike(inputs: readonly EngineInput[]): EngineInput[][] {
  const groups = new Map<string, EngineInput[]>()
  for (const each of inputs) {
    const { columns, types, basis, table, path } = each.input
    const key = JSON.stringify([
      // A query reads the links to files of this machine, which lie in one folder, or the files of one bucket.
      table === undefined ? null : /^\w+:\/\/[^/]+/.exec(path)?.[0],
      basis,
      types,
      Object.entries(columns).map(([name, value]) => [name, 'folder' in value ? null : value]),
    ])
    addTo(groups, key, each)
  }
  return [...groups.values()]
}

/** The name of the link to a file, by which its rows know their file. */
export const linkName = (file: number): string => `${String(file).padStart(LINK_DIGITS, '0')}.parquet`
const LINK_DIGITS = 9

/** The columns of the table `line` of the books, with their types in Spark. */
export const lineColumns = ({
  options,
}: Pick<EngineJob, 'options'>): (readonly [name: string, type: string])[] => [
  ...LINE_COLUMNS,
  ...options.extras.map((column) => [column, 'STRING'] as const),
  ...(options.reach === null ? [] : [['rounded', 'BOOLEAN'] as const]),
]

/** The columns of a result with lines: those above, and the text of rows that are wrong, as JSON. */
export const resultColumns = (job: Pick<EngineJob, 'options'>): (readonly [name: string, type: string])[] => [
  ...lineColumns(job),
  ['said', 'STRING'],
]

const LINE_COLUMNS = [
  ['file', 'INT'],
  ['row', 'BIGINT'],
  ['basis', 'TINYINT'],
  ['tx', 'STRING'],
  ['line_id', 'STRING'],
  ['day', 'DATE'],
  ['account', 'INT'],
  ['class', 'INT'],
  ['department', 'INT'],
  ['amount', 'BIGINT'],
  ['memo', 'STRING'],
  ['reference', 'STRING'],
  ['settles', 'STRING'],
  ['currency', 'STRING'],
  ['journal', 'STRING'],
  ['type', 'STRING'],
  ['open_item', 'STRING'],
  ['entered', 'DATE'],
  ['opening', 'BOOLEAN'],
  ['closing', 'BOOLEAN'],
  ['credited', 'BOOLEAN'],
  ['period', 'STRING'],
] as const

/** The lines without the marks of whole entries. It needs the views of the keys and of the closing periods. */
export const typedSql = (job: EngineJob, groups: readonly AlikeFiles[]): string =>
  groups.map((group) => groupSql(group, job)).join('\nUNION ALL\n')

/** The lines of a group of files, with the text of those that are wrong. */
function groupSql(group: AlikeFiles, job: EngineJob): string {
  const { input } = present(group.inputs[0], 'file of a group')
  const columns = lineColumns(job).map(([name]) => name)
  return `
SELECT ${columns.join(', ')}, CASE WHEN ${fromDuckDb(job.wrong)} THEN ${saidSql(input, job.options.decimals)} END AS said
FROM (${codedSql(group, job)}) AS line`
}

/** The lines of a group of files with codes in the place of keys, and the values as they are stored. */
function codedSql(group: AlikeFiles, job: EngineJob): string {
  const { options } = job
  const isOpening = among('tx', options.opening.transactions)
  const day = `CASE WHEN day BETWEEN DATE '1900-01-01' AND DATE '2199-12-31' THEN day END`
  return `
SELECT file, row, basis, tx, line_id, ${day} AS day, account, class, department, amount, memo, reference, settles, currency,
  journal, type, open_item, entered, of_opening OR ${fromDuckDb(isOpening)} AS opening, false AS closing, credited, period, ${options.extras.map((column) => `${column}, `).join('')}${storedIn(group)}${options.reach === null ? '' : ', rounded'}
FROM (
  SELECT /*+ BROADCAST(a, n, c, d, closing_period) */ figure.*, coalesce(a.code, n.code) AS account,
    CASE WHEN class_text IS NULL THEN 0 ELSE c.code END AS class,
    CASE WHEN department_text IS NULL THEN 0 ELSE d.code END AS department,
    ${fromDuckDb(EFFECTIVE_DAY)} AS day
  FROM (
${figuresSql(group, job)}) AS figure
  LEFT JOIN account_key a ON a.key = account_text
  LEFT JOIN account_key n ON a.key IS NULL AND n.key = regexp_extract(account_text, ${sparkText(BEFORE_COMPANY)}, 1)
  LEFT JOIN class_key c ON c.key = class_text
  LEFT JOIN department_key d ON d.key = department_text
  LEFT JOIN (SELECT period AS name, day FROM closing_period) AS closing_period ON closing_period.name = period
)`
}

/** The rows of a group of files with their values: texts, the day, and minor units. */
function figuresSql({ path, inputs }: AlikeFiles, job: EngineJob): string {
  const { input } = present(inputs[0], 'file of a group')
  const { decimals, reach } = job.options
  const has = (column: LedgerColumn): boolean => input.columns[column] !== undefined
  const text = (column: LedgerColumn) => (has(column) ? bareOf(stored(column)) : 'CAST(NULL AS STRING)')
  const extraOf = (column: ExtraColumn) => {
    const value = input.columns[column]
    if (value === undefined || !EXTRA_DAYS.includes(column)) return text(column)
    return `coalesce(CAST(${dayOf(value, column)} AS STRING), ${bareOf(`CAST(${stored(column)} AS STRING)`)})`
  }
  const given = (column: Amount) => (has(column) ? `${stored(column)} IS NOT NULL` : 'false')
  const minor = (column: Amount) => (has(column) ? `${column}_minor` : 'CAST(NULL AS BIGINT)')
  const basis =
    input.basis === null
      ? `CASE upper(${text('basis')}) WHEN 'ACCRUAL' THEN 0 WHEN 'CASH' THEN 1 END`
      : String(BASIS_CODE[input.basis])
  const amounts = AMOUNTS.filter(has)
  const rounded = amounts.map((column) => `(${given(column)} AND ${column}_exact IS NULL)`).join(' OR ')
  const steps = [
    `file, row, ${amounts.map((column) => `${exactSql(input, column, decimals)} AS ${column}_exact`).join(', ')}, *`,
    `${amounts.map((column) => `${minorSql(column, decimals, reach)} AS ${column}_minor`).join(', ')}, *`,
    `file, row, CAST(${basis} AS TINYINT) AS basis, ${text('transaction_id')} AS tx, ${text('account')} AS account_text,
    ${text('class')} AS class_text, ${text('department')} AS department_text,
    ${TEXTS.map((column) => `${text(column)} AS ${column}`).join(', ')},
    ${job.options.extras.map((column) => `${extraOf(column)} AS ${column}, `).join('')}
    ${dayOf(present(input.columns.date, 'date'))} AS entered, ${openingSql(inputs, job)} AS of_opening,
    ${storedIn({ inputs })},
    CASE WHEN ${given('amount')} AND NOT ${given('debit')} AND NOT ${given('credit')} THEN ${minor('amount')}
         WHEN ${given('amount')} OR (NOT ${given('debit')} AND NOT ${given('credit')}) THEN NULL
         WHEN ${minor('debit')} <> 0 AND ${minor('credit')} <> 0 THEN NULL
         WHEN (${given('debit')} AND ${minor('debit')} IS NULL) OR (${given('credit')} AND ${minor('credit')} IS NULL) THEN NULL
         ELSE coalesce(${minor('debit')}, 0) - coalesce(${minor('credit')}, 0) END AS amount,
    CASE WHEN ${given('amount')} THEN ${minor('amount')} < 0 ELSE coalesce(${minor('credit')}, 0) <> 0 END AS credited${
      reach === null ? '' : `, ${rounded} AS rounded`
    }`,
  ]
  return steps.reduce((from, step) => `SELECT ${step} FROM (${from})`, storedSql(path, input))
}

/** The value of a canonical column as it is stored, in the query of a group of files. */
const stored = (column: LedgerColumn): string => `stored_${column}`

const storedIn = ({ inputs }: Pick<AlikeFiles, 'inputs'>): string =>
  (Object.keys(present(inputs[0], 'file of a group').input.columns) as LedgerColumn[]).map(stored).join(', ')

/** The values of the files' columns and of the names of their folders, with the number of the file and the place of the row in it. */
function storedSql(path: string, { columns, table }: LedgerParquet): string {
  const named = Object.entries(columns) as [LedgerColumn, ParquetValue][]
  const values = named.flatMap(([column, value]) =>
    'folder' in value ? [] : [`${storedValue(value)} AS ${stored(column)}`],
  )
  const record = `_metadata.row_index + 1 AS row, ${values.join(', ')}`
  const rows =
    table === undefined
      ? `SELECT CAST(substring(_metadata.file_name, 1, ${LINK_DIGITS}) AS INT) AS file, ${record}
      FROM parquet.${sparkName(readAddress(path))}`
      : `SELECT /*+ BROADCAST(o) */ o.file, of_object.* EXCEPT (path) FROM (
        SELECT ${ADDRESS} AS path, ${record}
        FROM parquet.${sparkName(path)}
        WITH ('recursiveFileLookup' = 'true')) AS of_object JOIN object_file o ON o.path = of_object.path`
  const folders = named.flatMap(([column, value]) => ('folder' in value ? [column] : []))
  if (folders.length === 0) return rows
  const ofFolders = folders.map((column) => `f.${column} AS ${stored(column)}`).join(', ')
  return `SELECT /*+ BROADCAST(f) */ r.*, ${ofFolders} FROM (${rows}) AS r JOIN folder_value f ON f.file = r.file`
}

/**
 * SQL for the address of the file of a row. Spark states it as a URI and escapes all but the characters of one; it
 * leaves a plus, which url_decode would take for a space.
 */
const ADDRESS = `url_decode(replace(_metadata.file_path, '+', '%2B'))`

/** The original values of a row as JSON, for findings: the same text as `valueSql` of books/read/parquet/rows.ts gives. */
function saidSql({ columns }: LedgerParquet, decimals: number): string {
  const unit = `CAST(${(10 ** -decimals).toFixed(decimals)} AS DECIMAL(${decimals + 1}, ${decimals}))`
  const members = (Object.entries(columns) as [LedgerColumn, ParquetValue][]).map(([column, value]) => {
    const read = 'read' in value ? value.read : 'text'
    const text =
      read === 'time'
        ? `CAST(${stored(column)} AS DATE)`
        : read === 'minor'
          ? `${stored(column)} * ${unit}`
          : stored(column)
    return `'${column}', CAST(${text} AS STRING)`
  })
  return `to_json(named_struct(${members.join(', ')}))`
}

function storedValue(value: Exclude<ParquetValue, { readonly folder: unknown }>): string {
  const name = sparkColumn(value.column)
  if (value.read === 'whole') return `CAST(${name} AS STRING)`
  return value.read === 'minor' ? `CAST(${name} AS DECIMAL(20, 0))` : name
}

/** The day of a date, which is a day already, or an ISO text. */
function dayOf(date: ParquetValue, column: LedgerColumn = 'date'): string {
  if ('read' in date && date.read !== 'text') return `CAST(${stored(column)} AS DATE)`
  const text = `regexp_replace(${bareOf(stored(column))}, ${sparkText(`(?i)${TIME_OF_DAY}`)}, '')`
  return `CASE WHEN ${text} RLIKE '^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$' THEN try_cast(${text} AS DATE) END`
}

function openingSql(inputs: readonly EngineInput[], { options }: EngineJob): string {
  const marked = inputs.filter(({ input }) => options.opening.files.includes(input.file))
  if (marked.length === 0) return 'false'
  return marked.length === inputs.length ? 'true' : `file IN (${marked.map(({ file }) => file).join(', ')})`
}

const LARGEST = Number.MAX_SAFE_INTEGER
const safe = (minor: string): string =>
  `CASE WHEN ${minor} BETWEEN -${LARGEST} AND ${LARGEST} THEN ${minor} END`

/**
 * SQL for the amount in minor units where it has no more decimals than the currency, and is exact as a double; else NULL. The first
 * comparison keeps every later step within 38 digits: Spark gives up decimals of a result that is longer.
 */
function exactSql({ columns }: LedgerParquet, column: Amount, decimals: number): string {
  const value = present(columns[column], column)
  const name = stored(column)
  const isMinor = 'read' in value && value.read === 'minor'
  if (isMinor) return safe(`CASE WHEN ${isNear(name, 0)} THEN CAST(${name} AS BIGINT) END`)
  const scale = 'scale' in value ? value.scale : 0
  const short = `CAST(${name} AS DECIMAL(20, ${decimals}))`
  const isWhole = scale <= decimals ? '' : ` AND ${short} = ${name}`
  const minor = `CAST(${short} * CAST(${10 ** decimals} AS DECIMAL(${decimals + 1}, 0)) AS BIGINT)`
  return safe(`CASE WHEN ${isNear(name, decimals)}${isWhole} THEN ${minor} END`)
}

/** SQL for whether an amount is not far beyond the largest exact one: the limit is a whole number, for an exact comparison. */
function isNear(name: string, decimals: number): string {
  const limit = `CAST(${Math.ceil(LARGEST / 10 ** decimals) + 1} AS DECIMAL(17, 0))`
  return `${name} BETWEEN -${limit} AND ${limit}`
}

/** SQL for the amount in minor units, rounded where company.yaml allows it; see `rounded_of_tidy` of database/amount-sql.ts. */
function minorSql(column: Amount, decimals: number, reach: RoundingReach | null): string {
  if (reach === null) return `${column}_exact`
  const digits = `trim(TRAILING '0' FROM CAST(${stored(column)} AS STRING))`
  const point = `instr(${digits}, '.')`
  const behind = `substring(${digits}, ${point} + ${1 + decimals})`
  const towardsZero = `try_cast(replace(left(${digits}, ${point} + ${decimals}), '.', '') AS BIGINT)`
  const away = `${towardsZero} + CASE WHEN ${digits} LIKE '-%' THEN -1 ELSE 1 END`
  const rounded = `CASE WHEN ${point} = 0 THEN NULL WHEN ${behind} >= '${reach.up}' THEN ${away} WHEN ${behind} <= '${reach.down}' THEN ${towardsZero} END`
  return `coalesce(${column}_exact, ${safe(rounded)})`
}
