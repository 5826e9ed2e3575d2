/**
 * Reads the files of budgets and metrics: large ones in parts, several side by side, by threads. A part is read as a file of its own,
 * with the title and the header of the whole. Where it cannot be, the whole file is read as a small one is.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { present } from '../../contract/present.ts'
import type { Finding } from '../../workspace/finding.ts'
import { readFile } from '../../workspace/plain-file.ts'
import { findFiles } from '../../workspace/source-files.ts'
import { type ReadBy, share } from '../../workspace/threads.ts'
import { ColumnRows, type PackedRows, type Rows } from '../format/column-rows.ts'
import type { BudgetRow, MetricRow, Origin, SourceRecord } from '../format/intake.ts'
import { made, PartHands, withHands } from '../format/part-hands.ts'
import { joinedParts, partsInOrder, type TakenPart } from '../format/parts-in-order.ts'
import { recordParts } from '../format/record-parts.ts'
import { decodeText } from '../text/decode.ts'
import { recordsIn } from '../text/delimited.ts'
import { lineEndOf } from '../text/lines.ts'
import { wrongReport } from '../workbook/foreign.ts'
import { NO_READERS, type ReaderPool, ReaderThreads } from '../workbook/part-readers.ts'
import { readBudget, type SheetBudget } from './budgets/budgets.ts'
import { locateHeader } from './header.ts'
import { type DetailedBudgetRow, keptBudget, keptMetrics } from './kept-rows.ts'
import { readMetrics, type SheetMetrics } from './metrics/metrics.ts'
import {
  type BudgetEntry,
  type FigureEntry,
  type FigureHands,
  type MetricEntry,
  type PartedText,
  type ReadPart,
  WORK,
} from './parts.ts'
import {
  BYTE_LIMIT,
  CELL_LIMIT,
  isText,
  readTable,
  type Table,
  type TableReading,
  textSource,
} from './table.ts'

const MB = 1024 ** 2
/** Figures that are kept cost threads twice the processor time, half of it for collecting garbage: two or three of them gain nothing. */
const WORTH = { partBytes: MB / 2, threadBytes: MB, leastThreads: 4 }

/** Where this thread reads alone, files that are large together are read in parts all the same, since text and cells of a part take many times its bytes. */
const HERE = { least: 4 * MB, partBytes: MB, atOnce: 1 }

const hereInParts = (): FigureHands =>
  new PartHands<typeof WORK>({ run: (call) => made(WORK, call), close: async () => {} }, HERE)

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
  by: ReadBy | null,
): Promise<Figures> {
  const found = await Promise.all([...budgets, ...metrics].map((entry) => filesOf(folder, entry)))
  const size = found.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0)
  const readers = new ReaderThreads(by)
  return withHands<typeof WORK, Figures>(import.meta.url, WORTH, size, by, (hands) =>
    readFound(budgets, metrics, found, hands ?? (size < HERE.least ? null : hereInParts()), readers),
  ).finally(() => readers.close())
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

export async function filesOf(folder: string, entry: FigureEntry): Promise<FoundFiles> {
  const { files, findings } = await findFiles(folder, entry.setting.files, `${entry.key}.files`)
  const found = files.map(async (file): Promise<FigureFile> => {
    const path = join(folder, file)
    return { entry, folder, file, path, bytes: (await stat(path)).size }
  })
  return { files: await Promise.all(found), findings }
}

