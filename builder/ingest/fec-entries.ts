/**
 * Which lines of a FEC are one entry. By rule EcritureNum says so; some programs write 0 on every line, or begin anew
 * each month or day. The finest grouping that balances is taken, so that no line is lost and none counts twice.
 */
import type { FecLine } from './fec-parse.ts'

export interface Unbalanced {
  readonly name: string
  readonly row: number
  readonly minor: number
}

/**
 * A group's name: the kind of entry, then journal, number and day, or journal, day and document. Parts are joined by a
 * character that no cell holds.
 */
const SEPARATOR = '\u0001'
const NUMBERED = 'n'
const UNNUMBERED = 'u'
const nameOf = (...parts: readonly string[]): string => parts.join(SEPARATOR)
const shown = (name: string): string =>
  name
    .split(SEPARATOR)
    .slice(1)
    .filter((part) => part !== '')
    .join(' ')

/** The finest group of a line. */
const finestOf = ({ journal, number, date, document }: FecLine): string =>
  number === '' ? nameOf(UNNUMBERED, journal, date, document) : nameOf(NUMBERED, journal, number, date)

/** The coarser groups that it is a part of, the next one first: the number on any day; or the day, then the month. */
function coarserOf(finest: string): readonly [string, ...string[]] {
  const [kind, journal, second] = finest.split(SEPARATOR) as [string, string, string]
  const next = nameOf(kind, journal, second)
  return kind === NUMBERED ? [next] : [next, nameOf(kind, journal, second.slice(0, 7))]
}

export class Entries {
  /** Finest name → place in the columns below: a year of a large company has millions of entries. */
  readonly #groups = new Map<string, number>()
  #minor: number[] = []
  #row: number[] = []
  /** Finest name → the coarser one that its lines count under. */
  readonly #merged = new Map<string, string>()
  /** Numbers that stand for entries of several days. */
  readonly #repeated = new Set<string>()

  add(line: FecLine): void {
    const finest = finestOf(line)
    const minor = line.debit - line.credit
    const at = this.#groups.get(finest)
    if (at !== undefined) {
      this.#minor[at]! += minor
      return
    }
    this.#groups.set(finest, this.#minor.length)
    this.#minor.push(minor)
    this.#row.push(line.row)
  }

  /** Joins what does not balance, level by level; what is left is told. Call once, after the last line. */
  settle(): Unbalanced[] {
    const days = new Set<string>()
    let open: { readonly names: readonly string[]; readonly minor: number; readonly row: number }[] = []
    for (const [name, at] of this.#groups) {
      const [next, ...coarser] = coarserOf(name)
      if (coarser.length === 0) {
        if (days.has(next)) this.#repeated.add(next)
        days.add(next)
      }
      const minor = this.#minor[at]!
      if (minor !== 0) open.push({ names: [name, next, ...coarser], minor, row: this.#row[at]! })
    }
    this.#groups.clear()
    this.#minor = []
    this.#row = []

    for (let level = 1; level <= 2; level++) {
      const joined = new Map<string, number>()
      for (const { names, minor } of open) {
        const name = names[level]
        if (name !== undefined) joined.set(name, (joined.get(name) ?? 0) + minor)
      }
      for (const { names } of open) {
        const name = names[level]
        if (name !== undefined) this.#merged.set(names[0]!, name)
      }
      open = open.filter(({ names }) => joined.get(names[level] ?? names.at(-1)!) !== 0)
    }
    const left = new Map<string, Unbalanced>()
    for (const { names, minor, row } of open) {
      const name = names.at(-1)!
      const known = left.get(name)
      left.set(name, { name: shown(name), row: known?.row ?? row, minor: (known?.minor ?? 0) + minor })
    }
    return [...left.values()]
  }

  /** The entry that a line belongs to, as people can find it: `VEN 12`, or `VEN 2025-01-31 F-17`. */
  idOf(line: FecLine): string {
    const finest = finestOf(line)
    const merged = this.#merged.get(finest)
    if (merged !== undefined) return shown(merged)
    if (line.number === '') return shown(finest)
    const [number] = coarserOf(finest)
    return shown(this.#repeated.has(number) ? finest : number)
  }
}
