/** Writes plain-text files as canonical CSV: in parts by others, or as a whole by this thread. What is found is the same. */
import { rmSync } from 'node:fs'
import { inOrder } from '../../../workspace/in-order.ts'
import { share } from '../../../workspace/threads.ts'
import { betweenRecords } from '../../format/record-parts.ts'
import type { Scratch } from '../../text/scan.ts'
import { type Range, textParts, WHOLE_TEXT } from '../../text/text-parts.ts'
import { dialectIn } from './dialects.ts'
import { type PartFacts, PlainFile } from './facts.ts'
import { type CountOf, DayCounts, NONE_ABOVE, withCounts } from './ids.ts'
import { areDivisible, type Rules, readPart } from './lines.ts'
import type { PlainHands, ReadPart } from './parts.ts'
import type { PlainText } from './text.ts'

export interface WrittenFile {
  readonly file: PlainFile
  readonly path: string
}

/** Each file when its last part was joined. Transactions of a day are counted over all of them. */
export async function* writePlain(
  texts: readonly PlainText[],
  rules: Rules,
  scratch: Scratch,
  hands: PlainHands | null,
): AsyncGenerator<WrittenFile> {
  const above = new DayCounts()
  const parts = hands && readParts(texts, rules, hands)
  for (const text of texts) {
    const inParts = parts && (await writeParts(text, parts, above.of, scratch))
    const written = inParts ?? (await writeWhole(text, rules, above.of, scratch))
    above.addAll(written.file.days.counts)
    yield written
  }
}

/** Reads a whole file without writing it. */
export async function readPlain(text: PlainText, rules: Rules): Promise<PlainFile> {
  const file = new PlainFile(text)
  for await (const _ of wholeRows(file, rules, NONE_ABOVE));
  return file
}

async function writeWhole(
  text: PlainText,
  rules: Rules,
  countsAbove: CountOf,
  scratch: Scratch,
): Promise<WrittenFile> {
  const file = new PlainFile(text)
  return { file, path: await scratch.written(wholeRows(file, rules, countsAbove)) }
}

async function* wholeRows(file: PlainFile, rules: Rules, countsAbove: CountOf): AsyncGenerator<string> {
  const facts: PartFacts = yield* readPart(file.text, WHOLE_TEXT, rules, { countsAbove, notes: null })
  file.join(facts, countsAbove)
}

/** A part of a file, as others read it; null where the file is not read in parts. */
interface Part {
  readonly read: ReadPart | null
  readonly isLast: boolean
}

/** The parts of all files in their order. */
const readParts = (texts: readonly PlainText[], rules: Rules, hands: PlainHands): AsyncGenerator<Part> =>
  inOrder(ordersOf(texts, rules, hands.partBytes), hands.atOnce, async ({ order, isLast }) => ({
    read: order && (await hands.make('readPart', order)),
    isLast,
  }))

async function* ordersOf(texts: readonly PlainText[], rules: Rules, bytes: number) {
  for (const text of texts) {
    const parts = await partsOf(text, bytes)
    const shared = parts && share({ text, rules })
    if (parts === null || shared === null) yield { order: null, isLast: true }
    else for (const part of parts) yield { order: { part, shared }, isLast: part === parts.at(-1) }
  }
}

/** A larger one is read as a whole: no cut was found, and a record as long as that ends the reading of a file. */
const LARGEST_PART = 16 * 1024 ** 2

async function partsOf(text: PlainText, bytes: number): Promise<readonly Range[] | null> {
  const { path, bytes: size, encoding, lineEnd, form } = text
  if (size <= 2 * bytes) return [WHOLE_TEXT]
  if (lineEnd !== '\n' || encoding.startsWith('utf-16')) return null
  const dialect = dialectIn(form)
  const parts = await textParts({ path, size }, bytes, betweenRecords(dialect, areDivisible(dialect)))
  return parts.length > 1 && parts.every(({ start, end }) => end - start < LARGEST_PART) ? parts : null
}

/** Null where parts do not join: a line end was taken for the end of a record, or the file is broken. */
async function writeParts(
  text: PlainText,
  parts: AsyncIterator<Part>,
  countsAbove: CountOf,
  scratch: Scratch,
): Promise<WrittenFile | null> {
  const file = new PlainFile(text)
  const joining = { isWhole: true }
  const path = await scratch.written(joinedRows(file, parts, countsAbove, joining))
  if (joining.isWhole) return { file, path }
  rmSync(path)
  return null
}

async function* joinedRows(
  file: PlainFile,
  parts: AsyncIterator<Part>,
  countsAbove: CountOf,
  joining: { isWhole: boolean },
): AsyncGenerator<Buffer> {
  for (let isFirst = true, isLast = false; !isLast; isFirst = false) {
    const next: Part = (await parts.next()).value
    isLast = next.isLast
    const { read } = next
    joining.isWhole &&= read !== null && (isFirst || file.goesOnWith(read.facts))
    if (!joining.isWhole || read === null) continue
    const { buffer, byteOffset, byteLength } = read.csv
    const csv = Buffer.from(buffer, byteOffset, byteLength)
    yield withCounts(csv, read.ids, (day) => countsAbove(day) + file.days.of(day))
    file.join(read.facts, countsAbove)
  }
}
