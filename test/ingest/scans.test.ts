/** Files that threads scan ahead, one of them reading and another one hashing, are found to be what one scan finds. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Call, PartHands } from '../../builder/ingest/format/part-hands.ts'
import { WORK } from '../../builder/ingest/format/scans/parts.ts'
import { Scans, withScans } from '../../builder/ingest/format/scans/scans.ts'
import { scanFile } from '../../builder/ingest/text/scan.ts'
import { Threads } from '../../builder/workspace/threads.ts'
import { Copies } from '../support/in-parts.ts'

const test = suite('files scanned ahead')

const LINES = 'id,date,account,amount\n'.repeat(90_000)
const FILES: Readonly<Record<string, string | Buffer>> = {
  'empty.csv': '',
  'large.csv': LINES,
  'blank-rows.csv': `${LINES}\r\n\r\nend`,
  'padded-quote.csv': 'id;  "date"\n',
  'tabbed-quote.csv': 'id;\t"date"\n',
  'latin.csv': Buffer.from('Büro;Größe\nÉté;1\n', 'latin1'),
  'mixed.csv': Buffer.concat([Buffer.from('Büro;1\n', 'latin1'), Buffer.from('Büro;1\n')]),
  'utf-16.csv': Buffer.from('\ufeffid,date\n', 'utf16le'),
  'lost.csv': `${LINES}B\ufffdro\n`,
  'zero.csv': `${LINES}\0\n`,
  'long.csv': `${LINES}${'x'.repeat(17 * 1024 ** 2)}\n`,
  'book.parquet': `PAR1${LINES}`,
}

async function inFiles(run: (paths: readonly string[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-scans-'))
  try {
    const paths = Object.entries(FILES).map(([name, content]) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    })
    await run(paths)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('quotes behind blanks are found in each encoding, also between two chunks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-scans-'))
  try {
    // A chunk has 2^20 bytes, at the end of which the quote stands, ends, or is cut.
    for (const encoding of ['utf8', 'utf16le', 'utf16be'] as const)
      for (const [quote, expected] of [
        ['  "', [true, false]],
        ['="', [true, false]],
        ['\ufeff', [true, false]],
        ['\t"', [false, true]],
        [' "', [false, false]],
      ] as const)
        for (const above of [0, 2 ** 20 - 6, 2 ** 20 - 4, 2 ** 20 - 2, 2 ** 20 - 1]) {
          const text = `\ufeffid,memo\n${quote}a"`
          const [size, around] = encoding === 'utf8' ? [1, 7] : [2, 10]
          const begin = 'x'.repeat(Math.max(0, Math.floor((above - around) / size)))
          const whole = Buffer.from(text.replace('memo', begin), encoding === 'utf8' ? 'utf8' : 'utf16le')
          writeFileSync(join(folder, 'a'), encoding === 'utf16be' ? whole.swap16() : whole)
          const { hasOddCells, hasTabbedQuote } = await scanFile(join(folder, 'a'))
          assert.equal(
            [hasOddCells, hasTabbedQuote],
            expected,
            `${encoding} ${JSON.stringify(quote)} ${above}`,
          )
        }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('each file is found to be what one scan alone finds, by others and by threads', () =>
  inFiles(async (paths) => {
    const copies = new Copies(WORK)
    const module = new URL('../../builder/ingest/format/scans/part-thread.ts', import.meta.url)
    const work = { module, name: 'this test', remedy: 'Mend it', errors: {} }
    const threads = new Threads<Call<typeof WORK>, unknown>(work, null, 2, 200 * 1024 ** 2)
    try {
      for (const hands of [copies, threads]) {
        const scans = new Scans(paths, new PartHands(hands, { partBytes: 0, atOnce: 3 }))
        for (const path of paths) {
          const scan = await scans.of(path)
          assert.equal(scan, await scanFile(path), path)
          // Formats decode it.
          assert.ok(Buffer.isBuffer(scan.head) && Buffer.isBuffer(scan.sample))
        }
      }
    } finally {
      await threads.close()
    }
    assert.is(copies.done.length, 2 * paths.length)
  }))

test('only some files are scanned ahead, each once, and files that nobody asks for keep none waiting', () =>
  inFiles(async (paths) => {
    const copies = new Copies(WORK)
    const scans = new Scans([...paths, ...paths], new PartHands(copies, { partBytes: 0, atOnce: 3 }))
    const [first, , third] = paths as [string, string, string]
    await scans.of(first)
    assert.is(copies.done.length, 2 * 3)
    assert.is((await scans.of(third)).bytes, Buffer.byteLength(FILES['blank-rows.csv']!))
    assert.is((await scans.of(paths.at(-1)!)).bytes, Buffer.byteLength(FILES['book.parquet']!))
    assert.is(copies.done.length, 2 * paths.length)
  }))

test('once all files are scanned, the threads end; large files have threads, and are found to be the same', () =>
  inFiles(async ([first = '', second = '']) => {
    let closed = 0
    const copies = Object.assign(new Copies(WORK), { close: async () => void closed++ })
    const scans = new Scans([first, second], new PartHands(copies, { partBytes: 0, atOnce: 3 }))
    await scans.of(first)
    assert.is(closed, 0)
    await scans.of(second)
    assert.is(closed, 1)
    for (const path of [first, second]) truncateSync(path, 70 * 1024 ** 2)
    const by = { sharing: { workers: 2 }, purpose: { name: 'this test', remedy: 'Mend it' } }
    const found = await withScans([first, second], by, async (large) => [
      await large.of(first),
      await large.of(second),
    ])
    assert.equal(found, [await scanFile(first), await scanFile(second)])
  }))

test('a file that is gone is an error that names it', () =>
  inFiles(async ([first = '']) => {
    const gone = `${first}.gone`
    const scans = new Scans([first, gone], new PartHands(new Copies(WORK), { partBytes: 0, atOnce: 3 }))
    assert.is((await scans.of(first)).bytes, 0)
    await scans.of(gone).then(
      () => assert.unreachable(),
      ({ code, path }) => assert.equal([code, path], ['ENOENT', gone]),
    )
  }))

test.run()
