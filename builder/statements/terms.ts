/**
 * Describes every row and total of a statement as terms over single lines of the books, for "tieout explain".
 * It states the rules of compose.ts a second time and independently: a figure on which both agree is
 * explained.
 */

import type { Part, Rule, Term } from '../books/read/lineage.ts'
import {
  accountAt,
  computedOnCashFlow,
  type Frame,
  NOT_CLOSED,
  resultsOnCashFlow,
} from '../books/reference/frame.ts'
import {
  type Classification,
  COMPUTED_ROWS,
  type ComputedRow,
  isProfitAndLoss,
  type Section,
  type StatementName,
  SUMMARY_NAMES,
} from '../contract/vocabulary.ts'
import { signOn, totalParts } from './specs.ts'

/** An account of the chart, or a computed row on which the books themselves post. */
interface PostedAccount {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly classification: Classification
}

export interface ExplainedRow extends Part {
  readonly number: string
  readonly name: string
  readonly section: Section
  /** Whether it is made of the lines of many accounts. */
  readonly isComputed: boolean
}

/**
 * Computed rows of the P&L: the books post lines under their ids as under those of accounts (accounting.md
 * §7).
 */
export const POSTED_ROWS: readonly PostedAccount[] = (Object.keys(COMPUTED_ROWS) as ComputedRow[])
  .map((id) => ({ id, number: '', ...COMPUTED_ROWS[id] }))
  .filter((row) => isProfitAndLoss(row.classification))

const profitAndLossAccounts = (frame: Frame): PostedAccount[] => [
  ...frame.accounts.filter((account) => isProfitAndLoss(account.classification)),
  ...POSTED_ROWS,
]

/** Every id whose lines are results: all but the balance sheet accounts. */
const earningsIds = (frame: Frame): string[] => [
  ...profitAndLossAccounts(frame).map((account) => account.id),
  NOT_CLOSED,
]

const everyId = (frame: Frame): string[] => [
  ...frame.accounts.filter((account) => !isProfitAndLoss(account.classification)).map(({ id }) => id),
  ...earningsIds(frame),
]

const all = (ids: readonly string[], sign: 1 | -1, rule: Rule): Term[] =>
  ids.map((account) => ({ account, sign, rule }))

const computed = (id: ComputedRow, section: Section, terms: readonly Term[]): ExplainedRow => ({
  id,
  number: '',
  name: COMPUTED_ROWS[id].name,
  section,
  isComputed: true,
  terms,
})

const single = (
  { id, number, name }: Pick<PostedAccount, 'id' | 'number' | 'name'>,
  section: Section,
  sign: 1 | -1,
  rule: Rule,
): ExplainedRow => ({
  id,
  number,
  name,
  section,
  isComputed: false,
  terms: [{ account: id, sign, rule }],
})

/** All rows that a statement of actuals can have, in the order of the document. */
const ACTUALS: Record<StatementName, (frame: Frame) => ExplainedRow[]> = {
  ProfitAndLoss: (frame) =>
    profitAndLossAccounts(frame).map((account) => {
      const section = account.classification as Section
      return single(account, section, signOn('ProfitAndLoss', section), 'activity')
    }),
  BalanceSheet: (frame) => [
    ...frame.accounts
      .filter((account) => !isProfitAndLoss(account.classification))
      .map((account) => {
        const section = account.classification as Section
        return single(account, section, signOn('BalanceSheet', section), 'balance')
      }),
    computed('current-year-earnings', 'Equity', all(earningsIds(frame), -1, 'current-year')),
    computed('prior-years-not-closed', 'Equity', all(earningsIds(frame), -1, 'prior-years')),
    computed('balancing', 'Equity', all(everyId(frame), 1, 'balance')),
  ],
  CashFlow: (frame) => [
    ...frame.accounts
      .filter((account) => !isProfitAndLoss(account.classification) && account.cashFlow !== 'Cash')
      .map((account) => single(account, sectionOnCashFlow(account), -1, 'cash-flow')),
    ...resultsOnCashFlow(frame).map((code) => single(accountAt(frame, code), 'Operating', -1, 'added-back')),
    ...computedOnCashFlow(frame).map((id) =>
      computed(id, COMPUTED_ROWS[id].cashFlow, [{ account: id, sign: -1, rule: 'added-back' }]),
    ),
    computed('net-income', 'Operating', all(earningsIds(frame), -1, 'activity')),
    computed('balancing', 'Operating', all(everyId(frame), 1, 'activity')),
  ],
}

