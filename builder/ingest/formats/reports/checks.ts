/** Mistakes that no single row shows: unclear forms, signs, overlaps, entries, openings. */

import { currencyDecimals, displayMinor } from '../../../contract/currency.ts'
import { addTo } from '../../../contract/grouping.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { FormatContent } from '../../format/content.ts'
import { ISO_DATE } from '../../text/months.ts'
import type { Dated, Signs } from './books.ts'
import {
  balanceDifferences,
  type Difference,
  notFollowed,
  oncePerMistake,
  impliedOpenings as openingsImpliedBy,
} from './measure/differences.ts'
import type { MeasureContext, MeasuredReport } from './measure/measured.ts'
import type { BalanceSign } from './measure/sums.ts'
import { columnAt } from './rows/cells.ts'
import type { Forms } from './rows/figures.ts'
import type { ReportFamily } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'

/** The forms of amounts and dates by company.yaml, else by the file; null where neither makes them clear. */
export function formsOf(
  { file, dates, figures }: ReportScan,
  setting: Pick<LedgerSetting, 'decimal' | 'thousands' | 'dateFormat'>,
): { readonly forms: Forms | null; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const [found, ...others] = dates.formats
  if (setting.dateFormat === undefined && dates.sample !== null && (found === undefined || others.length > 0))
    findings.push(
      error(
        'ambiguous-date-format',
        found === undefined
          ? `"${dates.sample}" is not a date of a form that all dates of the report share`
          : `"${dates.sample}" can be read in several ways: ${dates.formats.join(' or ')}`,
        {
          file,
          text: dates.sample,
          remedy:
            'state the form of the dates in the entry of company.yaml, such as "dateFormat: MM/DD/YYYY"',
        },
      ),
    )
  const decimal = setting.decimal ?? figures.decimal
  if (decimal === null)
    findings.push(
      error(
        'ambiguous-amount-form',
        `"${figures.unclear}" can be read in two ways, or amounts have several forms`,
        {
          file,
          text: figures.unclear,
          remedy:
            'state "decimal" and "thousands" in the entry of company.yaml, such as decimal: ".", thousands: ","',
        },
      ),
    )
  if (findings.length > 0 || decimal === null) return { forms: null, findings }
  return {
    forms: {
      decimal,
      thousands: setting.thousands ?? (figures.thousands === decimal ? '' : figures.thousands),
      dateFormat: setting.dateFormat ?? found ?? ISO_DATE,
    },
    findings,
  }
}

/** The basis that a report states is that of its figures; a setting that contradicts it is a mistake. */
export function basisFindings({ file, basis }: ReportScan, setting: Pick<LedgerSetting, 'basis'>): Finding[] {
  if (basis === null || setting.basis === undefined || setting.basis.toUpperCase() === basis) return []
  return [
    error(
      'basis-differs',
      `the report says that it was run on the ${basis.toLowerCase()} basis, company.yaml says ${setting.basis}`,
      {
        file,
        text: basis.toLowerCase(),
        remedy: 'take "basis" out of the entry, or export the other report',
      },
    ),
  ]
}

/** Amounts of another currency than that of the books are not added to them. */
export const currencyFindings = (
  { file, currencies, layout }: ReportScan,
  { currency }: Pick<Company, 'currency'>,
): Finding[] =>
  [...currencies].flatMap(([text, row]) =>
    text === currency
      ? []
      : [
          error('mixed-currency', `entries are in ${text}; the books are in ${currency}`, {
            file,
            row,
            column: columnAt(layout.header, layout.at.currency),
            text,
            remedy: `export the accounts in ${currency} alone, or correct "currency" in company.yaml`,
          }),
        ],
  )

/**
 * Where amounts have no sides, those of liabilities, equity and income are in their own sign in some programs, debit
 * positive in others. Every day's entries balance under one of the two; where they do under both, or none, the program
 * decides. Running balances show it by how they grow.
 */
export function decideSigns(
  reports: readonly MeasuredReport[],
  { days, doubtful }: Pick<MeasureContext, 'days' | 'doubtful'>,
  family: ReportFamily,
): Signs {
  const fits = (sign: 1 | -1) =>
    [...days].every(([date, [debit, credit]]) => debit + sign * credit === 0 || doubtful.has(date)) ||
    doubtful.has(null)
  const shown = reports.find(({ hasSides }) => !hasSides) ?? reports[0]
  const usual = shown !== undefined && (family.hasNaturalSigns?.(shown.layout) ?? false)
  const amounts = fits(1) === fits(-1) ? usual : fits(-1)
  const votes = (sign: BalanceSign) => reports.reduce((sum, { balances }) => sum + balances.votes[sign], 0)
  const [debit, natural] = [votes('net'), votes('natural')]
  return { amounts, balances: debit === natural ? usual : natural > debit }
}

