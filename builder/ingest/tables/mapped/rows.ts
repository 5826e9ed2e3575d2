/** Reads rows by a column map as canonical CSV, and keeps what they say beside. */
import { compared, countValue } from '../../claims/claims.ts'
import type { RowWriter } from '../../format/copied-tables.ts'
import type { LedgerColumn } from '../../format/intake.ts'
import { type CountedRows, csvRow, type FileRecord, moreRows } from '../../format/records.ts'
import { parseDate } from '../../text/months.ts'
import { type MappedValue, sideOf, valueAt } from './map.ts'

/** Rows with one of these values in the column are left out. */
export interface Skip {
  readonly header: string
  readonly at: number
  /** Trimmed, in small letters. */
  readonly values: readonly string[]
}

/** A column whose values are counted. */
export interface Watched {
  readonly header: string
  readonly at: number
  /** Rows that are left out are counted too: the column says which these are. */
  readonly isOfAll: boolean
  /** Positions of the amounts that are read, with which its own are compared. */
  readonly against: readonly number[] | null
  readonly isExplained: boolean
}

/** What must be known of a table to read any of its rows. */
export interface MapForm {
  /** Those of the copy, with what each is read from; null for the sides of an {@link SidedAmount}. */
  readonly columns: readonly (readonly [LedgerColumn, MappedValue | null])[]
  readonly sided: SidedAmount | null
  readonly skips: readonly Skip[]
  /** Columns that are not read, and those of `count`, whose values are counted. */
  readonly watched: readonly Watched[]
  /** The form of dates in a sheet, which become canonical; null for a text, whose dates the books read. */
  readonly sheetDates: { readonly format: string | undefined } | null
}

/** A single amount that becomes a debit or a credit: by its sign, by the column beside it, or by both. */
export interface SidedAmount {
  readonly amount: MappedValue
  /** The column that states debit or credit. */
  readonly direction: MappedValue | null
}

/** What rows say as a whole. */
export interface MapFacts {
  /** Rows with an amount of which neither debit nor credit is stated, with the text of the first. */
  readonly noSide: (CountedRows & { readonly text: string }) | null
  /** Rows with balances brought forward that are left out. */
  readonly openings: CountedRows | null
  /** By skip, how many rows each of its values leaves out. */
  readonly skipped: readonly (readonly number[])[]
  /** By watched column, how many rows hold each value. */
  readonly values: readonly ReadonlyMap<string, number>[]
}

/** Words with which programs label the opening balance of an account. */
const OPENING = /^'?(?:(?:beginning|opening|initial) balance|opening|balance (?:brought )?forward)'?$/
/** An amount other than zero. */
const AMOUNT = /^[-(]?\D{0,3}\d[\d.,' ]*[.,]\d\d\)?-?$/

export class MappedRows implements RowWriter {
  readonly header: string
  readonly blank: string
  readonly #form: MapForm
  readonly #skips: readonly { readonly at: number; readonly indexOf: ReadonlyMap<string, number> }[]
  readonly #skipped: number[][]
  readonly #values: readonly Map<string, number>[]
  #openings: MapFacts['openings'] = null
  #noSide: MapFacts['noSide'] = null

  constructor(form: MapForm) {
    this.#form = form
    this.header = csvRow(form.columns.map(([name]) => name))
    this.blank = csvRow(form.columns.map(() => ''))
    this.#skips = form.skips.map(({ at, values }) => ({
      at,
      indexOf: new Map(values.map((value, i) => [value, i])),
    }))
    this.#skipped = form.skips.map(({ values }) => values.map(() => 0))
    this.#values = form.watched.map(() => new Map())
  }

  get facts(): MapFacts {
    return { noSide: this.#noSide, openings: this.#openings, skipped: this.#skipped, values: this.#values }
  }

  rowOf({ row, cells }: FileRecord): string {
    if (cells === null) return this.blank
    const isSkipped = this.#isSkipped(row, cells)
    this.#watch(cells, isSkipped)
    if (isSkipped) return this.blank
    const { columns, sided, sheetDates } = this.#form
    const sides = sided && this.#sides(row, cells, sided)
    return csvRow(
      columns.map(([name, value]) => {
        if (value === null) return sides?.[name as 'debit' | 'credit'] ?? ''
        const text = valueAt(cells, value)
        return name === 'date' && sheetDates !== null ? (parseDate(text, sheetDates.format) ?? text) : text
      }),
    )
  }

  #watch(cells: readonly string[], isSkipped: boolean): void {
    for (const [i, { at, isOfAll, against }] of this.#form.watched.entries()) {
      const values = this.#values[i]
      if (values === undefined || (isSkipped && !isOfAll)) continue
      const cell = cells[at] ?? ''
      countValue(values, against === null ? cell : compared(cell, cells, against))
    }
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
}
