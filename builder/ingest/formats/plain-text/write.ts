/** Writes plain-text files as canonical CSV: in parts by others, or as a whole by this thread. What is found is the same. */
import { share } from '../../../workspace/threads.ts'
import { bufferOf } from '../../format/part-hands.ts'
import { joinedParts, partsInOrder, type TakenPart, writtenParts } from '../../format/parts-in-order.ts'
import { recordParts } from '../../format/record-parts.ts'
import type { Scratch } from '../../text/scan.ts'
import { WHOLE_TEXT } from '../../text/text-parts.ts'
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

/** The parts of all files in their order. */
const readParts = (
  texts: readonly PlainText[],
  rules: Rules,
  hands: PlainHands,
): AsyncGenerator<TakenPart<ReadPart>> =>
  partsInOrder(
    texts,
    (text) => ordersOf(text, rules, hands.partBytes),
    hands.atOnce,
    (order) => hands.make('readPart', order),
  )

async function ordersOf(text: PlainText, rules: Rules, bytes: number) {
  const dialect = dialectIn(text.form)
  const parts = await recordParts(text, text.bytes, dialect, bytes, areDivisible(dialect))
  const shared = parts && share({ text, rules })
  return shared && parts.map((part) => ({ part, shared }))
}

/** Null where parts do not join: a line end was taken for the end of a record, or the file is broken. */
async function writeParts(
  text: PlainText,
  parts: AsyncIterator<TakenPart<ReadPart>>,
  countsAbove: CountOf,
  scratch: Scratch,
): Promise<WrittenFile | null> {
  const file = new PlainFile(text)
  const path = await writtenParts(scratch, (joining) => joinedRows(file, parts, countsAbove, joining))
  return path === null ? null : { file, path }
}

async function* joinedRows(
  file: PlainFile,
  parts: AsyncIterator<TakenPart<ReadPart>>,
  countsAbove: CountOf,
  joining: { isWhole: boolean },
): AsyncGenerator<Buffer> {
  let isFirst = true
  const goesOn = ({ facts }: ReadPart) => isFirst || file.goesOnWith(facts)
  for await (const { csv, ids, facts } of joinedParts(parts, joining, goesOn)) {
    isFirst = false
    yield withCounts(bufferOf(csv), ids, (day) => countsAbove(day) + file.days.of(day))
    file.join(facts, countsAbove)
  }
}
