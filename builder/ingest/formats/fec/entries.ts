/**
 * Which lines of a FEC are one entry. By rule those with one EcritureNum are; some programs write 0 on every line, or begin anew
 * each month or day. The finest grouping that balances is taken, so that no line is lost and none counts twice.
 */
import { joinUnbalanced, type Unbalanced } from '../../format/entries.ts'
import { ContentHash } from '../../text/content-hash.ts'
import { NumberIndex } from '../../text/number-index.ts'
import type { FecLine } from './parse.ts'
import { type Repeated, RepeatedEntries } from './repeats.ts'

/**
 * A group's name: the kind of entry, then journal, number and day, or journal, day and document. Parts are joined by a
 * character that no cell holds.
 */
const SEPARATOR = '\u0001'
const NUMBERED = 'n'
const UNNUMBERED = 'u'
const nameOf = (...parts: readonly string[]): string => parts.join(SEPARATOR)
const partsOf = (name: string): readonly string[] => name.split(SEPARATOR).slice(1)
/** As people read it. */
const listed = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')
const shown = (name: string): string => listed(...partsOf(name))

type Named = Pick<FecLine, 'journal' | 'number' | 'date' | 'document'>

const isSameGroup = (one: Named, other: Named): boolean =>
  one.number === other.number &&
  one.date === other.date &&
  one.journal === other.journal &&
  (one.number !== '' || one.document === other.document)

/** The group of all lines with one number, whatever their day. */
const numberOf = ({ journal, number }: Pick<Named, 'journal' | 'number'>): string =>
  nameOf(NUMBERED, journal, number)

/** The finest group of a line. */
const finestOf = (line: Named): string =>
  line.number === ''
    ? nameOf(UNNUMBERED, line.journal, line.date, line.document)
    : nameOf(numberOf(line), line.date)

/** The coarser groups that a finest one is a part of, the next one first: the number on any day; or the day, then the month. */
function coarserOf(finest: string): readonly [string, ...string[]] {
  const [kind = '', journal = '', second = ''] = finest.split(SEPARATOR)
  const next = nameOf(kind, journal, second)
  return kind === NUMBERED ? [next] : [next, nameOf(kind, journal, second.slice(0, 7))]
}

/** What stands in the place of a number where the lines have none. */
const NONE = -1

/** The hashes of a line's number, or {@link NONE}, and of its finest group. */
function hashesOf(line: Named): { readonly number: number; readonly finest: number } {
  if (line.number === '') return { number: NONE, finest: new ContentHash().add(finestOf(line)).value }
  const hash = new ContentHash().add(line.journal).add(line.number)
  return { number: hash.value, finest: hash.add(line.date).value }
}

/** How lines name their entries. */
export interface EntryNames {
  /** Finest name → the coarser group in which its lines count, where they do not balance by themselves. */
  readonly merged: ReadonlyMap<string, string>
  /** Hashes of journals and numbers that stand for entries of several days. */
  readonly repeated: ReadonlySet<number>
}

/** What the entries of a whole file are. */
export interface SettledEntries {
  /** Entries that balance in no grouping, and whose lines could all be read. */
  readonly left: readonly Unbalanced[]
  /** Names of unbalanced entries that may lack a line, since a line that could not be read does not say its entry. */
  readonly open: readonly string[]
  /** Entries that stand there again, in the order of the file. */
  readonly again: readonly Repeated[]
  readonly names: EntryNames
}

interface OpenGroup {
  readonly name: string
  minor: number
}

/** Lines of one entry that stand together. */
interface Stretch {
  readonly line: FecLine
  readonly group: number
  minor: number
}

/** Groups the lines of a file. A group is known by the hash of its name, so that the names of most need not be kept. */
export class FecEntries {
  /** Journal and number → their first group. Most have no other, so that finding the number finds the group. */
  readonly #numbered = new NumberIndex()
  /** Name → group, of those without number and those of a number on a further day. */
  readonly #others = new NumberIndex()
  /** Of each group the hash of its name, and its first line. */
  readonly #hashes: number[] = []
  readonly #rows: number[] = []
  /** Groups that do not balance so far. */
  readonly #open = new Map<number, OpenGroup>()
  readonly #repeated = new Set<number>()
  readonly #repeats = new RepeatedEntries()
  /** Journals and numbers, or journals alone, that lack a line; null where any entry may lack one. */
  #doubtful: Set<string> | null = new Set<string>()
  /** Lines of one entry mostly stand together. */
  #last: Stretch | null = null

