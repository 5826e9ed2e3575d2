/** Converts the signs of a budget to natural ones, in which income, costs, assets and debts are positive. */
import type { Classification } from '../../../contract/vocabulary.ts'
import type { BudgetSign } from '../../../workspace/company.ts'

const COSTS: readonly Classification[] = ['CostOfSales', 'Expense', 'OtherExpense']
const DEBITS: readonly Classification[] = [...COSTS, 'Asset']

/** For each way of writing signs, the classifications whose figures have the opposite of the natural sign. */
const IS_TURNED: Record<BudgetSign, (classification: Classification) => boolean> = {
  natural: () => false,
  'costs-negative': (classification) => COSTS.includes(classification),
  'debit-positive': (classification) => !DEBITS.includes(classification),
  'credit-positive': (classification) => DEBITS.includes(classification),
}

export const signOf = (sign: BudgetSign, classification: Classification): 1 | -1 =>
  IS_TURNED[sign](classification) ? -1 : 1

/** How an account counts in a result: income 1, costs −1, the balance sheet 0. */
export const inResult = (classification: Classification): -1 | 0 | 1 =>
  COSTS.includes(classification)
    ? -1
    : classification === 'Income' || classification === 'OtherIncome'
      ? 1
      : 0
