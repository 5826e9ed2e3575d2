/** Reads the parts of a workbook; where there are readers for it a long list in pieces, and as a whole what cannot be read so. */
import { inOrder } from '../../workspace/in-order.ts'
import type { Shared } from '../../workspace/threads.ts'
import { wideEncoding } from '../text/decode.ts'
import { addRows, unpackTexts } from './packed-cells.ts'
import { type PartReaders, ReadersFailed } from './part-readers.ts'
import { ROWS, TEXTS } from './parts.ts'
import { SheetRows } from './rows.ts'
import { type SheetContext, SheetReader } from './sheet.ts'
import { textsReader } from './texts.ts'
import { type XmlHandlers, xmlReader } from './xml.ts'
import { AroundList, type Piece, piecesOf, type XmlList } from './xml-list.ts'
import type { ZipEntry } from './zip.ts'

/** What all sheets of a workbook have in common. */
export interface Book {
  readonly context: SheetContext
  /** The same, for the readers. */
  readonly shared: Shared<SheetContext>
  readonly texts: readonly string[]
  /** How many more cells may be read. */
  readonly cells: { left: number }
}

export interface SheetReading {
  readonly rows: SheetRows
  readonly xml: SheetReader
}

export async function readSheet(
  part: ZipEntry,
  { context, shared, texts, cells }: Book,
  readers: PartReaders | null,
): Promise<SheetReading> {
  const reading = await readList(part, readers, {
    list: ROWS,
    begin: () => {
      const rows = new SheetRows(texts, cells.left)
      return { rows, xml: new SheetReader(context, rows) }
    },
    ask: (by, bytes) => by.rows(bytes, shared),
    add: ({ rows }, packed) => addRows(packed, rows),
  })
  cells.left = reading.rows.cellsLeft
  return reading
}

/** The texts that sheets share; none where there is no such part. */
export async function readTexts(
  part: ZipEntry | undefined,
  readers: PartReaders | null,
): Promise<readonly string[]> {
  if (part === undefined) return []
  const { texts } = await readList(part, readers, {
    list: TEXTS,
    begin: () => {
      const texts: string[] = []
      return { texts, xml: textsReader(texts) }
    },
    ask: (by, bytes) => by.texts(bytes),
    add: ({ texts }, packed) => {
      for (const text of unpackTexts(packed)) texts.push(text)
    },
  })
  return texts
}

/** How a part is read that is one long list. */
interface ListReading<Reading, Packed> {
  readonly list: XmlList
  readonly begin: () => Reading
  /** Null is the answer where the piece cannot be read. */
  readonly ask: (readers: PartReaders, bytes: Buffer) => Promise<Packed | null>
  readonly add: (reading: Reading, packed: Packed) => void
}

async function readList<Reading extends { readonly xml: XmlHandlers }, Packed>(
  part: ZipEntry,
  readers: PartReaders | null,
  of: ListReading<Reading, Packed>,
): Promise<Reading> {
  const inPieces = readers && part.size > readers.partBytes ? await readPieces(part, readers, of) : null
  if (inPieces !== null) return inPieces
  const whole = of.begin()
  await readPart(part, whole.xml)
  return whole
}

/** Null where anything is not as usual: what is wrong, the reading of the whole says. */
async function readPieces<Reading extends { readonly xml: XmlHandlers }, Packed>(
  part: ZipEntry,
  readers: PartReaders,
  { list, begin, ask, add }: ListReading<Reading, Packed>,
): Promise<Reading | null> {
  const reading = begin()
  const around = new AroundList(list, reading.xml)
  const read = async ({ isItems, bytes }: Piece) =>
    isItems ? { packed: await ask(readers, bytes) } : { bytes }
  try {
    const pieces = piecesOf(part.chunks(), list, readers.partBytes)
    for await (const piece of inOrder(pieces, readers.atOnce, read)) {
      if ('bytes' in piece) around.write(piece.bytes)
      else if (piece.packed !== null && around.isBetweenItems()) add(reading, piece.packed)
      else return null
    }
    around.end()
    return reading
  } catch (cause) {
    if (cause instanceof ReadersFailed) throw cause
    return null
  }
}

export async function readPart(part: ZipEntry | undefined, handlers: XmlHandlers): Promise<void> {
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
