/** A CSV whose quotes are written anew in parts, by others or by threads, is what it is as a whole. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Call, PartHands } from '../../../builder/ingest/format/part-hands.ts'
import { type QuoteHands, WORK } from '../../../builder/ingest/tables/requoted/parts.ts'
import { requoteBy } from '../../../builder/ingest/tables/requoted/requote.ts'
import { Scratch } from '../../../builder/ingest/text/scan.ts'
import { Threads } from '../../../builder/workspace/threads.ts'
import { Copies } from '../../support/in-parts.ts'

const test = suite('quotes written anew in parts')

const HEADER = 'transaction_id; date; account; amount; memo'
const rows = (count: number, memo: (i: number) => string = (i) => `Sale ${i}`): string[] =>
  Array.from({ length: count }, (_, i) =>
    [
      Math.floor(i / 2),
      '2025-01-05',
      1000 + (i % 2),
      `  "${i % 2 === 0 ? '' : '-'}5.00"`,
      `\t"${memo(i)}"`,
    ].join(';'),
  )

async function copyOf(text: string, hands: QuoteHands | null): Promise<{ csv: string; faults: unknown }> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-quotes-'))
  const scratch = new Scratch()
  try {
    const path = join(folder, 'gl.csv')
    writeFileSync(path, text)
    const { path: copy, findings } = await requoteBy(
      { file: 'gl.csv', path, delimiter: ';', width: 5, size: Buffer.byteLength(text) },
      scratch,
      hands,
    )
    return { csv: readFileSync(copy, 'utf8'), faults: findings }
  } finally {
    await scratch.dispose()
    rmSync(folder, { recursive: true })
  }
}

/** How many parts were read, all sizes together; after each gave the same as the whole. */
async function same(text: string, sizes = [100, 700, 3000]): Promise<number> {
  const whole = await copyOf(text, null)
  let parts = 0
  for (const partBytes of sizes) {
    const copies = new Copies(WORK)
    assert.equal(
      await copyOf(text, new PartHands(copies, { partBytes, atOnce: 3 })),
      whole,
      `${partBytes} bytes`,
    )
    parts += copies.done.length
  }
  return parts
}
const isDivided = (parts: number): void => assert.ok(parts > 10, `${parts} parts`)

test('records, also blank and torn ones, and cells with line ends', async () => {
  for (const end of ['\n', '\r\n']) isDivided(await same([HEADER, ...rows(90), ''].join(end)))
  isDivided(await same([HEADER, ...rows(90)].join('\n')))
  isDivided(
    await same([HEADER, ...rows(90).map((row, i) => (i % 20 === 19 ? `\n${row};torn` : row))].join('\n')),
  )
  isDivided(await same([HEADER, ...rows(90, (i) => `of ${i}\n and more`)].join('\n')))
  assert.is(await same([HEADER, ...rows(90)].join('\r'), [100]), 0)
})

test('a cell that looks like lines is not cut', async () => {
  const like = ['', ...rows(4).map((row) => row.replaceAll('"', '')), ''].join('\n')
  isDivided(await same([HEADER, ...rows(90, (i) => (i === 50 ? like : 'x'))].join('\n')))
})

test('quotes that are wrong are told of by their row', async () => {
  const text = [HEADER, ...rows(90, (i) => (i === 60 ? 'a "b" c' : 'x'))].join('\n')
  await same(text)
  const { faults } = await copyOf(text, null)
  assert.match(JSON.stringify(faults), '"row":62')
})

test('by threads', async () => {
  const module = new URL('../../../builder/ingest/tables/requoted/part-thread.ts', import.meta.url)
  const work = { module, name: 'this test', remedy: '', errors: {} }
  const threads = new Threads<Call<typeof WORK>, unknown>(work, null, 2, 200 * 1024 ** 2)
  const hands = new PartHands(threads, { partBytes: 700, atOnce: 4 })
  const text = [HEADER, ...rows(90)].join('\n')
  assert.equal(await copyOf(text, hands), await copyOf(text, null))
  await hands.close()
})

test.run()
