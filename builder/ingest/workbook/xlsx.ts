/**
 * Reads workbooks (ECMA-376, SpreadsheetML): every cell as the text that a person typed, numbers exactly, dates as
 * `YYYY-MM-DD`, percentages with their sign. Parts are read as streams, so that memory is bounded by what is kept.
 * First file of the room that owns zip and XML as far as workbooks and audit files need them. Must not know what
 * the cells mean.
 */
import { posix } from 'node:path'
import { type Entry, entryName, ZipReader } from '../../system/zip-reader.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { CellRange, TextRow } from '../text/csv.ts'
import { wideEncoding } from '../text/decode.ts'
import { compoundFile, foreignArchive } from './foreign.ts'
import { mergeRows } from './merged-cells.ts'
import { isTrue, type SheetContext, SheetReader, stylesReader, textsReader } from './sheet.ts'
import { type XmlHandlers, xmlReader } from './xml.ts'

export interface TextSheet {
  readonly name: string
  /** Without blank rows. */
  readonly rows: readonly TextRow[]
  /** The workbook hides this sheet from its owner. */
  readonly isHidden: boolean
  /** Numbers of rows with cells that are hidden, by a filter or by hand; letters of hidden columns. */
  readonly hiddenRows: readonly number[]
  readonly hiddenColumns: readonly string[]
  readonly merges: readonly CellRange[]
}

/** An unreadable workbook has findings and no sheets. */
export interface Workbook {
  readonly sheets: readonly TextSheet[]
  readonly findings: readonly Finding[]
}

/** PK\x03\x04: a zip archive, which an XLSX file is. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04

/** An OLE compound file: an old .xls, or an XLSX with a password. */
export const isCompoundFile = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0

/** Reads every sheet. `decimal` is how numbers are written out, so that they look like text cells beside them. */
export async function parseXlsx(bytes: Buffer, decimal: '.' | ',', file: string): Promise<Workbook> {
  if (isCompoundFile(bytes)) return { sheets: [], findings: [unreadable(file, compoundFile(bytes))] }
  try {
    const parts = await partsOf(bytes)
    if (!parts.has('[content_types].xml')) return { sheets: [], findings: [archive(file, parts)] }
    return { sheets: await readSheets(parts, decimal), findings: [] }
  } catch (cause) {
    const what = (cause as Error).message
    return { sheets: [], findings: [unreadable(file, { what, instead: SAVE_AGAIN })] }
  }
}

/**
 * Every workbook has a list of its content types (ECMA-376-2, 7.2.3.4); an archive without one holds files to be
 * unpacked.
 */
const archive = (file: string, parts: Parts): Finding =>
  unreadable(file, foreignArchive([...parts.values()].map(({ name }) => name)))

const SAVE_AGAIN =
  'open it in a spreadsheet program, save it as .xlsx without a password, and copy it here again'

const unreadable = (file: string, { what, instead }: { what: string; instead: string }): Finding =>
  error('unreadable-xlsx', `cannot be read as a workbook: ${what}`.slice(0, 230), { file, remedy: instead })

/** A part of the workbook's zip archive. */
interface ZipEntry {
  readonly name: string
  /** The unpacked content. Throws where its size or CRC-32 differ from those that the archive states. */
  readonly chunks: () => AsyncGenerator<Buffer>
}

/** Parts by path. Names are compared in any capitals (ECMA-376-2, 6.2.2.3), and some programs write `\`. */
type Parts = ReadonlyMap<string, ZipEntry>

const partName = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase()

async function partsOf(bytes: Buffer): Promise<Parts> {
  const parts = new Map<string, ZipEntry>()
  for (const entry of await zipEntries(bytes)) {
    const name = partName(entry.name)
    if (parts.has(name)) throw new Error(`"${entry.name}" is there twice`)
    parts.set(name, entry)
  }
  return parts
}

async function readSheets(parts: Parts, decimal: '.' | ','): Promise<TextSheet[]> {
  const [start] = (await relationships(parts, '')).filter(({ type }) => type === 'officeDocument')
  const path = start?.target ?? 'xl/workbook.xml'
  const book = await readBook(parts, path)
  const related = await relationships(parts, path)
  const targetOf = (type: string) => related.find((each) => each.type === type)?.target
  const texts: string[] = []
  await readPart(partAt(parts, targetOf('sharedStrings')), textsReader(texts))
  const styles = stylesReader()
  await readPart(partAt(parts, targetOf('styles')), styles)
  await checkOthers(parts)
  const sheets: TextSheet[] = []
  const context = { decimal, styles: styles.styles, ...book.context }
  let cellsLeft = CELL_LIMIT
  for (const { name, id, isHidden } of book.sheets) {
    const relation = related.find((each) => each.id === id)
    // A sheet may also be a chart or a dialog, which holds no cells.
    if (relation !== undefined && relation.type !== 'worksheet') continue
    const part = partAt(parts, relation?.target)
    if (part === undefined) throw new Error(`the sheet "${name}" is missing`)
    const sheet = new SheetReader(context, texts, cellsLeft)
    await readPart(part, sheet)
    cellsLeft = sheet.cellsLeft
    sheets.push({ ...contentOf(sheet), name, isHidden })
  }
  return sheets
}

