/**
 * Which lines of a FEC are one entry. By rule those with one EcritureNum are; some programs write 0 on every line, or begin anew
 * each month or day. The finest grouping that balances is taken, so that no line is lost and none counts twice.
 */
import { joinUnbalanced, type Unbalanced } from '../../format/entries.ts'
import { ContentHash } from '../../text/content-hash.ts'
import { NumberIndex } from '../../text/number-index.ts'
import { type JoinedPart, partOf } from './groups.ts'
import type { FecLine } from './parse.ts'
import { type Repeated, RepeatedEntries, type Stretches, StretchSurveyor } from './repeats.ts'

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

/** Journals and numbers, or journals alone, that lack a line; null where any entry may lack one. */
type Doubtful = ReadonlySet<string> | null

/**
 * The finest groups of a part of a file in the order of their first lines, column by column: there are as many as entries, and all are
 * handed from thread to thread.
 */
export interface PartEntries {
  /** One after the other. */
  readonly names: string
  /** Where each name ends. */
  readonly ends: Uint32Array
  /** Of the names, as {@link hashesOf} has them. */
  readonly hashes: Float64Array
  /** Hashes of journal and number, or {@link NONE}. */
  readonly numbers: Float64Array
  /** Debits minus credits. */
  readonly minor: Float64Array
  /** The first line of each. */
  readonly rows: Uint32Array
  readonly stretches: Stretches
  readonly doubtful: Doubtful
}

/** Groups the lines of a part. */
export class EntriesSurveyor {
  readonly #groups = new Map<string, number>()
  readonly #ends: number[] = []
  readonly #hashes: number[] = []
  readonly #numbers: number[] = []
  readonly #minor: number[] = []
  readonly #rows: number[] = []
  readonly #stretches = new StretchSurveyor()
  #doubtful: Set<string> | null = new Set<string>()
  /** Lines of one entry mostly stand together. */
  #last: { readonly line: FecLine; readonly group: number } | null = null

  add(line: FecLine): void {
    if (this.#last === null || !isSameGroup(this.#last.line, line))
      this.#last = { line, group: this.#groupOf(line) }
    const { group } = this.#last
    const minor = line.debit - line.credit
    this.#minor[group] = (this.#minor[group] ?? 0) + minor
    if (line.number !== '') this.#stretches.add(group, line)
  }

  #groupOf(line: FecLine): number {
    const name = finestOf(line)
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const group = this.#groups.size
    this.#groups.set(name, group)
    this.#ends.push((this.#ends.at(-1) ?? 0) + name.length)
    const { number, finest } = hashesOf(line)
    this.#hashes.push(finest)
    this.#numbers.push(number)
    this.#rows.push(line.row)
    this.#minor.push(0)
    return group
  }

  /** A line of this entry could not be read, so that what it would add is not known: the line is reported, not the entry. */
  doubt(entry: Pick<FecLine, 'journal' | 'number'> | null): void {
    if (entry === null || entry.journal === '') this.#doubtful = null
    // Without numbers an entry is known by day and document, which the line may not state: any entry of the journal may lack it.
    else this.#doubtful?.add(entry.number === '' ? entry.journal : nameOf(entry.journal, entry.number))
  }