  add(line: FecLine): void {
    if (this.#last === null || !isSameGroup(this.#last.line, line)) this.#last = this.#begin(line)
    const last = this.#last
    last.minor += line.debit - line.credit
    if (line.number !== '') this.#repeats.add(last.group, line)
  }

  #begin(line: FecLine): Stretch {
    this.#end()
    const { number, finest } = hashesOf(line)
    const group = this.#find(this.#hashes.length, finest, number)
    if (group === this.#hashes.length) {
      this.#hashes.push(finest)
      this.#rows.push(line.row)
    }
    return { line, group, minor: 0 }
  }

  #end(): void {
    if (this.#last === null || this.#last.minor === 0) return
    const { line, group, minor } = this.#last
    const open = this.#open.get(group)
    if (open === undefined) this.#open.set(group, { name: finestOf(line), minor })
    else {
      open.minor += minor
      if (open.minor === 0) this.#open.delete(group)
    }
  }

  /** The group of this name and number: one that is known, or `next`. */
  #find(next: number, hash: number, number: number): number {
    if (number === NONE) return this.#others.first(hash, next)
    const group = this.#numbered.first(number, next)
    if (group === next || this.#hashes[group] === hash) return group
    this.#repeated.add(number)
    return this.#others.first(hash, next)
  }

  /** A line of this entry could not be read, so that what it would add is not known: the line is reported, not the entry. */
  doubt(entry: Pick<FecLine, 'journal' | 'number'> | null): void {
    if (entry === null || entry.journal === '') this.#doubtful = null
    // Without numbers an entry is known by day and document, which the line may not state: any entry of the journal may lack it.
    else this.#doubtful?.add(entry.number === '' ? entry.journal : nameOf(entry.journal, entry.number))
  }

  /** `openings`: journals whose lines are balances and no entries. Call once, after the last line. */
  settle(openings: ReadonlySet<string>): SettledEntries {
    this.#end()
    const open = [...this.#open]
      .sort(([a], [b]) => a - b)
      .filter(([, { name }]) => !openings.has(partsOf(name)[0] ?? ''))
      .map(([group, { name, minor }]) => ({ name, row: this.#rows[group] ?? 0, minor }))
    const { left: unbalanced, merged } = joinUnbalanced(open, coarserOf)
    const left = unbalanced.map((each) => ({ ...each, lacks: this.#lacks(each), name: shown(each.name) }))
    return {
      left: left.filter(({ lacks }) => lacks === 'nothing'),
      open: left.flatMap(({ lacks, name }) => (lacks === 'perhaps' ? [name] : [])),
      // A number belongs to one entry of its journal where it is used on one day only.
      again: this.#repeats
        .again()
        .filter((line) => openings.has(line.journal) || !this.#repeated.has(hashesOf(line).number))
        .map((line) => ({ name: shown(finestOf(line)), row: line.row })),
      names: { merged, repeated: this.#repeated },
    }
  }

  #lacks({ name }: Unbalanced): 'a line' | 'perhaps' | 'nothing' {
    const [journal = '', second = ''] = partsOf(name)
    if (this.#doubtful?.has(nameOf(journal, second))) return 'a line'
    return this.#doubtful === null || this.#doubtful.has(journal) ? 'perhaps' : 'nothing'
  }
}

/** Names the entries of lines as people can find them: `VEN 12`, or `VEN 2025-01-31 F-17`. */
export class EntryIds {
  readonly #names: EntryNames
  #last: { readonly line: FecLine; readonly id: string } | null = null

  constructor(names: EntryNames) {
    this.#names = names
  }

  idOf(line: FecLine, isOpening: boolean): string {
    if (this.#last === null || !isSameGroup(this.#last.line, line))
      this.#last = { line, id: this.#find(line, isOpening) }
    return this.#last.id
  }

  #find(line: FecLine, isOpening: boolean): string {
    const { merged, repeated } = this.#names
    const group = merged.size === 0 ? undefined : merged.get(finestOf(line))
    if (group !== undefined) return shown(group)
    const { journal, number, date, document } = line
    if (number === '') return listed(journal, date, document)
    const isUnique = isOpening || repeated.size === 0 || !repeated.has(hashesOf(line).number)
    return listed(journal, number, isUnique ? '' : date)
  }
}
