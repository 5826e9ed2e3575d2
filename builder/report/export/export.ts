/**
 * Writes figures of a published snapshot as files for other programs: statements, trial balance and postings as
 * CSV, Parquet, Arrow or a workbook. First file of the room that owns these forms. Must not compute figures, except
 * the balances of the trial balance, which come from the books.
 */

import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { periodsOf } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import type { StatementName } from '../../contract/vocabulary.ts'
import { type Database, openDatabase } from '../../database/database.ts'
import {
  type AskedFilters,
  basisOf,
  daysIn,
  failed,
  filterFindings,
  frameOfReadableBooks,
  publishedSnapshot,
  type Resolved,
  unknown,
} from '../../inspect/inspect.ts'
import { turnoversOf } from '../../inspect/trial-balance.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { writeWhole } from '../../system/effects.ts'
import { sha256OfFile } from '../../system/hash.ts'
import { freePlace, writeOutput } from '../../system/output.ts'
import { scratchFolder } from '../../system/scratch-folder.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { writeArrow } from './arrow.ts'
import { type BooksScope, balanceTable, type MonthlyBalance, postingTable } from './books.ts'
import { type ExportFormat, TABLES, type TableName } from './names.ts'
import { metadataOf, type Provenance, provenanceOf } from './provenance.ts'
import { monthsSheet, provenanceSheet, tableSheet } from './sheets.ts'
import { type ExportedStatement, type Months, readStatement, statementsTable } from './statements.ts'
import { type ExportTable, writeCsv, writeParquet } from './table.ts'
import { writeWorkbook } from './xlsx.ts'

export interface ExportRequest extends AskedFilters {
  readonly company: string
  readonly snapshotId: string | null
  readonly format: ExportFormat
  /** The table to write as one file, or all of them into a folder (for a workbook, into one file). */
  readonly what: TableName | 'all'
  readonly statements: readonly StatementName[]
  /** First and last month, `YYYY-MM`; null for the first and last month of the books. */
  readonly from: string | null
  readonly through: string | null
  /** Absolute path. */
  readonly to: string
  /** Name and version of the program that exports. */
  readonly software: string
}

interface ExportedFile {
  readonly path: string
  readonly table: TableName | null
  readonly bytes: number
  readonly sha256: string
}

export interface Exported {
  readonly company: string
  readonly snapshotId: string
  readonly files: readonly ExportedFile[]
  readonly provenance: Provenance
}

/**
 * Exports the figures. Unknown names and months are findings. Throws PlaceError where `to` is taken, NoRoomError
 * where a workbook cannot hold the rows.
 */
export async function exportFigures(root: string, request: ExportRequest): Promise<Resolved<Exported>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return opened
  return exportFrom(opened.value, request)
}

/** As {@link exportFigures}, of a snapshot that is open already. */
export async function exportFrom(
  snapshot: Snapshot,
  request: Omit<ExportRequest, 'company' | 'snapshotId'>,
): Promise<Resolved<Exported>> {
  const frame = await frameOfReadableBooks(snapshot)
  const months = monthsOf(frame, request)
  const findings = [
    ...filterFindings(frame, request),
    ...requestFindings(request),
    ...(months.findings ?? []),
  ]
  if (months.findings || findings.length > 0) return failed(...findings)
  freePlace(request.to)
  const scratch = scratchFolder('export')
  // DuckDB sorts what does not fit into memory in files, however many postings there are.
  const db = await openDatabase({
    memoryLimit: '1GB',
    spillTo: join(scratch.path, 'spill'),
    folders: [snapshot.folder, dirname(request.to)],
  })
  try {
    const source: Source = { db, snapshot, frame, request, months: months.value }
    const { tables, statements } = await tablesOf(source)
    const provenance = provenanceFor(source, tables)
    const written = await write(source, tables, statements, provenance)
    return { value: { company: snapshot.company, snapshotId: snapshot.id, files: written, provenance } }
  } finally {
    db.close()
    scratch.remove()
  }
}

interface Source {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly frame: Frame
  readonly request: Omit<ExportRequest, 'company' | 'snapshotId'>
  readonly months: Months
}

function monthsOf(frame: Frame, request: Pick<ExportRequest, 'from' | 'through'>): Resolved<Months> {
  const { findings, value } = daysIn(frame, request)
  if (findings) return failed(...findings)
  return { value: { from: value.startDate.slice(0, 7), through: value.endDate.slice(0, 7) } }
}

function requestFindings({ budgetId, what, format, to }: Source['request']): Finding[] {
  const findings: Finding[] = []
  if (budgetId !== null && what !== 'statements')
    findings.push(
      unknown(
        'budget-without-postings',
        'a budget has statements, but neither postings nor a trial balance',
        budgetId,
        'export it with --what statements',
      ),
    )
  const extension = format === 'xlsx' || what !== 'all' ? `.${format}` : ''
  findings.push(...extensionFindings(to, extension))
  if (extension === '' && /\.(csv|parquet|arrow|xlsx)$/i.test(to))
    findings.push(
      unknown(
        'folder-expected',
        `--what all writes ${TABLES.length} files in ${format}, which need a folder`,
        to,
        'name a folder that is not there yet, or choose one table with --what',
      ),
    )
  return findings
}

/** A name that does not end as the file does would be opened by another program, or by none. */
export const extensionFindings = (to: string, extension: string): Finding[] =>
  basename(to).toLowerCase().endsWith(extension)
    ? []
    : [
        unknown(
          'another-extension',
          `${basename(to)} does not end in ${extension}`,
          to,
          `--to <name>${extension}`,
        ),
      ]

