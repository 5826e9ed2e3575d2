/** Writes reports as canonical CSV: each in parts by others where it was measured so, else as a whole by this thread. */
import { inOrder } from '../../../workspace/in-order.ts'
import { share } from '../../../workspace/threads.ts'
import { canonicalPlan } from '../../format/canonical-plan.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { nextBytes } from '../../format/part-hands.ts'
import { csvRow, withHeader } from '../../format/records.ts'
import type { Scratch } from '../../text/scan.ts'
import type { AccountFacts } from './account-facts.ts'
import { type BooksContext, type Dated, opensBooks } from './books.ts'
import { CANONICAL, CanonicalRows, type Writing } from './csv-rows.ts'
import type { MeasureContext, MeasuredReport } from './measure/measured.ts'
import { givenReport, type PartToWrite, type ReportHands } from './parts.ts'
import type { ReportFamily, Target } from './rows/layout.ts'
import { WHOLE } from './rows/walk.ts'

export interface WriteContext extends BooksContext {
  readonly family: ReportFamily
  readonly facts: AccountFacts
  readonly measure: MeasureContext
  readonly scratch: Scratch
  /** Of each report, dimension id → what it is. */
  readonly targetOf: (dimension: string) => Target | 'none'
  readonly hands: ReportHands | null
}

/** `entries`: file → row of a line that was left out → the entry that it is a line of. */
export async function writeReports(
  dates: readonly Dated[],
  first: Dated,
  context: WriteContext,
): Promise<{
  readonly ledger: readonly LedgerPlan[]
  readonly entries: ReadonlyMap<string, ReadonlyMap<number, string>>
}> {
  const { measure, scratch, basis, hands } = context
  const each = dates.map((at) => ({ report: at.report, writing: writingOf(at, first, context) }))
  const written =
    hands && inOrder(partsOf(each, context), hands.atOnce, (part) => hands.make('writePart', part))
  const ledger: LedgerPlan[] = []
  const entries = new Map<string, ReadonlyMap<number, string>>()
  for (const { report, writing } of each) {
    const { file, forms, stretches } = report
    const rows = new CanonicalRows(report, forms, measure, writing)
    const csv = written && stretches.length > 0 ? nextBytes(written, stretches.length) : rows.in(WHOLE)
    const path = await scratch.written(withHeader(csvRow(CANONICAL), csv))
    ledger.push(canonicalPlan({ file, path, basis }, CANONICAL))
    entries.set(file, rows.lost)
  }
  return { ledger, entries }
}

interface Written {
  readonly report: MeasuredReport
  readonly writing: Writing
}

function writingOf(at: Dated, first: Dated, context: WriteContext): Writing {
  const { report, start } = at
  const openings = [...report.measures].flatMap(([id, { opening }]) =>
    opening === null ? [] : [[id, opening] as const],
  )
  const members = report.layout.dimensions.flatMap(({ id, at: position }) => {
    const target = context.targetOf(id)
    return target === 'none' ? [] : [[target, position] as const]
  })
  return {
    signs: context.signs,
    openingDay: opensBooks(at, first.start, context) ? start : null,
    openings: new Map(openings),
    members: Object.fromEntries(members),
    groups: context.measure.grouping.joined,
  }
}

function* partsOf(each: readonly Written[], { family, facts }: WriteContext): Generator<PartToWrite> {
  for (const { report, writing } of each) {
    if (report.stretches.length === 0) continue
    const shared = share({ ...givenReport(family, report, report.forms, facts), writing })
    for (const stretch of report.stretches) yield { stretch, shared }
  }
}
