/**
 * Reads the files of budgets and metrics; large ones in pieces, since text and cells take many times their bytes. A piece is read as a file
 * of its own, with the title and the header of the whole. Where it cannot be, the whole file is read as a small one is.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BudgetSetting, MetricSetting } from '../../workspace/company.ts'
import type { Finding } from '../../workspace/finding.ts'
import { readFile } from '../../workspace/plain-file.ts'
import { findFiles } from '../../workspace/source-files.ts'
import type { ColumnRows, Rows } from '../format/column-rows.ts'
import type { BudgetRow, MetricRow, Origin, SourceRecord } from '../format/intake.ts'
import type { Delimiter } from '../text/csv.ts'
import { decodeText } from '../text/decode.ts'
import { rawRecordsOf, recordsIn } from '../text/delimited.ts'
import { textOf } from '../text/scan.ts'
import { wrongReport } from '../workbook/foreign.ts'
import { type BudgetContext, readBudget, readBudgetSheet, type SheetBudget } from './budgets/budgets.ts'
import { locateHeader } from './header.ts'
import { keptBudget, keptMetrics } from './kept-rows.ts'
import { type MetricContext, readMetricSheet, readMetrics, type SheetMetrics } from './metrics/metrics.ts'
import {
  BYTE_LIMIT,
  CELL_LIMIT,
  isText,
  readTable,
  readText,
  type Table,
  type TableReading,
  textSource,
} from './table.ts'

/** Files that are as large together are read in pieces of so many bytes. */
interface Sizes {
  readonly least: number
  readonly piece: number
}
const SIZES: Sizes = { least: 4 * 1024 ** 2, piece: 1024 ** 2 }

/** An entry of company.yaml, and what must be known to read its figures. */
type FigureEntry = BudgetEntry | MetricEntry

export interface BudgetEntry {
  readonly role: 'budget'
  readonly key: string
  readonly setting: BudgetSetting
  readonly context: BudgetContext
}

export interface MetricEntry {
  readonly role: 'metrics'
  readonly key: string
  readonly setting: MetricSetting
  readonly context: MetricContext
}

/** What the files of an entry hold. */
export interface EntryFigures<Row> extends Omit<TableReading, 'tables'> {
  readonly rows: Rows<Row>
  /** About the figures; `findings` are about the files. */
  readonly ofFigures: readonly Finding[]
}

export interface MetricFigures extends EntryFigures<MetricRow> {
  readonly rows: ColumnRows<MetricRow>
}

export interface Figures {
  readonly budgets: readonly EntryFigures<BudgetRow>[]
  readonly metrics: readonly MetricFigures[]
}

/** The figures of each entry, in the same order. */
export async function readFigures(
  folder: string,
  budgets: readonly BudgetEntry[],
  metrics: readonly MetricEntry[],
  { least, piece }: Sizes = SIZES,
): Promise<Figures> {
  const found = await Promise.all([...budgets, ...metrics].map((entry) => filesOf(folder, entry)))
  const size = found.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0)
  const entries = found.values()
  const next = () => readFiles(entries.next().value ?? NO_FILES, size >= least ? piece : null)
  const read: { budgets: EntryFigures<BudgetRow>[]; metrics: MetricFigures[] } = {
    budgets: [],
    metrics: [],
  }
  // One after the other: of each, text and cells are in memory until its figures are read.
  for (const { setting, context } of budgets) {
    const { tables, budgets: sheets, ...files } = await next()
    const { rows, findings } = readBudget(tables, setting, context, sheets)
    read.budgets.push({ ...files, rows, ofFigures: findings })
  }
  for (const { setting, context } of metrics) {
    const { tables, metrics: sheets, ...files } = await next()
    const { rows, findings } = readMetrics(tables, setting, context, sheets)
    read.metrics.push({ ...files, rows, ofFigures: findings })
  }
  return read
}

interface FigureFile {
  readonly entry: FigureEntry
  readonly folder: string
  readonly file: string
  readonly path: string
  readonly bytes: number
}

interface FoundFiles {
  readonly files: readonly FigureFile[]
  readonly findings: readonly Finding[]
}

const NO_FILES: FoundFiles = { files: [], findings: [] }

async function filesOf(folder: string, entry: FigureEntry): Promise<FoundFiles> {
  const { files, findings } = await findFiles(folder, entry.setting.files, `${entry.key}.files`)
  const found = files.map(async (file): Promise<FigureFile> => {
    const path = join(folder, file)
    return { entry, folder, file, path, bytes: (await stat(path)).size }
  })
  return { files: await Promise.all(found), findings }
}

/** The files of an entry, and the figures of those that were read in pieces. */
interface ReadFiles extends TableReading {
  readonly budgets: ReadonlyMap<Table, SheetBudget>
  readonly metrics: ReadonlyMap<Table, SheetMetrics>
}

/** `piece`: null where files are read as a whole. */
async function readFiles({ files, findings }: FoundFiles, piece: number | null): Promise<ReadFiles> {
  const all: TableReading[] = [{ tables: [], sources: [], findings }]
  const budgets = new Map<Table, SheetBudget>()
  const metrics = new Map<Table, SheetMetrics>()
  for (const each of files) {
    const joined = piece === null ? null : await readPieces(each, piece)
    if (joined?.budget) budgets.set(joined.table, joined.budget)
    if (joined?.metrics) metrics.set(joined.table, joined.metrics)
    const { setting, role, key } = each.entry
    all.push(
      joined === null
        ? withoutReports(await readTable(each.folder, each.file, setting, role, key))
        : { tables: [joined.table], sources: [joined.source], findings: joined.findings },
    )
  }
  return {
    tables: all.flatMap(({ tables }) => tables),
    sources: all.flatMap(({ sources }) => sources),
    findings: all.flatMap((reading) => reading.findings),
    budgets,
    metrics,
  }
}

