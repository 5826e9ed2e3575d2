/** Numbers rows by what they are about, the same number for the same texts, so that rows that repeat are found among millions. */
import { asHash, NumberIndex } from '../text/number-index.ts'

/** A number for each row. */
export interface RowKeys {
  readonly of: Float64Array
  /** All numbers are below. */
  readonly below: number
}

export const keysOf = <Row>(
  rows: readonly Row[],
  ...columns: readonly ((row: Row) => string | null)[]
): RowKeys =>
  columns.reduce<RowKeys>((keys, column) => keysWith(keys, rows, column), {
    of: new Float64Array(rows.length),
    below: 1,
  })

/** Numbers that also differ where the texts of one more column do. */
export function keysWith<Row>(
  keys: RowKeys,
  rows: readonly Row[],
  column: (row: Row) => string | null,
): RowKeys {
  const numbers = new Map<string | null, number>()
  const own = new Uint32Array(rows.length)
  let last: string | null | undefined
  let number = 0
  for (const [i, row] of rows.entries()) {
    const text = column(row)
    // Rows that follow one another mostly have the same text.
    if (text !== last) {
      last = text
      number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
    }
    own[i] = number
  }
  const { of, below } = keys.below * numbers.size < Number.MAX_SAFE_INTEGER ? keys : dense(keys)
  return { of: of.map((key, i) => key * numbers.size + (own[i] ?? 0)), below: below * numbers.size }
}

/** Numbers without gaps: there are no more of them than rows. */
function dense({ of }: RowKeys): RowKeys {
  const index = new NumberIndex()
  let below = 0
  const numbers = of.map((key) => {
    const number = index.first(asHash(key), below)
    if (number === below) below++
    return number
  })
  return { of: numbers, below }
}

/** For each row, the first one with its number. */
export function firstRows({ of }: RowKeys): Float64Array {
  const index = new NumberIndex()
  index.reserve(of.length)
  return of.map((key, i) => index.first(asHash(key), i))
}
