/**
 * Which lines of a FEC are one entry. By rule EcritureNum says so; some programs write 0 on every line, or begin anew
 * each month or day. The finest grouping that balances is taken, so that no line is lost and none counts twice.
 */
import type { FecLine } from './fec-parse.ts'

/** The parts of a group's name, from coarse to fine: journal and number and date, or journal, month, date and document. */
interface Group {
  minor: number
  readonly row: number
  /** Names of the coarser groups that it is a part of, the next one first. */
  readonly within: readonly string[]
}

export interface Unbalanced {
  readonly name: string
  readonly row: number
  readonly minor: number
}

/** Parts are joined by a character that `cleaned` leaves in no cell. */
const SEPARATOR = '\u0001'
const nameOf = (...parts: readonly string[]): string => parts.join(SEPARATOR)
const shown = (name: string): string =>
  name
    .split(SEPARATOR)
    .filter((part) => part !== '')
    .join(' ')

/** The names of a line's groups, the finest first. */
function namesOf({ journal, number, date, document }: FecLine): readonly [string, ...string[]] {
  if (number !== '') return [nameOf(journal, number, date), nameOf(journal, number)]
  return [nameOf(journal, date, document), nameOf(journal, date), nameOf(journal, date.slice(0, 7))]
}

export class Entries {
  readonly #groups = new Map<string, Group>()
  /** Finest name → the coarser one that its lines count under. */
  readonly #merged = new Map<string, string>()
  /** Numbers that stand for entries of several days. */
  readonly #repeated = new Set<string>()

  add(line: FecLine): void {
    const [finest, ...within] = namesOf(line)
    const group = this.#groups.get(finest)
    const minor = line.debit - line.credit
    if (group === undefined) this.#groups.set(finest, { minor, row: line.row, within })
    else group.minor += minor
  }

  /** Joins what does not balance, level by level; what is left is told. Call once, after the last line. */
  settle(): Unbalanced[] {
    const days = new Map<string, number>()
    let open: { readonly names: readonly string[]; readonly minor: number; readonly row: number }[] = []
    for (const [name, { minor, row, within }] of this.#groups) {
      if (within.length === 1) days.set(within[0]!, (days.get(within[0]!) ?? 0) + 1)
      if (minor !== 0) open.push({ names: [name, ...within], minor, row })
    }
    for (const [number, count] of days) if (count > 1) this.#repeated.add(number)
    this.#groups.clear()

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
    const [finest, coarser] = namesOf(line)
    const merged = this.#merged.get(finest)
    if (merged !== undefined) return shown(merged)
    return shown(line.number === '' || this.#repeated.has(coarser!) ? finest : coarser!)
  }
}
