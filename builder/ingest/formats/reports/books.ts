/**
 * Measured reports as what the books read: their lines as canonical CSV, the balances that open the first period, and those of later ones,
 * and totals, as controls.
 */

import { appendFile } from 'node:fs/promises'
import { addDays, firstDay, lastDay, monthOf } from '../../../contract/calendar.ts'
import { currencyDecimals, formatMinor } from '../../../contract/currency.ts'
import { type Basis, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import type { UsedAccount } from '../../format/account-kinds.ts'
import { canonicalPlan, ROW } from '../../format/canonical-plan.ts'
import { fiscalYearAt, type Years } from '../../format/fiscal-years.ts'
import type { ControlRow, LedgerPlan } from '../../format/intake.ts'
import { EXTRA_DAYS, type ExtraColumn } from '../../format/ledger-columns.ts'
import { csvRow } from '../../format/records.ts'
import { parseMonth } from '../../text/months.ts'
import { remembered } from '../../text/remembered.ts'
import { hasSides, type Line, sharedBy } from './lines.ts'
import type { MeasureContext, MeasuredReport } from './measure/measured.ts'
import type { Stated } from './measure/sums.ts'
import { memberId } from './members.ts'
import { cellOf } from './rows/cells.ts'
import { dateReader } from './rows/figures.ts'
import type { Layout, ReportFamily, Role, Target } from './rows/layout.ts'

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
const signedOf = ({ minor, isSigned }: Stated, isTurned: boolean): number =>
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

/** Marks the lines that open the books: a journal of balances brought forward. */
export const OPENING_JOURNAL = 'Beginning balance'

const CANONICAL = [
  ROW,
  'transaction_id',
  'date',
  'account',
  'amount',
  'class',
  'department',
  'memo',
  'reference',
  'journal',
  'type',
  'line_id',
  'period',
] as const
/** The amount if amounts have the sign of the account's own side: which of the two counts is known once all reports are read. */
const NATURAL = 'natural amount'
const COLUMNS = [...CANONICAL, NATURAL]
/** Columns that only reports have whose layout has their role. */
const EXTRAS = [
  ['party', 'name'],
  ['due_date', 'dueDate'],
  ['entered_on', 'enteredOn'],
  ['entered_by', 'enteredBy'],
] as const satisfies readonly (readonly [ExtraColumn, Role])[]
const extrasOf = ({ at }: Layout) => EXTRAS.filter(([, role]) => at[role] !== undefined)
export const headerOf = (layout: Layout): string =>
  csvRow([...COLUMNS, ...extrasOf(layout).map(([column]) => column)])

/** What the rows of a report depend on besides its lines. */
interface RowContext extends Pick<MeasureContext, 'currency' | 'isCredit' | 'isUnknown'> {
  readonly targetOf: (dimension: string) => Target | 'none'
}

/** Makes the row of each line of a report; empty where the amount has no sign, since the kind of its account is unknown. */
export function rowWriter(layout: Layout, context: RowContext, dateFormat: string): (line: Line) => string {
  const { at, dimensions } = layout
  const readDay = dateReader(dateFormat)
  const extras = extrasOf(layout)
  const { isCredit, isUnknown, targetOf } = context
  const decimals = currencyDecimals(context.currency)
  const isSided = hasSides({ layout })
  const memberOf = remembered(memberId)
  const placeOf = (target: Target) => dimensions.findLast(({ id }) => targetOf(id) === target)?.at
  const [classes, departments] = [placeOf('class'), placeOf('department')]
  return ({ row, cells, id, date, number, name, figures: { net } }) => {
    if (!isSided && isUnknown(id)) return ''
    const party = cellOf(cells, at.name)
    const memo = [cellOf(cells, at.memo), party === '' ? '' : `(${party})`].filter((part) => part !== '')
    return csvRow([
      String(row),
      number ?? name ?? '',
      date,
      id,
      formatMinor(net, decimals),
      memberOf(cellOf(cells, classes)),
      memberOf(cellOf(cells, departments)),
      memo.join(' '),
      cellOf(cells, at.num),
      '',
      cellOf(cells, at.type),
      cellOf(cells, at.line),
      at.period === undefined ? '' : postingPeriod(cellOf(cells, at.period)),
      isSided ? '' : formatMinor(isCredit(id) ? 0 - net : net, decimals),
      ...extras.map(([column, role]) => {
        const text = cellOf(cells, at[role])
        return text !== '' && EXTRA_DAYS.includes(column) ? (readDay(text) ?? text) : text
      }),
    ])
  }
}

/** `Jan 2025` → `2025-01`; a text that is not a month, such as a period of adjustments, is reported by the books. */
const postingPeriod = (text: string): string => parseMonth(text) ?? text

/** How the books read the rows of each report, after the lines that open them were added to these. */
export async function plansOf(
  dates: readonly Dated[],
  first: Dated,
  family: ReportFamily,
  context: BooksContext & Pick<MeasureContext, 'isUnknown'>,
): Promise<readonly LedgerPlan[]> {
  const ledger: LedgerPlan[] = []
  for (const at of dates) {
    const { file, path, layout, entries, isTotalled } = at.report
    if (opensBooks(at, first.start, context)) await appendFile(path, openingRows(at, context))
    const entryColumn =
      cellOf(layout.header, layout.at.id) || cellOf(layout.header, layout.at.date) || 'transaction_id'
    const extras = extrasOf(layout).map(([column]) => column)
    const plan = canonicalPlan({ file, path, basis: context.basis }, [...CANONICAL, ...extras])
    const amount = context.signs.amounts && !at.report.hasSides ? NATURAL : 'amount'
    ledger.push({
      ...plan,
      ...{ header: [...COLUMNS, ...extras], columns: { ...plan.columns, amount } },
      whole: {
        ...{ years: [], openingJournals: [], entryColumn },
        // A journal whose total counts an entry twice has it twice.
        numbers: layout.kind === 'journal' && !isTotalled ? 'once' : 'any',
        // Its entries are told apart by the order of rows.
        shared: layout.kind === 'journal' && entries !== 'none' ? [] : sharedBy(family),
      },
    })
  }
  return ledger
}

function openingRows(
  { report, start }: Dated,
  { currency, isCredit, isUnknown, signs }: BooksContext & Pick<MeasureContext, 'isUnknown'>,
): string {
  const rows = [...report.measures].flatMap(([id, { opening }]) => {
    if (opening === null || opening.minor === 0 || (!report.hasSides && isUnknown(id))) return []
    const isTurned = isCredit(id) && (report.hasSides ? signs.balances : signs.amounts)
    const amount = formatMinor(signedOf(opening, isTurned), currencyDecimals(currency))
    const entry = `${OPENING_JOURNAL} ${start}`
    const journal = [OPENING_JOURNAL, '', OPENING_JOURNAL, '', '', '', amount]
    const others = extrasOf(report.layout).map(() => '')
    return csvRow([String(opening.row), entry, start, id, amount, '', '', ...journal, ...others])
  })
  return rows.join('')
}
