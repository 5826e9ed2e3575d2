/**
 * Warns of budgets with a complete balance sheet whose setting `equity` is missing. Without it nobody knows whether equity
 * includes the year's result, so the budget gets no cash flow statement.
 */
import { monthText } from '../../contract/calendar.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Rows } from '../../ingest/format/column-rows.ts'
import type { Company } from '../../workspace/company.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { accountAt, type Frame } from '../reference/frame.ts'
import type { BudgetFigure } from './budget-figures.ts'

/** One warning per such budget; it says in how many months assets equal liabilities and equity as they stand. */
export function budgetEquityFindings(
  frame: Frame,
  figures: Rows<BudgetFigure>,
  settings: Company['budgets'] = [],
): Finding[] {
  if (settings.every(({ equity }) => equity !== undefined)) return []
  const balances = balancesOf(frame, figures)
  return settings.flatMap(({ id, equity }, i) => {
    if (equity !== undefined) return []
    const { accounts, had, differences } = balances.get(id) ?? noBalances()
    const kinds = new Set([...accounts].map((account) => accountAt(frame, account).classification))
    const hasCash = [...accounts].some((account) => accountAt(frame, account).cashFlow === 'Cash')
    if (!hasCash || !kinds.has('Equity')) return []
    const months = wholeMonths(had, accounts.size)
    const [first] = months
    if (first === undefined || !months.includes(first + 1)) return []
    const balanced = months.filter((month) => differences.get(month) === 0).length
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

/** What a budget has of a balance sheet. */
interface Balances {
  readonly accounts: Set<number>
  /** Of each month (counted from year 0), the accounts with a figure. */
  readonly had: Map<number, Set<number>>
  /** Of each month, assets less liabilities and equity. */
  readonly differences: Map<number, number>
}

const noBalances = (): Balances => ({ accounts: new Set(), had: new Map(), differences: new Map() })

function balancesOf(frame: Frame, figures: Rows<BudgetFigure>): ReadonlyMap<string, Balances> {
  const all = new Map<string, Balances>()
  for (const { budget, month, account, amount } of figures) {
    const { classification } = accountAt(frame, account)
    if (isProfitAndLoss(classification)) continue
    const { accounts, had, differences } = all.get(budget) ?? noBalances()
    all.set(budget, { accounts, had, differences })
    accounts.add(account)
    had.set(month, (had.get(month) ?? new Set<number>()).add(account))
    differences.set(month, (differences.get(month) ?? 0) + (classification === 'Asset' ? amount : -amount))
  }
  return all
}

/** Months in which every balance sheet account of the budget has a figure, in order. */
function wholeMonths(had: Balances['had'], accounts: number): number[] {
  return [...had].flatMap(([month, of]) => (of.size === accounts ? [month] : [])).sort((a, b) => a - b)
}
