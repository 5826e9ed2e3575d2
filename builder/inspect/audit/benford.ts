/**
 * Compares the first two digits of amounts with Benford's law, account by account (Nigrini, *Benford's Law*, 2012, chapters 5 and 7). One
 * side of each entry is looked at, the debits, and amounts of ten and more, since smaller ones have no two digits before the point.
 */
import { decimalsOf } from '../../books/reference/frame.ts'
import type { AuditedLines } from './lines.ts'

/** Fewer amounts give no verdict: chance alone moves them farther than the limits. */
export const LEAST_AMOUNTS = 1000
/** Nigrini's limits of the mean absolute deviation for the first two digits. */
const CLOSE = 0.0012
const ACCEPTABLE = 0.0018
const MARGINAL = 0.0022
/** Chi-squared with 89 degrees of freedom, 5 %. */
export const CHI_SQUARED_LIMIT = 112.02
/** Of the normal distribution, two-sided, 5 %. */
const Z_LIMIT = 1.96
const MOST_DIGITS = 3

export type Conformity = 'close' | 'acceptable' | 'marginal' | 'none'

export interface DigitCount {
  /** 10 to 99. */
  readonly digits: number
  readonly amounts: number
  /** How many the law expects, to one decimal. */
  readonly expected: number
  readonly z: number
}

export interface Benford {
  /** Null for all accounts together. */
  readonly account: string | null
  readonly amounts: number
  /** Mean absolute deviation of the shares, to six decimals. */
  readonly deviation: number
  /** To two decimals; see {@link CHI_SQUARED_LIMIT}. */
  readonly chiSquared: number
  /** By the deviation; null below {@link LEAST_AMOUNTS}. */
  readonly conformity: Conformity | null
  /** The digits that occur most beyond what chance explains. */
  readonly most: readonly DigitCount[]
}

const DIGITS = Array.from({ length: 90 }, (_, i) => i + 10)
const shareOf = (digits: number): number => Math.log10(1 + 1 / digits)
const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals))

/** Counts of the digits 10 to 99 → what the law says of them. */
export function benfordOf(account: string | null, counts: ReadonlyMap<number, number>): Benford {
  const amounts = DIGITS.reduce((sum, digits) => sum + (counts.get(digits) ?? 0), 0)
  const each = DIGITS.map((digits): DigitCount => {
    const found = counts.get(digits) ?? 0
    const expected = amounts * shareOf(digits)
    const spread = Math.sqrt(expected * (1 - shareOf(digits)))
    // The correction for continuity is left out where it is larger than the difference (Nigrini, equation 7.1).
    const far = Math.abs(found - expected)
    const z = Math.sign(found - expected) * ((far > 0.5 ? far - 0.5 : far) / spread)
    return { digits, amounts: found, expected: rounded(expected, 1), z: rounded(z, 2) }
  })
  const deviation =
    DIGITS.reduce((sum, digits) => sum + Math.abs((counts.get(digits) ?? 0) / amounts - shareOf(digits)), 0) /
    90
  const chiSquared = DIGITS.reduce((sum, digits) => {
    const expected = amounts * shareOf(digits)
    return sum + ((counts.get(digits) ?? 0) - expected) ** 2 / expected
  }, 0)
  return {
    account,
    amounts,
    deviation: rounded(deviation, 6),
    chiSquared: rounded(chiSquared, 2),
    conformity: amounts < LEAST_AMOUNTS ? null : conformityOf(deviation),
    most: each
      .filter(({ z }) => z > Z_LIMIT)
      .sort((a, b) => b.z - a.z)
      .slice(0, MOST_DIGITS),
  }
}

const conformityOf = (deviation: number): Conformity =>
  deviation <= CLOSE
    ? 'close'
    : deviation <= ACCEPTABLE
      ? 'acceptable'
      : deviation <= MARGINAL
        ? 'marginal'
        : 'none'

/** All such amounts together, then account by account, those with most of them first. Nothing where there are none. */
export async function benfordByAccount({ db, frame }: AuditedLines): Promise<Benford[]> {
  const found = await db.rows<{ account: string | null; digits: number; amounts: string }>(
    `SELECT account, left(amount::VARCHAR, 2)::INTEGER AS digits, count(*)::VARCHAR AS amounts FROM line
     WHERE amount >= ${10 ** (decimalsOf(frame) + 1)} GROUP BY GROUPING SETS ((account, digits), (digits)) ORDER BY ALL`,
  )
  const byAccount = new Map<string | null, Map<number, number>>()
  for (const { account, digits, amounts } of found) {
    const counts = byAccount.get(account) ?? new Map<number, number>()
    byAccount.set(account, counts.set(digits, Number(amounts)))
  }
  return [...byAccount]
    .map(([account, counts]) => benfordOf(account, counts))
    .sort((a, b) => Number(b.account === null) - Number(a.account === null) || b.amounts - a.amounts)
}