const sectionOnCashFlow = ({ cashFlow }: Frame['accounts'][number]): Section =>
  cashFlow === null || cashFlow === 'Cash' ? 'Operating' : cashFlow

/** The rows of a budget: accounts only, with figures in natural signs already (accounting.md §8). */
function budgeted(frame: Frame, statement: StatementName, budgetId: string): ExplainedRow[] {
  if (statement === 'CashFlow') return budgetedCashFlow(frame, budgetId)
  return frame.accounts
    .filter((account) => isProfitAndLoss(account.classification) === (statement === 'ProfitAndLoss'))
    .map((account) => single(account, account.classification as Section, 1, 'stated'))
}

/** All rows that a statement can have, with their terms; null as budget means actuals. */
export const explainedRowsOf = (
  frame: Frame,
  statement: StatementName,
  budgetId: string | null,
): ExplainedRow[] => (budgetId === null ? ACTUALS[statement](frame) : budgeted(frame, statement, budgetId))

/**
 * The rows of a budgeted cash flow are changes in balances. The account that receives the result of the year
 * changes by that result as well, which is not cash, so its terms subtract it.
 */
function budgetedCashFlow(frame: Frame, budgetId: string): ExplainedRow[] {
  const budget = frame.budgets.find(({ id }) => id === budgetId)
  if (budget == null || budget.equity === null) return []
  const results = (sign: 1 | -1, rule: Rule): Term[] =>
    frame.accounts
      .filter((account) => isProfitAndLoss(account.classification))
      .map(({ id, classification }) => ({
        account: id,
        sign: (classification === 'Income' || classification === 'OtherIncome' ? sign : -sign) as 1 | -1,
        rule,
      }))
  const inEquity = results(-1, budget.equity === 'with-result' ? 'stated' : 'stated-last-year')
  const rows = frame.accounts
    .filter((account) => !isProfitAndLoss(account.classification) && account.cashFlow !== 'Cash')
    .map((account): ExplainedRow => {
      const sign = account.classification === 'Asset' ? -1 : 1
      const change = [...moved(account.id, sign), ...(account.id === budget.resultAccount ? inEquity : [])]
      return { ...single(account, sectionOnCashFlow(account), sign, 'stated'), terms: change }
    })
  return [...rows, computed('net-income', 'Operating', results(1, 'stated'))]
}

/** A balance less the balance of the month before. */
const moved = (account: string, sign: 1 | -1): Term[] => [
  { account, sign, rule: 'stated' },
  { account, sign: -sign as 1 | -1, rule: 'stated-before' },
]

interface SignedRow {
  readonly row: ExplainedRow
  readonly sign: 1 | -1
}

/** The rows that a total adds up, each with its sign in the total. */
export function rowsOfTotal(
  frame: Frame,
  statement: StatementName,
  name: string,
  budgetId: string | null,
): SignedRow[] {
  const sections = totalParts(statement, name)
  if (sections === 'cash') {
    const isBeginning = name === 'BeginningCash'
    const rule: Rule =
      budgetId === null
        ? isBeginning
          ? 'brought-forward'
          : 'balance'
        : isBeginning
          ? 'stated-before'
          : 'stated'
    return frame.accounts
      .filter((account) => account.cashFlow === 'Cash')
      .map((account) => {
        // Balances of the ledger are debit positive; those of a budget have the sign of their section.
        const sign = budgetId !== null && account.classification === 'Liability' ? -1 : 1
        return { row: single(account, account.classification as Section, sign, rule), sign: 1 }
      })
  }
  return explainedRowsOf(frame, statement, budgetId).flatMap((row) => {
    const sign = sections[row.section]
    return sign === undefined ? [] : [{ row, sign }]
  })
}

/** The statement to which a total belongs; undefined where there is no such total. */
export const statementOfTotal = (name: string): StatementName | undefined =>
  (Object.keys(SUMMARY_NAMES) as StatementName[]).find((statement) =>
    (SUMMARY_NAMES[statement] as readonly string[]).includes(name),
  )
