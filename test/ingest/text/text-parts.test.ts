/** Parts of a text file hold all of its lines, each in one of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { atLine, cutFrom, textOfPart, textParts } from '../../../builder/ingest/text/text-parts.ts'

const test = suite('parts of a text')

async function partsOf(content: string, bytes: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-text-'))
  try {
    const path = join(folder, 'text.txt')
    writeFileSync(path, content)
    const texts: string[] = []
    for (const range of await textParts({ path, size: Buffer.byteLength(content) }, bytes, atLine)) {
      let text = ''
      for await (const chunk of textOfPart(path, range, 'utf-8')) text += chunk
      texts.push(text)
    }
    return texts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('each line is in one part, whole', async () => {
  const lines = Array.from({ length: 400 }, (_, i) => `${'é'.repeat(i % 9)}${i}`)
  for (const text of [
    `${lines.join('\n')}\n`,
    lines.join('\r\n'),
    `${lines.join('\n')}\n\n\n`,
    '',
    'one line',
    '\n',
  ])
    for (const bytes of [1, 2, 3, 7, 64, 1000, 100_000]) {
      const parts = await partsOf(text, bytes)
      assert.is(parts.join(''), text, `in parts of ${bytes} bytes`)
      for (const part of parts.slice(0, -1)) assert.ok(part.endsWith('\n'))
      for (const part of parts.slice(1)) assert.not.equal(part, '')
    }
  assert.is((await partsOf(lines.join('\n'), 500)).length > 4, true)
})

test('a part is larger where a line is, also than what is looked at at once', async () => {
  const long = 'x'.repeat(200_000)
  const parts = await partsOf(`a\n${long}\nb\n${long}\n`, 10)
  assert.equal(
    parts.map((part) => part.length),
    [long.length + 3, long.length + 3],
  )
})

test('parts from a place on, which may be looked for itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-text-'))
  try {
    const path = join(folder, 'text.txt')
    // What is looked for lies across the end of what is looked at once.
    for (const filler of [0, 10, 65_530, 65_534, 65_535, 65_536, 65_540, 200_000]) {
      const text = `${'x'.repeat(filler)}\nabcabc\nabc`
      writeFileSync(path, text)
      const file = { path, size: text.length }
      const cut = (bytes: Buffer): number => bytes.indexOf('\nabc') + 1
      const from = await cutFrom(file, 0, cut)
      assert.is(from, filler + 1)
      assert.equal(await textParts(file, 1, cut, from), [
        { start: filler + 1, end: filler + 8 },
        { start: filler + 8, end: filler + 11 },
      ])
      assert.is(await cutFrom(file, filler + 9, cut), file.size)
      assert.equal(await textParts(file, 1, cut, file.size), [])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a byte order mark in the middle of a file is a character like any other', async () => {
  assert.equal(await partsOf('\ufeffa\n\ufeffb\n', 4), ['a\n', '\ufeffb\n'])
})

test.run()
