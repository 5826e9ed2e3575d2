/** Measures all reports of one basis: each in parts by others where it can be divided, else as a whole by this thread. */
import type { Finding } from '../../../workspace/finding.ts'
import { inOrder } from '../../../workspace/in-order.ts'
import { share } from '../../../workspace/threads.ts'
import { type AccountFacts, measureContext } from './account-facts.ts'
import type { Signs } from './books.ts'
import { decideSigns, signOf } from './checks.ts'
import { Measure } from './measure/measure.ts'
import type { MeasureContext, MeasuredPart, MeasuredReport } from './measure/measured.ts'
import { givenReport, type PartToMeasure, type ReportHands } from './parts.ts'
import { dateReader, type Forms } from './rows/figures.ts'
import type { ReportFamily } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'
import { type Stretch, WHOLE } from './rows/walk.ts'

/** A report, and the forms of its figures and dates where these are clear. */
export interface FormedReport {
  readonly scan: ReportScan
  readonly forms: Forms | null
}

interface Measuring {
  readonly family: ReportFamily
  readonly facts: AccountFacts
  readonly hands: ReportHands | null
}

export interface MeasuredReports {
  /** The reports whose figures and dates can be read. */
  readonly measured: readonly MeasuredReport[]
  /** Of the others, what is wrong with their form. */
  readonly findings: readonly Finding[]
  readonly context: MeasureContext
  readonly signs: Signs
}

export async function measureAll(
  reports: readonly FormedReport[],
  measuring: Measuring,
): Promise<MeasuredReports> {
  const all = await measureOnce(reports, measuring)
  // Where balances differ, those below depend on how: only the whole report shows that as it is.
  return all.measured.some((report) => differsInParts(report, all.signs))
    ? measureOnce(reports, { ...measuring, hands: null })
    : all
}

const differsInParts = ({ stretches, balances }: MeasuredReport, signs: Signs): boolean =>
  stretches.length > 0 && balances.chains.some(({ breaks }) => breaks[signOf(signs)].length > 0)

async function measureOnce(
  reports: readonly FormedReport[],
  { family, facts, hands }: Measuring,
): Promise<MeasuredReports> {
  const context = measureContext(facts, family)
  const measuring = { family, facts, context }
  const clear = reports.flatMap(({ scan, forms }) =>
    forms === null ? [] : [{ scan, forms, stretches: hands === null ? [] : stretchesOf(scan, forms) }],
  )
  const parts =
    hands && inOrder(partsOf(clear, measuring), hands.atOnce, (part) => hands.make('measurePart', part))
  const measured: MeasuredReport[] = []
  for (const { scan, forms, stretches } of clear) {
    const above: (MeasuredPart | null)[] = []
    while (parts && above.length < stretches.length - 1)
      above.push((await parts.next()).value as MeasuredPart | null)
    measured.push(
      (await measureDivided({ scan, forms, stretches }, measuring, above)) ??
        (await measureWhole(scan, forms, context)),
    )
  }
  return {
    measured,
    findings: reports.flatMap(({ scan, forms }) => (forms === null ? scan.findings : [])),
    context,
    signs: decideSigns(measured, context, family),
  }
}

interface Divided {
  readonly scan: ReportScan
  readonly forms: Forms
  readonly stretches: readonly Stretch[]
}

/** The places of a journal are between two days, which must be two, however they are written. */
function stretchesOf({ places, entries }: ReportScan, { dateFormat }: Forms): readonly Stretch[] {
  const dateOf = dateReader(dateFormat)
  const areTwo = (above: string, below: string) => {
    const dates = [dateOf(above), dateOf(below)]
    return !dates.includes(null) && dates[0] !== dates[1]
  }
  return places?.stretches(entries, areTwo) ?? []
}

/** All stretches but the last one of each report. */
function* partsOf(
  reports: readonly Divided[],
  { family, facts }: Pick<Measuring, 'family' | 'facts'>,
): Generator<PartToMeasure> {
  for (const { scan, forms, stretches } of reports) {
    if (stretches.length === 0) continue
    const shared = share(givenReport(family, scan, forms, facts))
    for (const stretch of stretches.slice(0, -1)) yield { stretch, shared }
  }
}

async function measureWhole(
  scan: ReportScan,
  forms: Forms,
  context: MeasureContext,
): Promise<MeasuredReport> {
  const measure = new Measure(scan, forms, context)
  await measure.read(WHOLE)
  return measure.report(scan, [])
}

/**
 * A report whose last stretch goes on from what others measured above it. Null where there is none, or a mistake was found: only the
 * whole report shows how far it reaches.
 */
async function measureDivided(
  { scan, forms, stretches }: Divided,
  { family, facts, context }: Pick<Measuring, 'family' | 'facts'> & Pick<MeasuredReports, 'context'>,
  above: readonly (MeasuredPart | null)[],
): Promise<MeasuredReport | null> {
  const last = stretches.at(-1)
  if (last === undefined) return null
  const own = measureContext(facts, family)
  const measure = new Measure(scan, forms, own)
  const sums: Sums[] = []
  for (const part of above) {
    if (part === null || !measure.goOnFrom(part)) return null
    sums.push(part)
  }
  measure.totals(scan.totals.filter(({ row }) => row <= last.rows))
  await measure.read(last)
  const report = measure.report(scan, stretches)
  if (!measure.isClean || measure.dependsOnAbove) return null
  for (const part of [...sums, { groups: own.grouping.lines.columns(), days: own.days }])
    addSums(context, part)
  return report
}

/** Of lines whose entries, or signs, other reports show too. */
type Sums = Pick<MeasuredPart, 'groups' | 'days'>

function addSums(to: MeasureContext, { groups, days }: Sums): void {
  to.grouping.lines.addAll(groups)
  for (const [day, [debit, credit]] of days) {
    const sums = to.days.get(day) ?? [0, 0]
    to.days.set(day, [sums[0] + debit, sums[1] + credit])
  }
}
