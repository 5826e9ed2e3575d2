/** The shared texts of a workbook, and its number formats, to which cells refer by index. */
import { scaleIn } from '../text/scale.ts'
import type { XmlHandlers } from './xml.ts'

/** `_x000D_` stands for a character that XML cannot hold (ECMA-376-1, 22.9.2.19). */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text

/** Collects the text of an item: its runs one after the other, without phonetic readings (`rPh`). */
export class RichText {
  #text = ''
  #isText = false
  #readings = 0

  open(name: string): void {
    if (name === 'rPh') this.#readings++
    this.#isText = name === 't' && this.#readings === 0
  }
  add(text: string): void {
    if (this.#isText) this.#text += text
  }
  close(name: string): void {
    if (name === 'rPh') this.#readings--
    this.#isText = false
  }
  take(): string {
    const text = unescaped(this.#text).trim()
    this.#text = ''
    return text
  }
}

/** Reads the part with the shared strings, and adds each to `texts`. */
export function textsReader(texts: string[]): XmlHandlers {
  const item = new RichText()
  return {
    open: (name) => {
      // What stands between items belongs to none of them.
      if (name === 'si') item.take()
      item.open(name)
    },
    text: (text) => item.add(text),
    close: (name) => {
      item.close(name)
      if (name === 'si') texts.push(item.take())
    },
  }
}

/** What the format of a cell says about its number; `shown …` is a unit behind it, such as k, that multiplies it. */
export type NumberStyle = 'number' | 'date' | 'percent' | 'time' | `shown ${string}`

/** Reads the part with the styles, and returns the meaning of each cell style. */
export function stylesReader(): XmlHandlers & { readonly styles: readonly NumberStyle[] } {
  const styles: NumberStyle[] = []
  const codes = new Map<number, string>()
  let isCells = false
  return {
    styles,
    open: (name, { numFmtId, formatCode }) => {
      if (name === 'cellXfs') isCells = true
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '')
      if (name === 'xf' && isCells) styles.push(styleOf(Number(numFmtId ?? 0), codes))
    },
    close: (name) => {
      if (name === 'cellXfs') isCells = false
    },
  }
}

/** Date formats with fixed numbers (ECMA-376-1, 18.8.30); 27 to 36 and 50 to 58 are dates of East Asia. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** Formats of a time of day or of a duration with fixed numbers. */
const isBuiltInTime = (id: number): boolean => (id >= 18 && id <= 21) || (id >= 45 && id <= 47)
/** `#,##0"k"` shows 100 as 100k; `#,##0,"k"` shows 100,000 so, which it is. */
const SHOWN_UNIT = /[0#?].*?(?:"\s*([^"]*?)\s*"|\\\s?(\S))/
const isUnit = (text: string): boolean =>
  /^(?:[kK]|M|[mM](?:io|n|ln)\.?)$/.test(text) || scaleIn(text) !== null

function styleOf(id: number, codes: ReadonlyMap<number, string>): NumberStyle {
  const code = codes.get(id)
  if (code === undefined) {
    if (isBuiltInTime(id)) return 'time'
    return isBuiltInDate(id) ? 'date' : id === 9 || id === 10 ? 'percent' : 'number'
  }
  const [first = ''] = code.split(';')
  const unit = /[0#?],+(?![0#?,])/.test(first) ? null : SHOWN_UNIT.exec(first)
  const text = unit?.[1] ?? unit?.[2] ?? ''
  if (isUnit(text)) return `shown ${text}`
  // Text in quotes, behind a backslash or in brackets (a colour, a currency) is only shown. `_` and `*` use the
  // next character as a width and a filler.
  const [shown = ''] = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*]./g, '').split(';')
  if (shown.includes('%')) return 'percent'
  // An hour, minute or second alone is a time; `mmm` is the name of a month.
  const bare = shown.replace(/general|am\/pm/gi, '')
  if (/[yd]|mmm/i.test(bare)) return 'date'
  return /[hs]/i.test(bare) || /\[(h+|m+|s+)\]/i.test(first) ? 'time' : 'number'
}
