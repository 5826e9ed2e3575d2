/** What can be done with a part of a CSV alone whose quotes are written anew, here or in a thread. */
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import { CHUNK, csvRow } from '../../format/records.ts'
import { type OnFault, recordsOf } from '../../text/delimited.ts'
import { type Range, textOfPart } from '../../text/text-parts.ts'

/** A CSV in UTF-8. */
export interface QuotedText {
  /** The path to open. */
  readonly path: string
  readonly delimiter: string
}

export interface PartToRequote {
  readonly part: Range
  readonly shared: Shared<QuotedText>
}

export interface RequotedPart {
  readonly csv: Uint8Array
  /** Whether it could be read to its end, so that the next part begins with a record. */
  readonly isSound: boolean
}

export const WORK = { requotePart }
export type QuoteHands = PartHands<typeof WORK>

async function requotePart({ part, shared }: PartToRequote): Promise<RequotedPart> {
  let isSound = true
  const onFault = () => {
    isSound = false
  }
  const csv: Buffer[] = []
  for await (const rows of requoted(sharedValue(shared), part, onFault)) csv.push(Buffer.from(rows))
  return { csv: Buffer.concat(csv), isSound }
}

/** The same records with each quote at the start of its cell. */
export async function* requoted(
  { path, delimiter }: QuotedText,
  part: Range,
  onFault: OnFault,
): AsyncGenerator<string> {
  for await (const records of recordsOf(textOfPart(path, part, 'utf-8', CHUNK), delimiter, onFault))
    yield records.map(csvRow).join('')
}
