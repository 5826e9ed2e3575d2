/** What can be done with a part of a FEC alone, here or in a thread. */
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import type { Range } from '../../text/text-parts.ts'
import type { FecText } from './lines.ts'
import { type PartSurvey, surveyLines } from './part-survey.ts'
import { canonicalRows, type Writing } from './rows.ts'

export interface PartToSurvey {
  readonly part: Range
  readonly shared: Shared<FecText>
}

export interface PartToWrite {
  readonly part: Range
  readonly shared: Shared<{ readonly text: FecText; readonly writing: Writing }>
}

export const WORK = { surveyPart, writePart }
export type FecHands = PartHands<typeof WORK>

async function surveyPart({ part, shared }: PartToSurvey): Promise<PartSurvey> {
  return surveyLines(sharedValue(shared), part)
}

async function writePart({ part, shared }: PartToWrite): Promise<Uint8Array> {
  const { text, writing } = sharedValue(shared)
  let csv = ''
  for await (const rows of canonicalRows(text, writing, part)) csv += rows
  return Buffer.from(csv)
}
