/** What can be done with a part of a GL_Detail alone, here or in a thread. */
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import { type RecordNotes, type RecordText, recordsOfPart } from '../../format/records.ts'
import type { Range } from '../../text/text-parts.ts'
import { DetailLines, type LineFacts, type LineForm } from './lines.ts'
import type { AdsShape } from './tables.ts'

export interface PartToRead {
  readonly part: Range
  readonly shared: Shared<{ readonly text: RecordText; readonly shape: AdsShape; readonly form: LineForm }>
}

/** Rows count from the beginning of the part. */
export interface ReadPart {
  readonly csv: Uint8Array
  readonly facts: LineFacts
  readonly notes: RecordNotes
}

export const WORK = { readPart }
export type AdsHands = PartHands<typeof WORK>

async function readPart({ part, shared }: PartToRead): Promise<ReadPart> {
  const { text, shape, form } = sharedValue(shared)
  const lines = new DetailLines(form)
  const { batches, notes } = recordsOfPart(text, shape, part)
  // Each batch becomes bytes at once: the text of a whole part would be taken for old by the garbage collector.
  const csv = [Buffer.from(part.start === 0 ? lines.header : '')]
  for await (const batch of batches) csv.push(Buffer.from(batch.map((each) => lines.rowOf(each)).join('')))
  return { csv: Buffer.concat(csv), facts: lines.facts, notes: notes() }
}
