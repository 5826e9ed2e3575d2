/** Records of delimited text, read in parts: the same as csv-parse reads of the whole, wherever the parts are cut. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { parseCsv } from '../../../builder/ingest/text/csv.ts'
import { type QuoteFault, rawRecordsOf, recordsOf } from '../../../builder/ingest/text/delimited.ts'
import { seed, times } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { RECORD_CASES } from './record-cases.ts'

const test = suite('delimited text')

async function read(parts: readonly string[], delimiter = ','): Promise<string[][]> {
  const records: string[][] = []
  async function* each() {
    yield* parts
  }
  for await (const batch of recordsOf(each(), delimiter)) records.push(...batch.map((cells) => [...cells]))
  return records
}

const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
    (a, b) => a - b,
  )
  return at.slice(1).map((end, i) => text.slice(at[i], end))
}

const expected = (text: string): string[][] =>
  parse(text, {
    delimiter: ',',
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
    record_delimiter: ['\r\n', '\n', '\r'],
  }).map((record: string[]) => record.map((cell) => cell.trim()))

const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '7', '.', '"', ',', '\n', '\r'), maxLength: 6 })
/** As programs write it: what needs quotes has them. */
const written = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

test('any table, cut into parts anywhere, is what csv-parse reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(), { maxLength: 4 }),
      async (rows, end, cuts) => {
        const text = rows.map((row) => row.map(written).join(',')).join(end) + end
        assert.equal(await read(cutAt(text, cuts)), expected(text))
      },
    ),
    { seed, numRuns: times(400) },
  )
})

for (const { name, text, delimiter = ',', rows } of RECORD_CASES)
  test(`${name}: the same in a small file and in parts of a large one`, async () => {
    const small = parseCsv(text, delimiter, 'file.csv')
    assert.is(small.findings.length === 0, rows !== null, small.findings[0]?.message ?? 'it was read')
    for (const size of [1, 2, 3, text.length]) {
      const faults: QuoteFault[] = []
      async function* parts() {
        for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
      }
      const large: (string | number)[][] = []
      let row = 0
      for await (const batch of recordsOf(parts(), delimiter, (_, fault) => faults.push(fault)))
        for (const cells of batch)
          if (cells.some((cell) => cell !== '') && ++row > 0) large.push([row, ...cells])
          else row++
      assert.is(faults.length === 0, rows !== null, `parts of ${size}`)
      if (rows === null) continue
      assert.equal(large.slice(1), rows)
      let whole = ''
      for await (const batch of rawRecordsOf(parts(), delimiter))
        for (const raw of batch) whole += raw.text + raw.lineEnd
      assert.is(whole, text, 'word for word')
    }
    if (rows !== null)
      assert.equal(
        small.rows.slice(1).map(({ row, cells }) => [row, ...cells]),
        rows,
      )
  })

test('blank rows count, a mark of the encoding does not', async () => {
  assert.equal(await read(['\ufeffa;b\n', '\n\nc; "d;""e" \n'], ';'), [['a', 'b'], [''], [''], ['c', 'd;"e']])
})

test('an inch mark inside a cell opens no quotes', async () => {
  assert.equal(await read(['19" rack,1\n"x",2']), [
    ['19" rack', '1'],
    ['x', '2'],
  ])
})

test('a quote that never closes is told with its record, and takes the rest with it', async () => {
  const told: unknown[] = []
  async function* each() {
    yield 'a,"b"\r\nc,"d\n'
    yield 'e,f\n'
  }
  const records: unknown[] = []
  for await (const batch of recordsOf(each(), ',', (...fault) => told.push(fault))) records.push(...batch)
  assert.equal(records, [
    ['a', 'b'],
    ['c', 'd\ne,f'],
  ])
  assert.equal(told, [[2, 'unclosed']])
})
