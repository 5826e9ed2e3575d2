/**
 * Projects what was found wrong in a sample by monetary units onto the population: `tieout sample evaluate` (AICPA, *Audit Sampling*,
 * chapter 6). Amounts are minor units.
 */
import { factorFor } from './gamma.ts'

export interface Audited {
  readonly id: string
  readonly book: bigint
  readonly audited: bigint
  /** Taken for its size: what is wrong in it stands for itself. */
  readonly isKey: boolean
}

export interface Projection {
  readonly items: number
  readonly wrong: number
  /** Overstatements are positive. */
  readonly known: bigint
  readonly projected: bigint
  /** What misstatement there may be beyond the projected one: the basic precision and the increments. */
  readonly allowance: bigint
  /** The upper limit of overstatement at the confidence: projected and allowance. */
  readonly limit: bigint
  readonly isTolerable: boolean
}

/**
 * Each item below the interval stands for one interval: its misstatement ÷ its amount is the share of that interval that is wrong. Wrong
 * items below are ordered by that share, the largest first, for the increments. Understatements lower the projected
 * misstatement, but not the limit, and are to be looked at apart.
 */
export function projected(
  items: readonly Audited[],
  interval: bigint,
  tolerable: bigint,
  confidence: number,
): Projection {
  const wrong = items.filter(({ book, audited }) => book !== audited)
  const keys = wrong.filter(({ isKey }) => isKey).map(({ book, audited }) => book - audited)
  const total = (of: readonly bigint[]): bigint => of.reduce((so, each) => so + each, 0n)
  const known = total(wrong.map(({ book, audited }) => book - audited))
  const shares = wrong
    .filter(({ isKey }) => !isKey)
    .map(({ book, audited }) => Number(book - audited) / Number(book))
  const over = shares.filter((share) => share > 0).sort((a, b) => b - a)
  const money = (of: number): bigint => BigInt(Math.round(of * Number(interval)))
  const sum = (of: readonly number[]): number => of.reduce((so, each) => so + each, 0)
  const basic = factorFor(confidence, 0)
  const increments = over.map(
    (share, i) => share * (factorFor(confidence, i + 1) - factorFor(confidence, i) - 1),
  )
  const allowance = money(basic + sum(increments))
  const limit = total(keys.filter((each) => each > 0n)) + money(sum(over)) + allowance
  return {
    ...{ items: items.length, wrong: wrong.length, known },
    projected: total(keys) + money(sum(shares)),
    ...{ allowance, limit, isTolerable: limit <= tolerable },
  }
}
