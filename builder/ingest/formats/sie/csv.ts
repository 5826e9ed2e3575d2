/** Lines of SIE vouchers as the canonical CSV that the books read. */
import { ROW } from '../../format/canonical-plan.ts'
import { csvCell } from '../../text/csv.ts'
import type { Tags } from './tags.ts'

export const CANONICAL = [
  ROW,
  'transaction_id',
  'date',
  'account',
  'amount',
  'class',
  'department',
  'memo',
  'reference',
  'line_id',
  'journal',
] as const

export const HEADER = `${CANONICAL.join(',')}\n`

/** What the lines of an entry share. */
export interface Entry {
  readonly id: string
  readonly reference: string
  readonly journal: string
}

export interface EntryLine {
  /** The row in the file. */
  readonly row: number
  readonly date: string
  readonly account: string
  /** As written, which is an amount. */
  readonly amount: string
  readonly tags: Tags
  readonly memo: string
}

/** Writes the lines of entries, one after the other. */
export class EntryText {
  #text = ''
  #id = ''
  #idCell = ''
  #reference = ''
  #journal = ''
  #count = 0

  begin({ id, reference, journal }: Entry): void {
    this.#id = id
    this.#idCell = csvCell(id)
    this.#reference = csvCell(reference)
    this.#journal = csvCell(journal)
    this.#count = 0
  }
  add({ row, date, account, amount, tags, memo }: EntryLine): void {
    const n = ++this.#count
    const lineId = this.#idCell === this.#id ? `${this.#id}/${n}` : csvCell(`${this.#id}/${n}`)
    const members = `${csvCell(tags.class ?? '')},${csvCell(tags.department ?? '')}`
    this.#text += `${row},${this.#idCell},${date},${csvCell(account)},${amount},${members},${csvCell(memo)},${this.#reference},${lineId},${this.#journal}\n`
  }

  /** What was written since the last call. */
  written(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
