/** A CSV whose quotes stand behind blanks, with each quote at the start of its cell. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { requote } from '../../../builder/ingest/format/records.ts'
import { Scratch } from '../../../builder/ingest/text/scan.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'

const test = suite('quotes written anew')

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

async function copyOf(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-quotes-'))
  const scratch = new Scratch()
  try {
    const path = join(folder, 'gl.csv')
    writeFileSync(path, text)
    const { path: copy, findings } = await requote({ file: 'gl.csv', path, delimiter: ';' }, scratch)
    return { csv: readFileSync(copy, 'utf8').split('\n'), findings }
  } finally {
    await scratch.dispose()
  }
}

test('records, also blank and torn ones, and cells with line ends', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const { csv } = await copyOf([HEADER, ...rows(90), ''].join(end))
    assert.is(csv[0], 'transaction_id,date,account,amount,memo')
    assert.is(csv[90], '44,2025-01-05,1001,-5.00,Sale 89')
    assert.is(csv.length, 92)
  }
  const torn = await copyOf([HEADER, `\n${rows(1)[0]};torn`].join('\n'))
  assert.equal(torn.csv.slice(1), ['', '0,2025-01-05,1000,5.00,Sale 0,torn', ''])
  const { csv } = await copyOf([HEADER, ...rows(2, (i) => `of ${i}\n and more`)].join('\n'))
  assert.is(csv.slice(1, 3).join('\n'), '0,2025-01-05,1000,5.00,"of 0\n and more"')
})

test('quotes that are wrong are told of by their row', async () => {
  const text = [HEADER, ...rows(90, (i) => (i === 60 ? 'a "b" c' : 'x'))].join('\n')
  assert.equal(column((await copyOf(text)).findings, 'row'), [62])
})
