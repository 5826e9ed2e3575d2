/** Reads rows by a column map as canonical CSV, and keeps what they say beside. */
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import {
  type CountedRows,
  csvRow,
  type FileRecord,
  moreRows,
  type RecordNotes,
  type RowWriter,
  recordFindings,
} from '../../format/records.ts'
import { parseDate } from '../../text/months.ts'
import type { MappedColumns, SidedAmount } from './columns.ts'
import { DIRECTION, sideOf, valueAt } from './map.ts'

/** Words with which programs label the opening balance of an account. */
const OPENING = /^'?(?:(?:beginning|opening|initial) balance|opening|balance (?:brought )?forward)'?$/
/** An amount other than zero. */
const AMOUNT = /^[-(]?\D{0,3}\d[\d.,' ]*[.,]\d\d\)?-?$/

export class MappedRows implements RowWriter {
  readonly header: string
  readonly blank: string
  readonly #columns: MappedColumns
  readonly #skips: readonly { readonly at: number; readonly indexOf: ReadonlyMap<string, number> }[]
  readonly #skipped: number[][]
  /** By watched column, how many rows hold each value. */
  readonly values: readonly Map<string, number>[]
  /** Rows with balances brought forward that are left out. */
  #openings: CountedRows | null = null
  /** Rows with an amount of which neither debit nor credit is stated, with the text of the first. */
  #noSide: (CountedRows & { readonly text: string }) | null = null

  constructor(columns: MappedColumns) {
    this.#columns = columns
    this.header = csvRow(columns.header)
    // A sheet leaves blank rows out, and its rows state their numbers.
    this.blank = columns.table.sheet === null ? csvRow(columns.header.map(() => '')) : ''
    this.#skips = columns.skips.map(({ at, values }) => ({
      at,
      indexOf: new Map(values.map((value, i) => [value, i])),
    }))
    this.#skipped = columns.skips.map(({ values }) => values.map(() => 0))
    this.values = columns.watched.map(() => new Map())
  }

  rowOf({ row, cells }: FileRecord): string {
    if (cells === null) return this.blank
    const isSkipped = this.#isSkipped(row, cells)
    this.#columns.watch(this.values, cells, isSkipped)
    if (isSkipped) return this.blank
    const { columns, sided, table, setting } = this.#columns
    const sides = sided && this.#sides(row, cells, sided)
    const values = columns.map(([name, value]) => {
      if (value === null) return sides?.[name as 'debit' | 'credit'] ?? ''
      const text = valueAt(cells, value)
      // Dates of a sheet become canonical; those of a text are read by the books.
      return name === 'date' && table.sheet !== null ? (parseDate(text, setting.dateFormat) ?? text) : text
    })
    return csvRow(table.sheet === null ? values : [String(row), ...values])
  }

  #isSkipped(row: number, cells: readonly string[]): boolean {
    for (const [i, { at, indexOf }] of this.#skips.entries()) {
      const value = cells[at]?.trim().toLowerCase() ?? ''
      const index = indexOf.get(value)
      const counts = this.#skipped[i]
      if (index === undefined || counts === undefined) continue
      counts[index] = (counts[index] ?? 0) + 1
      if (OPENING.test(value) && cells.some((cell) => AMOUNT.test(cell.trim())))
        this.#openings = moreRows(this.#openings, { count: 1, row })
      return true
    }
    return false
  }

  #sides(row: number, cells: readonly string[], { amount: value, direction }: SidedAmount) {
    const amount = valueAt(cells, value)
    const text = direction === null ? 'debit' : valueAt(cells, direction)
    const side = sideOf(text)
    if (side === null && amount !== '') this.#noSide = moreRows(this.#noSide, { count: 1, row, text })
    const isCredit = (side === 'credit') !== value.isReversed
    return isCredit ? { debit: '', credit: amount } : { debit: amount, credit: '' }
  }

  /** What all rows say together; `notes` are about the records. */
  findings(notes: RecordNotes): Finding[] {
    const { table, skips } = this.#columns
    const inVain = skips.flatMap(({ header, values }, i) =>
      values
        .filter((_, j) => this.#skipped[i]?.[j] === 0)
        .map((value) => this.#nothingSkipped(header, value)),
    )
    return [
      ...(table.shape === null ? [] : recordFindings(table.file, table.shape, notes)),
      ...(this.#noSide === null ? [] : [this.#sideUnknown(this.#noSide)]),
      ...(this.#openings === null ? [] : [this.#openingsSkipped(this.#openings)]),
      ...inVain,
    ]
  }

  #sideUnknown({ count, row, text }: CountedRows & { readonly text: string }): Finding {
    return error(
      'unreadable-side',
      `${text === '' ? 'whether it is a debit or a credit is not stated' : `"${text}" says neither debit nor credit`}${count === 1 ? '' : `; so it is on ${count} rows`}`,
      {
        file: this.#columns.table.file,
        row,
        column: this.#columns.setting.columns?.[DIRECTION] ?? null,
        text,
        remedy:
          'D or C, Dr or Cr, Debit or Credit, S or H, Soll or Haben, + or - are read; other columns leave the rows out by "skip"',
      },
    )
  }

  #openingsSkipped({ count, row }: CountedRows): Finding {
    const [rows, are] = count === 1 ? ['a row', 'is'] : [`${count} rows`, 'are']
    return error(
      'openings-skipped',
      `${rows} with balances brought forward ${are} left out by "skip": the books would begin without them`,
      {
        file: this.#columns.table.file,
        row,
        remedy:
          'take the opening balances in as an entry of the first day, in a file of its own, and leave these rows out of the export; a General Ledger of Sage 50 needs no map: take "columns" and "skip" out of its entry',
      },
    )
  }

  #nothingSkipped(header: string, value: string): Finding {
    return warning(
      'mark-without-match',
      `no row of ${this.#columns.table.file} has "${value}" in the column "${header}"`,
      {
        file: COMPANY_FILE,
        column: `${this.#columns.key}.skip.${header}`,
        text: value,
        remedy: 'correct it, or take it out: as it stands, it leaves nothing out',
      },
    )
  }
}
