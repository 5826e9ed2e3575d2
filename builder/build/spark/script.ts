/**
 * The statements of a job, as one text. They write what the books ask for (books/read/engine/engine.ts) as Parquet into folders of the scratch
 * folder: the lines, sorted by file and row; sums by day; control totals; and facts about all entries.
 */
import type { EngineJob } from '../../books/read/engine/engine.ts'
import { among, NEVER } from '../../books/read/entry-ids.ts'
import { LEDGER_COLUMNS } from '../../ingest/format/ledger-columns.ts'
import { addressText, fromDuckDb, readAddress } from './dialect.ts'
import { type AlikeFiles, resultColumns, typedSql } from './line-sql.ts'
import { reachSql } from './table-path.ts'

/** The small tables that the program writes for a job, with their columns, which Spark then need not look for. */
const KEY_TABLES = {
  account_key: 'key STRING, code INT',
  class_key: 'key STRING, code INT',
  department_key: 'key STRING, code INT',
  closing_period: 'period STRING, day DATE',
  object_file: 'path STRING, file INT',
  folder_value: `file INT, ${LEDGER_COLUMNS.map((column) => `${column} STRING`).join(', ')}`,
} as const
export type KeyTable = keyof typeof KEY_TABLES

/** The results of a job, each in a folder of its name. */
export const RESULTS = ['line', 'total', 'survey', 'transfer', 'day_sum'] as const
export type Result = (typeof RESULTS)[number]

/** The settings by which Spark computes exactly, or not at all. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Texts are written as they are: `${…}` in one of them is no variable.
  'spark.sql.variable.substitute': 'false',
  // A number that does not fit is an error, and never another number.
  'spark.sql.ansi.enabled': 'true',
  'spark.sql.decimalOperations.allowPrecisionLoss': 'false',
  'spark.sql.caseSensitive': 'true',
  'spark.sql.session.timeZone': 'UTC',
  // Spark must not guess types from names of folders: the importer reads them.
  'spark.sql.sources.partitionColumnTypeInference.enabled': 'false',
  'spark.sql.parquet.binaryAsString': 'true',
  'spark.sql.parquet.datetimeRebaseModeInRead': 'CORRECTED',
  'spark.sql.parquet.datetimeRebaseModeInWrite': 'CORRECTED',
  'spark.sql.parquet.compression.codec': 'snappy',
}

interface ScriptPlaces {
  /** The folder of a {@link Result}. */
  result(name: Result): string
  /** The file of one of {@link KEY_TABLES}. */
  key(name: KeyTable): string
}

export function scriptOf(job: EngineJob, groups: readonly AlikeFiles[], places: ScriptPlaces): string {
  const view = (name: string, columns: string, path: string) =>
    `CREATE OR REPLACE TEMPORARY VIEW ${name} (${columns}) USING parquet OPTIONS (path ${addressText(readAddress(path))})`
  const write = (name: Result, query: string) =>
    `INSERT OVERWRITE DIRECTORY ${addressText(`file:${places.result(name)}`)} USING parquet\n${query}`
  return [
    ...Object.entries(SETTINGS).map(([name, value]) => `SET ${name}=${value}`),
    ...Object.entries(KEY_TABLES).map(([name, columns]) => view(name, columns, places.key(name as KeyTable))),
    ...groups.flatMap(({ path, inputs }, i) =>
      inputs[0]?.input.table === undefined ? [] : [reachSql(path, i)],
    ),
    `CREATE OR REPLACE TEMPORARY VIEW typed AS ${typedSql(job, groups)}`,
    write('line', `${markedSql(job)}\nORDER BY file, row`),
    view(
      'line',
      resultColumns(job)
        .map(([name, type]) => `${name} ${type}`)
        .join(', '),
      places.result('line'),
    ),
    write('total', TOTALS),
    write('survey', surveySql(job)),
    write('transfer', transfersSql(job.equity)),
    write('day_sum', DAY_SUMS),
  ]
    .map((statement) => `${statement};\n`)
    .join('')
}

