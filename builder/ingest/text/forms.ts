/**
 * How a file writes its amounts and dates, as far as its own rows show it: 1.234,50 can be read in one way only,
 * 1,234 in two. What stays open becomes a question; nothing is guessed.
 */
import { ALL_SIGNS, normalizeAmountText, signedBySide } from './decorations.ts'
import { INSTANT, ISO_DATE, parseDate, SERIAL } from './months.ts'

/** Before the decimals, or between thousands. */
type Mark = '.' | ','

export interface AmountForm {
  readonly decimal: Mark | null
  readonly thousands: '' | ',' | '.' | ' ' | "'"
  /** An amount that can be read in two ways; `decimal` is null then. */
  readonly unclear: string | null
}

export interface DateForm {
  /** All forms in which the dates can be read: one where it is clear, none where the dates have several forms. */
  readonly formats: readonly string[]
  /** The first date that is not written like 2025-01-31; null where there is none. */
  readonly sample: string | null
}

/** Amounts look alike in all currencies, so that the sign of any currency is ignored. */
const ANY_SIGN = [...ALL_SIGNS, '[A-Z]{3}']

export function amountForm(texts: readonly string[]): AmountForm {
  const decimals = new Set<Mark>()
  const thousands = new Set<AmountForm['thousands']>()
  /** Amounts such as 1,234, whose only mark may be either. */
  const open: { readonly text: string; readonly mark: Mark }[] = []
  for (const text of texts) {
    const plain = normalizeAmountText(signedBySide(text), ANY_SIGN).replace(/^[+-]/, '')
    if (!/^\d[\d.,' ]*$/.test(plain)) continue
    for (const separator of [' ', "'"] as const) if (plain.includes(separator)) thousands.add(separator)
    const marks = [...plain].filter((sign): sign is Mark => sign === '.' || sign === ',')
    const [first] = marks
    const last = marks.at(-1)
    if (first === undefined || last === undefined) continue
    const isMixed = new Set(marks).size === 2
    const endsWithThree = /[.,]\d{3}$/.test(plain)
    if (isMixed || (marks.length === 1 && !endsWithThree)) decimals.add(last)
    if (isMixed) thousands.add(first)
    else if (marks.length > 1) thousands.add(last)
    else if (endsWithThree) open.push({ text: plain, mark: last })
  }
  for (const { mark } of open) if (decimals.size > 0 && !decimals.has(mark)) thousands.add(mark)
  // 1.234 beside 12.50 has three decimals or is a mistake; the build decides that by the currency.
  const unclear = decimals.size === 0 ? open.find(({ mark }) => !thousands.has(mark)) : undefined
  const [seen] = decimals
  const decimal = seen ?? (thousands.has('.') ? ',' : '.')
  if (unclear !== undefined || decimals.size > 1 || thousands.size > 1 || thousands.has(decimal))
    return { decimal: null, thousands: '', unclear: unclear?.text ?? texts[0] ?? '' }
  const [separator = ''] = thousands
  return { decimal, thousands: separator, unclear: null }
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
/** The forms in use. Where points separate the parts, the day comes first everywhere. */
const FORMATS = [
  ...SEPARATED,
  ...NAMED,
  ...RUNS,
  ...[...SEPARATED, ...NAMED].map((format) => format.replace('YYYY', 'YY')),
  SERIAL,
  INSTANT,
]

/** Days up to the twelfth can be read as months too, so that a wrong form fits some dates, but never most. */
const MOST = 0.9
const RIVAL = 0.7

export function dateForm(texts: readonly string[]): DateForm {
  const dates = [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '')
  const sample = dates.find((date) => parseDate(date, ISO_DATE) === null) ?? null
  if (sample === null) return { formats: [], sample }
  // An instant is also any day in ISO form: one of the two alone is looked for, or they would rival each other.
  const hasInstants = dates.some(
    (date) => parseDate(date, INSTANT) !== null && parseDate(date, ISO_DATE) === null,
  )
  const forms = [ISO_DATE, ...FORMATS].filter((format) => format !== (hasInstants ? ISO_DATE : INSTANT))
  const formsOf = (some: readonly string[]) =>
    forms.filter((format) => some.every((date) => parseDate(date, format) !== null))
  const share = (format: string) =>
    dates.filter((date) => parseDate(date, format) !== null).length / dates.length
  const shares = forms.map((format) => ({ format, share: share(format) }))
  const all = shares.filter((each) => each.share === 1)
  if (all.length > 0) return { formats: all.map(({ format }) => format), sample }
  // One wrong date among many is a mistake that the build reports with its row; the form of the others is clear.
  const [best, next] = [...shares].sort((x, y) => y.share - x.share)
  const isClear = best !== undefined && best.share >= MOST && (next?.share ?? 0) <= RIVAL
  if (isClear) return { formats: [best.format], sample }
  // A text that no form fits is not a date, and shows nothing about the form of the others.
  const readable = dates.filter((date) => shares.some(({ format }) => parseDate(date, format) !== null))
  const rest = readable.length * 2 < dates.length ? [] : formsOf(readable)
  return { formats: rest, sample }
}
