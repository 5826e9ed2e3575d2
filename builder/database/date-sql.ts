/**
 * Converts the text of a date to a day in SQL, by the same rules as parseDate in ingest/text/months.ts. Text that is not a date
 * becomes NULL.
 */
import {
  FIRST_TEXT,
  INSTANT,
  INSTANT_TIME,
  ISO_DATE,
  LAST_TEXT,
  MONTH_NUMBERS,
  SERIAL,
  TIME_OF_DAY,
} from '../ingest/text/months.ts'
import { quoted } from './database.ts'

const NAMES = [...MONTH_NUMBERS.keys()]
const ENGLISH = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const SHORT = [...MONTH_NUMBERS.values()].map((number) => ENGLISH[number - 1] ?? '')
const listed = (texts: readonly string[]) => `[${texts.map(quoted).join(', ')}]`

/** SQL that creates the macros, once per database. `day_text` removes the time of day from a text, `month_text` writes the name of a month as its three English letters. */
export const DATE_MACROS = `
CREATE MACRO month_text(t) AS regexp_replace(t, '\\p{L}{3,10}\\.?', coalesce(${listed(SHORT)}[list_position(${listed(NAMES)}, lower(regexp_extract(t, '\\p{L}{3,10}')))], '?'));
CREATE MACRO day_text(t) AS CASE WHEN contains(t, ':') THEN regexp_replace(t, ${quoted(TIME_OF_DAY)}, '', 'i') ELSE t END;
`

/** SQL for the number of the month of a day, as `monthOf` in contract/calendar.ts counts them. */
export const monthSql = (day: string): string => `(year(${day}) * 12 + month(${day}) - 1)::INTEGER`

/** SQL for the text of such a month, `YYYY-MM`, and for its last day. */
export const monthTextSql = (month: string): string =>
  `printf('%04d-%02d', ${month} // 12, ${month} % 12 + 1)`
export const lastDaySql = (month: string): string =>
  `last_day(make_date((${month} // 12)::BIGINT, (${month} % 12 + 1)::BIGINT, 1))`

/**
 * SQL that adds a column `entered`, the day of the text `date`, to `rows`. Most ISO dates have ten characters, and DuckDB writes what
 * it read of them as the same text, which takes half of the time of matching a pattern. The length leaves out `infinity`, and years
 * of more than four digits. Only the other texts, `date_rest`, are trimmed and matched.
 */
export function daysSql(rows: string, format: string): string {
  const text = 'day_text(value_of(date))'
  if (format !== ISO_DATE)
    return `SELECT *, ${dateSql('date_rest', format)} AS entered FROM (SELECT *, ${text} AS date_rest FROM (${rows}))`
  const isExact = 'coalesce(strlen(date) = 10 AND date_exact::VARCHAR = date, false)'
  const steps = [
    '*, try_cast(date AS DATE) AS date_exact',
    `*, CASE WHEN NOT ${isExact} THEN ${text} END AS date_rest`,
    `*, CASE WHEN date_rest IS NULL THEN date_exact ELSE ${dateSql('date_rest', format)} END AS entered`,
  ]
  return steps.reduce((from, step) => `SELECT ${step} FROM (${from})`, rows)
}

/** SQL that converts `written`, which has no time of day, to a DATE. `format` is one of company.yaml, such as `DD.MM.YYYY`. */
export function dateSql(written: string, format: string): string {
  const text = format.includes('MMM') ? `month_text(${written})` : written
  if (format === SERIAL) return serialSql(text)
  if (format === INSTANT) return dateSql(`regexp_replace(${text}, ${quoted(INSTANT_TIME)}, '')`, ISO_DATE)
  if (format === ISO_DATE) return inForm(text, format, `try_cast(${text} AS DATE)`)
  const day = `CAST(try_strptime(${text}, ${quoted(strptimeFormat(format))}) AS DATE)`
  // With YYYY and separators, a year with fewer digits falls outside the allowed centuries, so no pattern has to be matched per row.
  return format.includes('YYYY') && /[^YMD]/.test(format) ? day : inForm(text, format, day)
}

/** The same as dayOfText in ingest/text/months.ts. */
function serialSql(text: string): string {
  const serial = `try_cast(replace(${text}, ',', '.') AS DOUBLE)`
  const isDay = `regexp_full_match(${text}, '[0-9]{5}([.,][0-9]+)?') AND ${serial} > ${FIRST_TEXT} AND ${serial} < ${LAST_TEXT}`
  return `CASE WHEN ${isDay} THEN DATE '1899-12-30' + CAST(floor(round(${serial} * 86400) / 86400) AS INTEGER) END`
}

/** Requires all digits that the format asks for. strptime accepts fewer, so an ordinary number could pass for a date. */
const inForm = (text: string, format: string, day: string): string =>
  `CASE WHEN regexp_full_match(${text}, ${quoted(patternOf(format))}) THEN ${day} END`

function patternOf(format: string): string {
  const upToTwo = /[^YMD]/.test(format) ? '[0-9]{1,2}' : '[0-9]{2}'
  return format.replace(
    /YYYY|YY|MMM|MM|M|DD|D|[^YMD]/g,
    (token) =>
      ({
        YYYY: '[0-9]{4}',
        YY: '[0-9]{2}',
        MMM: '[A-Za-z]{3}',
        MM: upToTwo,
        M: upToTwo,
        DD: upToTwo,
        D: upToTwo,
      })[token] ?? token.replace(/[^A-Za-z0-9]/, '\\$&'),
  )
}

/** `DD.MM.YYYY` → `%d.%m.%Y`. As in parseDate, `%b` means English month names in any case, and `%y` the same centuries. */
const strptimeFormat = (format: string): string =>
  format.replace(
    /YYYY|YY|MMM|MM|DD|M|D/g,
    (token) => ({ YYYY: '%Y', YY: '%y', MMM: '%b', MM: '%m', M: '%m', DD: '%d', D: '%d' })[token] ?? token,
  )
