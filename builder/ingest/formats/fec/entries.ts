/**
 * Which lines of a FEC are one entry. By rule those with one EcritureNum are; some programs write 0 on every line, or begin anew
 * each month or day. The finest grouping that balances is taken, so that no line is lost and none counts twice.
 */
import { Entries, type Unbalanced } from '../../format/entries.ts'
import type { FecLine } from './parse.ts'

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

/** The coarser groups that a finest one is a part of, the next one first: the number on any day; or the day, then the month. */
function coarserOf(finest: string): readonly [string, ...string[]] {
  const [kind = '', journal = '', second = ''] = finest.split(SEPARATOR)
  const next = nameOf(kind, journal, second)
  return kind === NUMBERED ? [next] : [next, nameOf(kind, journal, second.slice(0, 7))]
}

export class FecEntries {
  readonly #entries = new Entries(coarserOf)
  /** Numbers that stand for entries of several days. */
  readonly #repeated = new Set<string>()

  /** Journals and numbers, or journals alone, that lack a line; null where any entry may lack one. */
  #doubtful: Set<string> | null = new Set<string>()

  add = (line: FecLine): void => this.#entries.add(finestOf(line), line.row, line.debit - line.credit)

  /** A line of this entry could not be read, so that what it would add is not known: the line is reported, not the entry. */
  doubt(entry: Pick<FecLine, 'journal' | 'number'> | null): void {
    if (entry === null || entry.journal === '') this.#doubtful = null
    // Without numbers an entry is known by day and document, which the line may not state: any entry of the journal may lack it.
    else this.#doubtful?.add(entry.number === '' ? entry.journal : nameOf(entry.journal, entry.number))
  }

  /**
   * `left`: entries that balance in no grouping, and whose lines could all be read. `open`: names of unbalanced entries that may
   * lack a line, since a line that could not be read does not say its entry. Call once, after the last line.
   */
  settle(): { readonly left: readonly Unbalanced[]; readonly open: readonly string[] } {
    const days = new Set<string>()
    const left = this.#entries.settle(1, (name) => {
      const [next, ...coarser] = coarserOf(name)
      if (coarser.length > 0) return
      if (days.has(next)) this.#repeated.add(next)
      days.add(next)
    })
    const doubtful = this.#doubtful
    const lacks = ({ name }: Unbalanced): 'a line' | 'perhaps' | 'nothing' => {
      const [, journal = '', second = ''] = name.split(SEPARATOR)
      if (doubtful?.has(nameOf(journal, second))) return 'a line'
      return doubtful === null || doubtful.has(journal) ? 'perhaps' : 'nothing'
    }
    const named = left.map((group) => ({ ...group, lacks: lacks(group), name: shown(group.name) }))
    return {
      left: named.filter((group) => group.lacks === 'nothing'),
      open: named.flatMap((group) => (group.lacks === 'perhaps' ? [group.name] : [])),
    }
  }

  /** Whether the number of a line belongs to one entry of its journal: it is not 0, and is used on one day only. Call after `settle`. */
  isUnique = ({ journal, number }: FecLine): boolean =>
    !/^0*$/.test(number) && !this.#repeated.has(nameOf(NUMBERED, journal, number))

  /** The entry that a line belongs to, as people can find it: `VEN 12`, or `VEN 2025-01-31 F-17`. */
  idOf(line: FecLine): string {
    const finest = finestOf(line)
    const merged = this.#entries.mergedOf(finest)
    if (merged !== undefined) return shown(merged)
    if (line.number === '') return shown(finest)
    const [number] = coarserOf(finest)
    return shown(this.#repeated.has(number) ? finest : number)
  }
}
