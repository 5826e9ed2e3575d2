/** Reads days, months, quarters and years as people write them in cells and column headers. */
import { isCalendarDate, lastDay, monthOf, monthText } from '../../contract/calendar.ts'

export const ISO_DATE = 'YYYY-MM-DD'

const MONTH_NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const FULL_NAMES =
  /^(january|february|march|april|may|june|july|august|september|sept|october|november|december)$/

/** 1 to 12 for `Jan`, `jan.`, `January`, `Sept`; else null. */
function monthOfName(text: string): number | null {
  const name = text.toLowerCase().replace(/\.$/, '')
  if (!FULL_NAMES.test(name) && !MONTH_NAMES.includes(name)) return null
  return MONTH_NAMES.indexOf(name.slice(0, 3)) + 1
}

/** 1 to 12 where the text is the name of a month and nothing else. */
export const bareMonth = (text: string): number | null => monthOfName(text.trim())

const TOKENS: Record<string, string> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMM: '(?<month>[A-Za-z]{3})',
  MM: '(?<month>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  D: '(?<day>\\d{1,2})',
}

/** Patterns of the formats that were used: a company states few, and its dates are many. */
const patterns = new Map<string, RegExp | null>()

/** A stated `dateFormat` as a pattern; null where it does not name a year, a month and a day, once each. */
function datePattern(format: string): RegExp | null {
  const known = patterns.get(format)
  if (known !== undefined) return known
  const pattern = compiled(format)
  patterns.set(format, pattern)
  return pattern
}

function compiled(format: string): RegExp | null {
  // Digits without separators must all be there: `20250131`.
  const run = !/[^YMD]/.test(format)
  const source = format.replace(/YYYY|YY|MMM|MM|M|DD|D|[^YMD]/g, (part) => {
    const token = TOKENS[part]
    if (token === undefined) return part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return run ? token.replace('{1,2}', '{2}') : token
  })
  const names = [...source.matchAll(/\?<(\w+)>/g)].map((match) => match[1])
  if (names.length !== 3 || new Set(names).size !== 3) return null
  return new RegExp(`^${source}$`)
}

export const isDateFormat = (format: string): boolean => datePattern(format) !== null

/**
 * A time behind a date is ignored, because the file states the day. A time with a time zone is not accepted, unless
 * it is midnight, since the day may be another one. In the syntax common to JavaScript and RE2.
 */
export const TIME_OF_DAY =
  '(T| +)([0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AP]M)?|00:00(:00([.,]0+)?)?(Z|[+]00:00))$'
const TIME = new RegExp(TIME_OF_DAY, 'i')

/**
 * A date as `YYYY-MM-DD`, read by `format` (`DD.MM.YYYY`, `M/D/YYYY`, `DD-MMM-YYYY`, …); null where the text is not
 * one. `MMM` is the first three letters of an English name in any capitals, as the books read it.
 */
