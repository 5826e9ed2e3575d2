/** What can be done with a text of SAF-T alone, whether it is a file or a part of one, here or in a thread. */
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import type { XmlPart } from '../../format/xml-parts.ts'
import { SaftRows, type Writing } from './csv.ts'
import { type DimensionRules, type DimensionUses, SaftDimensions } from './dimensions.ts'
import { type Context, EntriesSurveyor, type SaftEntries } from './entries.ts'
import { type Above, HeadSurveyor, type SaftHead } from './head.ts'
import { type ReadText, readSaft, type SaftText } from './parse.ts'
import { type Position, UNKNOWN } from './places.ts'

/** A part of a file, and where in the file it begins. */
export interface PlacedPart {
  readonly part: XmlPart
  readonly position: Position
}

export interface PartToWrite {
  readonly text: SaftText
  readonly position: Position
  readonly shared: Shared<WritingContext>
}

export interface PartContext {
  readonly above: Above
  readonly context: Context
}

export interface WritingContext {
  readonly writing: Writing
  readonly rules: DimensionRules
}

export interface FileSurvey {
  readonly read: ReadText
  readonly head: SaftHead
  readonly entries: SaftEntries
}

export interface PartSurvey {
  readonly read: ReadText
  readonly entries: SaftEntries
  /** It holds what should stand above all entries. */
  readonly isMixed: boolean
}

export interface WrittenPart {
  readonly csv: Uint8Array
  readonly uses: DimensionUses
}

export interface FileToSurvey {
  readonly text: SaftText
  readonly context: Context
}

export interface PartToSurvey {
  readonly text: SaftText
  readonly shared: Shared<PartContext>
}

/** What others can do. */
export const WORK = { surveyFile, surveyPart, writePart }
export type SaftHands = PartHands<typeof WORK>

/** Surveys a file, or the part of it that stands above its entries. */
export async function surveyFile({ text, context }: FileToSurvey): Promise<FileSurvey> {
  const head = new HeadSurveyor(text.file)
  const entries = new EntriesSurveyor(text.file, head, context)
  const read = await readSaft(text, { ...head.visitor, ...entries.visitor })
  return { read, head: head.head(), entries: entries.entries() }
}

/** Surveys a part that holds entries, before it is known where in the file it begins. */
async function surveyPart({ text, shared }: PartToSurvey): Promise<PartSurvey> {
  const { above, context } = sharedValue(shared)
  const entries = new EntriesSurveyor(text.file, above, context)
  let isMixed = false
  const mixed = () => {
    isMixed = true
  }
  const visitor = { ...entries.visitor, header: mixed, account: mixed, party: mixed, analysis: mixed }
  const read = await readSaft(text, visitor, UNKNOWN)
  return { read, entries: entries.entries(), isMixed }
}

async function writePart({ text, position, shared }: PartToWrite): Promise<WrittenPart> {
  const { writing, rules } = sharedValue(shared)
  const dimensions = new SaftDimensions(rules)
  const rows = new SaftRows(writing, dimensions)
  await readSaft(text, rows, position)
  return { csv: Buffer.from(rows.written()), uses: dimensions.uses() }
}
