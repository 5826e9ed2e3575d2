/** Lines of SIE vouchers as the canonical CSV that the books read. */
import { canonicalPlan, ROW } from '../../format/canonical-plan.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { csvCell } from '../../text/csv.ts'

/** The place of class and department, whose members follow from it once all files were read. */
const TAG = 'tag'
const COLUMNS = [
  ...[ROW, 'transaction_id', 'date', 'account', 'amount', TAG],
  ...['memo', 'reference', 'line_id', 'journal', 'entered_on', 'entered_by'],
] as const

export const HEADER = `${COLUMNS.join(',')}\n`

export function planOf(named: Parameters<typeof canonicalPlan>[0]): LedgerPlan {
  const plan = canonicalPlan(named, COLUMNS)
  const { [TAG]: _, ...columns } = plan.columns as Record<string, string>
  return { ...plan, columns: { ...columns, class: TAG, department: TAG } }
}

/** What the lines of an entry share. */
export interface Entry {
  readonly id: string
  readonly reference: string
  readonly journal: string
  /** ISO, or as written where it is no day; empty where the file does not say. */
  readonly enteredOn: string
  readonly enteredBy: string
}

export interface EntryLine {
  /** The row in the file. */
  readonly row: number
  readonly date: string
  readonly account: string
  /** As written, which is an amount. */
  readonly amount: string
  readonly tag: string
  readonly memo: string
}

/** Writes the lines of entries, one after the other. */
export class EntryText {
  #text = ''
  #id = ''
  #idCell = ''
  #reference = ''
  #journal = ''
  #entered = ''
  #count = 0

  begin({ id, reference, journal, enteredOn, enteredBy }: Entry): void {
    this.#id = id
    this.#idCell = csvCell(id)
    this.#reference = csvCell(reference)
    this.#journal = csvCell(journal)
    this.#entered = `${csvCell(enteredOn)},${csvCell(enteredBy)}`
    this.#count = 0
  }
  add({ row, date, account, amount, tag, memo }: EntryLine): void {
    const n = ++this.#count
    const lineId = this.#idCell === this.#id ? `${this.#id}/${n}` : csvCell(`${this.#id}/${n}`)
    this.#text += `${row},${this.#idCell},${date},${csvCell(account)},${amount},${csvCell(tag)},${csvCell(memo)},${this.#reference},${lineId},${this.#journal},${this.#entered}\n`
  }

  /** What was written since the last call. */
  written(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