async function tablesOf(source: Source): Promise<{ tables: ExportTable[]; statements: ExportedStatement[] }> {
  const { db, snapshot, frame, request, months } = source
  const wants = (name: TableName) => request.what === name || request.what === 'all'
  const scope: BooksScope = {
    basis: basisOf(frame, request),
    classId: request.classId,
    departmentId: request.departmentId,
  }
  const statements: ExportedStatement[] = []
  for (const statement of wants('statements') ? request.statements : []) {
    const found = await readStatement(snapshot, { statement, ...scope, budgetId: request.budgetId }, months)
    if (found) statements.push(found)
  }
  const tables: ExportTable[] = []
  if (wants('statements')) tables.push(await statementsTable(db, snapshot, statements))
  if (wants('trial-balance'))
    tables.push(await balanceTable(db, snapshot, frame, scope, balances(source, scope)))
  if (wants('postings')) tables.push(await postingTable(db, snapshot, frame, scope, months))
  return { tables, statements }
}

async function* balances(
  { snapshot, frame, months }: Source,
  scope: BooksScope,
): AsyncGenerator<MonthlyBalance[]> {
  for (const { month, ...range } of periodsOf(frame.coverage)) {
    if (month < months.from || month > months.through) continue
    const { rows } = await turnoversOf(snapshot, frame, scope, range, true)
    yield rows.map((row) => ({ month, ...row }))
  }
}

function provenanceFor(
  { snapshot, frame, request, months }: Source,
  tables: readonly ExportTable[],
): Provenance {
  return provenanceOf(
    snapshot,
    frame.name,
    request.software,
    {
      What: request.what,
      Format: request.format,
      Statements: tables.some(({ name }) => name === 'statements') ? request.statements : [],
      Basis: basisOf(frame, request).toLowerCase(),
      BudgetId: request.budgetId,
      ClassId: request.classId,
      DepartmentId: request.departmentId,
      From: months.from,
      Through: months.through,
    },
    tables,
  )
}

async function write(
  source: Source,
  tables: readonly ExportTable[],
  statements: readonly ExportedStatement[],
  provenance: Provenance,
): Promise<ExportedFile[]> {
  const { to, format, what } = source.request
  if (format === 'xlsx') {
    await writeOutput(to, 'file', (staged) => workbook(source, tables, statements, provenance, staged))
    return [await fileAt(to, null)]
  }
  if (what === 'all') {
    const paths = tables.map((table) => [`${table.name}.${format}`, table] as const)
    await writeOutput(to, 'folder', async (staged) => {
      for (const [name, table] of paths) await writeTable(source, table, provenance, join(staged, name))
      const files = await Promise.all(
        paths.map(([name, { name: table }]) => fileAt(join(staged, name), table)),
      )
      writeWhole(join(staged, 'provenance.json'), provenanceText(provenance, files))
    })
    return Promise.all([
      ...paths.map(([name, table]) => fileAt(join(to, name), table.name)),
      fileAt(join(to, 'provenance.json'), null),
    ])
  }
  const table = present(tables[0], 'table to export')
  const beside = format === 'csv' ? to.replace(/\.csv$/i, '.provenance.json') : null
  if (beside !== null) freePlace(beside)
  await writeOutput(to, 'file', (staged) => writeTable(source, table, provenance, staged))
  const file = await fileAt(to, table.name)
  if (beside === null) return [file]
  // A CSV file has no place for its provenance, so that a file beside it states it.
  const text = provenanceText(provenance, [file])
  await writeOutput(beside, 'file', async (staged) => writeWhole(staged, text))
  return [file, await fileAt(beside, null)]
}

/** The provenance as JSON, with the name, size and hash of each file that it describes. */
function provenanceText(provenance: Provenance, files: readonly ExportedFile[]): string {
  const Files = files.map(({ path, bytes, sha256 }) => ({
    File: basename(path),
    Bytes: bytes,
    Sha256: sha256,
  }))
  return `${JSON.stringify({ ...provenance, Files }, null, 2)}\n`
}

export const fileAt = async (path: string, table: TableName | null): Promise<ExportedFile> => ({
  path,
  table,
  bytes: (await stat(path)).size,
  sha256: await sha256OfFile(path),
})

function writeTable(
  { db, request }: Source,
  table: ExportTable,
  provenance: Provenance,
  path: string,
): Promise<void> {
  const metadata = metadataOf(provenance)
  if (request.format === 'csv') return writeCsv(db, table, path)
  if (request.format === 'parquet') return writeParquet(db, table, path, metadata)
  return writeArrow(db, table, path, metadata)
}

const TITLES: Record<Exclude<TableName, 'statements'>, string> = {
  'trial-balance': 'Trial balance',
  postings: 'Postings',
}

function workbook(
  { db, frame }: Source,
  tables: readonly ExportTable[],
  statements: readonly ExportedStatement[],
  provenance: Provenance,
  path: string,
): Promise<void> {
  const losses = { longFigures: 0, longTexts: 0 }
  const decimals = decimalsOf(frame)
  const sheets = [
    ...statements.map((statement) => monthsSheet(statement, decimals)),
    ...tables.flatMap((table) =>
      table.name === 'statements' ? [] : [tableSheet(db, TITLES[table.name], table)],
    ),
    provenanceSheet(provenance, losses),
  ]
  return writeWorkbook(path, sheets, losses)
}