/** Reports are no budgets, whatever their columns look like; nothing else need be said of them. */
function withoutReports(reading: TableReading): TableReading {
  const wrong = reading.tables.flatMap(
    ({ above, header, file }) => wrongReport([...above.map(({ cells }) => cells), header], file, true) ?? [],
  )
  return wrong.length === 0 ? reading : { ...reading, tables: [], findings: wrong }
}

/** A file of which all pieces were read. */
interface JoinedFile {
  /** Without its rows. */
  readonly table: Table
  readonly source: SourceRecord
  readonly findings: readonly Finding[]
  readonly budget?: SheetBudget
  readonly metrics?: SheetMetrics
}

/** Null where the file must be read as a whole. */
async function readPieces(given: FigureFile, length: number): Promise<JoinedFile | null> {
  const opened = await openText(given)
  if (opened === null) return null
  const { entry, file, bytes } = given
  const { delimiter, source } = opened
  const setting = { ...entry.setting, encoding: 'utf-8' as const, delimiter }
  const figures = piecesOfFigures(entry)
  const isWhole = bytes <= 2 * length
  let first: { readonly table: Table; readonly findings: readonly (readonly Finding[])[] } | null = null
  let [rows, above] = [0, 0]
  for await (const piece of piecesOf(given.path, opened, isWhole ? bytes : length)) {
    const { table, findings: ofText } = readText(
      Buffer.from(piece.text),
      file,
      setting,
      entry.role,
      entry.key,
    )
    if (table === null) return null
    const { findings: ofFigures, isByRow } = figures.add(table, above)
    const findings = [ofText, ofFigures]
    const isOfHead = ({ severity, row }: Finding) =>
      severity !== 'error' && (row === null || row <= table.headerRow)
    if (!isWhole && !(isByRow && findings.flat().every(isOfHead))) return null
    first ??= { table: { ...table, rows: [] }, findings }
    if (JSON.stringify(findings) !== JSON.stringify(first.findings)) return null
    above += piece.records
    rows += table.rows.length
  }
  // As in asTable, which reports it.
  if (first === null || first.table.header.length * (rows + 1) > CELL_LIMIT) return null
  const [ofText = [], ofFigures = []] = first.findings
  return {
    ...{ table: first.table, source: { ...source, rows }, findings: ofText },
    ...figures.joined(ofFigures),
  }
}

/** Collects the figures of a file, piece by piece. */
interface FigurePieces {
  /** So many rows of the file stand above the table that are not in it. */
  add(table: Table, above: number): { readonly findings: readonly Finding[]; readonly isByRow: boolean }
  joined(findings: readonly Finding[]): Pick<JoinedFile, 'budget' | 'metrics'>
}

function piecesOfFigures(entry: FigureEntry): FigurePieces {
  if (entry.role === 'budget') {
    const rows = keptBudget()
    return {
      add: (table, above) => {
        const { rows: own, ...read } = readBudgetSheet(table, entry.setting, entry.context)
        addRows(rows, own, above)
        return read
      },
      joined: (findings) => ({ budget: { rows, findings } }),
    }
  }
  const groups: SheetMetrics['groups'][number][] = []
  return {
    add: (table, above) => {
      const { groups: own, findings, isByRow = true } = readMetricSheet(table, entry.setting, entry.context)
      for (const [i, rows] of own.entries()) {
        groups[i] ??= keptMetrics()
        addRows(groups[i], rows, above)
      }
      return { findings, isByRow }
    },
    joined: (findings) => ({ metrics: { groups, findings } }),
  }
}

function addRows<Row extends Origin>(rows: ColumnRows<Row>, piece: ColumnRows<Row>, above: number): void {
  for (const row of piece) rows.push({ ...row, row: above + row.row })
}

/** What is known of a text before its pieces are read. */
interface OpenedText {
  readonly delimiter: Delimiter
  /** Title and header, with which each piece is a file of its own. */
  readonly head: string
  readonly headRecords: number
  /** As of a file without rows. */
  readonly source: SourceRecord
}

/** Null where the file is not a text in UTF-8 with a header. */
async function openText({ entry, file, path, bytes: size }: FigureFile): Promise<OpenedText | null> {
  const { role, setting } = entry
  if (size > BYTE_LIMIT) return null
  const bytes = await readFile(path)
  if (!isText(bytes)) return null
  const { text, encoding, undecodableLine } = decodeText(bytes, setting.encoding)
  if (encoding !== 'utf-8' || undecodableLine !== null) return null
  const { delimiter, end, isFound } = locateHeader(text, role, setting)
  if (!isFound) return null
  // `end` counts bytes, and a text has at most as many letters.
  const head = Buffer.from(text.slice(0, end)).subarray(0, end).toString()
  return {
    ...{ delimiter, head },
    headRecords: recordsIn(head, delimiter, () => {}).length,
    source: textSource(bytes, role, file, { encoding, delimiter }, 0),
  }
}

/** Texts of about so many letters with title and header, and how many records each has below these. */
async function* piecesOf(path: string, { delimiter, head, headRecords }: OpenedText, length: number) {
  let piece: string[] = [head]
  let letters = 0
  let above = headRecords
  for await (const records of rawRecordsOf(textOf(path, 'utf-8'), delimiter))
    for (const { text, lineEnd } of records) {
      if (above > 0) {
        above--
        continue
      }
      piece.push(text, lineEnd)
      letters += text.length + lineEnd.length
      if (letters < length) continue
      yield { text: piece.join(''), records: (piece.length - 1) / 2 }
      piece = [head]
      letters = 0
    }
  if (piece.length > 1) yield { text: piece.join(''), records: (piece.length - 1) / 2 }
}
