/** The writer of figures: the bytes that formatMinor would give, of every amount that may be published, and of no other. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { ByteWriter } from '../../builder/contract/bytes.ts'
import { FIGURE_LIMIT, formatMinor } from '../../builder/contract/currency.ts'
import { encodeList, encodeLongList, encodeRun } from '../../builder/contract/encode.ts'
import { suite } from '../suite.ts'

const writer = suite('figures as bytes')

const written = (values: readonly number[], decimals: number): string => {
  const out = new ByteWriter()
  out.figures(Float64Array.from(values), decimals)
  return out.written.toString('latin1')
}
const expected = (values: readonly number[], decimals: number): string =>
  values.map((value) => (Number.isNaN(value) ? 'null' : formatMinor(value, decimals))).join(',')

const DECIMALS = [0, 2, 3, 4]

writer('around every power of ten, of both signs', () => {
  const values = Array.from({ length: 16 }, (_, power) => 10 ** power).flatMap((n) => [n - 1, n, n + 1])
  const both = values
    .filter((value) => value < FIGURE_LIMIT)
    .flatMap((value) => [value, -value, value, value, 0, -0, Number.NaN])
  for (const decimals of DECIMALS) assert.is(written(both, decimals), expected(both, decimals))
})

writer('any list of figures, repeated ones too', () => {
  const figure = fc.oneof(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.maxSafeInteger().map((value) => value % FIGURE_LIMIT),
    fc.constantFrom(0, -0, Number.NaN, 5),
  )
  fc.assert(
    fc.property(fc.array(figure, { maxLength: 80 }), fc.constantFrom(...DECIMALS), (values, decimals) =>
      assert.is(written(values, decimals), expected(values, decimals)),
    ),
  )
})

writer('what is no exact figure is refused', () => {
  for (const value of [0.5, FIGURE_LIMIT, -FIGURE_LIMIT, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    assert.throws(() => written([value], 2), RangeError)
})

writer('grows with what is written, and begins anew', () => {
  const out = new ByteWriter()
  const text = 'ö'.repeat(100_000)
  out.text(text)
  out.bytes(Buffer.from('!'))
  assert.is(out.written.toString(), `${text}!`)
  out.clear()
  out.text('€')
  assert.is(out.written.toString(), '€')
})

/** Of one entry, two, three, … and again. */
function runsOf(entries: readonly object[]): string[] {
  const runs: string[] = []
  for (let from = 0, count = 1; from < entries.length; from += count, count = (count % 9) + 1)
    runs.push(encodeRun(entries.slice(from, from + count).map((entry) => JSON.stringify(entry))))
  return runs
}

writer('a list is one entry per line, of however many entries', () => {
  for (const count of [0, 1, 2, 5000, 20_000]) {
    const entries = Array.from({ length: count }, (_, i) => ({ Id: `${i}`, Name: `Åre ${i}, €\n` }))
    const text = encodeList(entries).toString()
    assert.is(text.split('\n').length, count === 0 ? 2 : count + 3)
    assert.equal(JSON.parse(text), { Data: entries })
    // A piece is sound until the next.
    const pieces = Array.from(encodeLongList(runsOf(entries)), (piece) => piece.toString())
    assert.is(pieces.join(''), text)
    assert.is(pieces.length > 1, count > 5000)
  }
})
