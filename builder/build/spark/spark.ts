/**
 * Reads ledgers with Apache Spark, for those that are larger than one machine: the engine of `engine: spark` in company.yaml. Owns the
 * statements in Spark's SQL, the command that runs them, and the scratch folder through which files go there and back. It is
 * loaded only where a ledger names it. Must not decide what a figure means: it answers what books/read/engine/engine.ts asks.
 */

import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import {
  ENGINE_TABLES,
  type EngineJob,
  type EngineResult,
  type LedgerEngine,
  type LedgerFacts,
} from '../../books/read/engine/engine.ts'
import { WRONG_ROWS } from '../../books/read/engine/wrong-rows.ts'
import { totalsIn } from '../../books/read/input-totals.ts'
import { closingPeriods } from '../../books/read/ledger.ts'
import { copySql, type Database, parquetFooters, parquetSql } from '../../database/database.ts'
import { LEDGER_COLUMNS } from '../../ingest/format/ledger-columns.ts'
import type { ScratchFolder } from '../../system/scratch-folder.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { type JobCommand, runStatements } from './job.ts'
import { type AlikeFiles, alike, lineColumns, linkName } from './line-sql.ts'
import { holdsResult, scratchFor } from './scratch.ts'
import { type KeyTable, RESULTS, type Result, scriptOf } from './script.ts'
import { tablePath } from './table-path.ts'
/** The engine for the ledger of one company. */
export const sparkEngine = (
  workspace: Pick<Workspace, 'root' | 'state' | 'engine'>,
  company: string,
  progress: JobCommand['progress'] = () => {},
): LedgerEngine => ({
  read: async (db, job) => {
    const scratch = scratchFor(company, workspace.engine.scratch)
    try {
      const groups = placeFiles(job, scratch.path)
      await writeKeys(db, job, scratch.path)
      const places = {
        result: (name: Result) => join(scratch.path, name),
        key: (name: KeyTable) => keyFile(scratch.path, name),
      }
      await runStatements(scriptOf(job, groups, places), scratch.path, company, workspace, progress)
      return await resultOf(db, job, scratch)
    } catch (problem) {
      scratch.remove()
      throw problem
    }
  },
})

/**
 * Makes a folder with links for each group of files of this machine that one query reads. A link has a plain name, which any file may
 * lack. Files in a bucket are read where they lie.
 */
function placeFiles({ inputs }: EngineJob, scratch: string): AlikeFiles[] {
  return alike(inputs).map((group, i) => {
    const table = group[0]?.input.table
    if (table !== undefined) {
      const own = new Set(group.map(({ input }) => input.path))
      const others = [
        ...table.others,
        ...inputs.map(({ input }) => input.path).filter((path) => !own.has(path)),
      ]
      return { path: tablePath([...own], others), inputs: group }
    }
    const folder = join(scratch, 'files', String(i))
    mkdirSync(folder, { recursive: true })
    for (const { file, input } of group) symlinkSync(input.path, join(folder, linkName(file)))
    return { path: folder, inputs: group }
  })
}

const keyFile = (scratch: string, name: KeyTable): string => join(scratch, 'keys', `${name}.parquet`)

/** Writes the small tables that the query joins: the codes of texts, closing periods, and names of folders. */
async function writeKeys(db: Database, { keys, options, inputs }: EngineJob, scratch: string): Promise<void> {
  mkdirSync(join(scratch, 'keys'))
  const known = (of: typeof keys.accounts) =>
    [...of].flatMap(([key, code]): [string, number][] => (code === null ? [] : [[key, code]]))
  const folders = LEDGER_COLUMNS.map((column) => `${column} VARCHAR`).join(', ')
  const tables: Record<
    KeyTable,
    readonly [columns: string, rows: readonly (readonly (string | number | null)[])[]]
  > = {
    account_key: ['key VARCHAR, code INTEGER', known(keys.accounts)],
    class_key: ['key VARCHAR, code INTEGER', known(keys.classes)],
    department_key: ['key VARCHAR, code INTEGER', known(keys.departments)],
    closing_period: ['period VARCHAR, day VARCHAR', closingPeriods(options.yearEndOf)],
    object_file: [
      'path VARCHAR, file INTEGER',
      inputs.flatMap(({ file, input }) => (input.table === undefined ? [] : [[input.path, file]])),
    ],
    folder_value: [
      `file INTEGER, ${folders}`,
      inputs.map(({ file, input }) => [
        file,
        ...LEDGER_COLUMNS.map((column) => {
          const value = input.columns[column]
          return value !== undefined && 'folder' in value ? value.folder : null
        }),
      ]),
    ],
  }
  for (const [name, [columns, rows]] of Object.entries(tables)) {
    await db.run(`CREATE OR REPLACE TABLE for_engine (${columns})`)
    await db.append('for_engine', rows)
    const query =
      name === 'closing_period' ? 'SELECT period, day::DATE AS day FROM for_engine' : 'FROM for_engine'
    await db.run(copySql(query, keyFile(scratch, name as KeyTable), 'FORMAT parquet'))
  }
  await db.run('DROP TABLE for_engine')
}

