/** Which entry each line of a report belongs to: by its number, by the rows around it, or by what its lines share. */

import { joinUnbalanced, type Unbalanced } from '../../format/entries.ts'
import { KnownDifferences } from '../../format/known-differences.ts'
import type { Cells } from '../../text/delimited.ts'
import { LineGroups } from './line-groups.ts'
import { cellOf } from './rows/cells.ts'
import type { EntryForm, Layout, ReportFamily, Role } from './rows/layout.ts'
import { CARRIED } from './rows/left-out.ts'

export interface EntryLine {
  readonly cells: Cells
  /** As the file states it; null where the entry is known by grouping, or by its date and words. */
  readonly number: string | null
  /** Counts the entries of a journal without numbers. */
  readonly entry: number
}

/** Follows the rows of one report. */
export class EntryReader {
  readonly #layout: Layout
  readonly #form: EntryForm
  #carried: Cells = []
  #label = ''
  #entry = 0
  #ended = true

  constructor({ layout, entries }: { readonly layout: Layout; readonly entries: EntryForm }) {
    this.#layout = layout
    this.#form = entries
  }

  /** A row of its own that numbers the entry below it. */
  begin(label: string): void {
    this.#label = label
    this.#carried = []
  }

  /** The total of an entry. */
  end(): void {
    this.#ended = true
    this.#label = ''
  }

  line(own: Cells): EntryLine {
    const { at, kind } = this.#layout
    if (kind !== 'journal') {
      const number = plainNumber(cellOf(own, at.id))
      return { cells: own, number: number === '' ? null : number, entry: 0 }
    }
    const starts =
      this.#form === 'continued' ? cellOf(own, at.date) !== '' : this.#form === 'totalled' && this.#ended
    if (starts) this.#entry++
    this.#ended = false
    // A row that begins an entry takes nothing from the one before.
    const isNew = starts || cellOf(own, at.id) !== ''
    const cells = [...own]
    for (const role of CARRIED) {
      const position = at[role]
      if (position === undefined || cellOf(own, position) !== '') continue
      if (!isNew || role === 'date') cells[position] = cellOf(this.#carried, position)
    }
    this.#carried = cells
    const number = plainNumber(cellOf(cells, at.id) || this.#label)
    return { cells, number: number === '' ? null : number, entry: this.#entry }
  }
}

/** `364,616` is the number 364616, printed like an amount. */
const plainNumber = (text: string): string =>
  /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text

const SEPARATOR = '\u0001'
const OUTER_SEPARATORS = new RegExp(`^${SEPARATOR}+|${SEPARATOR}+$`, 'g')
const INNER_SEPARATORS = new RegExp(`${SEPARATOR}+`, 'g')

/** Groups for lines that carry no number: date, then what the program's lines of one entry share. */
export class Grouping {
  readonly lines = new LineGroups()
  /** Finest group → the coarser one in which its lines count, where it does not balance by itself; after {@link settle}. */
  joined: ReadonlyMap<string, string> = new Map()
  readonly #family: ReportFamily
  /** What the lines of a finest group share; and of each coarser one, which of that it shares. */
  readonly #roles: readonly Role[]
  readonly #levels: readonly (readonly number[])[]

  constructor(family: ReportFamily) {
    this.#family = family
    const [finest, ...coarser] = family.grouping
    this.#roles = finest
    this.#levels = [...coarser, []].map((roles) => roles.map((role) => finest.indexOf(role)))
  }

  /** Joins groups that do not balance, and returns those that remain. `sign` is that of lines without one. */
  settle(sign: 1 | -1): readonly Unbalanced[] {
    const { left, merged } = joinUnbalanced(this.lines.unbalanced(sign), this.#coarserOf)
    this.joined = merged
    return left
  }

  /** Each part keeps its place in the name, since a coarser group may leave out any of them. */
  #coarserOf = (name: string): readonly string[] => {
    const parts = name.split(SEPARATOR)
    return this.#levels.map((level) =>
      parts.map((part, i) => (i === 0 || level.includes(i - 1) ? part : '')).join(SEPARATOR),
    )
  }

  /** Days with a line that cannot be read; null where its day is not known either. */
  readonly #doubtful = new Set<string | null>()
  /** Amounts of lines whose day cannot be read: each of them is missing on some day. */
  readonly #undated = new KnownDifferences()

  /** A line that cannot be read; `net`: its amount, where that can. */
  doubt(date: string | null, net: number | null): void {
    if (date === null && net !== null) this.#undated.add(net)
    else this.#doubtful.add(date)
  }

  /** Any day may lack a line. */
  get isDoubted(): boolean {
    return this.#doubtful.has(null)
  }

  get isRead(): boolean {
    return this.#doubtful.size === 0 && this.#undated.isEmpty
  }

  /** All lines of the group were read. */
  isWhole(name: string): boolean {
    const [date = ''] = name.split(SEPARATOR)
    return !this.isDoubted && !this.#doubtful.has(date)
  }

  /** Whether lines of an unknown day explain the difference. */
  isExplained = (off: number): boolean => this.#undated.explainEither(off)

  finestOf({ at }: Layout, cells: Cells, date: string): string {
    let name = date
    for (const role of this.#roles) {
      const text = cellOf(cells, at[role])
      name += SEPARATOR + (role === 'name' ? this.#family.partyOf(text, cellOf(cells, at.memo)) : text)
    }
    return name
  }
}

/** As people can find it: `2025-01-31 Invoice 1001 Smith`. */
export const shownGroup = (name: string): string =>
  name.replace(OUTER_SEPARATORS, '').replace(INNER_SEPARATORS, ' ')

/** Tells entries of one date and the same words apart by their order. Dates come in order, so that few are kept. */
export class EntryNames {
  #date = ''
  #counts = new Map<string, number>()
  #entry = -1
  #name = ''

  nameOf(entry: number, date: string, words: readonly string[]): string {
    if (entry === this.#entry) return this.#name
    if (date !== this.#date) this.#counts = new Map()
    this.#date = date
    this.#entry = entry
    const name = [date, ...words].filter((word) => word !== '').join(' ')
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    this.#name = count === 1 ? name : `${name} (${count})`
    return this.#name
  }
}
