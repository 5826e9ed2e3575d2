/** Budget rows in codes and minor units, natural sign. */
import { monthOf, monthText } from '../contract/calendar.ts'
import type { BudgetInput } from '../ingest/format/intake.ts'
import { parseAmount } from '../ingest/text/amount.ts'
import type { Company } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { type Account, type Budget, decimalsOf, type Frame } from './frame.ts'
import type { LedgerKeys } from './ledger.ts'

export interface BudgetFigure {
  readonly budget: string
  /** Months since year 0. */
  readonly month: number
  readonly account: number
  readonly class: number
  readonly department: number
  readonly amount: number
  readonly file: string
  readonly row: number
}

export function budgetFigures(
  frame: Pick<Frame, 'currency'>,
  keys: LedgerKeys,
  inputs: readonly BudgetInput[],
): { figures: BudgetFigure[]; findings: Finding[] } {
  const figures: BudgetFigure[] = []
  const findings: Finding[] = []
  for (const input of inputs)
    for (const row of input.rows) {
      const account = keys.accounts.get(row.account)
      const member = row.class === null ? 0 : keys.classes.get(row.class)
      const department = row.department === null ? 0 : keys.departments.get(row.department)
      const amount = parseAmount(row.amount, decimalsOf(frame))
      if (account == null || member == null || department == null || amount.problem !== undefined)
        findings.push(
          error(
            'unreadable-budget',
            `a figure of budget ${input.id} for account ${row.account} in ${row.month} cannot be read`,
            {
              file: row.file,
              row: row.row,
              text: row.amount,
              remedy: 'correct its account, class, department or amount',
            },
          ),
        )
      else
        figures.push({
          budget: input.id,
          month: monthOf(row.month),
          account,
          class: member,
          department,
          amount: amount.minor,
          file: row.file,
          row: row.row,
        })
    }
  return { figures, findings }
}

/** A budget's coverage: its own months, those of its metrics included. */
export function budgetOf(
  about: Pick<Budget, 'id' | 'name' | 'equity' | 'resultAccount'>,
  months: readonly number[],
): Budget {
  if (months.length === 0) return { ...about, startMonth: null, endMonth: null }
  let first = months[0]!
  let last = first
  for (const month of months) {
    if (month < first) first = month
    if (month > last) last = month
  }
  return { ...about, startMonth: monthText(first), endMonth: monthText(last) }
}

/** What the settings say of each budget's equity, and which account of it results go to. */
export function budgetResults(
  company: Pick<Company, 'budgets'>,
  keys: LedgerKeys,
  accounts: readonly Account[],
  figures: readonly BudgetFigure[],
): {
  readonly of: (id: string) => Pick<Budget, 'equity' | 'resultAccount'>
  readonly findings: readonly Finding[]
} {
  const settings = company.budgets ?? []
  const named = settings.map(({ resultAccount }) => {
    const code = resultAccount === undefined ? undefined : keys.accounts.get(resultAccount)
    return code == null ? undefined : accounts[code]
  })
  const findings = settings.flatMap(({ resultAccount }, i) =>
    resultAccount === undefined || named[i]?.classification === 'Equity'
      ? []
      : [
          error('unknown-account', `"${resultAccount}" is not an account of equity`, {
            file: 'company.yaml',
            column: `budgets.${i}.resultAccount`,
            text: resultAccount,
            remedy: 'name the account of equity that holds the result of the year in this budget',
          }),
        ],
  )
  const of = (id: string) => {
    const i = settings.findIndex((setting) => setting.id === id)
    const own = figures.filter((figure) => figure.budget === id)
    return {
      equity: settings[i]?.equity ?? null,
      resultAccount: named[i]?.id ?? resultAccountOf(accounts, own),
    }
  }
  return { of, findings }
}

/** The account of equity that results go to: the only one of the budget, else the only one of that type. */
function resultAccountOf(accounts: readonly Account[], figures: readonly BudgetFigure[]): string | null {
  const equity = [...new Set(figures.map(({ account }) => account))]
    .map((account) => accounts[account]!)
    .filter(({ classification }) => classification === 'Equity')
  const retained = equity.filter(({ type }) => type === 'RetainedEarnings')
  const [only] = equity.length === 1 ? equity : retained.length === 1 ? retained : []
  return only?.id ?? null
}
