/** The lines of a FEC as the canonical CSV that the books read. */
import { formatMinor } from '../../../contract/currency.ts'
import type { FiscalYear } from '../../format/intake.ts'
import { yearLabel } from '../../format/intake.ts'
import { csvCell } from '../../text/csv.ts'
import { EntryIds, type EntryNames } from './entries.ts'
import { type FecText, linesIn } from './lines.ts'
import { type FecLine, isUnread, parseLine } from './parse.ts'
import { openedYear, yearOfLine } from './years.ts'

export const CANONICAL = [
  'transaction_id',
  'date',
  'account',
  'debit',
  'credit',
  'memo',
  'reference',
  'journal',
  'open_item',
] as const

/** What the rows of a file have in common. */
export interface Writing {
  /** Null where the file holds no line that can be read. */
  readonly year: FiscalYear | null
  readonly statedYears: readonly FiscalYear[] | undefined
  readonly names: EntryNames
  /** Codes of the journals that carry openings. */
  readonly openings: ReadonlySet<string>
}

/** One row for each line, blank ones included, so that row numbers are those of the file. */
export async function* canonicalRows(text: FecText, writing: Writing): AsyncGenerator<string> {
  const rows = new RowWriter(writing, text.layout.decimals)
  let row = 0
  for await (const texts of linesIn(text)) {
    const csv: string[] = []
    for (const each of texts) {
      row++
      if (row === 1) csv.push(CANONICAL.join(','))
      else {
        const line = parseLine(each, row, text.layout, text.file)
        csv.push(line === null || isUnread(line) ? '' : rows.rowOf(line))
      }
    }
    if (csv.length > 0) yield `${csv.join('\n')}\n`
  }
}

class RowWriter {
  readonly #writing: Writing
  readonly #decimals: number
  readonly #ids: EntryIds

  constructor(writing: Writing, decimals: number) {
    this.#writing = writing
    this.#decimals = decimals
    this.#ids = new EntryIds(writing.names)
  }

  rowOf(line: FecLine): string {
    const { year: fileYear, statedYears, openings } = this.#writing
    if (fileYear === null) return ''
    const isOpening = openings.has(line.journal)
    const year = (isOpening ? openedYear : yearOfLine)(fileYear, statedYears, line.date)
    const party = [line.party, line.partyName].filter((part) => part !== '').join(' ')
    const cells = [
      `${yearLabel(year)} ${this.#ids.idOf(line, isOpening)}`,
      // An opening is the state at the start of its year, whatever the day of its entry or of its invoice.
      isOpening ? year.start : line.date,
      line.account,
      line.debit === 0 ? '' : formatMinor(line.debit, this.#decimals),
      line.credit === 0 && line.debit !== 0 ? '' : formatMinor(line.credit, this.#decimals),
      [line.text, party === '' ? '' : `(${party})`].filter((part) => part !== '').join(' '),
      line.document,
      line.journal,
      // Letters begin anew for each account, and in it for each customer and supplier.
      line.letter === '' ? '' : `${line.account}|${line.party}|${line.letter}`,
    ]
    return cells.map(csvCell).join(',')
  }
}
