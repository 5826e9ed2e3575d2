/** Copies a CSV whose quotes stand behind blanks or tabs, which DuckDB takes for text: a large one in parts, by threads. */
import { stat } from 'node:fs/promises'
import type { Finding } from '../../../workspace/finding.ts'
import { type ReadBy, share } from '../../../workspace/threads.ts'
import { bufferOf, withHands } from '../../format/part-hands.ts'
import { joinedParts, partsInOrder, type TakenPart, writtenParts } from '../../format/parts-in-order.ts'
import { recordParts } from '../../format/record-parts.ts'
import { quoteFault } from '../../text/csv.ts'
import type { Scratch } from '../../text/scan.ts'
import { WHOLE_TEXT } from '../../text/text-parts.ts'
import {
  type PartToRequote,
  type QuotedText,
  type QuoteHands,
  type RequotedPart,
  requoted,
  type WORK,
} from './parts.ts'

const MB = 1024 ** 2
const WORTH = { partBytes: 2 * MB, threadBytes: 12 * MB }

/** A text of so many cells in each record. */
export interface TextToRequote extends QuotedText {
  /** How findings name it. */
  readonly file: string
  readonly width: number
  /** In bytes. */
  readonly size: number
}

export interface RequotedText {
  /** Of the copy, whose cells are separated by commas. */
  readonly path: string
  readonly findings: readonly Finding[]
}

export async function requote(
  given: Omit<TextToRequote, 'size'>,
  scratch: Scratch,
  by: ReadBy | null,
): Promise<RequotedText> {
  const { size } = await stat(given.path)
  const text = { ...given, size }
  return withHands<typeof WORK, RequotedText>(import.meta.url, WORTH, size, by, (hands) =>
    requoteBy(text, scratch, hands),
  )
}

/** What is written does not depend on `hands`. */
export async function requoteBy(
  text: TextToRequote,
  scratch: Scratch,
  hands: QuoteHands | null,
): Promise<RequotedText> {
  const parts =
    hands &&
    partsInOrder(
      [text],
      (each) => ordersOf(each, hands.partBytes),
      hands.atOnce,
      (order) => hands.make('requotePart', order),
    )
  const path = parts && (await writtenParts(scratch, (joining) => joined(parts, joining)))
  if (path !== null) return { path, findings: [] }
  const findings: Finding[] = []
  const rows = requoted(text, WHOLE_TEXT, (row, fault) => findings.push(quoteFault(text.file, row, fault)))
  return { path: await scratch.written(rows), findings }
}

/** Null where no place to cut is found. */
async function ordersOf(
  { path, delimiter, width, size }: TextToRequote,
  bytes: number,
): Promise<readonly PartToRequote[] | null> {
  const parts = await recordParts(
    { path, encoding: 'utf-8', lineEnd: '\n' },
    size,
    { delimiter, width },
    bytes,
  )
  const shared = share({ path, delimiter })
  return parts?.map((part) => ({ part, shared })) ?? null
}

/** Any fault is told by who reads the whole. */
async function* joined(
  parts: AsyncIterator<TakenPart<RequotedPart>>,
  joining: { isWhole: boolean },
): AsyncGenerator<Buffer> {
  for await (const { csv } of joinedParts(parts, joining, ({ isSound }) => isSound)) yield bufferOf(csv)
}