/** `found` are the files of all budgets, then those of metrics. What is read depends neither on `hands` nor on `readers`, who read workbooks. */
export async function readFound(
  budgets: readonly BudgetEntry[],
  metrics: readonly MetricEntry[],
  found: readonly FoundFiles[],
  hands: FigureHands | null,
  readers: ReaderPool = NO_READERS,
): Promise<Figures> {
  const parts =
    hands &&
    new PartedFiles(
      found.flatMap(({ files }) => files),
      hands,
    )
  const entries = found.values()
  const next = () => readFiles(present(entries.next().value, 'files of an entry'), parts, readers)
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

/** The files of an entry, and the figures of those that were read in parts. */
interface ReadFiles extends TableReading {
  readonly budgets: ReadonlyMap<Table, SheetBudget>
  readonly metrics: ReadonlyMap<Table, SheetMetrics>
}

async function readFiles(
  { files, findings }: FoundFiles,
  parts: PartedFiles | null,
  readers: ReaderPool,
): Promise<ReadFiles> {
  const all: TableReading[] = [{ tables: [], sources: [], findings }]
  const budgets = new Map<Table, SheetBudget>()
  const metrics = new Map<Table, SheetMetrics>()
  for (const each of files) {
    const joined = parts && (await parts.next(each))
    if (joined?.budget) budgets.set(joined.table, joined.budget)
    if (joined?.metrics) metrics.set(joined.table, joined.metrics)
    const { setting, role, key } = each.entry
    all.push(
      joined === null
        ? withoutReports(await readTable(each.folder, each.file, setting, role, key, null, readers))
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

/** A file of which all parts were read. */
interface JoinedFile {
  readonly table: Table
  readonly source: SourceRecord
  readonly findings: readonly Finding[]
  readonly budget?: SheetBudget
  readonly metrics?: SheetMetrics
}

/** What is known of a file before its parts are read. */
interface OpenedText {
  readonly headRecords: number
  /** As of a file without rows. */
  readonly source: SourceRecord
}

/** Has the parts of all files read by others, and joins them in their order. */
class PartedFiles {
  readonly #opened = new Map<FigureFile, OpenedText>()
  readonly #parts: AsyncGenerator<TakenPart<ReadPart>>

  constructor(files: readonly FigureFile[], hands: FigureHands) {
    this.#parts = partsInOrder(
      files,
      (each) => this.#ordersOf(each, hands.partBytes),
      hands.atOnce,
      (order) => hands.make('readPart', order),
    )
  }

  /** Null where the file must be read as a whole. Files are asked for in their order. */
  async next(file: FigureFile): Promise<JoinedFile | null> {
    const all: ReadPart[] = []
    const joining = { isWhole: true }
    const isAlike = ({ findings }: ReadPart) =>
      all[0] === undefined || JSON.stringify(findings) === JSON.stringify(all[0].findings)
    for await (const part of joinedParts(this.#parts, joining, isAlike)) all.push(part)
    const opened = this.#opened.get(file)
    this.#opened.delete(file)
    return opened === undefined || !joining.isWhole ? null : joinedFile(file, opened, all)
  }

  async #ordersOf(file: FigureFile, partBytes: number) {
    const opened = await openText(file)
    if (opened === null) return null
    const { text, lineEnd, headRecords, width, source } = opened
    const { path, delimiter, head } = text
    // Title and header are in the first part.
    const bytes = Math.max(partBytes, 2 * head.length)
    const all = { path, encoding: 'utf-8', lineEnd } as const
    const parts = await recordParts(all, file.bytes, { delimiter, width }, bytes)
    // Where no place to cut was found, a thread may have no memory for the cells of a part.
    if (parts === null || (parts.length > 1 && parts.some(({ start, end }) => end - start > 4 * MB)))
      return null
    this.#opened.set(file, { headRecords, source })
    const shared = share({ text, entry: file.entry })
    return parts.map((part) => ({ part, isWhole: parts.length === 1, shared }))
  }
}

/** Null where the file is not a text in UTF-8 with a header. */
async function openText({ entry, file, path, bytes: size }: FigureFile) {
  const { role, setting } = entry
  if (size > BYTE_LIMIT) return null
  const bytes = await readFile(path)
  if (!isText(bytes)) return null
  const { text, encoding, undecodableLine } = decodeText(bytes, setting.encoding)
  if (encoding !== 'utf-8' || undecodableLine !== null) return null
  const { delimiter, end, isFound } = locateHeader(text, role, setting)
  if (!isFound) return null
  const head = Buffer.from(text.slice(0, end)).subarray(0, end)
  const own: PartedText = { file, path, delimiter, head }
  const records = recordsIn(head.toString(), delimiter, () => {})
  return {
    text: own,
    lineEnd: lineEndOf(head.toString()),
    headRecords: records.length,
    width: records.at(-1)?.cells.length ?? 0,
    source: textSource(bytes, role, file, { encoding, delimiter }, 0),
  }
}

function joinedFile(
  { entry }: FigureFile,
  { headRecords, source }: OpenedText,
  parts: readonly ReadPart[],
): JoinedFile | null {
  const { table, findings } = present(parts[0], 'first part of a file')
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  // As in asTable, which reports it.
  if (table.header.length * (rows + 1) > CELL_LIMIT) return null
  const joined = { table, source: { ...source, rows }, findings: findings.text }
  // Each part begins with the head, which only the first one has in the file.
  const placed = parts.map((part, i) => {
    const above = parts.slice(0, i).reduce((sum, { records }) => sum + records - headRecords, 0)
    return { packed: part.packed, above }
  })
  if (entry.role === 'budget') {
    const rows = keptBudget()
    for (const { packed, above } of placed)
      for (const each of packed as readonly PackedRows<DetailedBudgetRow>[]) addPart(rows, each, above)
    return { ...joined, budget: { rows, findings: findings.figures } }
  }
  const groups = present(placed[0], 'first part of a file').packed.map(keptMetrics)
  for (const { packed, above } of placed)
    for (const [i, each] of (packed as readonly PackedRows<MetricRow>[]).entries())
      addPart(present(groups[i], 'group of values'), each, above)
  return { ...joined, metrics: { groups, findings: findings.figures } }
}

/** Adds the rows of a part, above which so many rows of the file stand. */
function addPart<Row extends Origin>(rows: ColumnRows<Row>, part: PackedRows<Row>, above: number): void {
  for (const row of ColumnRows.unpacked(part)) rows.push({ ...row, row: above + row.row })
}
