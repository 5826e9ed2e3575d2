/**
 * Finds out which lines form an entry where the file does not state it reliably: lines are grouped by names from
 * fine to coarse, and the finest grouping that balances is used, so that no line is lost or counted twice.
 */
import { present } from '../../contract/present.ts'

const numberAt = (column: readonly number[], at: number): number => present(column[at], 'group of lines')

export interface Unbalanced {
  /** The name of its coarsest group. */
  readonly name: string
  readonly row: number
  readonly minor: number
}

/** A group of lines that does not balance yet, with the coarser groups that contain it, the next one first. */
interface OpenGroup {
  readonly name: string
  readonly coarser: readonly string[]
  readonly coarsest: string
  readonly minor: number
  readonly row: number
}

/** Groups with the sums of their lines, as {@link Entries.add} was told them; `row` is that of the first line. */
export interface GroupedLines {
  readonly names: readonly string[]
  readonly minor: Float64Array
  readonly unsigned: Float64Array
  readonly row: Float64Array
}

export class Entries {
  readonly #coarserOf: (finest: string) => readonly string[]
  /** Finest name → index into the columns below; arrays, since a year of a large company has millions of entries. */
  readonly #groups = new Map<string, number>()
  #minor: number[] = []
  /** Sums of lines whose sign is only known at the end. */
  #unsigned: number[] = []
  #row: number[] = []
  /** Finest name → the coarser group in which its lines count. */
  readonly #merged = new Map<string, string>()

  /** `coarserOf` returns the names of the coarser groups that contain a finest one, the next one first. */
  constructor(coarserOf: (finest: string) => readonly string[]) {
    this.#coarserOf = coarserOf
  }

  add(finest: string, row: number, minor: number, unsigned = 0): void {
    const at = this.#groups.get(finest)
    if (at === undefined) {
      this.#groups.set(finest, this.#minor.length)
      this.#minor.push(minor)
      this.#unsigned.push(unsigned)
      this.#row.push(row)
      return
    }
    this.#minor[at] = numberAt(this.#minor, at) + minor
    this.#unsigned[at] = numberAt(this.#unsigned, at) + unsigned
  }

  /** The lines of some rows, to be added elsewhere. */
  grouped = (): GroupedLines => ({
    names: [...this.#groups.keys()],
    minor: Float64Array.from(this.#minor),
    unsigned: Float64Array.from(this.#unsigned),
    row: Float64Array.from(this.#row),
  })

  addAll({ names, minor, unsigned, row }: GroupedLines): void {
    for (const [i, name] of names.entries())
      this.add(name, present(row[i], 'row'), present(minor[i], 'sum'), present(unsigned[i], 'sum'))
  }

  /**
   * Joins groups that do not balance, level by level, and returns those that remain. Call it once, after the last
   * line. `sign` is the sign of lines without one.
   */
  settle(sign: 1 | -1 = 1): Unbalanced[] {
    let open: OpenGroup[] = []
    let levels = 0
    for (const [name, at] of this.#groups) {
      const minor = numberAt(this.#minor, at) + sign * numberAt(this.#unsigned, at)
      if (minor === 0) continue
      const coarser = this.#coarserOf(name)
      levels = Math.max(levels, coarser.length)
      open.push({ name, coarser, coarsest: coarser.at(-1) ?? name, minor, row: numberAt(this.#row, at) })
    }
    this.#groups.clear()
    this.#minor = []
    this.#unsigned = []
    this.#row = []

    for (let level = 0; level < levels; level++) {
      const joined = new Map<string, number>()
      for (const { name, coarser, minor } of open) {
        const group = coarser[level]
        if (group === undefined) continue
        joined.set(group, (joined.get(group) ?? 0) + minor)
        this.#merged.set(name, group)
      }
      open = open.filter(({ coarser, coarsest }) => joined.get(coarser[level] ?? coarsest) !== 0)
    }
    const left = new Map<string, Unbalanced>()
    for (const { coarsest: name, minor, row } of open) {
      const known = left.get(name)
      left.set(name, { name, row: known?.row ?? row, minor: (known?.minor ?? 0) + minor })
    }
    return [...left.values()]
  }

  /** Finest name → the coarser group in which its lines count, where it does not balance by itself. */
  get merged(): ReadonlyMap<string, string> {
    return this.#merged
  }

  /** The number of finest groups that count in a coarser one. */
  get joined(): number {
    return this.#merged.size
  }

  /** The coarser group in which the lines of a finest one count; undefined where it balances by itself. */
  mergedOf = (finest: string): string | undefined => this.#merged.get(finest)
}
