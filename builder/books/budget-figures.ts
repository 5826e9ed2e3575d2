/** Budget rows in codes and minor units, natural sign. */
import { monthOf, monthText } from '../contract/calendar.ts'
import { parseAmount } from '../ingest/amount.ts'
import type { BudgetInput } from '../ingest/intake.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { type Budget, decimalsOf, type Frame } from './frame.ts'
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
export function budgetOf(id: string, name: string, months: readonly number[]): Budget {
  if (months.length === 0) return { id, name, startMonth: null, endMonth: null }
  let first = months[0]!
  let last = first
  for (const month of months) {
    if (month < first) first = month
    if (month > last) last = month
  }
  return { id, name, startMonth: monthText(first), endMonth: monthText(last) }
}
