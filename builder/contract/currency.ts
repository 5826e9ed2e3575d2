/**
 * Knows the decimals of each currency (ISO 4217) and writes money as exact text. No other code turns money
 * into text.
 */

/** Currencies whose ISO 4217 minor unit is not 2. Source: ISO 4217 list one (maintenance agency SIX). */
const OTHER_THAN_TWO: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}
const DECIMALS = new Map(
  Object.entries(OTHER_THAN_TWO).flatMap(([decimals, codes]) =>
    codes.split(' ').map((code) => [code, Number(decimals)] as const),
  ),
)

/** The number of decimals of an ISO 4217 currency: 0, 2, 3 or 4. */
export const currencyDecimals = (code: string): number => DECIMALS.get(code) ?? 2

/** ICU does not list funds codes such as CLF and UYW, so those of the table above are added. */
const KNOWN = new Set([...Intl.supportedValuesOf('currency'), ...DECIMALS.keys()])
/** Whether a text is the code of an ISO 4217 currency. */
export const isCurrency = (code: string): boolean => KNOWN.has(code)

/** Published figures are below 10^15 minor units: 15 digits are exact in a double, and so in every client. */
export const FIGURE_LIMIT = 1e15

/**
 * Writes an integer count of minor units as a JSON number with exactly `decimals` decimals: 123450, 2 →
 * `1234.50`. No exponent, no `-0`. Throws where `minor` is not an integer or not below the limit.
 */
export function formatMinor(minor: number, decimals: number): string {
  if (!Number.isInteger(minor) || Math.abs(minor) >= FIGURE_LIMIT)
    throw new RangeError(`not an exact figure below 10^15 minor units: ${minor}`)
  return formatInteger(String(minor), decimals)
}

/**
 * Converts integer text in minor units, of any size, to decimal text: `-5`, 2 → `-0.05`. For sums that may
 * exceed the limit of published figures.
 */
export function formatInteger(minor: string, decimals: number): string {
  const negative = minor.startsWith('-')
  const digits = (negative ? minor.slice(1) : minor).padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  return `${negative ? '-' : ''}${digits.slice(0, cut)}${decimals === 0 ? '' : `.${digits.slice(cut)}`}`
}

/** The inverse of {@link formatInteger}: decimal text with all decimals of its currency as minor units. */
export const minorOfText = (amount: string): bigint => BigInt(amount.replace('.', ''))

/** Writes minor units of any size for people: `-51,156.76`. For messages, which no program reads. */
export const displayMinor = (minor: number | bigint | string, decimals: number): string =>
  displayDecimal(formatInteger(String(typeof minor === 'number' ? minor : BigInt(minor)), decimals))

/** Adds thousands separators to decimal text: `-51156.76` → `-51,156.76`. For messages. */
export function displayDecimal(text: string): string {
  const [whole, fraction] = text.split('.') as [string, string?]
  let end = whole.length
  let grouped = ''
  // No comma may follow the minus sign directly.
  for (; end > 3 && whole.charAt(end - 4) !== '-'; end -= 3)
    grouped = `,${whole.slice(end - 3, end)}${grouped}`
  grouped = whole.slice(0, end) + grouped
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/**
 * Converts a double that JSON.parse read from a figure of {@link formatMinor} back to its integer count of
 * minor units. Exact: for k < 10^15 the product is within k·2^-52 < 0.23 of the integer k, so rounding gives
 * k.
 */
export const minorFromJson = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) + 0

const PERCENT_UNIT =
  /^(%.*|pct\.?|per ?cento?|pour ?cent|por ?(ciento|cento)|pro[czs]ent|percentage|percentagem|pourcentage|porcentaje|percentuale)$/i

/** Whether the unit of a metric counts in hundredths, in the languages that are read: `%`, `% of income`, `Prozent`. */
export const isPercentUnit = (unit: string): boolean => PERCENT_UNIT.test(unit.trim())
