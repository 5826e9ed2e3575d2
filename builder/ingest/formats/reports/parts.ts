/** What can be done with a part of a report alone, here or in a thread. */
import type { LedgerFormat } from '../../../workspace/company.ts'
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import type { Range } from '../../text/text-parts.ts'
import { type AccountFacts, measureContext } from './account-facts.ts'
import { CanonicalRows, type Writing } from './csv-rows.ts'
import { Measure } from './measure/measure.ts'
import type { MeasuredPart } from './measure/measured.ts'
import { familyCalled } from './programs/families.ts'
import { type Piece, RowDigest, type RowFacts } from './rows/digest.ts'
import type { Forms } from './rows/figures.ts'
import type { Layout, ReportFamily } from './rows/layout.ts'
import type { ReadableReport } from './rows/scan.ts'
import { type PlainSection, Sections } from './rows/sections.ts'
import { type OpenReport, readRows, type Stretch } from './rows/walk.ts'

/** Before anything was read of it, as plain data. */
export interface PlainOpen extends Omit<OpenReport, 'layout'> {
  readonly layout: Omit<Layout, 'plainRows'>
}

/** A report as plain data. */
export interface PlainReport extends PlainOpen, Omit<ReadableReport, 'layout' | 'sections'> {
  readonly sections: readonly PlainSection[]
}

export interface PartToDigest {
  readonly part: Range
  readonly shared: Shared<{
    readonly family: LedgerFormat
    readonly open: PlainOpen
    readonly partBytes: number
  }>
}

/** The rows of a part count from 1, or in the first part as in the report. */
export interface DigestedPart {
  readonly pieces: readonly Piece[]
  readonly facts: RowFacts
  /** How many rows there are. */
  readonly rows: number
  /** Whether it could be read to its end, so that the next part begins with a row. */
  readonly isSound: boolean
}

/** What all parts of a report need. */
export interface GivenReport {
  readonly family: LedgerFormat
  readonly report: PlainReport
  readonly forms: Forms
  readonly facts: AccountFacts
}

export interface PartToMeasure {
  readonly stretch: Stretch
  readonly shared: Shared<GivenReport>
}

export interface PartToWrite {
  readonly stretch: Stretch
  readonly shared: Shared<GivenReport & { readonly writing: Writing }>
}

export const WORK = { digestPart, measurePart, writePart }
export type ReportHands = PartHands<typeof WORK>

export function plainOpen({ source, file, sheet, delimiter, rowSource, layout }: OpenReport): PlainOpen {
  const { plainRows: _, ...plain } = layout
  return { source, file, sheet, delimiter, rowSource, layout: plain }
}

export function givenReport(
  family: ReportFamily,
  readable: ReadableReport,
  forms: Forms,
  facts: AccountFacts,
): GivenReport {
  const { period, entries, sections } = readable
  const report = { ...plainOpen(readable), period, entries, sections: sections.plain() }
  return { family: family.id, report, forms, facts }
}

async function digestPart({ part, shared }: PartToDigest): Promise<DigestedPart> {
  const { family, open: plain, partBytes } = sharedValue(shared)
  const layout = layoutOf(plain, familyCalled(family))
  const open = { ...plain, layout }
  const digest = new RowDigest(layout, partBytes)
  // Title and header stand in the first part alone.
  const above = part.start === 0 ? 0 : layout.headerRow
  let isSound = true
  let last = above
  const onFault = () => {
    isSound = false
  }
  const pieces: Piece[] = []
  for await (const batch of readRows(open, { range: part, rows: above }, onFault)) {
    pieces.push(...digest.piecesOf(batch))
    last = batch.last
  }
  return { pieces, facts: digest.facts, rows: last - above, isSound }
}

/** Null where a mistake was found in it. */
async function measurePart({ stretch, shared }: PartToMeasure): Promise<MeasuredPart | null> {
  const given = sharedValue(shared)
  const { family, report } = readable(given)
  const measure = new Measure(report, given.forms, measureContext(given.facts, family))
  const last = await measure.read(stretch)
  return last === stretch.last ? measure.part() : null
}

async function writePart({ stretch, shared }: PartToWrite): Promise<Uint8Array> {
  const given = sharedValue(shared)
  const { family, report } = readable(given)
  const rows = new CanonicalRows(report, given.forms, measureContext(given.facts, family), given.writing)
  // As bytes, which the garbage collector need not copy.
  const csv: Buffer[] = []
  for await (const some of rows.in(stretch)) csv.push(Buffer.from(some))
  return Buffer.concat(csv)
}

function readable({ family: id, report }: GivenReport): { family: ReportFamily; report: ReadableReport } {
  const family = familyCalled(id)
  const sections = Sections.of(report.sections)
  return { family, report: { ...report, layout: layoutOf(report, family), sections } }
}

const layoutOf = ({ layout }: PlainOpen, { plainRows }: ReportFamily): Layout => ({
  ...layout,
  plainRows: layout.kind === 'chart' ? null : (plainRows ?? null),
})
