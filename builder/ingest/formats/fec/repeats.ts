/**
 * Entries that stand in a FEC twice. They balance like any other, and a FEC states no totals that would contradict them.
 * By rule a number belongs to one entry of its journal: the same number with the same day and lines further on is the same
 * entry again. Where the program writes no such numbers, books/repeats.ts warns, as it does for any ledger.
 */
import { error, type Finding } from '../../../workspace/finding.ts'
import { ContentHash, hashSum } from '../../text/content-hash.ts'
import type { FecLine } from './parse.ts'

/** Lines of one entry that stand together. */
interface Stretch {
  /** Its place among the groups of the part, or of the file. */
  readonly group: number
  /** Of the first line. */
  readonly row: number
  /** Of all lines, in any order. */
  content: number
  minor: number
}

/**
 * The stretches of a part. Where lines are in another order, as by account, those that stand together need not be all of their entry:
 * only stretches that balance are kept. The first and the last may go on in the parts beside this one.
 */
export interface Stretches {
  readonly first: Stretch | null
  /** Null where the first is the only one. */
  readonly last: Stretch | null
  /** Those between them, column by column. */
  readonly groups: Uint32Array
  readonly rows: Uint32Array
  readonly contents: Float64Array
}

/** Collects the stretches of a part. */
export class StretchSurveyor {
  #first: Stretch | null = null
  #open: Stretch | null = null
  readonly #groups: number[] = []
  readonly #rows: number[] = []
  readonly #contents: number[] = []

  add(group: number, { row, account, party, text, debit, credit }: FecLine): void {
    if (this.#open?.group !== group) {
      this.#end()
      this.#open = { group, row, content: 0, minor: 0 }
      this.#first ??= this.#open
    }
    const hash = new ContentHash().add(account).add(party).add(text).add(String(debit)).add(String(credit))
    this.#open.content = hashSum(this.#open.content, hash.summand)
    this.#open.minor += debit - credit
  }

  #end(): void {
    const open = this.#open
    if (open === null || open === this.#first || open.minor !== 0) return
    this.#groups.push(open.group)
    this.#rows.push(open.row)
    this.#contents.push(open.content)
  }

  stretches(): Stretches {
    return {
      first: this.#first,
      last: this.#open === this.#first ? null : this.#open,
      groups: Uint32Array.from(this.#groups),
      rows: Uint32Array.from(this.#rows),
      contents: Float64Array.from(this.#contents),
    }
  }
}

/** An entry that stands there again. */
export interface Repeated {
  readonly journal: string
  /** Hash of journal and number. */
  readonly number: number
  readonly name: string
  /** Where it does. */
  readonly row: number
}
type Named = Omit<Repeated, 'row'>

/** The groups of a part. */
export interface PartGroups {
  /** Of each, its place among those of the file. */
  readonly places: Uint32Array
  named(group: number): Named
}

/** No content. */
const NONE = -1

/** Joins the stretches of parts, in the order of the file. */
export class RepeatedEntries {
  /** Of each group of the file, the content of its first stretch. */
  readonly #contents: number[] = []
  /** Further contents, of the few groups that have several. */
  readonly #others = new Map<number, Set<number>>()
  readonly #again: Repeated[] = []
  /** The stretch that may go on in the next part. */
  #open: { readonly stretch: Stretch; readonly named: Named } | null = null

  /** `above` rows stand above the part. */
  join({ first, last, groups, rows, contents }: Stretches, above: number, part: PartGroups): void {
    if (first === null) return
    this.#goOn(first, above, part)
    if (last === null) return
    this.#end()
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] ?? 0
      if (this.#isAgain(part.places[group] ?? 0, contents[i] ?? 0))
        this.#again.push({ ...part.named(group), row: above + (rows[i] ?? 0) })
    }
    this.#goOn(last, above, part)
  }

  #goOn(stretch: Stretch, above: number, part: PartGroups): void {
    const group = part.places[stretch.group] ?? 0
    const open = this.#open?.stretch
    if (open?.group === group) {
      open.content = hashSum(open.content, stretch.content)
      open.minor += stretch.minor
      return
    }
    this.#end()
    this.#open = {
      stretch: { ...stretch, group, row: above + stretch.row },
      named: part.named(stretch.group),
    }
  }

  #end(): void {
    if (this.#open === null) return
    const { stretch, named } = this.#open
    this.#open = null
    if (stretch.minor === 0 && this.#isAgain(stretch.group, stretch.content))
      this.#again.push({ ...named, row: stretch.row })
  }

  /** Call once, after the last part. */
  again(): readonly Repeated[] {
    this.#end()
    return this.#again
  }

  #isAgain(group: number, content: number): boolean {
    while (this.#contents.length <= group) this.#contents.push(NONE)
    const first = this.#contents[group]
    if (first === NONE) this.#contents[group] = content
    if (first === NONE || first === content) return first === content
    const others = this.#others.get(group)
    if (others === undefined) this.#others.set(group, new Set([content]))
    else if (others.has(content)) return true
    else others.add(content)
    return false
  }
}

export function repeatedFindings(repeated: readonly Repeated[], file: string): Finding[] {
  const [first] = repeated
  if (first === undefined) return []
  const { name, row } = first
  const what =
    repeated.length === 1 ? `entry ${name} stands` : `${repeated.length} entries, ${name} first, stand`
  return [
    error(
      'entry-repeated',
      `${what} in the file twice, with the same number, date and lines, and would count twice`,
      {
        file,
        row,
        column: 'EcritureNum',
        text: name,
        remedy: 'export the FEC once more into a new file: was it appended to itself?',
      },
    ),
  ]
}
