/** The SQL twin of parseDate in ingest/text/months.ts: text of a date to a day, by the same rule; what is none is NULL. */
import { ISO_DATE, TIME_OF_DAY } from '../ingest/text/months.ts'
import { quoted } from './database.ts'

/** Made once per database. */
export const DATE_MACROS = `
CREATE MACRO day_text(t) AS CASE WHEN contains(t, ':') THEN regexp_replace(t, ${quoted(TIME_OF_DAY)}, '', 'i') ELSE t END;
`

/** `text` went through `day_text`, or has no time of day. */
export function dateSql(text: string, format: string): string {
  if (format === ISO_DATE) return inForm(text, format, `try_cast(${text} AS DATE)`)
  const day = `CAST(try_strptime(${text}, ${quoted(strptimeFormat(format))}) AS DATE)`
  // Years of four digits are told from others by their century, which costs no pattern for each row.
  return format.includes('YYYY') && /[^YMD]/.test(format) ? day : inForm(text, format, day)
}

/** Only where it has all digits that the format asks for: strptime takes fewer, so that a number could pass for a date. */
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

/** `DD.MM.YYYY` → `%d.%m.%Y`. `%b` is English, in any capitals, and `%y` of the same centuries, as in parseDate. */
const strptimeFormat = (format: string): string =>
  format.replace(
    /YYYY|YY|MMM|MM|DD|M|D/g,
    (token) => ({ YYYY: '%Y', YY: '%y', MMM: '%b', MM: '%m', M: '%m', DD: '%d', D: '%d' })[token]!,
  )
