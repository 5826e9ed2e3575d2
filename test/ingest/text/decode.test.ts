/** Encodings: what is detected, and that every byte of each becomes the right character. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { decodeText, detectEncoding, type Encoding } from '../../../builder/ingest/text/decode.ts'
import { scanFile } from '../../../builder/ingest/text/scan.ts'
import { suite } from '../../suite.ts'
import { inFolder } from '../folder.ts'

const test = suite('decode')
const bytes = (...values: number[]) => Buffer.from(values)
const high = Buffer.from(Array.from({ length: 128 }, (_, i) => 128 + i))

const detected: readonly (readonly [name: string, input: Buffer, plain: Encoding, dos: Encoding])[] = [
  ['ASCII', Buffer.from('Sales'), 'utf-8', 'cp437'],
  ['nothing', Buffer.alloc(0), 'utf-8', 'cp437'],
  ['UTF-8', Buffer.from('Försäljning'), 'utf-8', 'utf-8'],
  ['UTF-8 with a mark', Buffer.from('\ufeffSales'), 'utf-8', 'utf-8'],
  ['UTF-16LE with a mark', Buffer.from('\ufeffÅr', 'utf16le'), 'utf-16le', 'utf-16le'],
  ['UTF-16BE with a mark', Buffer.from('\ufeffÅr', 'utf16le').swap16(), 'utf-16be', 'utf-16be'],
  ['UTF-16LE without one', Buffer.from('date,account\r\n', 'utf16le'), 'utf-16le', 'utf-16le'],
  ['UTF-16BE without one', Buffer.from('date,account\r\n', 'utf16le').swap16(), 'utf-16be', 'utf-16be'],
  ['a stray zero', Buffer.from('da\0te'), 'utf-8', 'cp437'],
  ['Latin-1', Buffer.from('Försäljning', 'latin1'), 'iso-8859-1', 'iso-8859-1'],
  ['windows-1252 dash', bytes(0x46, 0xf6, 0x72, 0x96), 'windows-1252', 'cp437'],
  ['euro of ISO 8859-15', bytes(0xe9, 0x20, 0xa4), 'iso-8859-15', 'cp437'],
  ['ISO 8859-1 beside letters that are UTF-8', bytes(0xe9, 0x20, 0xc3, 0xa4), 'iso-8859-1', 'iso-8859-1'],
  ['CP437', bytes(0x46, 0x94, 0x72, 0x73, 0x84), 'windows-1252', 'cp437'],
  // Seen in a real file: one Latin-1 letter among CP437 text.
  ['CP437 with one foreign byte', bytes(0x94, 0x84, 0x86, 0xc5), 'windows-1252', 'cp437'],
]
for (const [name, input, plain, dos] of detected)
  test(`${name}: ${plain}, in a DOS format ${dos}`, async () => {
    assert.is(detectEncoding(input), plain)
    await inFolder({ file: input }, async (folder) => {
      const { encoding, dosEncoding } = await scanFile(join(folder, 'file'))
      assert.equal([encoding, dosEncoding], [plain, dos])
    })
  })

for (const encoding of ['cp437', 'windows-1252', 'iso-8859-1', 'iso-8859-15'] as const)
  test(`${encoding} decodes all 128 upper characters, each once`, () => {
    const { text } = decodeText(high, encoding)
    assert.is([...text].length, 128)
    assert.is(new Set(text).size, 128)
  })

test('CP437 has the letters at their places', () => {
  assert.is(
    decodeText(bytes(0x80, 0x84, 0x86, 0x8e, 0x8f, 0x94, 0x99, 0x9b, 0xe1, 0xfd), 'cp437').text,
    'ÇäåÄÅöÖ¢ß²',
  )
})

test('the Latin encodings differ where they should', () => {
  assert.is(decodeText(bytes(0xa4), 'iso-8859-15').text, '€')
  assert.is(decodeText(bytes(0xa4), 'iso-8859-1').text, '¤')
  assert.is(decodeText(bytes(0x80, 0x96, 0x9f, 0xa0, 0xff), 'windows-1252').text, '€–Ÿ\u00a0ÿ')
  assert.is(decodeText(bytes(0xa5, 0xa6, 0xbe, 0xbf), 'iso-8859-15').text, '¥ŠŸ¿')
  assert.is(decodeText(bytes(0x80), 'iso-8859-1').text, '\u0080')
})

test('a byte order mark is no text', () => {
  assert.is(decodeText(Buffer.from('\ufeffa')).text, 'a')
  assert.is(decodeText(Buffer.from('\ufeffa', 'utf16le')).text, 'a')
})

test('bytes that the stated encoding does not have are reported by line, not lost', () => {
  assert.is(decodeText(Buffer.from('a\nb\nc\xe5', 'latin1'), 'utf-8').undecodableLine, 3)
  assert.is(decodeText(Buffer.from('å\nb'), 'utf-8').undecodableLine, null)
  assert.is(decodeText(bytes(0x61, 0x00, 0x00, 0xd8), 'utf-16le').undecodableLine, 1)
  assert.is(decodeText(Buffer.from('\ufffd')).undecodableLine, null)
})
