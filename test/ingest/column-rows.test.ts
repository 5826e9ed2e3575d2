/** Rows that are kept column by column come back as they were given, also through another thread. */

import * as assert from 'uvu/assert'
import { ColumnRows, type KeptColumns } from '../../builder/ingest/format/column-rows.ts'
import { suite } from '../suite.ts'

const test = suite('rows by column')

interface Row {
  readonly name: string | null
  readonly flag?: boolean
  readonly row: number
  readonly amount: number | null
  readonly units: bigint
  readonly text: string
}
const KEPT: KeptColumns<Row> = {
  ...{ name: 'repeated', flag: 'repeated', row: 'whole', amount: 'number', units: 'single', text: 'single' },
}
const NAMES = ['', 'north', 'south', null]
const UNITS = [0n, -1n, 2n ** 53n - 1n, -(2n ** 53n), 2n ** 53n + 1n, 10n ** 21n, -(10n ** 29n)]

const someRows = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    name: NAMES[Math.floor(i / 3) % NAMES.length] ?? null,
    flag: i % 5 === 0,
    row: i === 7 ? -(2 ** 31) : i,
    amount: i % 7 === 0 ? null : i / 8 - 2 ** 40,
    units: UNITS[i % UNITS.length]!,
    text: `text ${i}`,
  }))

const kept = (rows: readonly Row[]): ColumnRows<Row> => {
  const all = new ColumnRows(KEPT)
  for (const row of rows) all.push(row)
  return all
}

for (const count of [0, 1, 4095, 4096, 4097, 10_000])
  test(`${count} rows come back in their order, and those of another thread with more behind them`, () => {
    const rows = someRows(count)
    const all = kept(rows)
    assert.is(all.length, count)
    assert.equal([...all], rows)
    const taken = ColumnRows.unpacked(structuredClone(all.packed()))
    for (const row of rows) taken.push(row)
    assert.equal([...taken], [...rows, ...rows])
    const nameAt = taken.column('name')
    assert.equal(
      Array.from({ length: 2 * count }, (_, i) => nameAt(i)),
      [...rows, ...rows].map(({ name }) => name),
    )
  })

test('an index is that of an array', () => {
  const rows = someRows(5)
  for (const index of [-6, -5, -1, 0, 4, 5]) assert.equal(kept(rows).at(index), rows.at(index))
})

test('a member that is absent is undefined, and nothing is left after all rows were forgotten', () => {
  const [{ flag: _, ...row }] = someRows(1) as [Row]
  const all = kept([row])
  assert.is(all.at(0)!.flag, undefined)
  all.clear()
  assert.equal([...all], [])
  all.push(row)
  assert.is(all.length, 1)
})

test('a number that its column cannot hold is refused, and not changed', () => {
  const [row] = someRows(1) as [Row]
  for (const wrong of [{ row: 2 ** 31 }, { row: 0.5 }, { amount: Number.NaN }])
    assert.throws(() => kept([{ ...row, ...wrong }]), /is no number of this column/)
})