async function resultOf(db: Database, job: EngineJob, scratch: ScratchFolder): Promise<EngineResult> {
  checkFolders(scratch.path)
  const from = (name: Result) => parquetSql(...partsIn(join(scratch.path, name)))
  const totals = await totalsIn(db, from('total'))
  checkRows(job, totals)
  const parts = await partsOfFiles(db, join(scratch.path, 'line'))
  const columns = lineColumns(job)
    .map(([name]) => name)
    .join(', ')
  const facts = await factsIn(db, from, totals)
  await keepWrongRows(db, from('line'))
  return {
    linesOf: (file) => {
      const own = parts.filter(({ first, last }) => first <= file && file <= last)
      return own.length === 0
        ? `SELECT ${columns} FROM line LIMIT 0`
        : `SELECT ${columns} FROM ${parquetSql(...own.map(({ path }) => path))} WHERE file = ${file}`
    },
    facts,
    dispose: () => scratch.remove(),
  }
}

/**
 * Refuses results that are not there: a command may end well without having run the statements, or on machines that see
 * another scratch folder.
 */
function checkFolders(scratch: string): void {
  const missing = RESULTS.filter((name) => !holdsResult(join(scratch, name)))
  if (missing.length > 0)
    throw new FindingsError([
      error(
        'engine-result',
        `the command of the engine ended well, but did not write ${missing.join(', ')}`,
        {
          remedy:
            'do the machines of the cluster see engine.scratch of tieout.yaml under the same path? Does the command run the statements in the file that it gets?',
        },
      ),
    ])
}

/** Compares the number of lines of each file with what its footer states. */
function checkRows({ inputs }: EngineJob, totals: LedgerFacts['totals']): void {
  for (const { file, input } of inputs) {
    const found = totals.get(file)?.rows ?? 0
    if (found !== input.rows)
      throw new FindingsError([
        error('engine-result', `the engine read ${found} rows, where the file states ${input.rows}`, {
          file: input.file,
          remedy:
            'was it replaced meanwhile, or do the machines of the cluster see another file? build again',
        }),
      ])
  }
}

interface LinePart {
  readonly path: string
  /** The numbers of the first and the last file whose lines it has. */
  readonly first: number
  readonly last: number
}

/** The files that a statement wrote into a folder. */
const partsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.parquet'))
    .sort()
    .map((name) => join(folder, name))

/** The files with the lines, in their order. */
async function partsOfFiles(db: Database, folder: string): Promise<LinePart[]> {
  const paths = partsIn(folder)
  const found = await db.rows<{ path: string; first: string; last: string }>(
    `SELECT file_name AS path, min(stats_min_value::INTEGER)::VARCHAR AS first, max(stats_max_value::INTEGER)::VARCHAR AS last
     FROM ${parquetFooters(...paths)} WHERE path_in_schema = 'file' GROUP BY file_name`,
  )
  const ranges = new Map(
    found.map(({ path, first, last }) => [path, { first: Number(first), last: Number(last) }]),
  )
  return paths.flatMap((path) => {
    const range = ranges.get(path)
    return range === undefined ? [] : [{ path, ...range }]
  })
}

/** Keeps the text of rows that are wrong, for the findings about them. */
async function keepWrongRows(db: Database, lines: string): Promise<void> {
  const columns = LEDGER_COLUMNS.map((column) => `said->>'$.${column}' AS ${column}`).join(', ')
  await db.run(
    `CREATE TABLE ${WRONG_ROWS} AS SELECT file, row, ${columns} FROM ${lines} WHERE said IS NOT NULL`,
  )
}

/** The facts about the ledger, with their tables; null where some row is wrong or repeated. */
async function factsIn(
  db: Database,
  from: (name: Result) => string,
  totals: LedgerFacts['totals'],
): Promise<LedgerFacts | null> {
  const survey = await db.row<
    Record<
      'differences' | 'days' | 'files' | 'doubles' | 'wrong' | 'repeated_ids' | 'unknown_settles',
      boolean
    >
  >(`FROM ${from('survey')}`)
  if (survey.wrong || survey.repeated_ids) return null
  for (const [name, columns] of Object.entries(ENGINE_TABLES))
    await db.run(`CREATE TABLE ${name} (${columns}); INSERT INTO ${name} FROM ${from(name as Result)}`)
  return {
    entries: {
      haveDifferences: survey.differences,
      spanDays: survey.days,
      spanFiles: survey.files,
      haveDoubles: survey.doubles,
    },
    settleUnknown: survey.unknown_settles,
    totals,
  }
}
