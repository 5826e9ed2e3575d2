/** What reports state of the company, for `tieout add`, which asks for the rest. Checks no figures. */

import { firstDay, monthOf } from '../../../contract/calendar.ts'
import { isCurrency } from '../../../contract/currency.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Assumed, Setting } from '../../../workspace/company-edit.ts'
import { BLANK } from '../../../workspace/yaml-file.ts'
import { wholeYears, yearBeginning } from '../../format/fiscal-years.ts'
import { NOTHING_SURVEYED, type Survey } from '../../format/format.ts'
import { accountsOf, type ChartEntry, type ReportAccounts } from './accounts.ts'
import { targetsOf } from './members.ts'
import type { Opened } from './open.ts'
import { currenciesIn, type ReportFamily } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'

export function surveyReports({ scans, chart, findings }: Opened, family: ReportFamily): Survey {
  const accounts = accountsOf(scans, chart, family, undefined)
  const { used, listed } = accounts
  const targets = targetsOf(scans, undefined)
  const { settings, comments } = formSettings(scans, family)
  if ([...used.values()].some(({ kind }) => kind === null)) comments.push(family.chartHint)
  const statesOpenings = scans.some(({ hasOpenings, period }) => hasOpenings || period === 'all')
  if (scans.length > 0 && !statesOpenings) comments.push(family.openingsHint)
  return {
    ...NOTHING_SURVEYED,
    currency: currencyOf(scans, chart),
    assumedMonthEnd: monthEndOf(scans, accounts),
    name: scans.find(({ company }) => company !== null)?.company ?? null,
    covers: scans.flatMap(({ span, layout, basis, accounts }) =>
      span === null
        ? []
        : [
            {
              start: span.first,
              end: span.last,
              holds: layout.kind === 'journal' ? null : holdsOf(basis, accounts),
            },
          ],
    ),
    dimensions: [...targets].map(([id, target]) => ({ id, name: id, target })),
    accounts: [...(scans.length > 0 ? used : listed).values()].map(({ id, name, kind, doubt }) => ({
      id,
      name,
      kind,
      doubt,
    })),
    statesOpenings,
    settings,
    comment: comments.join('; ') || null,
    findings: [...findings],
  }
}

/** A ledger may be exported in parts, some accounts each, and on each basis. */
const holdsOf = (basis: ReportScan['basis'], accounts: ReportScan['accounts']): ReadonlySet<string> =>
  new Set([...accounts.keys()].map((key) => `${basis ?? ''} ${key}`))

/** The one currency that headers, all lines, or all accounts of the list name. */
function currencyOf(scans: readonly ReportScan[], chart: readonly ChartEntry[]): string | null {
  const only = (named: readonly string[]): string | null => {
    const [first, ...others] = new Set(named.filter((code) => code !== ''))
    return first !== undefined && others.length === 0 && isCurrency(first) ? first : null
  }
  const ofReports = scans.flatMap(({ layout, currencies }) => [
    ...currenciesIn(layout.header),
    ...currencies.keys(),
  ])
  return only(ofReports.length > 0 ? ofReports : chart.map(({ currency }) => currency))
}

/** By the dates of the titles, else of the entries; else by what the first reports bring forward. */
function monthEndOf(scans: readonly ReportScan[], { used, ids }: ReportAccounts): Assumed<number> | null {
  const dated = scans.flatMap((scan) => {
    const { period, span } = scan
    if (period !== null && period !== 'all')
      return [{ scan, start: period.startDate, end: period.endDate, isStated: true }]
    if (span === null) return []
    return [{ scan, start: firstDay(monthOf(span.first)), end: span.last, isStated: false }]
  })
  const years = wholeYears(dated)
  if (years !== null) return years
  const [earliest] = dated.sort((a, b) => byCodePoint(a.start, b.start))
  const first = dated.filter(({ start }) => start === earliest?.start)
  // Only a report with balances shows that an account has none.
  if (earliest === undefined || !first.every(({ scan }) => scan.hasOpenings)) return null
  const brought = first.flatMap(({ scan }) =>
    [...scan.accounts].flatMap(([key, { isBroughtForward }]) =>
      isBroughtForward
        ? [{ classification: used.get(ids.get(key) ?? '')?.kind?.classification ?? null }]
        : [],
    ),
  )
  return yearBeginning(earliest, brought)
}

/** Settings for all files of the entry that the files themselves leave unclear. */
function formSettings(scans: readonly ReportScan[], family: ReportFamily) {
  const settings: Record<string, Setting> = {}
  const comments: string[] = []
  const open = scans.find(({ dates }) => dates.sample !== null && dates.formats.length !== 1)
  if (open !== undefined) {
    settings.dateFormat = BLANK
    comments.push(
      `dateFormat: how "${open.dates.sample}" is meant, ${open.dates.formats.join(' or ') || 'such as MM/DD/YYYY'}`,
    )
  }
  const unclear = scans.find(({ figures }) => figures.decimal === null)
  if (unclear !== undefined) {
    settings.decimal = BLANK
    comments.push(`decimal: "." or ",": how "${unclear.figures.unclear}" is meant; state "thousands" too`)
  }
  // A journal holds entries as they were made, which is the accrual basis.
  if (
    family.basis === undefined &&
    scans.some(({ basis, layout }) => basis === null && layout.kind === 'ledger')
  ) {
    settings.basis = BLANK
    comments.push('basis: accrual or cash, as the report was run')
  }
  return { settings, comments }
}
