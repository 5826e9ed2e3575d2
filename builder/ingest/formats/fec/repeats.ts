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
  readonly group: number
  readonly first: FecLine
  /** Of all lines, in any order. */
  content: number
  minor: number
}

/** An entry that stands there again. */
export interface Repeated {
  readonly name: string
  /** Where it does. */
  readonly row: number
}

/**
 * Finds entries that stand there again. Where lines are in another order, as by account, those that stand together need not be all of
 * their entry: only stretches that balance are compared.
 */
export class RepeatedEntries {
  #open: Stretch | null = null
  /** Of each group the content of its first stretch; undefined without one. */
  readonly #contents: (number | undefined)[] = []
  /** Further contents, of the few groups that have several. */
  readonly #others = new Map<number, Set<number>>()
  readonly #again: FecLine[] = []

  add(group: number, line: FecLine): void {
    if (this.#open?.group !== group) {
      this.#end()
      this.#open = { group, first: line, content: 0, minor: 0 }
    }
    const { account, party, text, debit, credit } = line
    const hash = new ContentHash().add(account).add(party).add(text).add(String(debit)).add(String(credit))
    this.#open.content = hashSum(this.#open.content, hash.summand)
    this.#open.minor += debit - credit
  }

  #end(): void {
    const open = this.#open
    if (open?.minor === 0 && this.#isAgain(open.group, open.content)) this.#again.push(open.first)
  }

  /** The first lines of those that stand there again. Call once, after the last line. */
  again(): readonly FecLine[] {
    this.#end()
    return this.#again
  }

  #isAgain(group: number, content: number): boolean {
    // Groups are numbered in the order of the file, so that the list has no holes to speak of.
    while (this.#contents.length <= group) this.#contents.push(undefined)
    const first = this.#contents[group]
    if (first === undefined || first === content) {
      this.#contents[group] = content
      return first === content
    }
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
