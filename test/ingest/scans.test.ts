/** What a scan of a file finds, wherever it stands. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { scanFile } from '../../builder/ingest/text/scan.ts'
import { suite } from '../suite.ts'

const test = suite('scans of files')

test('quotes behind blanks are found in each encoding, also between two chunks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-scans-'))
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
        assert.equal([hasOddCells, hasTabbedQuote], expected, `${encoding} ${JSON.stringify(quote)} ${above}`)
      }
})
