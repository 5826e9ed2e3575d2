/**
 * Warns of budgets with a complete balance sheet whose setting `equity` is missing. Without it nobody knows whether equity
 * includes the year's result, so the budget gets no cash flow statement.
 */
import { monthText } from '../contract/calendar.ts'
import { isProfitAndLoss } from '../contract/vocabulary.ts'
import type { Company } from '../workspace/company.ts'
import { type Finding, warning } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import type { BudgetFigure } from './budget-figures.ts'
import { accountAt, type Frame } from './frame.ts'

/** One warning per such budget; it says in how many months assets equal liabilities and equity as they stand. */
export function budgetEquityFindings(
  frame: Frame,
  figures: readonly BudgetFigure[],
  settings: Company['budgets'] = [],
): Finding[] {
  return settings.flatMap(({ id, equity }, i) => {
    if (equity !== undefined) return []
    const balances = figures.filter(
      ({ budget, account }) => budget === id && !isProfitAndLoss(accountAt(frame, account).classification),
    )
    const accounts = new Set(balances.map(({ account }) => account))
    const kinds = new Set([...accounts].map((account) => accountAt(frame, account).classification))
    const hasCash = [...accounts].some((account) => accountAt(frame, account).cashFlow === 'Cash')
    if (!hasCash || !kinds.has('Equity')) return []
    const months = wholeMonths(balances, accounts.size)
    const [first] = months
    if (first === undefined || !months.includes(first + 1)) return []
    const balanced = months.filter((month) => difference(frame, balances, month) === 0).length
    return [
      warning(
        'budget-equity',
        `budget ${id} has a whole balance sheet for ${months.length} months from ${monthText(first)}, and no cash flow: nothing says whether its equity holds the result of the year. As it stands, assets equal liabilities and equity in ${balanced === 0 ? 'none' : balanced} of them`,
        {
          file: COMPANY_FILE,
          column: `budgets.${i}.equity`,
          text: id,
          remedy:
            'state "equity: with-result" where equity holds it, "equity: without-result" where the result stands beside equity',
        },
      ),
    ]
  })
}

/** Months (counted from year 0) in which every balance sheet account of the budget has a figure, in order. */
function wholeMonths(balances: readonly BudgetFigure[], accounts: number): number[] {
  const had = new Map<number, Set<number>>()
  for (const { month, account } of balances) had.set(month, (had.get(month) ?? new Set()).add(account))
  return [...had].flatMap(([month, of]) => (of.size === accounts ? [month] : [])).sort((a, b) => a - b)
}

const difference = (frame: Frame, balances: readonly BudgetFigure[], of: number): number =>
  balances.reduce(
    (sum, { account, month, amount }) =>
      month !== of ? sum : sum + (accountAt(frame, account).classification === 'Asset' ? amount : -amount),
    0,
  )
