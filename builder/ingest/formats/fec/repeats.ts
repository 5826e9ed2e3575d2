/**
 * Entries that stand in a FEC twice. They balance like any other, and a FEC states no totals that would contradict them.
 * By rule a number belongs to one entry of its journal: the same number with the same day and lines further on is the same
 * entry again. Where the program writes no such numbers, books/repeats.ts warns, as it does for any ledger.
 */
import { present } from '../../../contract/present.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import { ContentHash, hashSum } from '../../text/content-hash.ts'
import { type JoinedPart, partOf } from './groups.ts'
import type { FecLine } from './parse.ts'

/** Lines of one entry that stand together. */
interface Stretch {
  /** Its group, in the part or in the file. */
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
  /** Of each group of the part, content and row of a stretch between them, before which it has no other; {@link NONE} without one. */
  readonly contents: Float64Array
  readonly rows: Uint32Array
  /** Those behind another one of their group. */
  readonly others: readonly Stretch[]
}

/** No content. */
const NONE = -1

/** Collects the stretches of a part. */
export class StretchSurveyor {
  #first: Stretch | null = null
  #open: Stretch | null = null
  /** Of groups in the order of their first lines. */
  readonly #contents: number[] = []
  readonly #rows: number[] = []
  readonly #others: Stretch[] = []

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
    const { group } = open
    this.#fill(group + 1)
    if (this.#contents[group] !== NONE || group === this.#first?.group) this.#others.push(open)
    else {
      this.#contents[group] = open.content
      this.#rows[group] = open.row
    }
  }

  /** So many groups have a place. */
  #fill(groups: number): void {
    while (this.#contents.length < groups) {
      this.#contents.push(NONE)
      this.#rows.push(0)
    }
  }

  /** Of so many groups. */
  stretches(groups: number): Stretches {
    this.#fill(groups)
    return {
      first: this.#first,
      last: this.#open === this.#first ? null : this.#open,
      contents: Float64Array.from(this.#contents),
      rows: Uint32Array.from(this.#rows),
      others: this.#others,
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

/** Where the groups of a part stand in the file. */
interface Placed extends JoinedPart {
  /** So many rows stand above the part. */
  readonly above: number
  /** Of each of its groups, the number in the file. */
  readonly groups: Uint32Array
  named(group: number): Named
}

/** Joins the stretches of parts, in the order of the file. */
export class RepeatedEntries {
  readonly #parts: (JoinedPart & Pick<Stretches, 'contents'>)[] = []
  /** Further contents, of the few groups that have several. */
  readonly #others = new Map<number, Set<number>>()
  readonly #again: Repeated[] = []
  /** The stretch that may go on in the next part. */
  #open: { readonly stretch: Stretch; readonly named: Named } | null = null

  join({ first, last, contents, rows, others }: Stretches, part: Placed): void {
    const { offset, above, groups } = part
    const note = (stretch: Omit<Stretch, 'minor'>): void => {
      if (this.#isAgain(groups[stretch.group] ?? 0, stretch.content))
        this.#again.push({ ...part.named(stretch.group), row: above + stretch.row })
    }
    this.#parts.push({ offset, contents })
    if (first !== null) this.#goOn(first, part)
    if (last !== null) this.#end()
    for (let group = 0; group < contents.length; group++) {
      const content = contents[group] ?? NONE
      // Groups that no earlier part has are the usual ones, and have their contents where they are.
      if (content !== NONE && groups[group] !== offset + group)
        note({ group, content, row: rows[group] ?? 0 })
    }
    for (const stretch of others) note(stretch)
    if (last !== null) this.#goOn(last, part)
  }

  #goOn(stretch: Stretch, part: Placed): void {
    const group = part.groups[stretch.group] ?? 0
    const open = this.#open?.stretch
    if (open?.group === group) {
      open.content = hashSum(open.content, stretch.content)
      open.minor += stretch.minor
      return
    }
    this.#end()
    this.#open = {
      stretch: { ...stretch, group, row: part.above + stretch.row },
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
    return this.#again.sort((a, b) => a.row - b.row)
  }

  #isAgain(group: number, content: number): boolean {
    const { offset, contents } = present(partOf(this.#parts, group), 'part of a group')
    const first = contents[group - offset]
    if (first === NONE) contents[group - offset] = content
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
