/** Files cut into parts between records: together they are the file, and each begins where a record begins. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { rawRecordsOf } from '../../../builder/ingest/text/delimited.ts'
import { type Cut, filePartsOf } from '../../../builder/ingest/text/file-parts.ts'
import { Scratch } from '../../../builder/ingest/text/scan.ts'
import { suite } from '../../suite.ts'
import { RECORD_CASES } from './record-cases.ts'

const test = suite('parts of a file')

interface Part {
  readonly bytes: Buffer
  readonly above: number
  readonly records: number
}

async function partsOf(text: string | Buffer, cut: Partial<Cut> = {}): Promise<Part[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-parts-'))
  const scratch = new Scratch()
  const path = join(folder, 'file.csv')
  writeFileSync(path, text)
  const parts: Part[] = []
  try {
    const each = filePartsOf(path, { delimiter: ',', headers: 1, multiple: 1, bytes: 1, ...cut }, scratch)
    for await (const { path, above, records } of each)
      parts.push({ bytes: readFileSync(path), above, records })
  } finally {
    rmSync(folder, { recursive: true })
    await scratch.dispose()
  }
  return parts
}

/** Each record as it was written, with its line end. */
async function recordsIn(text: string, delimiter = ','): Promise<string[]> {
  async function* whole() {
    yield text
  }
  const records: string[] = []
  for await (const batch of rawRecordsOf(whole(), delimiter))
    records.push(...batch.map((record) => record.text + record.lineEnd))
  return records
}

const joined = (parts: readonly Part[]): string => Buffer.concat(parts.map(({ bytes }) => bytes)).toString()
const counted = (parts: readonly Part[]): number => parts.reduce((sum, { records }) => sum + records, 0)

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '7', '"', ',', '\n', '\r'), maxLength: 6 })
/** As programs write it: what needs quotes has them. */
const written = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

test('of any table are its records, so many in each as were asked for', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom(0, 1),
      async (rows, end, isEnded, multiple, bytes, headers) => {
        const text = rows.map((row) => row.map(written).join(',')).join(end) + (isEnded ? end : '')
        const records = await recordsIn(text)
        const parts = await partsOf(text, { multiple, bytes, headers })
        assert.is(joined(parts), text)
        assert.is(counted(parts), records.length)
        for (const [i, part] of parts.entries()) {
          const own = records.slice(part.above, part.above + part.records)
          assert.is(part.bytes.toString(), own.join(''))
          if (i === parts.length - 1) continue
          assert.is((part.records - (i === 0 ? headers : 0)) % multiple, 0, 'a part that is not the last')
          assert.ok(part.bytes.length >= bytes)
        }
      },
    ),
    { numRuns: 300 },
  )
})

for (const { name, text, delimiter = ',', rows } of RECORD_CASES)
  test(`${name}: cut at each record, or not at all`, async () => {
    const parts = await partsOf(text, { delimiter })
    assert.is(joined(parts), text, 'nothing is lost')
    if (rows === null) return
    const begins = new Set<number>()
    let at = 0
    for (const record of await recordsIn(text, delimiter)) {
      begins.add(at)
      at += record.length
    }
    at = 0
    for (const { bytes } of parts) {
      if (!text.startsWith('\ufeff')) assert.ok(begins.has(at), `a part begins inside a record, at ${at}`)
      at += bytes.toString().length
    }
  })

test('a record that is larger than a part, and than what is read at once, stays whole', async () => {
  const large = `"${'x\n'.repeat(1_500_000)}",1\n`
  const parts = await partsOf(`a,b\n1,2\n${large}3,4\n`)
  assert.equal(
    parts.map(({ bytes, above }) => [bytes.length, above]),
    [
      [8, 0],
      [large.length, 2],
      [4, 3],
    ],
  )
})

test('line ends of two kinds: the rest is one part, and the records are not counted to the end', async () => {
  const text = 'a,b\n1,2\n3,4\r\n5,6\n7,8\n'
  const parts = await partsOf(text)
  assert.is(joined(parts), text)
  assert.ok(Number.isNaN(counted(parts)))
})

test('a line of more than DuckDB takes is passed on', async () => {
  const text = `a,b\n1,2\n${'x'.repeat(20_000_000)}`
  const parts = await partsOf(text)
  assert.is(joined(parts).length, text.length)
})

test('an empty file has no parts', async () => {
  assert.equal(await partsOf(''), [])
})

test('only CR, which nothing is cut at', async () => {
  const parts = await partsOf('a,b\r1,2\r3,4\r')
  assert.is(parts.length, 1)
})

test.run()
