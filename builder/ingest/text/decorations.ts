/**
 * What people and spreadsheets put around the digits of an amount, in one rule for files that are read here and for those
 * that are read in SQL (books/amount-sql.ts): brackets for negative, a minus behind, the currency's sign, a dash for zero.
 */

/** Blanks between thousands: no-break, figure, thin and narrow no-break space. */
export const BLANKS = '\u00a0\u2007\u2009\u202f'
/** Typographic minus and dashes, which stand for a minus. */
export const MINUSES = '\u2212\u2013\u2014'
/** The apostrophe between thousands, as it is typeset. */
export const APOSTROPHE = '\u2019'

/** How people write currencies. A sign that several share is read for each of them: the books have one currency. */
const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD CAD AUD NZD SGD HKD TWD MXN CLP COP ARS',
  US$: 'USD',
  C$: 'CAD',
  CA$: 'CAD',
  A$: 'AUD',
  NZ$: 'NZD',
  R$: 'BRL',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY CNY',
  kr: 'SEK NOK DKK ISK',
  'kr.': 'SEK NOK DKK ISK',
  'Fr.': 'CHF',
  zł: 'PLN',
  Kč: 'CZK',
  Ft: 'HUF',
  lei: 'RON',
  '₹': 'INR',
  'Rs.': 'INR',
  '₩': 'KRW',
  '₺': 'TRY',
  '₴': 'UAH',
  '₪': 'ILS',
  '₱': 'PHP',
  '₫': 'VND',
  '฿': 'THB',
  R: 'ZAR',
}

/** All that may stand for the currency in an amount: its signs and its code. */
export const signsOf = (currency: string): readonly string[] => [
  currency,
  ...Object.entries(SIGNS).flatMap(([sign, codes]) => (codes.split(' ').includes(currency) ? [sign] : [])),
]

/** Signs of all currencies. */
export const ALL_SIGNS: readonly string[] = Object.keys(SIGNS)

/** The signs as one pattern, in the syntax that JavaScript and RE2 share; the longest first. */
export const signPattern = (signs: readonly string[]): string =>
  `(?:${[...signs]
    .sort((a, b) => b.length - a.length)
    .map((sign) => sign.replace(/[$.]/g, '\\$&'))
    .join('|')})`

/** The patterns of the rule, in the order in which they are replaced; the SQL twin is made of the same ones. */
export const decorationSteps = (signs: readonly string[]): readonly (readonly [string, string])[] => [
  // A text that a spreadsheet was told not to read as a number.
  ["^'", ''],
  [`^([-+(]?) *${signPattern(signs)} *`, '$1'],
  [` *${signPattern(signs)} *([-)]?)$`, '$1'],
  ['^[(] *([^-+()]*[0-9][^-+()]*?) *[)]$', '-$1'],
  ['^([^-+()]*[0-9][^-+()]*?) *-$', '-$1'],
  ['^([-+]) +', '$1'],
  // Accounting formats show a zero as a dash.
  ['^-$', '0'],
]

const BLANK = new RegExp(`[${BLANKS}]`, 'g')
const MINUS = new RegExp(`[${MINUSES}]`, 'g')
/** An amount with nothing around its digits, which no step would change. */
const IS_BARE = /^[-+]?\d[\d.,]*$/
const compiled = new Map<string, readonly (readonly [RegExp, string])[]>()

function stepsOf(signs: readonly string[]): readonly (readonly [RegExp, string])[] {
  const key = signs.join(' ')
  const known = compiled.get(key)
  if (known !== undefined) return known
  const steps = decorationSteps(signs).map(([pattern, by]) => [new RegExp(pattern, 'i'), by] as const)
  compiled.set(key, steps)
  return steps
}

/** `($1,234.50)` → `-1,234.50`, `1 234,50 kr` → `1 234,50`, `–` → `0`. Blanks become plain ones, also inside. */
export function normalizeAmountText(text: string, signs: readonly string[]): string {
  const plain = text
    .replace(BLANK, ' ')
    .replace(MINUS, '-')
    .replaceAll(APOSTROPHE, "'")
    .replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
  return IS_BARE.test(plain)
    ? plain
    : stepsOf(signs).reduce((found, [pattern, by]) => found.replace(pattern, by), plain)
}