export const signOf = ({ balances }: Signs): BalanceSign => (balances ? 'natural' : 'net')

/** Whether balances beside the lines, of headings and of totals follow from what is brought forward and the lines. */
export function statedFindings(
  reports: readonly MeasuredReport[],
  signs: Signs,
  currency: string,
): Pick<FormatContent, 'differing' | 'findings'> {
  const sign = signOf(signs)
  const money = (minor: number) => displayMinor(minor, currencyDecimals(currency))
  const parts = reports.map(({ file, layout, balances, differences, unsure, hasSides }) => {
    const place = { file, column: columnAt(layout.header, layout.at.balance), money }
    const isSure = ({ of }: Difference) =>
      !hasSides || !signs.balances || !of?.some((part) => unsure.has(part))
    return {
      differing: oncePerMistake(
        [...balanceDifferences(balances, sign, place), ...differences].filter(isSure),
      ),
      findings: notFollowed(balances, sign, place) ?? [],
    }
  })
  return {
    differing: parts.flatMap((part) => part.differing),
    findings: parts.flatMap((part) => part.findings),
  }
}

/** Running balances that begin with what no row brings forward: the books would begin with nothing in these accounts. */
export function impliedOpenings(
  dates: readonly Dated[],
  signs: Signs,
  currency: string,
  { opening }: Pick<Company, 'opening'>,
): Finding[] {
  const [first] = dates
  if (first === undefined || opening?.files !== undefined) return []
  return dates.flatMap(({ start, report: { file, layout, balances } }) => {
    const [account, ...others] = openingsImpliedBy(balances, signOf(signs))
    if (start !== first.start || account === undefined) return []
    const { id, stated } = account
    const money = displayMinor(stated.minor, currencyDecimals(currency))
    const more = others.length === 0 ? '' : `; the same with ${others.length} more accounts`
    return [
      error(
        'opening-missing',
        `account ${id} stands at ${money} before its first entry, by the balance in row ${stated.row}, but no row brings that forward${more}`,
        {
          file,
          row: stated.row,
          column: columnAt(layout.header, layout.at.balance),
          text: id,
          remedy:
            'export the General Ledger, with the balances that it brings forward, and change nothing in it',
        },
      ),
    ]
  })
}

/** A day of one account, or of a journal, may be in one report only: its entries would count twice. */
export function overlapFindings(reports: readonly MeasuredReport[]): Finding[] {
  interface Span {
    readonly file: string
    readonly first: string
    readonly last: string
  }
  const spans = new Map<string, Span[]>()
  const journals: Span[] = []
  const ledgers: Span[] = []
  for (const { file, span, layout, measures } of reports) {
    if (span === null) continue
    ;(layout.kind === 'journal' ? journals : ledgers).push({ file, ...span })
    if (layout.kind === 'journal') continue
    for (const [id, { first, last }] of measures) if (first !== '') addTo(spans, id, { file, first, last })
  }
  const found = new Map<string, Finding>()
  const compare = (some: readonly Span[], others: readonly Span[]) => {
    for (const a of some)
      for (const b of others) {
        if (a.file >= b.file || a.first > b.last || b.first > a.last) continue
        const first = a.first > b.first ? a.first : b.first
        const last = a.last < b.last ? a.last : b.last
        found.set(`${a.file}\u0001${b.file}`, overlap(a.file, b.file, first, last))
      }
  }
  for (const of of spans.values()) compare(of, of)
  compare(journals, journals)
  compare(journals, ledgers)
  compare(ledgers, journals)
  return [...found.entries()].sort(([a], [b]) => byCodePoint(a, b)).map(([, finding]) => finding)
}

const overlap = (file: string, other: string, first: string, last: string): Finding =>
  error(
    'overlapping-reports',
    `${file} and ${other} both hold entries of ${first === last ? first : `${first} to ${last}`}: they would count twice`,
    { file: other, remedy: 'keep one report for each period, or export periods that do not overlap' },
  )

/** The reports that begin first state what stood before them: by balances brought forward, or since they hold all dates. */
export function stateOpenings(reports: readonly Pick<Dated, 'start' | 'report'>[]): boolean {
  const [first] = reports
  return reports.some(
    ({ start, report }) => start === first?.start && (report.hasOpenings || report.period === 'all'),
  )
}

export function periodFindings(dates: readonly Dated[]): Finding[] {
  const [first] = dates
  if (first === undefined || first.isStated) return []
  if (!dates.some(({ start, report }) => start === first.start && report.hasOpenings)) return []
  return [
    warning(
      'period-not-stated',
      `no title says which period the report is of: balances are taken to be those of ${first.start}`,
      {
        file: first.report.file,
        text: first.start,
        remedy: 'export the report with its title, or check the opening balances',
      },
    ),
  ]
}
