/**
 * Lists the identities that every published figure has to satisfy: the name of each, and what it compares month by
 * month. The numbers are those of accounting.md §2. This list is the promise of the product.
 */

import { KIND } from '../../books/post/postings.ts'
import { type Frame, isEarnings } from '../../books/reference/frame.ts'
import type { Figures } from '../../contract/document.ts'
import { addFigures, addStated, figureAt, NONE } from '../../contract/figures.ts'
import type { StatementName } from '../../contract/vocabulary.ts'
import type { ComposedStatements } from '../compose.ts'
import { addMovement, BALANCE_KINDS, type Slice } from '../slice.ts'
import { SPECS } from '../specs.ts'
import { type StatementBody, totalOf } from '../totals.ts'

interface Case {
  readonly frame: Frame
  readonly slice: Slice
  readonly statements: ComposedStatements
  /** Whether neither a class nor a department filter applies. */
  readonly unfiltered: boolean
}

/**
 * Compares two sides, one figure per period each. The arrays are read before it returns, so that callers may
 * reuse them.
 */
export type Compare = (left: Figures, right: Figures) => void

interface Identity {
  readonly id: string
  readonly statement: StatementName | 'TrialBalance'
  /** Whether the identity holds under every filter, or only for the whole books. */
  readonly on: 'every scope' | 'unfiltered'
  /** Calls `compare` once for each thing that the identity is about, such as an account. */
  readonly check: (at: Case, compare: Compare) => void
}

export const IDENTITIES: readonly Identity[] = [
  {
    // Identity 1: debits equal credits.
    id: 'trial balance sums to zero',
    statement: 'TrialBalance',
    on: 'unfiltered',
    check: ({ slice }, compare) => {
      const sum = zeros(slice)
      let opening = 0
      for (const code of slice.codes) {
        opening += figureAt(slice.opening, code)
        for (const kind of BALANCE_KINDS) addMovement(sum, slice, code, kind)
      }
      sum[0] = figureAt(sum, 0) + opening
      compare(sum, zeros(slice))
    },
  },
  {
    // Identity 2.
    id: 'assets = liabilities + equity',
    statement: 'BalanceSheet',
    on: 'every scope',
    check: ({ statements: { BalanceSheet } }, compare) =>
      compare(totalOf(BalanceSheet, 'TotalAssets'), totalOf(BalanceSheet, 'TotalLiabilitiesAndEquity')),
  },
  {
    // Identity 3: net income equals the movement of the earnings rows in equity plus what closing entries
    // took out of them.
    id: 'net income = movement of earnings + closed',
    statement: 'ProfitAndLoss',
    on: 'every scope',
    check: ({ frame, slice, statements }, compare) => {
      const balance = zeros(slice)
      for (const { accountId, values } of statements.BalanceSheet.rows)
        if (accountId === 'current-year-earnings' || accountId === 'prior-years-not-closed')
          addFigures(balance, values)
      let before = 0
      const earned = zeros(slice)
      for (const code of slice.codes) {
        if (!isEarnings(frame, code)) continue
        before -= figureAt(slice.opening, code)
        addMovement(earned, slice, code, KIND.closingCurrent)
        addMovement(earned, slice, code, KIND.closingPrior)
      }
      for (let p = 0; p < earned.length; p++) {
        const now = figureAt(balance, p)
        earned[p] = figureAt(earned, p) + now - before
        before = now
      }
      compare(totalOf(statements.ProfitAndLoss, 'NetIncome'), earned)
    },
  },
  {
    // Identity 4, for each account.
    id: 'balance − previous balance = movement',
    statement: 'BalanceSheet',
    on: 'every scope',
    check: ({ frame, slice, statements }, compare) => {
      const published = new Map<string, Figures>()
      for (const { accountId, values } of statements.BalanceSheet.rows) published.set(accountId, values)
      const none = zeros(slice)
      const moved = zeros(slice)
      const booked = zeros(slice)
      for (const code of slice.codes) {
        const account = frame.accounts[code]
        if (account === undefined || isEarnings(frame, code)) continue
        const { id, classification } = account
        const sign = classification === 'Asset' ? 1 : -1
        booked.fill(0)
        for (const kind of BALANCE_KINDS) addMovement(booked, slice, code, kind, sign)
        const values = published.get(id) ?? none
        let before = sign * figureAt(slice.opening, code)
        for (let p = 0; p < values.length; p++) {
          const now = values[p] ?? NONE
          moved[p] = now - before
          before = now
        }
        compare(moved, booked)
      }
    },
  },
  {
    // Identity 5.
    id: 'operating + investing + financing = change in cash',
    statement: 'CashFlow',
    on: 'every scope',
    check: ({ statements: { CashFlow } }, compare) => {
      const change = totalOf(CashFlow, 'EndingCash').slice()
      addFigures(change, totalOf(CashFlow, 'BeginningCash'), -1)
      compare(totalOf(CashFlow, 'NetChangeInCash'), change)
    },
  },
  {
    // Identity 5, continued: the ending cash of the cash flow is the cash on the balance sheet.
    id: 'ending cash = cash on the balance sheet',
    statement: 'CashFlow',
    on: 'every scope',
    check: ({ frame, slice, statements }, compare) => {
      const signs = cashSigns(frame)
      const onSheet = zeros(slice)
      for (const { accountId, values } of statements.BalanceSheet.rows) {
        const sign = signs.get(accountId)
        if (sign !== undefined) addFigures(onSheet, values, sign)
      }
      compare(totalOf(statements.CashFlow, 'EndingCash'), onSheet)
    },
  },
  ...(['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const).map(
    // Identity 10: the published rows are added up again and compared with every total that is a sum of
    // sections.
    (statement): Identity => ({
      id: 'rows add up to the totals',
      statement,
      on: 'every scope',
      check: ({ statements }, compare) => rowsAndTotals(statement, statements[statement], compare),
    }),
  ),
]

/**
 * Compares every total that is a sum of sections with the published rows of those sections. NaN (no figure)
 * counts as zero.
 */
export function rowsAndTotals(statement: StatementName, body: StatementBody, compare: Compare): void {
  const sums = new Map<string, Figures>()
  for (const { section, values } of body.rows) {
    let sum = sums.get(section)
    if (sum === undefined) {
      sum = new Float64Array(values.length)
      sums.set(section, sum)
    }
    addStated(sum, values)
  }
  for (const [name, parts] of SPECS[statement].totals) {
    if (parts === 'cash') continue
    const stated = totalOf(body, name)
    const known = new Float64Array(stated.length)
    addStated(known, stated)
    const added = new Float64Array(stated.length)
    for (const [section, factor] of Object.entries(parts)) {
      const sum = sums.get(section)
      if (sum) addFigures(added, sum, factor)
    }
    compare(added, known)
  }
}

const zeros = (slice: Slice): Figures => new Float64Array(slice.periods.length)

const cashSignsOf = new WeakMap<Frame, ReadonlyMap<string, 1 | -1>>()

/**
 * The sign with which each cash account's published balance counts as cash, by account id; a credit account
 * counts as −1.
 */
function cashSigns(frame: Frame): ReadonlyMap<string, 1 | -1> {
  const known = cashSignsOf.get(frame)
  if (known) return known
  const signs = new Map(
    frame.accounts
      .filter((account) => account.cashFlow === 'Cash')
      .map((account): [string, 1 | -1] => [account.id, account.classification === 'Asset' ? 1 : -1]),
  )
  cashSignsOf.set(frame, signs)
  return signs
}
