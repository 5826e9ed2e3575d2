/**
 * The identities that every published figure ties out to, one entry each: name, what it compares, both sides per
 * month. The numbers are those of the accounting rules (§2). The product's promise, on one page.
 */
import type { Frame } from '../books/frame.ts'
import { KIND } from '../books/postings.ts'
import type { Figures } from '../contract/document.ts'
import type { StatementName } from '../contract/vocabulary.ts'
import type { StatementBody, Statements } from '../statements/compose.ts'
import { BALANCE_KINDS, isEarnings, type Slice } from '../statements/slice.ts'
import { SPECS } from '../statements/specs.ts'

export interface Case {
  readonly frame: Frame
  readonly slice: Slice
  readonly statements: Statements
  /** No class and no department filter. */
  readonly unfiltered: boolean
}

export interface Identity {
  readonly id: string
  readonly statement: StatementName | 'TrialBalance'
  /** Holds on slices too, or only on the whole books. */
  readonly on: 'every scope' | 'unfiltered'
  /**
   * Both sides, one figure per period; of several compared things one after the other, each with all its periods.
   */
  readonly sides: (at: Case) => readonly (readonly [left: Figures, right: Figures])[]
}

export const IDENTITIES: readonly Identity[] = [
  {
    // 1: debits equal credits.
    id: 'trial balance sums to zero',
    statement: 'TrialBalance',
    on: 'unfiltered',
    sides: ({ slice }) => {
      const sum = zeros(slice)
      sum[0] = slice.opening.reduce((all, amount) => all + amount, 0)
      for (let row = 0; row < slice.codes.length; row++)
        for (const kind of BALANCE_KINDS) addMovement(sum, slice, row, kind)
      return [[sum, zeros(slice)]]
    },
  },
  {
    // 2
    id: 'assets = liabilities + equity',
    statement: 'BalanceSheet',
    on: 'every scope',
    sides: ({ statements }) => [
      [
        total(statements.BalanceSheet, 'TotalAssets'),
        total(statements.BalanceSheet, 'TotalLiabilitiesAndEquity'),
      ],
    ],
  },
  {
    // 3: what the P&L earned is what equity's earnings rows moved by, and what closing entries took out of them.
    id: 'net income = movement of earnings + closed',
    statement: 'ProfitAndLoss',
    on: 'every scope',
    sides: ({ frame, slice, statements }) => {
      const rows = statements.BalanceSheet.rows.filter((row) =>
        ['current-year-earnings', 'prior-years-not-closed'].includes(row.accountId),
      )
      let opening = 0
      const closed = zeros(slice)
      for (const [row, code] of slice.codes.entries()) {
        if (!isEarnings(frame, code)) continue
        opening -= slice.opening[row]!
        addMovement(closed, slice, row, KIND.closingCurrent)
        addMovement(closed, slice, row, KIND.closingPrior)
      }
      const balance = (p: number): number =>
        p < 0 ? opening : rows.reduce((sum, row) => sum + row.values[p]!, 0)
      return [
        [
          total(statements.ProfitAndLoss, 'NetIncome'),
          closed.map((amount, p) => balance(p) - balance(p - 1) + amount),
        ],
      ]
    },
  },
  {
    // 4, account by account.
    id: 'balance − previous balance = movement',
    statement: 'BalanceSheet',
    on: 'every scope',
    sides: ({ frame, slice, statements }) => {
      const byId = new Map(statements.BalanceSheet.rows.map((row) => [row.accountId, row.values]))
      const rows = [...slice.codes.keys()].filter((row) => !isEarnings(frame, slice.codes[row]!))
      if (rows.length === 0) return []
      const width = slice.periods.length
      const none = zeros(slice)
      const moved = new Float64Array(rows.length * width)
      const booked = new Float64Array(rows.length * width)
      for (const [n, row] of rows.entries()) {
        const { id, classification } = frame.accounts[slice.codes[row]!]!
        const sign = classification === 'Asset' ? 1 : -1
        const values = byId.get(id) ?? none
        const own = booked.subarray(n * width, (n + 1) * width)
        for (const kind of BALANCE_KINDS) addMovement(own, slice, row, kind, sign)
        let before = 0 + sign * slice.opening[row]!
        for (let p = 0; p < width; p++) {
          moved[n * width + p] = values[p]! - before
          before = values[p]!
        }
      }
      return [[moved, booked]]
    },
  },
  {
    // 5
    id: 'operating + investing + financing = change in cash',
    statement: 'CashFlow',
    on: 'every scope',
    sides: ({ statements }) => {
      const beginning = total(statements.CashFlow, 'BeginningCash')
      return [
        [
          total(statements.CashFlow, 'NetChangeInCash'),
          total(statements.CashFlow, 'EndingCash').map((ending, p) => ending - beginning[p]!),
        ],
      ]
    },
  },
  {
    // 5: the cash that the cash flow ends with is the cash on the balance sheet.
    id: 'ending cash = cash on the balance sheet',
    statement: 'CashFlow',
    on: 'every scope',
    sides: ({ frame, slice, statements }) => {
      const cash = new Map(
        frame.accounts
          .filter((account) => account.cashFlow === 'Cash')
          .map((account) => [account.id, account.classification === 'Asset' ? 1 : -1]),
      )
      const onSheet = zeros(slice)
      for (const row of statements.BalanceSheet.rows) {
        const sign = cash.get(row.accountId)
        if (sign !== undefined)
          for (let p = 0; p < onSheet.length; p++) onSheet[p] = onSheet[p]! + sign * row.values[p]!
      }
      return [[total(statements.CashFlow, 'EndingCash'), onSheet]]
    },
  },
  ...(['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const).map(
    // 10: rows as published, added up again, against every total that is a sum of sections.
    (statement): Identity => ({
      id: 'rows add up to the totals',
      statement,
      on: 'every scope',
      sides: ({ statements }) => rowsAndTotals(statement, statements[statement]),
    }),
  ),
]

/** Every total that is made of sections, against the published rows of those sections. NaN (no figure) counts 0. */
export function rowsAndTotals(statement: StatementName, body: StatementBody): [Figures, Figures][] {
  const { totals } = SPECS[statement]
  const sums = new Map<string, Figures>()
  for (const row of body.rows) {
    const sum = sums.get(row.section) ?? new Float64Array(row.values.length)
    sums.set(row.section, sum)
    for (let p = 0; p < sum.length; p++) sum[p] = sum[p]! + (row.values[p]! || 0)
  }
  return totals.flatMap(([name, parts]): [Figures, Figures][] => {
    if (parts === 'cash') return []
    const stated = total(body, name).map((value) => value || 0)
    const added = new Float64Array(stated.length)
    for (const [section, factor] of Object.entries(parts)) {
      const sum = sums.get(section)
      if (sum) for (let p = 0; p < added.length; p++) added[p] = added[p]! + factor * sum[p]!
    }
    return [[added, stated]]
  })
}

const zeros = (slice: Slice): Figures => new Float64Array(slice.periods.length)

/** What was posted on a row of the slice, as it was posted. */
function addMovement(sum: Figures, slice: Slice, row: number, kind: number, factor: 1 | -1 = 1): void {
  const figures = slice.movements[kind]
  const from = row * sum.length
  if (figures) for (let p = 0; p < sum.length; p++) sum[p] = sum[p]! + factor * figures[from + p]!
}

const total = (body: StatementBody, name: string): Figures =>
  body.summary.find((row) => row.name === name)!.values
