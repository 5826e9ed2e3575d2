/** Measures all reports of one basis. */
import type { Finding } from '../../../workspace/finding.ts'
import { type AccountFacts, measureContext } from './account-facts.ts'
import type { Signs } from './books.ts'
import { decideSigns } from './checks.ts'
import { Measure } from './measure/measure.ts'
import type { MeasureContext, MeasuredReport } from './measure/measured.ts'
import type { Forms } from './rows/figures.ts'
import type { ReportFamily } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'

/** A report, and the forms of its figures and dates where these are clear. */
export interface FormedReport {
  readonly scan: ReportScan
  readonly forms: Forms | null
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
  family: ReportFamily,
  facts: AccountFacts,
): Promise<MeasuredReports> {
  const context = measureContext(facts)
  const measured: MeasuredReport[] = []
  for (const { scan, forms } of reports)
    if (forms !== null) measured.push(await new Measure(scan, forms, context).report())
  return {
    measured,
    findings: reports.flatMap(({ scan, forms }) => (forms === null ? scan.findings : [])),
    context,
    signs: decideSigns(measured, context, family),
  }
}
