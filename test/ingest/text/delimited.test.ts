/** Records of delimited text, read in parts: the same as csv-parse reads of the whole, wherever the parts are cut. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { recordsOf } from '../../../builder/ingest/text/delimited.ts'

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
    { numRuns: 400 },
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
  const told: number[] = []
  async function* each() {
    yield 'a,"b"\r\nc,"d\n'
    yield 'e,f\n'
  }
  const records: unknown[] = []
  for await (const batch of recordsOf(each(), ',', (record) => told.push(record))) records.push(...batch)
  assert.equal(records, [
    ['a', 'b'],
    ['c', 'd\ne,f'],
  ])
  assert.equal(told, [2])
})

test.run()
