/** Reads days, months, quarters and years as people write them in cells and column headers. */
import { dateOf, firstDay, isCalendarDate, lastDay, monthOf, monthText } from '../../contract/calendar.ts'
import type { DateRange } from '../../contract/document.ts'

export const ISO_DATE = 'YYYY-MM-DD'

/** The names of each month, short and whole, in English, Scandinavian languages, German, Dutch, French, Spanish, Italian and Portuguese. */
const NAMES_OF_MONTHS = [
  'jan january januari januar janv janvier ene enero gen gennaio janeiro',
  'feb february februari februar févr fév fevr février fevrier febrero febbraio fev fevereiro',
  'mar march mars märz mär mrz mrt maart marzo março marco',
  'apr april avr avril abr abril aprile',
  'may maj mai mei mayo mag maggio maio',
  'jun june juni juin junio giu giugno junho',
  'jul july juli juil juillet julio lug luglio julho',
  'aug august augusti augustus août aout ago agosto',
  'sep sept september septembre septiembre set settembre setembro',
  'oct october oktober okt octobre octubre ott ottobre out outubro',
  'nov november novembre noviembre novembro',
  'dec december desember des dez dezember déc décembre decembre dic diciembre dicembre dezembro',
].map((names) => names.split(' '))

/** Each name in small letters with the number of its month. */
export const MONTH_NUMBERS: ReadonlyMap<string, number> = new Map(
  NAMES_OF_MONTHS.flatMap((names, i) => names.map((name) => [name, i + 1] as const)),
)

/** 1 to 12 for `Jan`, `jan.`, `January`, `Sept`, `janv.`; else null. */
const monthOfName = (text: string): number | null =>
  MONTH_NUMBERS.get(text.toLowerCase().replace(/\.$/, '')) ?? null

/** 1 to 12 where the text is the name of a month and nothing else. */
export const bareMonth = (text: string): number | null => monthOfName(text.trim())

const TOKENS: Record<string, string> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMM: '(?<month>\\p{L}{3,10}\\.?)',
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
  return new RegExp(`^${source}$`, 'u')
}

/** A number of a spreadsheet: the days since 30 December 1899. */
export const SERIAL = 'SERIAL'
/** An instant: the day counts that stands in it, which may be another one in another time zone. */
export const INSTANT = 'YYYY-MM-DDThh:mm:ssZ'
/** What stands behind the day of an instant. In the syntax common to JavaScript and RE2. */
export const INSTANT_TIME = '[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})$'
const TIME_AND_ZONE = new RegExp(INSTANT_TIME)

export const isDateFormat = (format: string): boolean =>
  format === SERIAL || format === INSTANT || datePattern(format) !== null

/**
 * A time behind a date is ignored, because the file states the day. A time with a time zone is not accepted, unless
 * it is midnight, since the day may be another one. In the syntax common to JavaScript and RE2.
 */
export const TIME_OF_DAY =
  '(T| +)([0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AP]M)?|00:00(:00([.,]0+)?)?(Z|[+]00:00))$'
const TIME = new RegExp(`(?<! )${TIME_OF_DAY}`, 'i')

/**
 * A date as `YYYY-MM-DD`, read by `format` (`DD.MM.YYYY`, `M/D/YYYY`, `DD-MMM-YYYY`, …); null where the text is not
 * one. `MMM` is the name of a month, whole or short, in any language that is read, as the books read it.
 */