export function parseDate(text: string, format: string = ISO_DATE): string | null {
  const plain = text.trim()
  const parts = datePattern(format)?.exec(plain.includes(':') ? plain.replace(TIME, '') : plain)?.groups
  if (parts === undefined) return null
  const { year = '', month = '', day = '' } = parts
  const number = /^\d/.test(month) ? month : String(MONTH_NAMES.indexOf(month.toLowerCase()) + 1)
  const date = `${fullYear(year)}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isCalendarDate(date) ? date : null
}

/**
 * Two digits mean a year from 1969 to 2068, by the rule of POSIX, which the books follow in SQL too
 * (books/date-sql.ts).
 */
const fullYear = (year: string): string => (year.length === 2 ? `${year < '69' ? '20' : '19'}${year}` : year)

/** First and last month, both included, `YYYY-MM`. */
export interface MonthRange {
  readonly first: string
  readonly last: string
}

/** A month, or a part of a year whose months depend on the fiscal calendar. */
export type Period =
  | { readonly kind: 'month'; readonly month: string }
  | { readonly kind: 'year'; readonly year: number; readonly fiscal: boolean }
  | { readonly kind: 'quarter'; readonly year: number; readonly quarter: number; readonly fiscal: boolean }

/** The named groups of a match: y(ear), m(onth), q(uarter), and f where the year is fiscal. */
type Parts = Readonly<Record<string, string | undefined>>

const FORMS: readonly [RegExp, (parts: Parts) => Period | null][] = [
  [/^(?<y>\d{4})[-/. ]?(?<m>0[1-9]|1[0-2])$/, month],
  [/^(?<y>\d{4})[-/. ](?<m>[1-9])$/, month],
  [/^(?<m>0?[1-9]|1[0-2])[-/. ](?<y>\d{4})$/, month],
  [/^(?<m>[a-z]{3,9}\.?)[-/ ,']*(?<y>\d{4}|\d{2})$/i, month],
  [/^(?<y>\d{4})[-/ ,]*(?<m>[a-z]{3,9}\.?)$/i, month],
  [/^(?<f>FY)? ?(?<y>\d{4})$/i, year],
  [/^(?<f>FY) ?'?(?<y>\d{2})$/i, year],
  [/^(?<f>FY)? ?(?<y>\d{4})[-/ ]?Q(?<q>[1-4])$/i, quarter],
  [/^Q(?<q>[1-4])[-/ ]*(?<f>FY)? ?'?(?<y>\d{4}|\d{2})$/i, quarter],
]

/** The month, quarter or year that a header names; null where it names none. A day stands for its month. */
export function parsePeriod(text: string, dateFormat: string = ISO_DATE): Period | null {
  const plain = text.trim().replace(/\s+/g, ' ')
  for (const [form, read] of FORMS) {
    const period = form.exec(plain)?.groups
    const found = period && read(period)
    if (found) return found
  }
  const day = parseDate(plain, dateFormat) ?? parseDate(plain)
  return day === null ? null : { kind: 'month', month: day.slice(0, 7) }
}

/**
 * What two rows of a header name together: `Jan` below `2025` is `Jan 2025`, `Q1` below `Budget FY2025` is `Q1
 * FY2025`. Null where that is not a period, or where the lower one is a period already. A month of a fiscal year
 * may lie in either calendar year.
 */
export function periodUnder(text: string, above: string): string | null {
  const year = /^[^\d]*?(?<year>(?:FY ?)?(?:19|20|21)\d\d)[^\d]*$/i.exec(above)?.groups?.year
  if (year === undefined || text === '' || parsePeriod(text) !== null) return null
  const both = `${text} ${year}`
  return parsePeriod(both) === null ? null : both
}

/** The month that a text names, `2025-01` and all its forms; null where it names a day or a longer period. */
export function parseMonth(text: string): string | null {
  const plain = text.trim().replace(/\s+/g, ' ')
  for (const [form, read] of FORMS) {
    const groups = read === month ? form.exec(plain)?.groups : undefined
    const found = groups && month(groups)
    if (found?.kind === 'month') return found.month
  }
  return null
}

function month({ y = '', m = '' }: Parts): Period | null {
  const number = /^\d/.test(m) ? Number(m) : monthOfName(m)
  return number === null
    ? null
    : { kind: 'month', month: `${fullYear(y)}-${String(number).padStart(2, '0')}` }
}

function year({ y = '', f }: Parts): Period {
  return { kind: 'year', year: Number(fullYear(y)), fiscal: f !== undefined }
}

function quarter({ y = '', q, f }: Parts): Period {
  return { kind: 'quarter', year: Number(fullYear(y)), quarter: Number(q), fiscal: f !== undefined }
}

/** `YYYY-MM` of each month, in order. */
export function monthsOf({ first, last }: MonthRange): string[] {
  const from = monthOf(first)
  return Array.from({ length: monthOf(last) - from + 1 }, (_, i) => monthText(from + i))
}

export const lastDayOf = (month: string): string => lastDay(monthOf(month))
