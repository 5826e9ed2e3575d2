/** The lines of a SIE file and their fields. */
import { isCalendarDate } from '../../../contract/calendar.ts'
import type { SieObject } from './vouchers.ts'

export interface Fields {
  /** In order, without the object list. */
  readonly fields: readonly string[]
  readonly objects: readonly SieObject[]
}

const TAB = 0x09
const BLANK = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

/** Fields of one line from a place on, of which object lists hold pairs of dimension and object; null where a quote or a list is left open. */
export function fieldsIn(line: string, from = 0): Fields | null {
  const fields: string[] = []
  const objects: SieObject[] = []
  let list: string[] | null = null
  let at = from
  while (at < line.length) {
    const char = line.charCodeAt(at)
    if (char === BLANK || char === TAB) {
      at++
    } else if (char === OPEN && list === null) {
      list = []
      at++
    } else if (char === CLOSE && list !== null) {
      addPairs(list, objects)
      list = null
      at++
    } else {
      const end = char === QUOTE ? quotedEnd(line, at) : plainEnd(line, at)
      if (end === at) return null
      const target = list ?? fields
      target.push(char === QUOTE ? unescaped(line.slice(at + 1, end - 1)) : line.slice(at, end))
      at = end
    }
  }
  return list === null ? { fields, objects } : null
}

function addPairs(list: readonly string[], objects: SieObject[]): void {
  for (let i = 0; i < list.length; i += 2) {
    const dimension = list[i]
    const id = list[i + 1]
    if (dimension !== undefined && id !== undefined && id !== '') objects.push({ dimension, id })
  }
}

/** `\"` is the only escape. */
const unescaped = (text: string): string => (text.includes('\\') ? text.replaceAll('\\"', '"') : text)

/** Where the field that begins at `at` ends; `at` where none does. */
function plainEnd(line: string, at: number): number {
  let end = at
  while (end < line.length && !isEnd(line.charCodeAt(end)) && line.charCodeAt(end) !== QUOTE) end++
  return end
}

/**
 * The same in quotes. A quote closes a field only before a blank or a brace, and one behind a backslash only where none further on does:
 * `"C:\"` ends, `"5\" rör"` goes on.
 */
function quotedEnd(line: string, at: number): number {
  let last = at
  for (let end = line.indexOf('"', at + 1); end !== -1; end = line.indexOf('"', end + 1)) {
    const closes = end + 1 === line.length || isEnd(line.charCodeAt(end + 1))
    if (line.charCodeAt(end - 1) !== BACKSLASH) return closes ? end + 1 : last
    if (closes) last = end + 1
  }
  return last
}

const isEnd = (char: number): boolean => char === BLANK || char === TAB || char === OPEN || char === CLOSE

/** `20110107` → `2011-01-07`; null where the text is not a date. */
export function isoDate(text: string): string | null {
  const match = /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  const date = match ? `${match[1]}-${match[2]}-${match[3]}` : ''
  return match && isCalendarDate(date) ? date : null
}

/** DOS ends a text file with Ctrl-Z. */
export const cleaned = (raw: string): string =>
  (raw.includes('\u001a') ? raw.replaceAll('\u001a', '') : raw).trim()
