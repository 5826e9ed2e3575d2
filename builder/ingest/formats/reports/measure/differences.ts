/**
 * Figures that a report states of itself and that do not agree with its lines. One mistake shows in several places: in the
 * balance below the line, in the account's total, and in the totals above that. It is reported once, at the narrowest place.
 */

import { LISTED, moreOf } from '../../../../workspace/findings/cap-findings.ts'
import { error, type Finding, warning } from '../../../../workspace/findings/finding.ts'
import type { Differing } from '../../../format/intake.ts'
import { KnownDifferences } from '../../../format/known-differences.ts'
import type { BalanceSign, Stated, Written } from './sums.ts'

export interface Difference extends Differing {
  /** The sections, or accounts, that the figure is the sum of; null: of all. */
  readonly of: readonly (number | string)[] | null
}

/** Where a file was read in a wrong form, all of its figures may differ. */
const MOST = 2000

/** The differences that others do not explain, those of the narrowest sums first. */
export function oncePerMistake(differences: readonly Difference[]): Differing[] {
  const found: Difference[] = []
  const width = ({ of }: Difference): number => of?.length ?? Number.POSITIVE_INFINITY
  for (const each of differences.slice(0, MOST).toSorted((a, b) => width(a) - width(b) || 0)) {
    const inside = new Set(each.of)
    const known = new KnownDifferences()
    for (const { of, off } of found)
      if (each.of === null || of?.every((part) => inside.has(part))) known.add(0 - off)
    if (!known.explainEither(each.off)) found.push(each.of === null ? { ...each, isOfAll: true } : each)
  }
  const [first] = found
  const next = found[LISTED]
  if (first === undefined || next === undefined) return found
  return [...found.slice(0, LISTED), { finding: moreOf(first.finding, found.length - LISTED), off: next.off }]
}

export interface Break {
  readonly row: number
  readonly stated: number
  readonly expected: number
}

/** A balance in the heading of a parent, or in a total. */
export interface StatedBalance {
  readonly kind: 'heading' | 'total'
  readonly row: number
  readonly label: string
  readonly stated: number
  /** Each of them is right: with sub-accounts, and without. */
  readonly expected: readonly Written[]
  readonly of: Difference['of']
}

export interface Implied {
  readonly id: string
  readonly row: number
  /** What stood in the account before its first row, by the balance of that row. */
  readonly before: Written
}

export interface FollowedBalances {
  /** Balances that only one of the two signs explains. */
  readonly votes: Written
  readonly implied: readonly Implied[]
  /** Balances beside lines, and those that do not continue. */
  readonly rows: number
  readonly broken: Written
  /** The program is known to write running balances. */
  readonly isMarked: boolean
  /** Sections, or accounts where there are no sections, whose balances do not continue. */
  readonly chains: readonly {
    readonly label: string
    readonly key: number | string
    readonly breaks: { readonly [sign in BalanceSign]: readonly Break[] }
  }[]
  readonly stated: readonly StatedBalance[]
}

/** Fewer rows do not show whether the column is a running balance: each that does not continue is a mistake. */
const FEW = 10

/** Whether the column is a running balance at all: some lists state one of another order, or of all accounts. */
const isRunning = ({ rows, broken, isMarked }: FollowedBalances, sign: BalanceSign): boolean =>
  isMarked || rows < FEW || broken[sign] * 2 <= rows

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

export interface Place {
  readonly file: string
  readonly column: string | null
  readonly money: (minor: number) => string
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

/** Balances that do not follow from what is brought forward and the lines, once their sign is known. */
export function balanceDifferences(
  balances: FollowedBalances,
  sign: BalanceSign,
  { file, column, money }: Place,
): Difference[] {
  const differs = (
    code: 'balance-differs' | 'total-differs',
    message: string,
    { row, stated, expected }: Break,
    of: Difference['of'],
  ): Difference => ({
    finding: error(code, message, { file, row, column, text: money(stated), remedy: CHANGED }),
    off: stated - expected,
    of,
  })
  const broken = (isRunning(balances, sign) ? balances.chains : []).flatMap(({ label, key, breaks }) =>
    breaks[sign].map((found) =>
      differs(
        'balance-differs',
        `${label} stands at ${money(found.stated)} in row ${found.row}; what it brings forward and its entries make ${money(found.expected)}`,
        found,
        [key],
      ),
    ),
  )
  const others = balances.stated.flatMap(({ kind, label, row, stated, expected: all, of }) => {
    const expected = all[0]?.[sign] ?? stated
    if (all.some((each) => each[sign] === stated)) return []
    return kind === 'heading'
      ? [
          differs(
            'balance-differs',
            `${label} begins with ${money(stated)}; its sub-accounts begin with ${money(expected)} together`,
            { row, stated, expected },
            of,
          ),
        ]
      : [
          differs(
            balances.isMarked ? 'balance-differs' : 'total-differs',
            `${label} is stated to end with ${money(stated)}; what its accounts bring forward and their entries make ${money(expected)}`,
            { row, stated, expected },
            of,
          ),
        ]
  })
  return [...broken, ...others]
}

export const CHANGED =
  'rows are missing or were changed: export the report again, whole, and change nothing in the file'
