/** What can be done with a part of a plain-text file alone, here or in a thread. */
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import type { Range } from '../../text/text-parts.ts'
import type { PartFacts } from './facts.ts'
import { IdNotes, type IdPlaces, NONE_ABOVE } from './ids.ts'
import { type Rules, readPart } from './lines.ts'
import type { PlainText } from './text.ts'

export interface PartToRead {
  readonly part: Range
  readonly shared: Shared<{ readonly text: PlainText; readonly rules: Rules }>
}

/** Transactions of a day are counted from the beginning of the part. */
export interface ReadPart {
  readonly csv: Uint8Array
  readonly ids: IdPlaces
  readonly facts: PartFacts
}

export const WORK = { readPart: writtenPart }
export type PlainHands = PartHands<typeof WORK>

async function writtenPart({ part, shared }: PartToRead): Promise<ReadPart> {
  const { text, rules } = sharedValue(shared)
  const notes = new IdNotes()
  const pieces = readPart(text, part, rules, { countsAbove: NONE_ABOVE, notes })
  const csv: Buffer[] = []
  for (;;) {
    const { done, value } = await pieces.next()
    if (done) return { csv: Buffer.concat(csv), ids: notes.places(), facts: value }
    csv.push(notes.bytesOf(value))
  }
}
