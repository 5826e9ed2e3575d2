/** Mistakes that were told already, by the amounts that they are off by: what differs by just these is their consequence. */

/** So many sums are kept; beyond, each of the others counts by itself alone. */
const MOST = 4096

export class KnownDifferences {
  /** What correcting one or several of them would add somewhere. */
  readonly #sums = new Set<number>([0])

  constructor(differences: readonly number[] = []) {
    differences.forEach(this.add)
  }

  /** Of an entry, or of openings: debits minus credits. */
  add = (off: number): void => {
    for (const sum of this.#sums.size < MOST ? [...this.#sums] : [0]) this.#sums.add(sum - off)
  }

  get isEmpty(): boolean {
    return this.#sums.size === 1
  }

  /** What is stated, less what was found, is nothing, or what correcting them adds. */
  explain = (difference: number): boolean => this.#sums.has(difference)

  /** The same of a figure that may be in the sign of its own side. */
  explainEither = (difference: number): boolean => this.explain(difference) || this.explain(0 - difference)
}
