/** What reports say of the company, for `tieout add`; what they do not say is asked. Judges no figures. */

import { isCurrency } from '../contract/currency.ts'
import type { Setting } from '../workspace/company-edit.ts'
import { BLANK } from '../workspace/yaml-file.ts'
import { NOTHING_SURVEYED, type Survey } from './format.ts'
import { accountsOf } from './report-accounts.ts'
import type { ReportFamily } from './report-layout.ts'
import { targetsOf } from './report-members.ts'
import type { Opened } from './report-open.ts'
import type { ReportScan } from './report-scan.ts'

export function surveyReports({ scans, chart, findings }: Opened, family: ReportFamily): Survey {
  const { used, listed } = accountsOf(scans, chart, family, undefined)
  const targets = targetsOf(scans, undefined)
  const { settings, comments } = formSettings(scans, family)
  if ([...used.values()].some(({ kind }) => kind === null)) comments.push(family.chartHint)
  const statesOpenings = scans.some(({ hasOpenings, period }) => hasOpenings || period === 'all')
  if (scans.length > 0 && !statesOpenings) comments.push(family.openingsHint)
  return {
    ...NOTHING_SURVEYED,
    currency: currencyOf(scans, family),
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

/** The one that headers, or all lines, name. */
function currencyOf(scans: readonly ReportScan[], family: ReportFamily): string | null {
  const named = new Set(
    scans.flatMap(({ layout, currencies }) => [
      ...(family.currencyIn?.(layout.header) ?? '').split(' ').filter((code) => code !== ''),
      ...currencies.keys(),
    ]),
  )
  const [only, ...others] = named
  return only !== undefined && others.length === 0 && isCurrency(only) ? only : null
}

/** What all files of the entry share, where it is not to be found in each of them again. */
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