export function parseDate(text: string, format: string = ISO_DATE): string | null {
  const plain = text.trim()
  if (format === SERIAL) return dayOfText(plain)
  if (format === INSTANT) return parseDate(plain.replace(TIME_AND_ZONE, ''))
  const parts = datePattern(format)?.exec(plain.includes(':') ? plain.replace(TIME, '') : plain)?.groups
  if (parts === undefined) return null
  const { year = '', month = '', day = '' } = parts
  const number = /^\d/.test(month) ? month : String(monthOfName(month) ?? 0)
  const date = `${fullYear(year)}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isCalendarDate(date) ? date : null
}

/**
 * Two digits mean a year from 1969 to 2068, by the rule of POSIX, which the books follow in SQL too
 * (database/date-sql.ts).
 */
const fullYear = (year: string): string => (year.length === 2 ? `${year < '69' ? '20' : '19'}${year}` : year)

/** Whether a heading names a month or longer, alone or with what a title says: `Jan 2025`, `Q1 2025`, `Jan`, `P1`, `31/01/2025`. */
export const isPeriodHeading = (text: string): boolean =>
  parsePeriod(text) !== null ||
  bareMonth(text) !== null ||
  barePeriod(text) !== null ||
  /^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/.test(text.trim())

/** First and last month, both included, `YYYY-MM`. */
export interface MonthRange {
  readonly first: string
  readonly last: string
}

/** Months, or a part of a year whose months depend on the fiscal calendar: of a `nth` month, `part` is its number in the year. */
export type Period =
  | { readonly kind: 'month'; readonly month: string }
  | ({ readonly kind: 'span' } & MonthRange)
  | {
      readonly kind: 'year' | 'half' | 'quarter' | 'nth'
      readonly year: number
      readonly part: number
      /** Whether the year is fiscal; `both` where it is named by both of its calendar years, and `year` is the second one. */
      readonly fiscal: boolean | 'both'
    }

/** The named groups of a match: y(ear), z (the second year), m(onth), p(art), and f where the year is fiscal. */
type Parts = Readonly<Record<string, string | undefined>>

const part =
  (kind: 'year' | 'half' | 'quarter' | 'nth') =>
  ({ y = '', p = '1', f }: Parts): Period => ({
    ...{ kind, year: Number(fullYear(y)), part: Number(p), fiscal: f !== undefined },
  })

const FORMS: readonly [RegExp, (parts: Parts) => Period | null][] = [
  [/^(?<y>\d{4})[-/. ]?(?<m>0[1-9]|1[0-2])$/, month],
  [/^(?<y>\d{4})[-/. ](?<m>[1-9])$/, month],
  [/^(?<m>0?[1-9]|1[0-2])[-/. ](?<y>\d{4})$/, month],
  [/^(?<m>\p{L}{3,10}\.?)[-/ ,']*(?<y>\d{4}|\d{2})$/iu, month],
  [/^(?<y>\d{4})[-/ ,]*(?<m>\p{L}{3,10}\.?)$/iu, month],
  [/^(?<f>FY)? ?(?<y>\d{4})$/i, part('year')],
  [/^(?<f>FY) ?'?(?<y>\d{2})$/i, part('year')],
  [/^(?:FY ?'?(?<y>\d{4}|\d{2})|(?<y4>\d{4}))[-/–](?<z>\d{4}|\d{2})$/i, twoYears],
  [/^(?<f>FY)? ?(?<y>\d{4})[-/ ]?Q(?<p>[1-4])$/i, part('quarter')],
  [/^Q(?<p>[1-4])[-/ ]*(?<f>FY)? ?'?(?<y>\d{4}|\d{2})$/i, part('quarter')],
  [/^(?<f>FY)? ?(?<y>\d{4})[-/ ]?H(?<p>[12])$/i, part('half')],
  [/^H(?<p>[12])[-/ ]*(?<f>FY)? ?'?(?<y>\d{4}|\d{2})$/i, part('half')],
  [/^(?<f>FY)? ?(?<y>\d{4})[-/ ]?P(eriod)? ?(?<p>0?[1-9]|1[0-3])$/i, part('nth')],
  [/^P(eriod)? ?(?<p>0?[1-9]|1[0-3])[-/ ,]+(?<f>FY)? ?(?<y>\d{4})$/i, part('nth')],
]

/** The number of a period without a year: `P1`, `P01`, `Period 12`. */
export const barePeriod = (text: string): number | null =>
  Number(/^P(?:eriod)? ?(0?[1-9]|1[0-3])$/i.exec(text.trim())?.[1] ?? 0) || null

/** As QuickBooks names quarters: `Jan - Mar, 2025`, `Jan-Mar 2025`. */
const MONTHS_OF_YEAR = /^(?<from>\p{L}{3,10}\.?) ?(?:-|–|to) ?(?<to>\p{L}{3,10}\.?),? (?<y>\d{4})$/iu

/** The months that a header names; null where it names none. A day stands for its month. */
export function parsePeriod(text: string, dateFormat: string = ISO_DATE): Period | null {
  const plain = text.trim().replace(/\s+/g, ' ')
  for (const [form, read] of FORMS) {
    const period = form.exec(plain)?.groups
    const found = period && read(period)
    if (found) return found
  }
  const day = parseDate(plain, dateFormat) ?? parseDate(plain)
  if (day !== null) return { kind: 'month', month: day.slice(0, 7) }
  const { y, from, to } = MONTHS_OF_YEAR.exec(plain)?.groups ?? {}
  const [first, last] = [from, to].map((name) => month({ y, m: name }))
  return first?.kind === 'month' && last?.kind === 'month' && first.month < last.month
    ? { kind: 'span', first: first.month, last: last.month }
    : null
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

/** `FY2025/26`, `2025-2026`: a fiscal year that is named by both of its calendar years. */
function twoYears({ y, y4, z = '' }: Parts): Period | null {
  const [first, last] = [Number(fullYear(y ?? y4 ?? '')), Number(z)]
  const isNext = z.length === 4 ? last === first + 1 : last === (first + 1) % 100
  return isNext ? { kind: 'year', year: first + 1, part: 1, fiscal: 'both' } : null
}

/** `YYYY-MM` of each month, in order. */
export function monthsOf({ first, last }: MonthRange): string[] {
  const from = monthOf(first)
  return Array.from({ length: monthOf(last) - from + 1 }, (_, i) => monthText(from + i))
}

export const lastDayOf = (month: string): string => lastDay(monthOf(month))

/** A report of all dates has no beginning: nothing came before it. */
export type ReportPeriod = DateRange | 'all'

const FULL = /^(january|february|march|april|may|june|july|august|september|october|november|december)$/i
const dayOf = (text: string): string | null => {
  const plain = text.replace(/[A-Za-z]+/, (name) => (FULL.test(name) ? name.slice(0, 3) : name))
  for (const form of ['MMM D, YYYY', 'MMM D YYYY', 'D MMM YYYY', 'YYYY-MM-DD']) {
    const date = parseDate(plain, form)
    if (date !== null) return date
  }
  return null
}
const monthIn = (text: string): number | null => {
  const month = parseMonth(text.replace(',', ''))
  return month === null ? null : monthOf(`${month}-01`)
}

/** `January 1-December 31, 2025`, `January through March 2025`, `For the period 1 January 2025 to 31 March 2025`, `All Dates`. */
export function periodOf(title: string): ReportPeriod | null {
  const text = title.replace(/\s+/g, ' ').trim()
  if (/^all( dates)?$/i.test(text)) return 'all'
  const [, count, unit, last] =
    /^(?:for the )?(\d+ )?(year|months?|quarter) (?:ended|ending) (.+)$/i.exec(text) ?? []
  if (unit !== undefined && last !== undefined) {
    const end = dayOf(last)
    if (end === null) return null
    const months = /year/i.test(unit) ? 12 : /quarter/i.test(unit) ? 3 : Number(count ?? 1)
    return { startDate: firstDay(monthOf(end) - months + 1), endDate: end }
  }
  const plain = text.replace(/^(for the period )?(from )?/i, '')
  const [from = '', to, ...more] = plain.split(/ (?:through|thru|to) | ?[-\u2010-\u2015] ?(?=[A-Za-z0-9])/i)
  if (to === undefined) {
    const month = monthIn(plain)
    return month === null ? null : { startDate: firstDay(month), endDate: lastDay(month) }
  }
  if (more.length > 0) return null
  const year = /\b(\d{4})$/.exec(to)?.[1] ?? ''
  // `January 1-31, 2025` names the month once, `January 1-March 31, 2025` the year.
  const month = /^[A-Za-z]+/.exec(from)?.[0] ?? ''
  const end = /^\d{1,2},? \d{4}$/.test(to) ? `${month} ${to}` : to
  const start = /\b\d{4}$/.test(from)
    ? from
    : `${from}${/\d/.test(from) && /^[A-Za-z]/.test(from) ? ',' : ''} ${year}`
  const startMonth = monthIn(start)
  const endMonth = monthIn(end)
  const startDate = startMonth === null ? dayOf(start) : firstDay(startMonth)
  const endDate = endMonth === null ? dayOf(end) : lastDay(endMonth)
  return startDate === null || endDate === null || endDate < startDate ? null : { startDate, endDate }
}

const FIRST_DAY_1900 = Date.UTC(1899, 11, 30) / 86_400_000
const FIRST_DAY_1904 = Date.UTC(1904, 0, 1) / 86_400_000
/** 31 December 9999. */
const LAST_SERIAL = 2_958_465

/**
 * `YYYY-MM-DD` of a workbook's day number; null where it is not a day. The time of day is a fraction, which is
 * dropped after rounding to the second. Excel takes 1900 for a leap year, so that days before its 29 February are
 * one further on.
 */
export function dayOfSerial(serial: number, is1904: boolean): string | null {
  const day = Math.floor(Math.round(serial * 86_400) / 86_400)
  if (day < (is1904 ? 0 : 1) || day > LAST_SERIAL || (!is1904 && day === 60)) return null
  return dateOf(day + (is1904 ? FIRST_DAY_1904 : day < 60 ? FIRST_DAY_1900 + 1 : FIRST_DAY_1900))
}

/** The day of a number that a spreadsheet wrote as text, if it stands for a day of 1982 to 2064; else null. */
export function dayOfText(text: string): string | null {
  const serial = /^\d{5}([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : 0
  return serial > FIRST_TEXT && serial < LAST_TEXT ? dayOfSerial(serial, false) : null
}
export const [FIRST_TEXT, LAST_TEXT] = [30_000, 60_000]

/** The remedy for a number where a date is expected; null for any other text. */
export function serialRemedy(text: string): string | null {
  const day = dayOfText(text)
  return day === null
    ? null
    : `spreadsheets count days: ${text} is ${day} in most of them. Give the cells a date format, and save or export again; in a ledger, "dateFormat: SERIAL" reads them`
}
