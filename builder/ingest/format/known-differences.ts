/**
 * Amounts of mistakes that were reported already: a control total that differs by exactly these is their
 * consequence, and is not reported again.
 */

import type { Finding } from '../../workspace/findings/finding.ts'
import type { Differing } from './intake.ts'

/** Sums of several mistakes are kept up to this number; further mistakes are only considered one by one. */
const MOST = 4096

export class KnownDifferences {
  /** What a control total changes by when one or several of the mistakes are corrected. */
  readonly #sums = new Set<number>([0])

  constructor(differences: readonly number[] = []) {
    differences.forEach(this.add)
  }

  /** Adds a mistake by debits minus credits of an entry or of openings. */
  add = (off: number): void => {
    for (const sum of this.#sums.size < MOST ? [...this.#sums] : [0]) this.#sums.add(sum - off)
  }

  get isEmpty(): boolean {
    return this.#sums.size === 1
  }

  /** Whether the stated figure minus the sum found is zero, or equals what correcting mistakes would add. */
  explain = (difference: number): boolean => this.#sums.has(difference)

  /** The same for a figure that may have either sign. */
  explainEither = (difference: number): boolean => this.explain(difference) || this.explain(0 - difference)
}

/** Of figures that contradict rows of their own, those that differ by the amount (minor units), whichever side it is on. */
export const differingBy = (differing: readonly Differing[], amount: number): readonly Finding[] =>
  differing.flatMap(({ off, finding, isOfAll = false }) =>
    Math.abs(off) === Math.abs(amount) && !isOfAll ? [finding] : [],
  )

/** The finding at the place, and with the words, of the first figure that shows where the mistake is. */
export function withEvidence(found: Finding, [evidence]: readonly Finding[]): Finding {
  if (evidence === undefined) return found
  const { file, row, column } = evidence
  return { ...found, message: `${found.message}; ${evidence.message}`, file, row, column }
}
