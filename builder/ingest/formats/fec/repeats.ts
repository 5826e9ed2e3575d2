/**
 * Entries that stand in a FEC twice. They balance like any other, and a FEC states no totals that would contradict them.
 * By rule a number belongs to one entry of its journal: the same number with the same day and lines further on is the same
 * entry again. Where the program writes no such numbers, books/repeats.ts warns, as it does for any ledger.
 */
import { error, type Finding } from '../../../workspace/finding.ts'
import { ContentHash } from '../../text/content-hash.ts'
import type { FecLine } from './parse.ts'

export class RepeatedEntries {
  /** The first line of the entry that is being read: lines of one entry stand together. */
  #first: FecLine | null = null
  #content = new ContentHash()
  #minor = 0
  /** Name and lines of each entry that is complete where it stands. */
  readonly #contents = new Set<number>()
  readonly #again: FecLine[] = []

  add(line: FecLine): void {
    const { journal, number, date, account, party, debit, credit, text } = line
    if (number === '') return
    const first = this.#first
    if (first === null || number !== first.number || date !== first.date || journal !== first.journal) {
      this.#end()
      this.#first = line
      this.#content = new ContentHash().add(nameOf(line))
    }
    this.#content.add(account).add(party).add(text).add(String(debit)).add(String(credit))
    this.#minor += debit - credit
  }

  #end(): void {
    // Where lines are in another order, as by account, those of an entry that stand together need not be all of them.
    if (this.#first !== null && this.#minor === 0) {
      const content = this.#content.value
      if (this.#contents.has(content)) this.#again.push(this.#first)
      else this.#contents.add(content)
    }
    this.#minor = 0
  }

  /** Call once, after the last line. `isUnique`: whether the number of a line belongs to one entry of its journal. */
  findings(file: string, isUnique: (line: FecLine) => boolean): Finding[] {
    this.#end()
    const repeated = this.#again.filter(isUnique)
    const [first] = repeated
    if (first === undefined) return []
    const what =
      repeated.length === 1
        ? `entry ${nameOf(first)} stands`
        : `${repeated.length} entries, ${nameOf(first)} first, stand`
    return [
      error(
        'entry-repeated',
        `${what} in the file twice, with the same number, date and lines, and would count twice`,
        {
          file,
          row: first.row,
          column: 'EcritureNum',
          text: nameOf(first),
          remedy: 'export the FEC once more into a new file: was it appended to itself?',
        },
      ),
    ]
  }
}

const nameOf = ({ journal, number, date }: FecLine): string => `${journal} ${number} ${date}`
