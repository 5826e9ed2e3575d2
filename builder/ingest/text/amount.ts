/** Reads decimal text as an exact number of minor units. No amount ever passes through binary floating point. */
import { FIGURE_LIMIT } from '../../contract/currency.ts'
import { present } from '../../contract/present.ts'
import { normalizeAmountText, signedBySide, signsOf } from './decorations.ts'

export type AmountProblem = 'unreadable-amount' | 'too-many-decimals' | 'amount-too-large'

/** Reaches no amount, so that nothing is rounded: every digit sorts before a colon. */
const EXACT: RoundingReach = { down: '', up: ':' }
const PLAIN = /^([+-]?)(\d+)(?:\.(\d*))?$/

export interface NumberForm {
  readonly decimal?: '.' | ','
  readonly thousands?: string
  /**
   * Set for amounts written by people: signs of this currency around the digits are then accepted ({@link
   * normalizeAmountText}).
   */
  readonly currency?: string
  /** Debits are positive, so that `Dr` or `Cr` behind the digits says the sign. */
  readonly isSigned?: boolean
  /** Set where company.yaml allows more decimals than the currency has. */
  readonly rounding?: RoundingReach
}

/**
 * How far an amount with too many decimals may be rounded, by the digits behind the last one kept: digits up to
 * `down` are dropped, digits from `up` on round up. They are compared as text, digit by digit.
 */
export interface RoundingReach {
  readonly down: string
  readonly up: string
}

/**
 * The reach of a tolerance in units of the currency, such as `0.005`. A tolerance of at least half a minor unit
 * reaches any amount; halves are rounded away from zero.
 */
export function reachOf(tolerance: string, decimals: number): RoundingReach {
  const [whole, digits = ''] = shiftPoint(tolerance, decimals).split('.') as [string, string?]
  if (Number(whole) > 0 || digits >= '5') return { down: '5', up: '5' }
  if (digits === '') return EXACT
  const missing = 10n ** BigInt(digits.length) - BigInt(digits)
  return { down: digits, up: String(missing).padStart(digits.length, '0').replace(/0+$/, '') }
}

/**
 * `"-1,234.50"` with decimals 2 and thousands `,` → `{ minor: -123450 }`. `decimals` is the currency's ISO 4217
 * scale. Trailing zeros beyond it are accepted; any other digit there is a problem, and is rounded only within a
 * stated {@link RoundingReach}, halves away from zero. A leading `+` and blanks around the text are accepted, an
 * exponent is not.
 */
export function parseAmount(
  text: string,
  decimals: number,
  form: NumberForm = {},
):
  | { readonly minor: number; readonly problem?: never }
  | { readonly minor?: never; readonly problem: AmountProblem } {
  const usual = usualMinor(text, decimals, form.decimal ?? '.')
  if (usual !== null) return { minor: usual }
  const match = PLAIN.exec(plainNumber(text, form))
  if (!match) return { problem: 'unreadable-amount' }
  const fraction = match[3] ?? ''
  const rest = fraction.length > decimals ? fraction.slice(decimals).replace(/(?<!0)0+$/, '') : ''
  const { down, up } = form.rounding ?? EXACT
  const goesUp = rest !== '' && rest >= up
  if (!goesUp && rest > down) return { problem: 'too-many-decimals' }
  const magnitude = Number(match[2] + fraction.slice(0, decimals).padEnd(decimals, '0')) + (goesUp ? 1 : 0)
  if (!Number.isSafeInteger(magnitude)) return { problem: 'amount-too-large' }
  return { minor: match[1] === '-' ? 0 - magnitude : magnitude }
}

/** More digits may be too many for an exact number. */
const USUAL_LENGTH = 16

/**
 * Most amounts are digits with as many decimals as the currency has, which are read here in a tenth of the time; null for all others,
 * which the rules of {@link parseAmount} read.
 */