  /** Call once, after the last line. */
  entries(): PartEntries {
    return {
      names: [...this.#groups.keys()].join(''),
      ends: Uint32Array.from(this.#ends),
      hashes: Float64Array.from(this.#hashes),
      numbers: Float64Array.from(this.#numbers),
      minor: Float64Array.from(this.#minor),
      rows: Uint32Array.from(this.#rows),
      stretches: this.#stretches.stretches(this.#groups.size),
      doubtful: this.#doubtful,
    }
  }
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

/** What is kept of a part that was joined. */
interface PartGroups extends JoinedPart, Pick<PartEntries, 'hashes' | 'rows'> {
  /** So many rows stand above the part. */
  readonly above: number
}

/** Joins the groups of parts. A group is known by the hash of its name, so that the names of most need not be kept. */
export class FecEntries {
  /** Journal and number → their first group. Most have no other, so that finding the number finds the group. */
  readonly #numbered = new NumberIndex()
  /** Name → group, of those without number and those of a number on a further day. */
  readonly #others = new NumberIndex()
  readonly #parts: PartGroups[] = []
  #size = 0
  /** Groups that do not balance so far. */
  readonly #open = new Map<number, OpenGroup>()
  readonly #repeated = new Set<number>()
  readonly #stretches = new RepeatedEntries()
  #doubtful: Set<string> | null = new Set<string>()

  /** Parts come in the order of the file; `above` rows stand above this one, and `more` parts of about its size follow. */
  join({ names, ends, ...part }: PartEntries, above: number, more: number): void {
    const { hashes, numbers, minor, rows, stretches, doubtful } = part
    const offset = this.#size
    const nameAt = (i: number): string => names.slice(i === 0 ? 0 : ends[i - 1], ends[i])
    if (offset === 0) this.#numbered.reserve(hashes.length * (more + 1))
    this.#parts.push({ offset, above, hashes, rows })
    this.#size += hashes.length
    const groups = new Uint32Array(hashes.length)
    for (let i = 0; i < hashes.length; i++) {
      const group = this.#find(offset + i, hashes[i] ?? 0, numbers[i] ?? NONE)
      groups[i] = group
      const difference = minor[i] ?? 0
      if (difference !== 0) this.#move(group, difference, () => nameAt(i))
    }
    const named = (i: number) => {
      const [journal = ''] = partsOf(nameAt(i))
      return { journal, number: numbers[i] ?? NONE, name: shown(nameAt(i)) }
    }
    this.#stretches.join(stretches, { offset, above, groups, named })
    if (doubtful === null) this.#doubtful = null
    else for (const each of doubtful) this.#doubtful?.add(each)
  }

  /** The group of this name and number: one that an earlier part has, or `next`. */
  #find(next: number, hash: number, number: number): number {
    if (number === NONE) return this.#others.first(hash, next)
    const group = this.#numbered.first(number, next)
    if (group === next || this.#of(group, 'hashes') === hash) return group
    this.#repeated.add(number)
    return this.#others.first(hash, next)
  }

  #of(group: number, column: 'hashes' | 'rows'): number {
    const part = partOf(this.#parts, group)
    return part?.[column][group - part.offset] ?? 0
  }

  #rowOf(group: number): number {
    return (partOf(this.#parts, group)?.above ?? 0) + this.#of(group, 'rows')
  }

  #move(group: number, minor: number, nameOfGroup: () => string): void {
    const open = this.#open.get(group)
    if (open === undefined) this.#open.set(group, { name: nameOfGroup(), minor })
    else {
      open.minor += minor
      if (open.minor === 0) this.#open.delete(group)
    }
  }

  /** `openings`: journals whose lines are balances and no entries. Call once, after the last part. */
  settle(openings: ReadonlySet<string>): SettledEntries {
    const open = [...this.#open]
      .sort(([a], [b]) => a - b)
      .filter(([, { name }]) => !openings.has(partsOf(name)[0] ?? ''))
      .map(([group, { name, minor }]) => ({ name, row: this.#rowOf(group), minor }))
    const { left: unbalanced, merged } = joinUnbalanced(open, coarserOf)
    const left = unbalanced.map((each) => ({ ...each, lacks: this.#lacks(each), name: shown(each.name) }))
    return {
      left: left.filter(({ lacks }) => lacks === 'nothing'),
      open: left.flatMap(({ lacks, name }) => (lacks === 'perhaps' ? [name] : [])),
      // A number belongs to one entry of its journal where it is used on one day only.
      again: this.#stretches
        .again()
        .filter(({ journal, number }) => openings.has(journal) || !this.#repeated.has(number)),
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
