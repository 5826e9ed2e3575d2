/**
 * Measured reports as what the books read: each one written as canonical CSV, row by row; the balances that open the
 * first period; and those of later ones, and totals, as controls.
 */
import { addDays, firstDay, lastDay, monthOf } from '../../../contract/calendar.ts'
import { currencyDecimals, formatMinor } from '../../../contract/currency.ts'
import { type Basis, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import type { UsedAccount } from '../../format/account-kinds.ts'
import { canonicalPlan, ROW } from '../../format/canonical-plan.ts'
import type { ControlRow, FiscalYear, LedgerPlan } from '../../format/intake.ts'
import { csvRow } from '../../format/records.ts'
import { parseMonth } from '../../text/months.ts'
import type { Scratch } from '../../text/scan.ts'
import type { Stated } from './balances.ts'
import { EntryNames, type Grouping, shownGroup } from './entries.ts'
import { type Line, LineReader, type LostLine } from './lines.ts'
import type { MeasuredReport } from './measured.ts'
import { cellOf } from './rows/cells.ts'
import type { Target } from './rows/layout.ts'
import { Sections } from './rows/sections.ts'
import { walk } from './rows/walk.ts'

/** Marks the lines that open the books: a journal of balances brought forward. */
export const OPENING_JOURNAL = 'Beginning balance'

export interface Signs {
  /** Amounts without sides, and running balances beside sides, have the sign of the account's own side. */
  readonly amounts: boolean
  readonly balances: boolean
}

export interface BooksContext {
  readonly company: Pick<Company, 'fiscalMonthEnd' | 'fiscalYears' | 'opening'>
  readonly basis: Basis
  readonly currency: string
  readonly accounts: ReadonlyMap<string, UsedAccount>
  readonly idOf: (key: string) => string | null
  readonly isCredit: (id: string) => boolean
  readonly isUnknown: (id: string) => boolean
  readonly grouping: Grouping
  readonly signs: Signs
  /** Of each report, dimension id → what it is. */
  readonly targetOf: (dimension: string) => Target | 'none'
  /** Text of a member, as reports write it → its id. */
  readonly memberOf: (text: string) => string
}

/** The fiscal year that a date lies in, as company.yaml states it or by its last month. */
export function yearStartOf(
  { fiscalMonthEnd, fiscalYears }: Pick<Company, 'fiscalMonthEnd' | 'fiscalYears'>,
  date: string,
): string {
  const stated: FiscalYear | undefined = fiscalYears?.find(({ start, end }) => start <= date && date <= end)
  if (stated !== undefined) return stated.start
  const month = monthOf(date)
  return firstDay(month - ((((month - fiscalMonthEnd) % 12) + 12) % 12))
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

/** `lost`: row of a line that was left out → the entry that it is a line of, where its journal has no numbers. */
export async function planOf(
  at: Dated,
  first: string,
  scratch: Scratch,
  context: BooksContext,
): Promise<{ readonly plan: LedgerPlan; readonly lost: ReadonlyMap<number, string> }> {
  const rows = new CanonicalRows(at.report, context)
  const path = await scratch.written(canonicalCsv(at, first, rows, context))
  const plan = canonicalPlan({ file: at.report.file, path, basis: context.basis }, CANONICAL)
  return { plan, lost: rows.lost }
}

async function* canonicalCsv(
  at: Dated,
  first: string,
  rows: CanonicalRows,
  context: BooksContext,
): AsyncGenerator<string> {
  const { report } = at
  const opening = opensBooks(at, first, context) ? at.start : null
  const reader = new LineReader(report, report.forms, context, () => {})
  yield csvRow(CANONICAL)
  for await (const steps of walk(report, new Sections())) {
    let part = ''
    for (const { event, section } of steps) {
      if (event.kind === 'line') {
        const line = reader.line(event.row, event.cells, section)
        if (line.figures === null) rows.lose(line)
        else if (!isUnsigned(report, line.id, context)) part += rows.line(line)
      } else if (event.kind === 'total') reader.end()
      else if (event.kind === 'section' && report.layout.kind === 'journal') reader.begin(event.label)
      else if (opening !== null && (event.kind === 'opening' || (event.kind === 'section' && event.opening)))
        part += rows.opening(event.row, reader.account(event.cells, section), opening)
    }
    if (part !== '') yield part
  }
}

const isUnsigned = ({ hasSides }: MeasuredReport, id: string, { isUnknown }: BooksContext): boolean =>
  !hasSides && isUnknown(id)

class CanonicalRows {
  readonly #report: MeasuredReport
  readonly #context: BooksContext
  readonly #names = new EntryNames()
  readonly lost = new Map<number, string>()
  /** The entry of the last line, and the rows of its lines that were left out. */
  #open: { readonly entry: number; name: string | null; readonly rows: number[] } | null = null
  readonly #at: { readonly class?: number; readonly department?: number }

  constructor(report: MeasuredReport, context: BooksContext) {
    this.#report = report
    this.#context = context
    this.#at = Object.fromEntries(
      report.layout.dimensions.flatMap(({ id, at }) => {
        const target = context.targetOf(id)
        return target === 'none' ? [] : [[target, at]]
      }),
    )
  }

  line(line: Line): string {
    const { layout, hasSides } = this.#report
    const { currency, isCredit, signs, memberOf } = this.#context
    const { at } = layout
    const { cells, figures, id } = line
    const isTurned = !hasSides && signs.amounts && isCredit(id)
    const name = cellOf(cells, at.name)
    const member = (position: number | undefined) => {
      const text = cellOf(cells, position)
      return text === '' ? '' : memberOf(text)
    }
    return csvRow([
      String(line.row),
      this.#entryOf(line),
      line.date,
      id,
      formatMinor(isTurned ? 0 - figures.net : figures.net, currencyDecimals(currency)),
      member(this.#at.class),
      member(this.#at.department),
      [cellOf(cells, at.memo), name === '' ? '' : `(${name})`].filter((part) => part !== '').join(' '),
      cellOf(cells, at.num),
      '',
      cellOf(cells, at.type),
      cellOf(cells, at.line),
      at.period === undefined ? '' : postingPeriod(cellOf(cells, at.period)),
    ])
  }

  lose({ row, entry }: LostLine): void {
    if (this.#open?.entry !== entry) this.#open = { entry, name: null, rows: [] }
    this.#open.rows.push(row)
    if (this.#open.name !== null) this.lost.set(row, this.#open.name)
  }

  #named(entry: number, name: string): string {
    if (this.#open?.entry !== entry) this.#open = { entry, name, rows: [] }
    if (this.#open.name === null) for (const row of this.#open.rows) this.lost.set(row, name)
    this.#open.name = name
    return name
  }

  #entryOf({ number, entry, date, cells }: Line): string {
    if (number !== null) return number
    const { layout, entries } = this.#report
    const { at } = layout
    if (entries !== 'none' && layout.kind === 'journal') {
      const words = [cellOf(cells, at.type), cellOf(cells, at.num), cellOf(cells, at.name)]
      return this.#named(entry, this.#names.nameOf(entry, date, words))
    }
    const { grouping } = this.#context
    const finest = grouping.finestOf(this.#report, cells, date)
    return shownGroup(grouping.entries.mergedOf(finest) ?? finest)
  }

  /** The line of a balance brought forward; empty where the row does not open the account. */
  opening(row: number, id: string | null, day: string): string {
    const stated = id === null ? null : this.#report.measures.get(id)?.opening
    if (id === null || stated == null || stated.minor === 0 || stated.row !== row) return ''
    if (isUnsigned(this.#report, id, this.#context)) return ''
    const { currency, isCredit, signs } = this.#context
    const isTurned = isCredit(id) && (this.#report.hasSides ? signs.balances : signs.amounts)
    const amount = formatMinor(signedOf(stated, isTurned), currencyDecimals(currency))
    return csvRow([
      String(row),
      `${OPENING_JOURNAL} ${day}`,
      day,
      id,
      amount,
      '',
      '',
      OPENING_JOURNAL,
      '',
      OPENING_JOURNAL,
      '',
      '',
      '',
    ])
  }
}

/** `Jan 2025` → `2025-01`; a text that is not a month, such as a period of adjustments, is reported by the books. */
const postingPeriod = (text: string): string => parseMonth(text) ?? text
