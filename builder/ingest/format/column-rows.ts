/**
 * Keeps rows by the million column by column: as objects they would take five times the memory. A reader gets each row as an object that
 * is made for it.
 */

/** Rows that can be gone through again and again, such as an array of them. */
export interface Rows<Row> extends Iterable<Row> {
  readonly length: number
  /** As of an array: a negative index counts from the end. */
  at(index: number): Row | undefined
}

/**
 * How a column is kept: `repeated` values each once, since many rows have the same; `whole` numbers in four bytes; `number`s, or null,
 * in eight; `single` values, hardly two of them alike, each by itself.
 */
export type Kept = 'repeated' | 'whole' | 'number' | 'single'
export type KeptColumns<Row> = { readonly [Name in keyof Row]-?: Kept }

/** Rows as plain data, which a thread can hand over. */
export interface PackedRows<Row> {
  readonly length: number
  readonly kept: KeptColumns<Row>
  readonly columns: readonly PackedColumn[]
}

/** Throws of a number that its column cannot keep exactly. */
export class ColumnRows<Row extends object> implements Rows<Row> {
  readonly #kept: KeptColumns<Row>
  readonly #names: readonly (keyof Row)[]
  #columns: readonly Column[]
  #length = 0

  constructor(kept: KeptColumns<Row>) {
    this.#kept = kept
    this.#names = Object.keys(kept) as (keyof Row)[]
    this.#columns = this.#names.map((name) => emptyColumn(kept[name]))
  }

  static unpacked<Row extends object>({ length, kept, columns }: PackedRows<Row>): ColumnRows<Row> {
    const rows = new ColumnRows(kept)
    for (const [i, column] of rows.#columns.entries()) column.take(columns[i] as PackedColumn)
    rows.#length = length
    return rows
  }

  get length(): number {
    return this.#length
  }

  push(row: Row): void {
    for (let i = 0; i < this.#names.length; i++) this.#columns[i]?.push(row[this.#names[i] as keyof Row])
    this.#length++
  }

  at(place: number): Row | undefined {
    const index = place < 0 ? this.#length + place : place
    if (index < 0 || index >= this.#length) return undefined
    const row: Partial<Row> = {}
    for (let i = 0; i < this.#names.length; i++)
      row[this.#names[i] as keyof Row] = this.#columns[i]?.at(index) as Row[keyof Row]
    return row as Row
  }

  /** Gives the value of one column in a row, for those who need no other. */
  column<Name extends keyof Row>(name: Name): (index: number) => Row[Name] {
    const column = this.#columns[this.#names.indexOf(name)] as Column
    return (index) => column.at(index) as Row[Name]
  }

  *[Symbol.iterator](): Generator<Row, void> {
    for (let i = 0; i < this.#length; i++) yield this.at(i) as Row
  }

  /** Forgets all rows, for memory that is needed for something else. */
  clear(): void {
    this.#columns = this.#names.map((name) => emptyColumn(this.#kept[name]))
    this.#length = 0
  }

  packed(): PackedRows<Row> {
    return {
      length: this.#length,
      kept: this.#kept,
      columns: this.#columns.map((column) => column.packed()),
    }
  }
}

interface PackedColumn {
  readonly values: readonly unknown[]
  /** In chunks. */
  readonly numbers: readonly Numbers[]
  readonly length: number
}

interface Column {
  push(value: unknown): void
  at(index: number): unknown
  packed(): PackedColumn
  take(packed: PackedColumn): void
}

type Numbers = Int32Array | Uint32Array | Float64Array

function emptyColumn(kept: Kept): Column {
  if (kept === 'repeated') return new RepeatedColumn()
  if (kept === 'single') return new SingleColumn()
  return new NumberColumn(kept === 'whole' ? Int32Array : Float64Array)
}

/** So many numbers are added at once: an array that grows as a whole would be in memory twice meanwhile. */
const CHUNK_BITS = 12
const IN_CHUNK = 2 ** CHUNK_BITS - 1

class NumberColumn implements Column {
  readonly #Class: new (
    length: number,
  ) => Numbers
  readonly #chunks: Numbers[] = []
  #length = 0

  constructor(Class: new (length: number) => Numbers) {
    this.#Class = Class
  }

  push(value: unknown): void {
    const at = this.#length++ & IN_CHUNK
    if (at === 0) this.#chunks.push(new this.#Class(IN_CHUNK + 1))
    const chunk = this.#chunks[this.#chunks.length - 1] as Numbers
    chunk[at] = value === null ? Number.NaN : (value as number)
    if (chunk[at] !== value && !(value === null && Number.isNaN(chunk[at])))
      throw new Error(`${value} is no number of this column`)
  }

  at(index: number): number | null {
    const value = (this.#chunks[index >> CHUNK_BITS] as Numbers)[index & IN_CHUNK] as number
    return Number.isNaN(value) ? null : value
  }

  packed(): PackedColumn {
    return { values: [], numbers: this.#chunks, length: this.#length }
  }

  take({ numbers, length }: PackedColumn): void {
    this.#chunks.push(...numbers)
    this.#length = length
  }
}

class RepeatedColumn implements Column {
  readonly #values: unknown[] = []
  readonly #numbers = new Map<unknown, number>()
  readonly #of = new NumberColumn(Uint32Array)
  #last: unknown = NaN
  #lastNumber = 0

  push(value: unknown): void {
    // Rows that follow one another mostly have the same value.
    if (value !== this.#last) {
      const known = this.#numbers.get(value)
      this.#lastNumber = known ?? this.#values.length
      if (known === undefined) {
        this.#numbers.set(value, this.#lastNumber)
        this.#values.push(value)
      }
      this.#last = value
    }
    this.#of.push(this.#lastNumber)
  }

  at(index: number): unknown {
    return this.#values[this.#of.at(index) ?? -1]
  }

  packed(): PackedColumn {
    return { ...this.#of.packed(), values: this.#values }
  }

  take(packed: PackedColumn): void {
    for (const value of packed.values) this.#numbers.set(value, this.#values.push(value) - 1)
    this.#of.take(packed)
  }
}

class SingleColumn implements Column {
  readonly #values: unknown[] = []

  push(value: unknown): void {
    this.#values.push(value)
  }

  at(index: number): unknown {
    return this.#values[index]
  }

  packed(): PackedColumn {
    return { values: this.#values, numbers: [], length: this.#values.length }
  }

  take({ values }: PackedColumn): void {
    for (const value of values) this.#values.push(value)
  }
}
