/** Turns budget rows into figures: codes of accounts and members, and minor units in the natural sign of the account. */
import { monthOf, monthText } from '../../contract/calendar.ts'
import { ColumnRows, type Rows } from '../../ingest/format/column-rows.ts'
import type { BudgetInput } from '../../ingest/format/intake.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { LedgerKeys } from '../read/key-sql.ts'
import { type Account, accountAt, type Budget, decimalsOf, type Frame } from '../reference/frame.ts'

export interface BudgetFigure {
  readonly budget: string
  /** Months since year 0. */
  readonly month: number
  readonly account: number
  readonly class: number
  readonly department: number
  /** Minor units; positive where the account stands on its natural side. */
  readonly amount: number
  readonly file: string
  readonly row: number
}

export const keptFigures = (): ColumnRows<BudgetFigure> =>
  new ColumnRows<BudgetFigure>({
    budget: 'repeated',
    month: 'whole',
    account: 'whole',
    class: 'whole',
    department: 'whole',
    amount: 'number',
    file: 'repeated',
    row: 'whole',
  })

/** The figures of all budgets. Rows with an unknown account or member, or an unreadable amount, become findings. */
export function budgetFigures(
  frame: Pick<Frame, 'currency'>,
  keys: LedgerKeys,
  inputs: readonly BudgetInput[],
): { figures: Rows<BudgetFigure>; findings: Finding[] } {
  const figures = keptFigures()
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

/** Which accounts and months (counted from year 0) the figures of a budget are of. */
export interface BudgetUse {
  readonly accounts: Set<number>
  readonly months: Set<number>
}
export type BudgetUses = ReadonlyMap<string, BudgetUse>

export function usesOf(figures: Rows<BudgetFigure>): BudgetUses {
  const uses = new Map<string, BudgetUse>()
  for (const { budget, account, month } of figures) {
    const use = uses.get(budget) ?? { accounts: new Set(), months: new Set() }
    use.accounts.add(account)
    use.months.add(month)
    uses.set(budget, use)
  }
  return uses
}

/** The budget with its first and last month. `months` holds the months of its figures and metrics, each once, in any order. */
export function budgetOf(
  about: Pick<Budget, 'id' | 'name' | 'equity' | 'resultAccount'>,
  months: ReadonlySet<number>,
): Budget {
  if (months.size === 0) return { ...about, startMonth: null, endMonth: null }
  return {
    ...about,
    startMonth: monthText(Math.min(...months)),
    endMonth: monthText(Math.max(...months)),
  }
}

/**
 * For each budget, what its equity holds according to company.yaml, and the equity account that holds the result. A
 * `resultAccount` that is not an equity account becomes a finding.
 */
export function budgetResults(
  company: Pick<Company, 'budgets'>,
  keys: LedgerKeys,
  accounts: readonly Account[],
  uses: BudgetUses,
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
    return {
      equity: settings[i]?.equity ?? null,
      resultAccount: named[i]?.id ?? resultAccountOf(accounts, uses.get(id)?.accounts ?? new Set()),
    }
  }
  return { of, findings }
}

/** The equity account that takes the result: the budget's only one, or else its only one of type RetainedEarnings. */
function resultAccountOf(accounts: readonly Account[], used: ReadonlySet<number>): string | null {
  const equity = [...used]
    .map((account) => accountAt({ accounts }, account))
    .filter(({ classification }) => classification === 'Equity')
  const retained = equity.filter(({ type }) => type === 'RetainedEarnings')
  const [only] = equity.length === 1 ? equity : retained.length === 1 ? retained : []
  return only?.id ?? null
}
