/**
 * Figures that a report states of itself and that do not agree with its lines. One mistake shows in several places: in the
 * balance below the line, in the account's total, and in the totals above that. It is reported once, at the narrowest place.
 */

import { LISTED, moreOf } from '../../../../workspace/cap-findings.ts'
import type { Finding } from '../../../../workspace/finding.ts'
import type { Differing } from '../../../format/intake.ts'
import { KnownDifferences } from '../../../format/known-differences.ts'

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

/** A balance that is followed from row to row. */
export class RunningBalance {
  #value: number
  /** What it is if the last balance that differed was wrong itself, instead of the lines before it. */
  #other: number

  constructor(value = 0) {
    this.#value = value
    this.#other = value
  }

  get value(): number {
    return this.#value
  }

  set = (value: number): void => {
    this.#value = value
    this.#other = value
  }

  move(by: number): void {
    this.#value += by
    this.#other += by
  }

  follows = (stated: number): boolean => stated === this.#value || stated === this.#other

  /** Continues from the balance that is stated, whether it follows or not. */
  goOn(stated: number): void {
    this.#other = this.follows(stated) ? stated : this.#value
    this.#value = stated
  }
}

export const differing = (finding: Finding, off: number, of: Difference['of']): Difference => ({
  finding,
  off,
  of,
})
