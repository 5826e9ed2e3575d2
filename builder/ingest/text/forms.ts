/**
 * How a file writes its amounts and dates, as far as its own rows tell: 1.234,50 can be read in one way only, 1,234 in
 * two. What stays open is a question for whoever knows the file; nothing is guessed.
 */
import { ALL_SIGNS, undecorated } from './decorations.ts'
import { ISO_DATE, parseDate } from './months.ts'

export interface AmountForm {
  readonly decimal: '.' | ',' | null
  readonly thousands: '' | ',' | '.' | ' ' | "'"
  /** An amount that could mean two; then `decimal` is null. */
  readonly unclear: string | null
}

export interface DateForm {
  /** All forms in which the dates can be read; one where it is clear, none where they are of several forms. */
  readonly formats: readonly string[]
  /** The first date that is not written as 2025-01-31; null where all are, or there is none. */
  readonly sample: string | null
}

/** Which currency it is has no say in how its amounts are written. */
const ANY_SIGN = [...ALL_SIGNS, '[A-Z]{3}']

export function amountForm(texts: readonly string[]): AmountForm {
  const decimals = new Set<string>()
  const thousands = new Set<string>()
  const open: string[] = []
  for (const text of texts) {
    const plain = undecorated(text, ANY_SIGN).replace(/^[+-]/, '')
    if (!/^\d[\d.,' ]*$/.test(plain)) continue
    for (const separator of [' ', "'"]) if (plain.includes(separator)) thousands.add(separator)
    const marks = plain.replace(/[^.,]/g, '')
    if (marks === '') continue
    const last = marks.at(-1)!
    const isMixed = new Set(marks).size === 2
    if (isMixed || (marks.length === 1 && !/[.,]\d{3}$/.test(plain))) decimals.add(last)
    if (isMixed) thousands.add(marks[0]!)
    else if (marks.length > 1) thousands.add(last)
    else if (/[.,]\d{3}$/.test(plain)) open.push(plain)
  }
  for (const text of open) {
    const mark = /[.,]/.exec(text)![0]
    if (decimals.size > 0 && !decimals.has(mark)) thousands.add(mark)
  }
  // 1.234 beside 12.50: three decimals, or a slip; the currency decides that at the build.
  const unclear = decimals.size === 0 ? open.find((text) => !thousands.has(/[.,]/.exec(text)![0])) : undefined
  const [decimal] = decimals.size > 0 ? decimals : new Set(thousands.has('.') ? ',' : '.')
  if (unclear !== undefined || decimals.size > 1 || thousands.size > 1 || thousands.has(decimal!))
    return { decimal: null, thousands: '', unclear: unclear ?? texts[0] ?? '' }
  const [separator] = thousands as ReadonlySet<AmountForm['thousands']>
  return { decimal: decimal as '.' | ',', thousands: separator ?? '', unclear: null }
}

const SEPARATED = [
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
]
const NAMED = ['DD-MMM-YYYY', 'DD MMM YYYY', 'DD/MMM/YYYY', 'DD.MMM.YYYY', 'MMM D, YYYY', 'MMM D YYYY']
const RUNS = ['YYYYMMDD', 'DDMMYYYY', 'MMDDYYYY', 'YYMMDD', 'DDMMYY', 'MMDDYY']
/** Those that people use: with points between them, the day comes first everywhere. */
const FORMATS = [
  ...SEPARATED,
  ...NAMED,
  ...RUNS,
  ...[...SEPARATED, ...NAMED].map((format) => format.replace('YYYY', 'YY')),
]

/** Of the days of one month, 12 read as a month too: another form may well read some, never most. */
const MOST = 0.9
const RIVAL = 0.7

export function dateForm(texts: readonly string[]): DateForm {
  const dates = [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '')
  const sample = dates.find((date) => parseDate(date, ISO_DATE) === null) ?? null
  if (sample === null) return { formats: [], sample }
  const formsOf = (some: readonly string[]) =>
    [ISO_DATE, ...FORMATS].filter((format) => some.every((date) => parseDate(date, format) !== null))
  const share = (format: string) =>
    dates.filter((date) => parseDate(date, format) !== null).length / dates.length
  const shares = [ISO_DATE, ...FORMATS].map((format) => ({ format, share: share(format) }))
  const all = shares.filter((each) => each.share === 1)
  if (all.length > 0) return { formats: all.map(({ format }) => format), sample }
  // A slip among dates is named by the build, with its row; it leaves no doubt about the others.
  const [best, next] = [...shares].sort((x, y) => y.share - x.share)
  if (best!.share >= MOST && next!.share <= RIVAL) return { formats: [best!.format], sample }
  // What no form reads is no date of another form.
  const readable = dates.filter((date) => shares.some(({ format }) => parseDate(date, format) !== null))
  const rest = readable.length * 2 < dates.length ? [] : formsOf(readable)
  return { formats: rest, sample }
}