function usualMinor(text: string, decimals: number, decimal: '.' | ','): number | null {
  const point = text.length - decimals - 1
  if (decimals === 0 || point < 1 || text.length > USUAL_LENGTH || text[point] !== decimal) return null
  let minor = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit >= 0 && digit <= 9) minor = 10 * minor + digit
    else if (i !== point) return null
  }
  return minor
}
const ZERO = 0x30

/** Like {@link parseAmount}, for an amount that may be published as it is and must be below the published limit. */
export function parseFigure(
  text: string,
  decimals: number,
  form: NumberForm = {},
): ReturnType<typeof parseAmount> {
  const read = parseAmount(text, decimals, form)
  return read.problem === undefined && Math.abs(read.minor) >= FIGURE_LIMIT
    ? { problem: 'amount-too-large' }
    : read
}

/**
 * ISO 4217: "no currency is involved". Everything that people write around digits is accepted, except signs of
 * money.
 */
export const NO_CURRENCY = 'XXX'

/** The number with a decimal point and without thousands separators, where the text is one; else any other text. */
export function plainNumber(
  text: string,
  { decimal = '.', thousands = '', currency, isSigned }: NumberForm,
): string {
  const bare =
    currency === undefined
      ? text.trim()
      : normalizeAmountText(isSigned ? signedBySide(text) : text, signsOf(currency))
  const plain = ungrouped(bare, thousands, decimal)
  if (decimal === '.') return plain
  return plain.includes('.') ? '' : plain.replace(',', '.')
}

/**
 * Removes thousands separators where they stand between groups of digits. Otherwise the text is returned as one
 * that is not an amount: with `.` between thousands, 12.34 is a mistake and not 1234. A blank may be a no-break
 * space.
 */
export function ungrouped(text: string, thousands: string, decimal: string): string {
  const plain = thousands === ' ' ? text.replace(/[\u00a0\u202f]/g, ' ') : text
  if (thousands === '' || !plain.includes(thousands)) return plain
  const end = plain.includes(decimal) ? plain.indexOf(decimal) : plain.length
  const [first, ...groups] = plain.slice(0, end).split(thousands) as [string, ...string[]]
  // Indian lakhs have groups of two digits above the last.
  const isGrouped =
    /^[+-]?\d{1,3}$/.test(first) &&
    groups.every((group, i) => (i === groups.length - 1 ? /^\d{3}$/ : /^\d{2,3}$/).test(group))
  return isGrouped ? first + groups.join('') + plain.slice(end) : text.replaceAll(thousands, '?')
}

/** A double from a spreadsheet cell as the decimal that a person typed: 15 significant digits, no exponent. */
export function decimalTextOfDouble(value: number): string {
  const [mantissa, exponent] = value.toPrecision(15).split('e') as [string, string?]
  if (exponent === undefined) return mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
  const negative = mantissa.startsWith('-')
  const digits = mantissa.replace('-', '').replace('.', '')
  const point = mantissa.replace('-', '').indexOf('.')
  const at = (point === -1 ? digits.length : point) + Number(exponent)
  const plain =
    at <= 0
      ? `0.${'0'.repeat(-at)}${digits}`
      : at >= digits.length
        ? digits + '0'.repeat(at - digits.length)
        : `${digits.slice(0, at)}.${digits.slice(at)}`
  const trimmed = plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
  return negative ? `-${trimmed}` : trimmed
}

/** Multiplies plain decimal text by a power of ten by moving its point: `-0.125`, 2 → `-12.5`. */
export function shiftPoint(text: string, places: number): string {
  const [, sign = '', whole = '', fraction = ''] = present(PLAIN.exec(text), `plain number in "${text}"`)
  const digits = '0'.repeat(Math.max(0, -places)) + whole + fraction + '0'.repeat(Math.max(0, places))
  const point = digits.length - fraction.length - Math.max(0, places) + places
  const rest = digits.slice(point).replace(/(?<!0)0+$/, '')
  return sign + digits.slice(0, point).replace(/^0+(?=\d)/, '') + (rest === '' ? '' : `.${rest}`)
}
