/**
 * Accounts with the lines behind their figures: each line of the books with the balance after it, and each month's figure as
 * the statements publish it, in the sign of the statement.
 */
import { type AccountLine, accountLines } from '../books/read/account-lines.ts'
import { budgetYearStart, fiscalYearOf } from '../books/reference/fiscal.ts'
import type { Account, Frame } from '../books/reference/frame.ts'
import { monthOf, monthText } from '../contract/calendar.ts'
import {
  type Basis,
  COMPUTED_ROWS,
  type ComputedRow,
  isProfitAndLoss,
  type Section,
  type StatementName,
} from '../contract/vocabulary.ts'
import { signOn } from '../statements/specs.ts'
import type { FigureSource, ReportSource } from './source.ts'

export interface LedgerLine
  extends Pick<
    AccountLine,
    'kind' | 'date' | 'entry' | 'memo' | 'classId' | 'departmentId' | 'file' | 'row'
  > {
  /** Minor units in the sign of the statement. */
  readonly amount: number
  /** Minor units after this line: the balance of a balance sheet account, the year to date of any other account. */
  readonly balance: number
  /** False for openings and closing entries of profit and loss accounts: no month's figure includes them. */
  readonly counts: boolean
}

export interface AccountMonth {
  /** `YYYY-MM` */
  readonly month: string
  readonly lines: readonly LedgerLine[]
  /** The sum of the month's lines. For a profit and loss account it is the published figure. */
  readonly amount: number
  /** The balance at the end of the month. For a balance sheet account it is the published figure. */
  readonly balance: number
  /**
   * The fiscal year that begins inside the month, for a profit and loss account: its first day, and how many lines stand before it.
   */
  readonly newYear: { readonly start: string; readonly at: number } | null
}

/** One account in one fiscal year, as far as the books reach. */
export interface AccountYear {
  /** Month in which the fiscal year begins, `YYYY-MM`. */
  readonly start: string
  readonly opening: number
  /** Lines without a date, which stand before the first month. */
  readonly before: readonly LedgerLine[]
  readonly months: readonly AccountMonth[]
}

/** A row of a statement that has lines of its own: an account of the chart, or a computed row that postings stand on. */
type Posted = Pick<Account, 'id' | 'number' | 'name' | 'classification'>

export interface AccountLedger {
  readonly basis: Basis
  readonly account: Posted
  readonly statement: StatementName
  readonly years: readonly AccountYear[]
}

/** A company with more postings than this has pages of accounts for its last two fiscal years only. */
const MOST_POSTINGS = 200_000
const YEARS_OF_MANY = 2

/** Yields the ledger of each account, basis by basis; with `only`, that of one account. */
export async function* accountLedgers(
  { books, frame, postings }: Pick<ReportSource, 'books' | 'frame' | 'postings'>,
  only: { readonly basis: Basis; readonly account: string } | null = null,
): AsyncGenerator<AccountLedger> {
  const shown = shownYears({ frame, postings })
  const [first] = shown[0] ?? []
  if (first === undefined) return
  // A fiscal year that begins inside a month has days before its first page.
  const year = fiscalYearOf(frame.fiscalYears, `${first}-01`)
  const since = year && year.start < `${first}-01` ? year.start : `${first}-01`
  let own: AccountLine[] = []
  const ledgers = (): AccountLedger[] => ledgerOf(own, frame, shown)
  for await (const line of accountLines(books, frame, since, only)) {
    const [before] = own
    if (before && (before.account !== line.account || before.basis !== line.basis)) {
      yield* ledgers()
      own = []
    }
    own.push(line)
  }
  yield* ledgers()
}

/** Groups the months of the books by fiscal year, for the years that have pages of accounts. */
export function shownYears({ frame, postings }: Pick<FigureSource, 'frame' | 'postings'>): string[][] {
  const years: string[][] = []
  const last = monthOf(frame.coverage.endDate)
  for (let month = monthOf(frame.coverage.startDate); month <= last; month++)
    if (years.length === 0 || budgetYearStart(frame, month) === month) years.push([monthText(month)])
    else years.at(-1)?.push(monthText(month))
  return postings > MOST_POSTINGS ? years.slice(-YEARS_OF_MANY) : years
}

/** Finds the row by its id; null for a row that is computed from many accounts. */
const postedUnder = (id: string, { accounts }: Pick<Frame, 'accounts'>): Posted | null =>
  accounts.find((each) => each.id === id) ?? computedUnder(id)

function computedUnder(id: string): Posted | null {
  const computed = COMPUTED_ROWS[id as ComputedRow]
  return computed && isProfitAndLoss(computed.classification) ? { id, number: '', ...computed } : null
}

/** All ids that have lines of their own. */
export const postedIds = ({ accounts }: Pick<Frame, 'accounts'>): string[] => [
  ...accounts.map(({ id }) => id),
  ...Object.keys(COMPUTED_ROWS).filter((id) => computedUnder(id)),
]

function ledgerOf(
  lines: readonly AccountLine[],
  frame: Frame,
  years: readonly (readonly string[])[],
): AccountLedger[] {
  const [line] = lines
  const account = line ? postedUnder(line.account, frame) : null
  if (!line || account === null) return []
  const isResult = isProfitAndLoss(account.classification)
  const statement = isResult ? 'ProfitAndLoss' : 'BalanceSheet'
  const sign = signOn(statement, account.classification as Section)
  const byMonth = new Map<string | null, AccountLine[]>()
  for (const each of lines) {
    const own = each.date?.slice(0, 7) ?? null
    const month = own !== null && own >= (years[0]?.[0] ?? '') ? own : null
    const same = byMonth.get(month)
    if (same) same.push(each)
    else byMonth.set(month, [each])
  }
  let balance = 0
  let starts = isResult ? frame.fiscalYears.slice(1).map(({ start }) => start) : []
  /** Begins the results of a new fiscal year where one starts up to that day. */
  const begun = (day: string): string | null => {
    const start = starts.findLast((each) => each <= day) ?? null
    if (start === null) return null
    starts = starts.filter((each) => each > start)
    balance = 0
    return start
  }
  const entered = (own: readonly AccountLine[] = []): LedgerLine[] =>
    own.map(({ basis: _, account: __, amount, ...rest }) => {
      const counts = !isResult || rest.kind === 'activity'
      if (counts) balance += sign * amount
      return { ...rest, amount: sign * amount, balance, counts }
    })
  const before = entered(byMonth.get(null))
  const composed = years.map((months, i): AccountYear => {
    begun(`${months[0] ?? ''}-01`)
    return {
      start: months[0] ?? '',
      opening: i === 0 ? 0 : balance,
      before: i === 0 ? before : [],
      months: months.map((month) => {
        const all = byMonth.get(month) ?? []
        const next = starts.find((start) => start.startsWith(month) && start > `${month}-01`)
        const at =
          next === undefined ? all.length : all.filter(({ date }) => date !== null && date < next).length
        begun(`${month}-01`)
        const own = entered(all.slice(0, at))
        if (next !== undefined) begun(next)
        own.push(...entered(all.slice(at)))
        return {
          ...{ month, lines: own, balance },
          amount: own.reduce((sum, { counts, amount }) => sum + (counts ? amount : 0), 0),
          newYear: next === undefined ? null : { start: next, at },
        }
      }),
    }
  })
  return [{ basis: line.basis, account, statement, years: composed }]
}