/** The lines, with the marks of whole entries: a mark on one line marks the entry. */
function markedSql(job: EngineJob): string {
  const { opening, closing } = job.options
  const marks = [
    ['opening', opening],
    ['closing', closing],
  ] as const
  const used = marks.flatMap(([mark, by]) => {
    const conditions = [
      among('reference', by.references),
      among('journal', by.journals),
      among('type', by.types),
    ].filter((condition) => condition !== NEVER)
    return conditions.length === 0 ? [] : [{ mark, where: fromDuckDb(conditions.join(' OR ')) }]
  })
  const columns = resultColumns(job).map(([column]) =>
    used.some(({ mark }) => mark === column)
      ? `t.${column} OR ${column}_entry.tx IS NOT NULL AS ${column}`
      : `t.${column}`,
  )
  const joins = used.map(
    ({ mark, where }) => `
LEFT JOIN (SELECT DISTINCT basis, tx FROM typed WHERE tx IS NOT NULL AND (${where})) AS ${mark}_entry
  ON ${mark}_entry.basis = t.basis AND ${mark}_entry.tx = t.tx`,
  )
  return `SELECT ${columns.join(', ')} FROM typed AS t${joins.join('')}`
}

/** Sums are of 38 digits: sums of many BIGINT could exceed a BIGINT. */
const WIDE = 'CAST(amount AS DECIMAL(38, 0))'

const TOTALS = `
SELECT file, count(*) AS rows, coalesce(sum(${WIDE}) FILTER (WHERE NOT credited), 0) AS debit,
  coalesce(-sum(${WIDE}) FILTER (WHERE credited), 0) AS credit, min(day) AS first, max(day) AS last
FROM line GROUP BY file`

/** One row of facts about all lines; see books/read/entries.ts and books/check/ledger-checks.ts. */
function surveySql({ inputs, wrong }: EngineJob): string {
  const settles = inputs.some(({ input }) => input.columns.settles !== undefined)
  const hasIds = inputs.some(({ input }) => input.columns.line_id !== undefined)
  const documents = (id: string) =>
    `NOT EXISTS (SELECT 1 FROM line AS document WHERE document.basis = l.basis AND document.${id} = l.settles)`
  return `
SELECT coalesce(bool_or(total <> 0), false) AS differences, coalesce(bool_or(first_day <> last_day), false) AS days,
  coalesce(bool_or(first_file <> last_file), false) AS files, coalesce(bool_or(odd = 0), false) AS doubles,
  coalesce(bool_or(has_wrong), false) AS wrong,
  ${hasIds ? '(SELECT count(line_id) <> count(DISTINCT basis, line_id) FROM line)' : 'false'} AS repeated_ids,
  ${settles ? `(SELECT count(*) > 0 FROM line AS l WHERE settles IS NOT NULL AND ${documents('tx')} AND ${documents('line_id')})` : 'false'} AS unknown_settles
FROM (
  SELECT sum(${WIDE}) FILTER (WHERE NOT opening) AS total, min(day) AS first_day, max(day) AS last_day, min(file) AS first_file,
    max(file) AS last_file, bit_xor(xxhash64(day, account, class, department, amount, memo)) AS odd,
    bool_or(${fromDuckDb(wrong)}) AS has_wrong
  FROM line GROUP BY basis, tx)`
}

/** The entries that touch only accounts of equity and net to zero. */
const transfersSql = (equity: readonly number[]): string => `
SELECT basis, tx FROM line WHERE NOT opening AND tx IS NOT NULL GROUP BY basis, tx
HAVING bool_and(${equity.length === 0 ? 'false' : `account IN (${equity.join(', ')})`}) AND sum(${WIDE}) = 0`

const DAY_SUMS = `
SELECT basis, day, account, class, department, CAST(sum(${WIDE}) AS DECIMAL(38, 0)) AS amount, count(*) AS lines
FROM line WHERE NOT opening GROUP BY basis, day, account, class, department`
