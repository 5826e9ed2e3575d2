/**
 * Detects the encoding of a text file and decodes it. First file of the room that owns how text becomes values:
 * records, amounts, dates, lines. Must not know any file format.
 */
import { isUtf8 } from 'node:buffer'
import type { TableOptions } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'

export type Encoding = NonNullable<TableOptions['encoding']>

/**
 * The upper halves of the 8-bit encodings. Node's TextDecoder does not know CP437, and some releases of Node 20
 * read windows-1252 as ISO 8859-1, without euro, dashes and curly quotes.
 */
const LATIN1 = Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i))
/** The eight signs in which ISO 8859-15 (Latin-9) differs from ISO 8859-1 (Latin-1). */
const LATIN9 = new Map([
  ['¤', '€'],
  ['¦', 'Š'],
  ['¨', 'š'],
  ['´', 'Ž'],
  ['¸', 'ž'],
  ['¼', 'Œ'],
  ['½', 'œ'],
  ['¾', 'Ÿ'],
])
const UPPER_HALF = {
  cp437: [
    ...'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐',
    ...'└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  ],
  macintosh: [
    ...'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø',
    ...'¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ',
  ],
  'windows-1252': [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ', ...LATIN1.slice(32)],
  'iso-8859-1': LATIN1,
  'iso-8859-15': LATIN1.map((letter) => LATIN9.get(letter) ?? letter),
} satisfies { [encoding in Encoding]?: readonly string[] }

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16LE_BOM = Buffer.from([0xff, 0xfe])
const UTF16BE_BOM = Buffer.from([0xfe, 0xff])
const startsWith = (bytes: Buffer, mark: Buffer) => bytes.subarray(0, mark.length).equals(mark)

/** Bytes of the byte order mark of a text in UTF-8; 0 where it has none. */
export const markLength = (bytes: Buffer): number => (startsWith(bytes, UTF8_BOM) ? UTF8_BOM.length : 0)

/**
 * Recognises UTF-16 by its byte order mark, or by the zero in every other byte of Latin letters; null where it is
 * not UTF-16.
 */
export function wideEncoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (startsWith(bytes, UTF16LE_BOM)) return 'utf-16le'
  if (startsWith(bytes, UTF16BE_BOM)) return 'utf-16be'
  let even = 0
  let odd = 0
  const sample = bytes.subarray(0, 512)
  for (const [i, byte] of sample.entries())
    if (byte === 0 && i % 2 === 0) even++
    else if (byte === 0) odd++
  const most = Math.max(even, odd)
  if (most === 0 || most * 4 < sample.length || Math.min(even, odd) > 0) return null
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/**
 * Letters of Latin, Greek and Cyrillic, signs such as the euro, and the byte order mark, as UTF-8 writes them;
 * other encodings do not hold these bytes by accident.
 */
const UTF8_LETTER = /[\xc2-\xc5\xce-\xd1][\x80-\xbf]|\xe2[\x80-\x84][\x80-\xbf]|\xef\xbb\xbf/
/** Not preceded by the first byte of a UTF-8 letter, since "ä" in UTF-8 ends with the same byte. */
const EURO = /(?<![\xc2-\xc5\xce-\xd1])\xa4/

/** Detects the encoding of the Latin family for a text that is not UTF-8, from all of its bytes. */
export class LatinText {
  #control = false
  #euro = false
  #bytes = 0
  #before = ''
  /** Bytes by their value. */
  readonly #counts = new Uint32Array(256)
  /**
   * Offset in bytes of the first letter that is UTF-8 although the text as a whole is not; null where there is
   * none.
   */
  utf8At: number | null = null

  add(bytes: Buffer): void {
    const text = this.#before + bytes.toString('latin1')
    // 0x80 to 0x9F are control characters in ISO 8859, and letters and punctuation in windows-1252.
    this.#control ||= /[\x80-\x9f]/.test(text)
    // 0xA4 is "¤" in ISO 8859-1, which nobody writes, and the euro in ISO 8859-15.
    this.#euro ||= EURO.test(text)
    if (this.utf8At === null) {
      const at = text.search(UTF8_LETTER)
      if (at !== -1) this.utf8At = this.#bytes - this.#before.length + at
    }
    this.#bytes += bytes.length
    this.#before = text.slice(-2)
    for (const byte of bytes) this.#counts[byte] = (this.#counts[byte] ?? 0) + 1
  }

  get encoding(): Encoding {
    return this.#control ? 'windows-1252' : this.#euro ? 'iso-8859-15' : 'iso-8859-1'
  }

  /**
   * The letters are counted as those of CP437 and of the Latin family, and CP437 wins a tie, since programs mix single Latin letters
   * into its files; the same for those of an old Mac, where CP437 has letters of other languages.
   */
  get dosEncoding(): Encoding {
    const count = (isMeant: (byte: number) => boolean) =>
      this.#counts.reduce((sum, each, byte) => (isMeant(byte) ? sum + each : sum), 0)
    const dos = count((byte) => (byte >= 0x80 && byte <= 0x9a) || (byte >= 0xa0 && byte <= 0xa5))
    if (dos < count((byte) => byte >= 0xc0 && byte !== 0xd7 && byte !== 0xf7)) return this.encoding
    const swedish = count((byte) => byte === 0x84 || byte === 0x86 || byte === 0x94)
    const mac = [0x8c, 0x8a, 0x9a].map((letter) => count((byte) => byte === letter))
    const isMac = mac.filter((each) => each > 0).length > 1 && mac.reduce((a, b) => a + b) > swedish
    return isMac ? 'macintosh' : 'cp437'
  }
}

const latin = (bytes: Buffer): LatinText => {
  const text = new LatinText()
  text.add(bytes)
  return text
}

/**
 * A byte order mark decides, then validity as UTF-8: text in another encoding is valid UTF-8 by accident only where
 * it is ASCII. What is left is of the Latin family.
 */
export const detectEncoding = (bytes: Buffer): Encoding =>
  wideEncoding(bytes) ?? (isUtf8(bytes) ? 'utf-8' : latin(bytes).encoding)

/** Line of the first letter that is UTF-8 in a text that as a whole is not; null where there is none. */
export function mixedLine(bytes: Buffer): number | null {
  if (wideEncoding(bytes) !== null || isUtf8(bytes)) return null
  const { utf8At } = latin(bytes)
  return utf8At === null ? null : bytes.toString('latin1', 0, utf8At).split('\n').length
}

export interface Decoded {
  /** Without a byte order mark. */
  readonly text: string
  readonly encoding: Encoding
  /** Line of the first bytes that are not text in this encoding; null where all are. */
  readonly undecodableLine: number | null
}

/** Decodes with the stated encoding, else with the detected one. */
export function decodeText(bytes: Buffer, stated?: Encoding): Decoded {
  const encoding = stated ?? detectEncoding(bytes)
  const text = decodeAs(bytes, encoding)
  return { text, encoding, undecodableLine: isValid(bytes, encoding) ? null : lineOfReplacement(text) }
}

export const isWide = (encoding: Encoding): encoding is 'utf-16le' | 'utf-16be' =>
  encoding === 'utf-16le' || encoding === 'utf-16be'

function decodeAs(bytes: Buffer, encoding: Encoding): string {
  if (isWide(encoding)) return new TextDecoder(encoding).decode(bytes)
  if (encoding === 'utf-8') return bytes.subarray(markLength(bytes)).toString('utf8')
  const upper = UPPER_HALF[encoding]
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (char) => upper[char.charCodeAt(0) - 0x80] ?? char)
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

/** The finding about a file that is not text in its encoding; `row` is the first such line, where it is known. */
export const undecodable = (file: string, encoding: string, row: number | null): Finding =>
  error('undecodable-text', `holds bytes that are not ${encoding} text`, {
    file,
    row,
    remedy: 'save the file as UTF-8, or name its encoding in company.yaml, such as "encoding: windows-1252"',
  })
