/** The lines of a SIE file and their fields. */
import { isCalendarDate } from '../../../contract/calendar.ts'
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

/** The lines of a text. One that ends with a line end has an empty line behind it. */
export function* linesIn(text: string): Generator<string> {
  let start = 0
  let [lf, cr] = [-1, -1]
  while (start <= text.length) {
    if (lf < start) lf = placeOf('\n', text, start)
    if (cr < start) cr = placeOf('\r', text, start)
    const end = Math.min(lf, cr)
    yield text.slice(start, end)
    start = lf === cr + 1 ? lf + 1 : end + 1
  }
}

function placeOf(sign: string, text: string, from: number): number {
  const at = text.indexOf(sign, from)
  return at === -1 ? Number.POSITIVE_INFINITY : at
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
