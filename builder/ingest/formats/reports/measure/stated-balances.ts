/** Whether the balances that a ledger states agree with what it brings forward and its lines, once their sign is known. */
import { error, type Finding, warning } from '../../../../workspace/finding.ts'
import type { FindingCode } from '../../../../workspace/finding-codes.ts'
import type { Sections } from '../rows/sections.ts'
import { type Difference, differing } from './differences.ts'
import type { BalanceSign, Stated, Written } from './written.ts'

export interface Break {
  readonly row: number
  readonly stated: number
  readonly expected: number
}

export interface StatedTotal {
  readonly row: number
  readonly label: string
  /** Null for the whole report. */
  readonly section: number | null
  readonly stated: number
  /** With sub-accounts; of the whole report, all accounts. */
  readonly expected: Written
  /** Without sub-accounts, which is right as well; null for the whole report. */
  readonly own: Written | null
}

export interface Implied {
  readonly id: string
  readonly row: number
  /** What stood in the account before its first row, by the balance of that row. */
  readonly before: Written
}

/** A heading of an account that has sub-accounts, and what these begin with. */
export interface StatedHeading {
  readonly row: number
  readonly label: string
  readonly section: number
  readonly stated: number
  readonly expected: Written
}

/** The balances beside lines that do not continue, in one section, or of one account where there are no sections. */
export interface BrokenChain {
  readonly label: string
  readonly of: number | string
  readonly breaks: { readonly [sign in BalanceSign]: readonly Break[] }
}

/** What was found of the balances beside lines. */
export interface FollowedLines {
  /** Balances that only one of the two signs explains. */
  readonly votes: Written
  readonly implied: readonly Implied[]
  /** Balances beside lines, and those that do not continue. */
  readonly rows: number
  readonly broken: Written
  readonly chains: readonly BrokenChain[]
}

export interface FollowedBalances extends FollowedLines {
  readonly headings: readonly StatedHeading[]
  readonly totals: readonly StatedTotal[]
}

/** Fewer rows do not show whether the column is a running balance: each that does not continue is a mistake. */
const FEW = 10

/** Whether the column is a running balance at all: some lists state one of another order, or of all accounts. */
const isRunning = ({ rows, broken }: FollowedBalances, sign: BalanceSign): boolean =>
  rows < FEW || broken[sign] * 2 <= rows

/** What no row brings forward, although the balance of the first row has it. */
export function impliedOpenings(
  balances: FollowedBalances,
  sign: BalanceSign,
): readonly { readonly id: string; readonly stated: Stated }[] {
  if (!isRunning(balances, sign)) return []
  return balances.implied.flatMap(({ id, row, before }) =>
    before[sign] === 0 ? [] : [{ id, stated: { minor: before[sign], isSigned: false, row } }],
  )
}

/** A warning where the balances beside the lines are not running balances; else null. */
export const notFollowed = (
  balances: FollowedBalances,
  sign: BalanceSign,
  { file, column }: Place,
): Finding | null =>
  isRunning(balances, sign)
    ? null
    : warning(
        'balances-not-checked',
        'the balances beside the lines do not continue from row to row, and are not checked',
        {
          file,
          column,
          remedy: 'export the report in its usual order, grouped by account, without sorting its rows',
        },
      )

export function balanceDifferences(
  balances: FollowedBalances,
  sections: Sections,
  sign: BalanceSign,
  place: Place,
): Difference[] {
  const { money } = place
  return [
    ...(isRunning(balances, sign) ? balances.chains : []).flatMap(({ label, of, breaks }) =>
      breaks[sign].map(({ row, stated, expected }) =>
        differs(
          'balance-differs',
          `${label} stands at ${money(stated)} in row ${row}; what it brings forward and its entries make ${money(expected)}`,
          { row, stated, expected, of: [of] },
          place,
        ),
      ),
    ),
    ...balances.headings.flatMap(({ section, row, label, stated, expected: { [sign]: expected } }) => {
      if (expected === stated) return []
      const message = `${label} begins with ${money(stated)}; its sub-accounts begin with ${money(expected)} together`
      const of = sections.inside(section)
      return [differs('balance-differs', message, { row, stated, expected, of }, place)]
    }),
    ...balances.totals.flatMap(({ row, label, section, stated, own, expected: { [sign]: expected } }) => {
      if (expected === stated || own?.[sign] === stated) return []
      const message = `${label} is stated to end with ${money(stated)}; what its accounts bring forward and their entries make ${money(expected)}`
      const of = section === null ? null : sections.inside(section)
      return [differs('total-differs', message, { row, stated, expected, of }, place)]
    }),
  ]
}

export interface Place {
  readonly file: string
  readonly column: string | null
  readonly money: (minor: number) => string
}

function differs(
  code: FindingCode,
  message: string,
  { row, stated, expected, of }: Break & Pick<Difference, 'of'>,
  { file, column, money }: Place,
): Difference {
  const found = error(code, message, { file, row, column, text: money(stated), remedy: CHANGED })
  return differing(found, stated - expected, of)
}

const CHANGED = 'rows are missing or were changed: export the report again'
