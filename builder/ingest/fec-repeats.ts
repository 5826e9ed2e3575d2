/**
 * Entries of a FEC that hold each of their lines twice. They balance like any other, and a FEC states no totals that would
 * contradict them: only the repetition itself shows.
 */
import { type Finding, warning } from '../workspace/finding.ts'
import type { FecLine } from './fec-parse.ts'

export class RepeatedEntries {
  /** Of the entry that is read: lines of one entry stand together. */
  #name = ''
  #row = 0
  #lines: string[] = []
  #count = 0
  #first: { readonly name: string; readonly row: number } | null = null

  add(line: FecLine): void {
    const { journal, number, date, document, account, party, debit, credit, text } = line
    const name = number === '' ? `${journal} ${date} ${document}` : `${journal} ${number} ${date}`
    if (name !== this.#name) {
      this.#end()
      this.#name = name
      this.#row = line.row
    }
    this.#lines.push(`${account}\u0001${party}\u0001${debit}\u0001${credit}\u0001${text}`)
  }

  #end(): void {
    if (isTwice(this.#lines)) {
      this.#count++
      this.#first ??= { name: this.#name, row: this.#row }
    }
    this.#lines = []
  }

  /** Call once, after the last line. */
  findings(file: string): Finding[] {
    this.#end()
    if (this.#first === null) return []
    const { name, row } = this.#first
    const what =
      this.#count === 1
        ? `entry ${name} holds each of its lines twice`
        : `${this.#count} entries hold each of their lines twice, the first is ${name}`
    return [
      warning('entry-repeated', `${what}: was it exported twice?`, {
        file,
        row,
        column: 'EcritureNum',
        text: name,
        remedy: 'compare it with the accounting program; nothing need be done where both are meant',
      }),
    ]
  }
}

/** As a whole after itself, or line by line. */
function isTwice(lines: readonly string[]): boolean {
  const half = lines.length / 2
  if (!Number.isInteger(half) || half < 2) return false
  const isSame = (at: (i: number) => number, of: (i: number) => number) => {
    for (let i = 0; i < half; i++) if (lines[at(i)] !== lines[of(i)]) return false
    return true
  }
  return (
    isSame(
      (i) => i,
      (i) => i + half,
    ) ||
    isSame(
      (i) => 2 * i,
      (i) => 2 * i + 1,
    )
  )
}
