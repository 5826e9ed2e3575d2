/**
 * Compares the unfiltered statements with sums of the postings themselves, which SQL adds up without the code
 * of the statements. An account without a row counts as zero, so that {@link COMPLETE} proves that no
 * statement leaves out an account in any month. The other identities cannot prove this, since rows and totals
 * without an account still add up. For filtered statements it follows from identity 6.
 */

import type { Books } from '../../books/books.ts'
import { IN_BALANCES, KIND } from '../../books/post/postings.ts'
import { BASIS_CODE } from '../../books/read/codes.ts'
import { COMPUTED_CODES, type Frame, isEarnings } from '../../books/reference/frame.ts'
import { monthOf, periodsOf } from '../../contract/calendar.ts'
import type { Figures } from '../../contract/document.ts'
import { figureAt } from '../../contract/figures.ts'
import { present } from '../../contract/present.ts'
import {
  type Basis,
  type Classification,
  COMPUTED_ROWS,
  STATEMENTS,
  type StatementName,
} from '../../contract/vocabulary.ts'

export const COMPLETE = 'every account is there, as posted'

/**
 * An account of the chart, or a computed row on which the books themselves post. One figure per month in
 * minor units, debits positive.
 */
interface Posted {
  readonly id: string
  readonly isResult: boolean
  /** Whether it has a row on the balance sheet. */
  readonly hasBalance: boolean
  readonly isDebit: boolean
  readonly isCash: boolean
  readonly activity: Figures
  readonly balance: Figures
  /** What the program moves between rows of the cash flow. */
  readonly moved: Figures
}

/** What was posted on each basis, by account and month. */
export type PostedMonths = ReadonlyMap<Basis, readonly Posted[]>

/** Adds up the postings and openings of each basis by account and month. */
export async function postedMonths(books: Books): Promise<PostedMonths> {
  const posted = new Map<Basis, readonly Posted[]>()
  for (const basis of books.frame.bases) posted.set(basis, await postedOn(books, basis))
  return posted
}

async function postedOn({ db, frame }: Books, basis: Basis): Promise<Posted[]> {
  const months = periodsOf(frame.coverage).length
  const own = `basis = ${BASIS_CODE[basis]}`
  const of = (kind: number) => `(sum(amount) FILTER (kind = ${kind}))::DOUBLE`
  const [account = NONE, ...columns] = await db.columns(
    `SELECT account, month - ${monthOf(frame.coverage.startDate)} AS period, coalesce(${of(KIND.activity)}, 0), coalesce(sum(amount) FILTER (${IN_BALANCES})::DOUBLE, 0),
       coalesce((sum(amount) FILTER (NOT (${IN_BALANCES})))::DOUBLE, 0)
     FROM posting WHERE ${own} GROUP BY account, month
     UNION ALL SELECT account, -1, 0, sum(amount)::DOUBLE, 0 FROM opening WHERE ${own} GROUP BY account ORDER BY account, period`,
    5,
  )
  const posted = new Map<number, Posted>()
  for (const [i, code] of account.entries()) {
    const figures = posted.get(code) ?? { ...describe(frame, code), ...zeroFigures(months) }
    posted.set(code, figures)
    const [month = Number.NaN, activity = Number.NaN, balance = Number.NaN, shifted = Number.NaN] =
      columns.map((column) => column[i])
    if (month >= 0) {
      figures.activity[month] = activity
      figures.moved[month] = shifted
    }
    // Movements first; the opening and what is posted before the first month move that month.
    const first = Math.max(month, 0)
    figures.balance[first] = figureAt(figures.balance, first) + balance
  }
  for (const { balance } of posted.values())
    for (let p = 1; p < months; p++) balance[p] = figureAt(balance, p - 1) + figureAt(balance, p)
  return [...posted.values()]
}

const NONE = new Float64Array(0)

const zeroFigures = (months: number) => ({
  activity: new Float64Array(months),
  balance: new Float64Array(months),
  moved: new Float64Array(months),
})

function describe(
  { accounts }: Frame,
  code: number,
): Pick<Posted, 'id' | 'isResult' | 'hasBalance' | 'isDebit' | 'isCash'> {
  const account = accounts[code]
  const { id, classification } = account ?? computedAt(code - accounts.length)
  const isResult = isEarnings({ accounts }, code)
  return {
    id,
    isResult,
    hasBalance: !isResult && account !== undefined,
    isDebit: ['Asset', 'CostOfSales', 'Expense', 'OtherExpense'].includes(classification),
    isCash: account?.cashFlow === 'Cash',
  }
}

function computedAt(at: number): { readonly id: string; readonly classification: Classification } {
  const id = present(COMPUTED_CODES[at], 'computed row with that code')
  return { id, classification: COMPUTED_ROWS[id].classification }
}

type Sides = readonly [published: Figures, posted: Figures]

interface SecondPath {
  readonly identity: string
  readonly statement: StatementName
  /** Whether one figure for the whole range is compared, not one per month. */
  readonly isWhole: boolean
  readonly sides: (posted: readonly Posted[], rows: ReadonlyMap<string, Figures>) => Sides[]
}

const times = (figures: Figures, sign: 1 | -1): Figures => figures.map((figure) => sign * figure + 0)
const none = (figures: Figures): Figures => new Float64Array(figures.length)
const total = (figures: Figures): Figures => Float64Array.of(figures.reduce((sum, figure) => sum + figure, 0))
const last = (figures: Figures): Figures => figures.slice(-1)

/**
 * The figures that a statement should show for an account, one per month; null where the account has no row
 * there.
 */
const EXPECTED: { readonly [statement in StatementName]: (account: Posted) => Figures | null } = {
  ProfitAndLoss: ({ isResult, isDebit, activity }) => (isResult ? times(activity, isDebit ? 1 : -1) : null),
  BalanceSheet: ({ hasBalance, isDebit, balance }) => (hasBalance ? times(balance, isDebit ? 1 : -1) : null),
  CashFlow: ({ isResult, isCash, activity, moved }) =>
    isCash ? null : moved.map((shifted, p) => 0 - shifted - (isResult ? 0 : figureAt(activity, p))),
}

const sides =
  (statement: StatementName, of: (figures: Figures) => Figures): SecondPath['sides'] =>
  (posted, rows) =>
    posted.flatMap((account): Sides[] => {
      const expected = EXPECTED[statement](account)
      return expected === null ? [] : [[of(rows.get(account.id) ?? none(expected)), of(expected)]]
    })

const path = (
  identity: string,
  statement: StatementName,
  of?: (figures: Figures) => Figures,
): SecondPath => ({
  identity,
  statement,
  isWhole: of !== undefined,
  sides: sides(statement, of ?? ((figures) => figures)),
})

export const SECOND_PATHS: readonly SecondPath[] = [
  ...STATEMENTS.map((statement) => path(COMPLETE, statement)),
  path('months add up to the range', 'ProfitAndLoss', total),
  path('balance = opening + all postings', 'BalanceSheet', last),
]
