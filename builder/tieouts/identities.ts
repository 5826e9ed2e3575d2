/**
 * The identities that every published figure ties out to, one entry each: name, what it compares, both sides per
 * month. The numbers are those of the accounting rules (§2). The product's promise, on one page.
 */
import type { Frame } from '../books/frame.ts'
import { KIND } from '../books/postings.ts'
import type { Figures } from '../contract/document.ts'
import type { StatementName } from '../contract/vocabulary.ts'
import type { StatementBody, Statements } from '../statements/compose.ts'
import { isEarnings, type Slice } from '../statements/slice.ts'
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
  /** Both sides, one figure per period and compared thing, in the same order; the last period stands last. */
  readonly sides: (at: Case) => readonly (readonly [left: Figures, right: Figures])[]
}

export const IDENTITIES: readonly Identity[] = [
  {
    // 1: debits equal credits.
    id: 'trial balance sums to zero',
    statement: 'TrialBalance',
    on: 'unfiltered',
    sides: ({ slice }) => [
      [sumBy(slice, (account, p) => (p === 0 ? account.opening : 0) + movement(account, p)), zeros(slice)],
    ],
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
      const opening = slice.accounts.reduce(
        (sum, account) => sum - (isEarnings(frame, account.code) ? account.opening : 0),
        0,
      )
      const balance = (p: number): number =>
        p < 0 ? opening : rows.reduce((sum, row) => sum + row.values[p]!, 0)
      const closed = sumBy(slice, (account, p) =>
        isEarnings(frame, account.code)
          ? (account.movements[KIND.closingCurrent]?.[p] ?? 0) +
            (account.movements[KIND.closingPrior]?.[p] ?? 0)
          : 0,
      )
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
      const byId = new Map(statements.BalanceSheet.rows.map((row) => [row.accountId, row]))
      return slice.accounts
        .filter((account) => !isEarnings(frame, account.code))
        .map((account): [Figures, Figures] => {
          const { id, classification } = frame.accounts[account.code]!
          const sign = classification === 'Asset' ? 1 : -1
          const values = byId.get(id)?.values ?? zeros(slice)
          const moved = values.map(
            (value, p) => value - (p === 0 ? 0 + sign * account.opening : values[p - 1]!),
          )
          return [moved, zeros(slice).map((_, p) => 0 + sign * movement(account, p))]
        })
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
      for (const row of statements.BalanceSheet.rows)
        for (let p = 0; p < onSheet.length; p++)
          onSheet[p] = onSheet[p]! + (cash.get(row.accountId) ?? 0) * row.values[p]!
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
  return SPECS[statement].totals.flatMap(([name, parts]): [Figures, Figures][] => {
    if (parts === 'cash') return []
    const stated = total(body, name)
    const added = new Float64Array(stated.length)
    for (const row of body.rows) {
      const factor = parts[row.section] ?? 0
      if (factor !== 0)
        for (let p = 0; p < added.length; p++) added[p] = added[p]! + factor * (row.values[p]! || 0)
    }
    return [[added, stated.map((value) => value || 0)]]
  })
}

const zeros = (slice: Slice): Figures => new Float64Array(slice.periods.length)

const movement = (account: Slice['accounts'][number], p: number): number =>
  account.movements.reduce((sum, figures) => sum + (figures?.[p] ?? 0), 0)

const sumBy = (slice: Slice, figure: (account: Slice['accounts'][number], p: number) => number): Figures =>
  zeros(slice).map((_, p) => slice.accounts.reduce((sum, account) => sum + figure(account, p), 0))

const total = (body: StatementBody, name: string): Figures =>
  body.summary.find((row) => row.name === name)!.values