/** Throws where rows are not in order: of a row that stands twice, one would be hidden. */
function contentOf({ rows, hiddenRows, hiddenColumns, merges }: SheetReader) {
  let before = 0
  for (const { row } of rows) {
    if (row <= before) throw new Error(`row ${row} stands at a wrong place`)
    before = row
  }
  return { rows: mergeRows(rows, merges), hiddenRows, hiddenColumns, merges }
}

/** In all sheets together; cells are kept in memory as text, with some 100 bytes each. */
const CELL_LIMIT = 10_000_000

interface Book {
  readonly sheets: readonly { readonly name: string; readonly id: string; readonly isHidden: boolean }[]
  /** Days may be counted from 1904, as Excel for the Macintosh did. */
  readonly context: Pick<SheetContext, 'is1904' | 'isToBeCalculated'>
}

async function readBook(parts: Parts, path: string): Promise<Book> {
  const sheets: Book['sheets'][number][] = []
  const context = { is1904: false, isToBeCalculated: false }
  const part = partAt(parts, path)
  if (part === undefined) throw new Error('it holds no workbook')
  await readPart(part, {
    open: (name, { date1904, fullCalcOnLoad, name: sheet, id, state }) => {
      if (name === 'workbookPr') context.is1904 = isTrue(date1904)
      if (name === 'calcPr') context.isToBeCalculated = isTrue(fullCalcOnLoad)
      if (name === 'sheet')
        sheets.push({ name: sheet ?? '', id: id ?? '', isHidden: state !== undefined && state !== 'visible' })
    },
  })
  return { sheets, context }
}

async function readPart(part: ZipEntry | undefined, handlers: XmlHandlers): Promise<void> {
  if (part === undefined) return
  const reader = xmlReader(handlers)
  let decoder: InstanceType<typeof TextDecoder> | null = null
  try {
    for await (const chunk of part.chunks()) {
      decoder ??= new TextDecoder(wideEncoding(chunk) ?? 'utf-8', { fatal: true })
      reader.write(decoder.decode(chunk, { stream: true }))
    }
    if (decoder !== null) reader.write(decoder.decode())
    reader.end()
  } catch (cause) {
    throw new Error(`"${part.name}": ${(cause as Error).message}`)
  }
}

interface Relationship {
  readonly id: string
  /** The last word of its URI, since the rest differs between the transitional and the strict form. */
  readonly type: string
  /** Path of the part. */
  readonly target: string
}

/** What the part at `path` refers to, or the package itself where the path is empty. */
async function relationships(parts: Parts, path: string): Promise<Relationship[]> {
  const found: Relationship[] = []
  const folder = posix.dirname(path)
  await readPart(partAt(parts, posix.join(folder, '_rels', `${posix.basename(path)}.rels`)), {
    open: (name, { Id = '', Type = '', Target = '' }) => {
      if (name !== 'Relationship') return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target)
      found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target })
    },
  })
  return found
}

/** Unpacks and checks parts that are not read, since a transfer that damaged one of them has damaged the file. */
async function checkOthers(parts: Parts): Promise<void> {
  for (const [name, part] of parts)
    if (/\.(xml|rels)$/.test(name) && !name.includes('/worksheets/')) for await (const _ of part.chunks());
}

const partAt = (parts: Parts, path: string | undefined): ZipEntry | undefined =>
  path === undefined ? undefined : parts.get(partName(path))

/** Larger than any sheet of a million rows; a small file that expands to more is made to exhaust memory. */
const SIZE_LIMIT = 1024 ** 3
/** A workbook has a part for each sheet, chart and picture. */
const ENTRY_LIMIT = 10_000

/**
 * Throws where the archive is truncated or encrypted, where its headers contradict each other, where entries overlap, or where it
 * expands beyond the limit.
 */
export async function zipEntries(bytes: Buffer): Promise<ZipEntry[]> {
  const zip = await ZipReader.ofBytes(bytes).catch((problem: Error) => {
    throw /central directory/.test(problem.message) ? new Error('the file is cut off') : problem
  })
  if (zip.count > ENTRY_LIMIT) throw new Error(`it holds ${zip.count} parts; up to ${ENTRY_LIMIT} are read`)
  const entries = await zip.entries()
  if (entries.some((entry) => entry.isEncrypted())) throw new Error('it is protected by a password')
  const wrong = await zip.wrongWith(entries, false)
  if (wrong !== null) throw new Error(wrong)
  const size = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (size > SIZE_LIMIT) throw new Error(`it unpacks to ${size} bytes; up to ${SIZE_LIMIT} are read`)
  return entries.map((entry) => ({ name: entryName(entry), chunks: () => unpacked(zip, entry) }))
}

/** A figure with a flipped bit would still look like a figure. */
async function* unpacked(zip: ZipReader, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* zip.content(entry)
  } catch {
    throw new Error(`"${entryName(entry)}" is damaged`)
  }
}
