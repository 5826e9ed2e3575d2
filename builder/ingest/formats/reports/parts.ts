/** What can be done with a stretch of a report alone, here or in a thread. */
import type { LedgerFormat } from '../../../workspace/company.ts'
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import { type AccountFacts, measureContext } from './account-facts.ts'
import { CanonicalRows, type Writing } from './csv-rows.ts'
import { Measure } from './measure/measure.ts'
import type { MeasuredPart } from './measure/measured.ts'
import { familyCalled } from './programs/families.ts'
import type { Forms } from './rows/figures.ts'
import type { Layout, ReportFamily } from './rows/layout.ts'
import type { ReadableReport } from './rows/scan.ts'
import { type PlainSection, Sections } from './rows/sections.ts'
import type { Stretch } from './rows/walk.ts'

/** A report as plain data. */
export interface PlainReport extends Omit<ReadableReport, 'layout' | 'sections'> {
  readonly layout: Omit<Layout, 'plainRows'>
  readonly sections: readonly PlainSection[]
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

export const WORK = { measurePart, writePart }
export type ReportHands = PartHands<typeof WORK>

export function givenReport(
  family: ReportFamily,
  { source, file, sheet, delimiter, rowSource, layout, period, sections, entries }: ReadableReport,
  forms: Forms,
  facts: AccountFacts,
): GivenReport {
  const { plainRows: _, ...plain } = layout
  const report = { source, file, sheet, delimiter, rowSource, period, entries }
  return { family: family.id, report: { ...report, layout: plain, sections: sections.plain() }, forms, facts }
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
  const plainRows = report.layout.kind === 'chart' ? null : (family.plainRows ?? null)
  const layout: Layout = { ...report.layout, plainRows }
  return { family, report: { ...report, layout, sections: Sections.of(report.sections) } }
}
