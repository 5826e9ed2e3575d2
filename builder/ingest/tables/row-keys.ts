/** Numbers rows by what they are about, the same number for the same texts, so that rows that repeat are found among millions. */
import { asHash, NumberIndex } from '../text/number-index.ts'

/** The text of a row in a column. */
type TextOf = (row: number) => string | null

/** A number for each row. */
export interface RowKeys {
  readonly of: Float64Array
  /** All numbers are below. */
  readonly below: number
}

export const keysOf = (rows: number, ...columns: readonly TextOf[]): RowKeys =>
  columns.reduce<RowKeys>(keysWith, { of: new Float64Array(rows), below: 1 })

/** Numbers that also differ where the texts of one more column do. */
export function keysWith(keys: RowKeys, textOf: TextOf): RowKeys {
  const numbers = new Map<string | null, number>()
  const own = new Uint32Array(keys.of.length)
  let last: string | null | undefined
  let number = 0
  for (let row = 0; row < own.length; row++) {
    const text = textOf(row)
    // Rows that follow one another mostly have the same text.
    if (text !== last) {
      last = text
      number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
    }
    own[row] = number
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
