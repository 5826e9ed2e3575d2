/** The lines of a SIE file: their fields, and those of a voucher read anew whenever they are needed. */
import { isCalendarDate } from '../../../contract/calendar.ts'
import { parseFigure } from '../../text/amount.ts'
import type { SieLine, SieVoucher } from './records.ts'
import type { SieObject } from './uses.ts'

type Token = string | readonly string[]

export interface Fields {
  /** In order, without the object list. */
  readonly fields: readonly string[]
  readonly objects: readonly SieObject[]
}

/** A quote closes a field only before a blank or a brace: `"C:\"` ends, `"5\" rör"` goes on. */
const QUOTED = /"((?:[^"\\]|\\"|\\)*?)"(?=[ \t{}]|$)/y
const PLAIN = /[^ \t"{}]+/y

/** Fields of one line; null where a quote or an object list is left open. `\"` is the only escape. */
export function tokenize(line: string): Token[] | null {
  const tokens: Token[] = []
  let list: string[] | null = null
  let at = 0
  while (at < line.length) {
    const char = line[at]
    if (char === ' ' || char === '\t') {
      at++
    } else if (char === '{' && list === null) {
      list = []
      at++
    } else if (char === '}' && list !== null) {
      tokens.push(list)
      list = null
      at++
    } else {
      const pattern = char === '"' ? QUOTED : PLAIN
      pattern.lastIndex = at
      const found = pattern.exec(line)
      if (!found) return null
      const [plain, quoted] = found
      const target: Token[] = list ?? tokens
      target.push(quoted === undefined ? plain : quoted.replaceAll('\\"', '"'))
      at = pattern.lastIndex
    }
  }
  return list === null ? tokens : null
}

/** `20110107` → `2011-01-07`; null where the text is not a date. */
export function isoDate(text: string): string | null {
  const match = /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  const date = match ? `${match[1]}-${match[2]}-${match[3]}` : ''
  return match && isCalendarDate(date) ? date : null
}

/** DOS ends a text file with Ctrl-Z. */
export const cleaned = (raw: string): string =>
  (raw.includes('\u001a') ? raw.replaceAll('\u001a', '') : raw).trim()

/** The lines of a text: where each begins, and where the one below it does. */
export function* linesIn(
  text: string,
): Generator<{ readonly raw: string; readonly start: number; readonly next: number }> {
  let start = 0
  let [lf, cr] = [-1, -1]
  while (start <= text.length) {
    if (lf < start) lf = placeOf('\n', text, start)
    if (cr < start) cr = placeOf('\r', text, start)
    const end = Math.min(lf, cr)
    const next = lf === cr + 1 ? lf + 1 : end + 1
    yield { raw: text.slice(start, end), start, next }
    start = next
  }
}

function placeOf(sign: string, text: string, from: number): number {
  const at = text.indexOf(sign, from)
  return at === -1 ? Number.POSITIVE_INFINITY : at
}

export interface Block {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Number of the first line. */
  readonly line: number
  readonly decimals: number
}

export type VoucherHead = Omit<SieVoucher, 'lines' | 'lineCount' | 'isDamaged'>

/** A voucher keeps where its lines stand in the text. What is wrong with them was found when the file was read. */
export class Voucher implements SieVoucher {
  readonly series: string
  readonly number: string
  readonly date: string
  readonly text: string
  readonly isDamaged: boolean
  readonly line: number
  readonly lineCount: number
  readonly #block: Block

  constructor(head: VoucherHead, lineCount: number, isDamaged: boolean, block: Block) {
    this.series = head.series
    this.number = head.number
    this.date = head.date
    this.text = head.text
    this.isDamaged = isDamaged
    this.line = head.line
    this.lineCount = lineCount
    this.#block = block
  }

  get lines(): readonly SieLine[] {
    const { text, start, end, line: first } = this.#block
    const lines: SieLine[] = []
    if (this.lineCount === 0) return lines
    let number = first - 1
    for (const { raw } of linesIn(text.slice(start, end))) {
      number++
      const source = cleaned(raw)
      const tokens = /^#TRANS(?!\w)/i.test(source) ? tokenize(source.slice(6)) : null
      const read = tokens === null ? null : this.#line(split(tokens), number)
      if (read !== null) lines.push(read)
    }
    return lines
  }

  #line({ fields, objects }: Fields, line: number): SieLine | null {
    const [account = '', amount = '', own = '', memo = ''] = fields
    const { minor } = parseFigure(amount, this.#block.decimals)
    const date = own === '' ? this.date : isoDate(own)
    if (minor === undefined || date === null) return null
    return { account, objects, amount, minor, date, text: memo || this.text, line }
  }
}

/** Fields apart from the object list, which holds pairs of dimension and object. */
export function split(tokens: readonly Token[]): Fields {
  const fields: string[] = []
  const objects: SieObject[] = []
  for (const token of tokens) {
    if (typeof token === 'string') fields.push(token)
    else
      for (let i = 0; i < token.length; i += 2) {
        const dimension = token[i]
        const id = token[i + 1]
        if (dimension !== undefined && id !== undefined && id !== '') objects.push({ dimension, id })
      }
  }
  return { fields, objects }
}
