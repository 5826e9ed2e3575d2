/** Bytes of a text file to text: which encoding it has, and the decoding. Knows no file format. */
import { isAscii, isUtf8 } from 'node:buffer'
import type { TableOptions } from '../workspace/company.ts'

export type Encoding = NonNullable<TableOptions['encoding']>

/**
 * The upper halves of the 8-bit encodings. Node's TextDecoder does not know CP437, and some releases of Node 20 read
 * windows-1252 as ISO 8859-1, without euro, dashes and curly quotes.
 */
const LATIN1 = Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i))
const UPPER_HALF = {
  cp437: [
    ...'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐',
    ...'└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  ],
  'windows-1252': [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ', ...LATIN1.slice(32)],
  'iso-8859-1': LATIN1,
  'iso-8859-15': [...LATIN1.join('').replace(/[¤¦¨´¸¼½¾]/g, (sign) => '€ŠšŽžŒœŸ'['¤¦¨´¸¼½¾'.indexOf(sign)]!)],
} satisfies { [encoding in Encoding]?: readonly string[] }

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16LE_BOM = Buffer.from([0xff, 0xfe])
const UTF16BE_BOM = Buffer.from([0xfe, 0xff])
const startsWith = (bytes: Buffer, mark: Buffer) => bytes.subarray(0, mark.length).equals(mark)

/** What an importer expects of an 8-bit file: DOS formats (SIE) say CP437, all else is of the Latin family. */
export type EightBitRule = 'latin' | 'cp437'

/** UTF-16 by its mark, or by the zero in every other byte that Latin letters have there; null where it is none. */
export function wideEncoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (startsWith(bytes, UTF16LE_BOM)) return 'utf-16le'
  if (startsWith(bytes, UTF16BE_BOM)) return 'utf-16be'
  const zeros = [0, 0]
  const sample = bytes.subarray(0, 512)
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2]!++
  const [even, odd] = zeros as [number, number]
  const most = Math.max(even, odd)
  if (most === 0 || most * 4 < sample.length || Math.min(even, odd) > 0) return null
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/**
 * A byte order mark decides, then validity as UTF-8: text in another encoding is valid UTF-8 by accident only where
 * it is ASCII. What is left is an 8-bit encoding. Under the rule `cp437` the letters are counted under both
 * families and the rule wins a tie, since programs mix single Latin-1 letters into CP437 files.
 */
export function detectEncoding(bytes: Buffer, rule: EightBitRule = 'latin'): Encoding {
  const wide = wideEncoding(bytes)
  if (wide !== null) return wide
  if (isUtf8(bytes)) return rule === 'cp437' && isAscii(bytes) ? 'cp437' : 'utf-8'
  const count = { dos: 0, latin: 0, control: 0, euro: 0 }
  for (const byte of bytes) {
    if (byte < 0x80) continue
    if (byte <= 0x9a || (byte >= 0xa0 && byte <= 0xa5)) count.dos++
    if (byte >= 0xc0 && byte !== 0xd7 && byte !== 0xf7) count.latin++
    if (byte <= 0x9f) count.control++
    if (byte === 0xa4) count.euro++
  }
  if (rule === 'cp437' && count.dos >= count.latin) return 'cp437'
  // 0x80 to 0x9F are control characters in ISO 8859, letters and punctuation in windows-1252.
  if (count.control > 0) return 'windows-1252'
  // 0xA4 is the sign "¤" in ISO 8859-1, which nobody writes, and the euro in ISO 8859-15.
  return count.euro > 0 ? 'iso-8859-15' : 'iso-8859-1'
}

export interface Decoded {
  /** Without a byte order mark. */
  readonly text: string
  readonly encoding: Encoding
  /** Line of the first bytes that are no text in this encoding; null where all are. */
  readonly undecodableLine: number | null
}

/** Decodes with the stated encoding, else the detected one. */
export function decodeText(bytes: Buffer, stated?: Encoding, rule: EightBitRule = 'latin'): Decoded {
  const encoding = stated ?? detectEncoding(bytes, rule)
  const text = decodeAs(bytes, encoding)
  return { text, encoding, undecodableLine: isValid(bytes, encoding) ? null : lineOfReplacement(text) }
}

const isWide = (encoding: Encoding) => encoding === 'utf-16le' || encoding === 'utf-16be'

function decodeAs(bytes: Buffer, encoding: Encoding): string {
  if (isWide(encoding)) return new TextDecoder(encoding).decode(bytes)
  if (encoding === 'utf-8')
    return (startsWith(bytes, UTF8_BOM) ? bytes.subarray(UTF8_BOM.length) : bytes).toString('utf8')
  const upper = UPPER_HALF[encoding]
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (char) => upper[char.charCodeAt(0) - 0x80]!)
}

function isValid(bytes: Buffer, encoding: Encoding): boolean {
  if (encoding === 'utf-8') return isUtf8(bytes)
  if (!isWide(encoding)) return true
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const lineOfReplacement = (text: string): number =>
  text.slice(0, Math.max(0, text.indexOf('\ufffd'))).split('\n').length
