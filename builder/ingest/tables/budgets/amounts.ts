/** Reads amounts of a budget as exact minor units, given the unit of the sheet, or reports why a cell holds none. */
import { currencyDecimals, FIGURE_LIMIT } from '../../../contract/currency.ts'
import type { Classification } from '../../../contract/vocabulary.ts'
import type { BudgetSign, Scale, TableSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { type AmountProblem, parseAmount } from '../../text/amount.ts'
import { amountRemedy } from '../../text/amount-remedy.ts'
import { zerosOf } from '../../text/scale.ts'
import type { cellPlace } from '../table.ts'

export interface AmountReader {
  /** Decimals of the currency. */
  readonly decimals: number
  /** Signs are as written, not natural yet. */
  readonly minor: (text: string) => ReturnType<typeof parseAmount>
  readonly finding: (problem: AmountProblem, text: string, place: ReturnType<typeof cellPlace>) => Finding
}

/** With `scale` 1000, 18.5 is read as 18,500.00 by moving the point; nothing is multiplied. */
export function amountReader(setting: TableSetting, currency: string, scale: Scale): AmountReader {
  const { decimal = '.', thousands = '' } = setting
  const form = { decimal, thousands, currency }
  const decimals = currencyDecimals(currency)
  const unit = scale === 1 ? currency : `${scale.toLocaleString('en-US')} ${currency}`
  return {
    decimals,
    minor: (text) => {
      // A format of the workbook may show the unit of the sheet once more.
      const bare =
        scale === 1 ? text : text.replace(scale === 1000 ? /(?<=\d)k$/i : /(?<=\d)m(io|n|ln)?\.?$/i, '')
      const read = parseAmount(bare, decimals + zerosOf(scale), form)
      return read.minor !== undefined && Math.abs(read.minor) >= FIGURE_LIMIT
        ? { problem: 'amount-too-large' }
        : read
    },
    finding: (problem, text, place) => {
      const [what, remedy] = PROBLEMS[problem]
      return error(problem, `"${text}" ${what}${problem === 'unreadable-amount' ? '' : ` ${unit}`}`, {
        ...place,
        remedy: remedy ?? amountRemedy(text, form),
      })
    },
  }
}

const PROBLEMS: Record<AmountProblem, readonly [what: string, remedy: string | null]> = {
  'unreadable-amount': ['is not an amount', null],
  'too-many-decimals': ['has more decimals than', 'round it in the spreadsheet: nothing is rounded here'],
  'amount-too-large': ['is too large to be kept exactly in', 'check the digits'],
}

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
