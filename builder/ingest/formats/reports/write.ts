/** Writes reports as canonical CSV. */
import { canonicalPlan } from '../../format/canonical-plan.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { csvRow, withHeader } from '../../format/records.ts'
import type { Scratch } from '../../text/scan.ts'
import { type BooksContext, type Dated, opensBooks } from './books.ts'
import { CANONICAL, CanonicalRows, type Writing } from './csv-rows.ts'
import type { MeasureContext } from './measure/measured.ts'
import { cellOf } from './rows/cells.ts'
import type { ReportFamily, Target } from './rows/layout.ts'

export interface WriteContext extends BooksContext {
  readonly measure: MeasureContext
  readonly family: ReportFamily
  readonly scratch: Scratch
  /** Of each report, dimension id → what it is. */
  readonly targetOf: (dimension: string) => Target | 'none'
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
  const { measure, scratch, basis } = context
  const ledger: LedgerPlan[] = []
  const entries = new Map<string, ReadonlyMap<number, string>>()
  for (const at of dates) {
    const { file, forms, layout } = at.report
    const entryColumn =
      cellOf(layout.header, layout.at.id) || cellOf(layout.header, layout.at.date) || 'transaction_id'
    const rows = new CanonicalRows(at.report, forms, measure, writingOf(at, first, context))
    const path = await scratch.written(withHeader(csvRow(CANONICAL), rows.rows()))
    ledger.push({
      ...canonicalPlan({ file, path, basis }, CANONICAL),
      whole: { years: [], openingJournals: [], entryColumn },
    })
    entries.set(file, rows.lost)
  }
  return { ledger, entries }
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
    family: context.family,
  }
}
