/**
 * Measured reports as what the books read: the balances that open the first period, and those of later ones, and totals, as
 * controls.
 */
import { addDays, firstDay, lastDay, monthOf } from '../../../contract/calendar.ts'
import { currencyDecimals, formatMinor } from '../../../contract/currency.ts'
import { type Basis, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import type { UsedAccount } from '../../format/account-kinds.ts'
import { fiscalYearAt, type Years } from '../../format/fiscal-years.ts'
import type { ControlRow } from '../../format/intake.ts'
import type { MeasuredReport } from './measure/measured.ts'
import type { Stated } from './measure/sums.ts'

export interface Signs {
  /** Amounts without sides, and running balances beside sides, have the sign of the account's own side. */
  readonly amounts: boolean
  readonly balances: boolean
}

export interface BooksContext {
  readonly company: Years & Pick<Company, 'opening'>
  readonly basis: Basis
  readonly currency: string
  readonly accounts: ReadonlyMap<string, UsedAccount>
  readonly isCredit: (id: string) => boolean
  readonly signs: Signs
}

export interface Dated {
  readonly report: MeasuredReport
  /** The day that balances brought forward are of. */
  readonly start: string
  readonly isStated: boolean
}

/** Where the title names no period, the balances that are brought forward show whether a fiscal year begins with them. */
export function dated(
  report: MeasuredReport,
  { company, accounts }: BooksContext,
  all: readonly MeasuredReport[] = [],
): Dated | null {
  const { period, span } = report
  if (span === null) return null
  if (period !== null && period !== 'all') return { report, start: period.startDate, isStated: true }
  const carriesResult = [...report.measures].some(
    ([id, { opening }]) => (opening?.minor ?? 0) !== 0 && isResult(accounts.get(id)),
  )
  // Entries of the year that another file holds already are in what is brought forward.
  const isLater =
    report.layout.marks !== null &&
    all.some(
      ({ span: other }) =>
        other !== null && other.last < span.first && other.last >= yearStartOf(company, span.first),
    )
  const start = carriesResult || isLater ? firstDay(monthOf(span.first)) : yearStartOf(company, span.first)
  return { report, start, isStated: period === 'all' || (isLater && report.hasOpenings) }
}

const yearStartOf = (company: Years, date: string): string => fiscalYearAt(date, company).start

const isResult = (account: UsedAccount | undefined): boolean =>
  account?.kind != null && isProfitAndLoss(account.kind.classification)

/** Balances at the beginning of the first report, or of a fiscal year, are openings; others must agree with the books. */
export const opensBooks = ({ start }: Dated, first: string, { company }: BooksContext): boolean =>
  start === first || start === yearStartOf(company, start)

/** Debit positive. */
export const signedOf = ({ minor, isSigned }: Stated, isTurned: boolean): number =>
  isTurned && !isSigned ? 0 - minor : minor

export function controlsOf(at: Dated, first: string, context: BooksContext): ControlRow[] {
  const { report, start } = at
  // Controls are compared with the accrual books only.
  if (context.basis !== 'ACCRUAL' || !at.isStated) return []
  const { accounts, signs, company, isCredit } = context
  const decimals = currencyDecimals(context.currency)
  const natural = report.hasSides ? signs.balances : signs.amounts
  const end = report.period !== null && report.period !== 'all' ? report.period.endDate : null
  const controls: ControlRow[] = []
  const add = (
    kind: ControlRow['kind'],
    account: string,
    date: string,
    stated: Stated,
    amounts: boolean,
    begins?: string,
  ) =>
    controls.push({
      file: report.file,
      row: stated.row,
      kind,
      account,
      class: null,
      department: null,
      date,
      amount: formatMinor(
        signedOf(stated, isCredit(account) && (amounts ? signs.amounts : natural)),
        decimals,
      ),
      ...(begins === undefined ? {} : { begins }),
    })
  const isFirstYear = (date: string) => yearStartOf(company, date) === yearStartOf(company, first)
  const isMonthStart = start === firstDay(monthOf(start))
  for (const [id, { opening, ending, total }] of report.measures) {
    const account = accounts.get(id)
    if (account?.kind == null) continue
    const isPl = isResult(account)
    // Programs move a result into retained earnings without an entry; the books show it in a row of its own.
    const isCarried = account.kind.classification !== 'Equity'
    if (opening !== null && isMonthStart && start > first && !opensBooks(at, first, context)) {
      const before = addDays(start, -1)
      if (isPl) add('result', id, before, opening, false, start)
      else if (isCarried || isFirstYear(before)) add('closing', id, before, opening, false, start)
    }
    if (end === null || end !== lastDay(monthOf(end))) continue
    if (!isPl && ending !== null && report.hasOpenings && (isCarried || isFirstYear(end)) && opening !== null)
      add('closing', id, end, ending, false)
    if (isPl && total !== null) {
      if (monthOf(start) === monthOf(end) && isMonthStart) add('movement', id, end, total, true)
      else if (start === yearStartOf(company, end)) add('result', id, end, total, true)
    }
  }
  return controls
}
