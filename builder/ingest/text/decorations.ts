/**
 * What people and spreadsheets write around the digits of an amount: brackets for negative, a minus behind, the
 * currency's sign, a dash for zero. One rule for files that are read here and for those that are read in SQL
 * (database/amount-sql.ts).
 */
import { addTo } from '../../contract/grouping.ts'

/** Blanks between thousands: no-break, figure, thin and narrow no-break space. */
export const BLANKS = '\u00a0\u2007\u2009\u202f'
/** Typographic minus and dashes, used as a minus. */
export const MINUSES = '\u2212\u2013\u2014'
/** The typographic apostrophe between thousands. */
export const APOSTROPHE = '\u2019'

/**
 * How people write currencies. A sign that several currencies share is accepted for each of them, since the books
 * have one currency.
 */
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

/** Currency → its signs. */
const SIGNS_OF = new Map<string, string[]>()
for (const [sign, codes] of Object.entries(SIGNS))
  for (const code of codes.split(' ')) addTo(SIGNS_OF, code, sign)

/** Everything that may stand for the currency in an amount: its signs and its code. */
export const signsOf = (currency: string): readonly string[] => [currency, ...(SIGNS_OF.get(currency) ?? [])]

/** Signs of all currencies. */
export const ALL_SIGNS: readonly string[] = Object.keys(SIGNS)

/** The signs as one pattern, in the syntax common to JavaScript and RE2; the longest first. */
export const signPattern = (signs: readonly string[]): string =>
  `(?:${[...signs]
    .sort((a, b) => b.length - a.length)
    .map((sign) => sign.replace(/[$.]/g, '\\$&'))
    .join('|')})`

/** The replacements of the rule, in order; the SQL twin is generated from the same ones. */
export const decorationSteps = (signs: readonly string[]): readonly (readonly [string, string])[] => [
  // An apostrophe tells a spreadsheet not to read the cell as a number.
  ["^'", ''],
  [`^([-+(]?) *${signPattern(signs)} *`, '$1'],
  [` *${signPattern(signs)} *([-)]?)$`, '$1'],
  ['^[(] *([^-+()]*[0-9][^-+()]*?) *[)]$', '-$1'],
  ['^([^-+()]*[0-9][^-+()]*?) *-$', '-$1'],
  ['^([-+]) +', '$1'],
  // Accounting formats show a zero as a dash.
  ['^-$', '0'],
]

/**
 * `1,234.50 Dr` and `1,234.50 Cr`, as Indian and bank programs write them, D and C, Soll and Haben: for amounts of which
 * debits are positive. In a column of debits or of credits, and in figures with the natural sign, they would say something else.
 */
export const SIDE_STEPS: readonly (readonly [string, string])[] = [
  ['^([^-+()]*[0-9]) *(?:dr|d|s)[.]?$', '$1'],
  ['^([^-+()]*[0-9]) *(?:cr|c|h)[.]?$', '-$1'],
]
const SIDES = SIDE_STEPS.map(([pattern, by]) => [new RegExp(pattern, 'i'), by] as const)

/** The amount with a minus for a credit, where the text ends with a side. */
export const signedBySide = (text: string): string =>
  SIDES.reduce((found, [pattern, by]) => found.replace(pattern, by), text.trim())

const BLANK = new RegExp(`[${BLANKS}]`, 'g')
const MINUS = new RegExp(`[${MINUSES}]`, 'g')
/** No amount is longer with what stands around its digits. The replacements take time with the cube of the length. */
export const LONGEST_AMOUNT = 200
/** An amount with nothing around its digits, which no replacement would change. */
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

/** `($1,234.50)` → `-1,234.50`, `1 234,50 kr` → `1 234,50`, `–` → `0`. Every kind of blank becomes a plain one. */
export function normalizeAmountText(text: string, signs: readonly string[]): string {
  const plain = text
    .replace(BLANK, ' ')
    .replace(MINUS, '-')
    .replaceAll(APOSTROPHE, "'")
    .replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '')
  return plain.length > LONGEST_AMOUNT || IS_BARE.test(plain)
    ? plain
    : stepsOf(signs).reduce((found, [pattern, by]) => found.replace(pattern, by), plain)
}
