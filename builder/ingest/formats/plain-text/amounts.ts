/** Amounts and commodities of plain-text journals: `$-20.00`, `-1000,55 EUR`, `10 AAPL {50.00 USD}`. */
import { isCurrency } from '../../../contract/currency.ts'

export interface PlainAmount {
  /** As written, with its sign: the books read it. */
  readonly number: string
  /** Empty where there is none. */
  readonly commodity: string
}

const AMOUNT = /^([+-]?)\s*([^\d\s+\-.,{@]*)\s*([+-]?)\s*(\d[\d.,' ]*)\s*(.*)$/s

/** What is no amount stays as it is, for the books to name. Costs and prices after it are no part of it. */
export function splitAmount(text: string): PlainAmount {
  const match = AMOUNT.exec(text.trim())
  if (match === null) return { number: text, commodity: '' }
  const [, first, before, second, digits, after] = match as unknown as string[]
  const behind = after!.split(/[{@]/)[0]!.trim()
  const sign = first === '-' || second === '-' ? '-' : ''
  return { number: sign + digits!.trim(), commodity: (before! || behind).replace(/^"(.*)"$/, '$1') }
}

const narrowSymbols = new Map<string, string>()
/** `$` of USD. Making a formatter takes longer than reading a row, and every row asks. */
function narrowSymbol(currency: string): string {
  const known = narrowSymbols.get(currency)
  if (known !== undefined) return known
  const symbol = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')!.value
  narrowSymbols.set(currency, symbol)
  return symbol
}

/** A commodity is the currency of the books by its code, by its sign ($, €, kr), or where it is not named at all. */
export const isOfCurrency = (commodity: string, currency: string): boolean =>
  commodity === '' || commodity === currency || commodity === narrowSymbol(currency)

/** Signs that stand for one currency, or hardly ever for another; $ and kr are of several. */
const SIGNS: { readonly [sign: string]: string } = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  zł: 'PLN',
  Kč: 'CZK',
}

/** Null where a commodity is no currency, or could be two. */
export const currencyOf = (commodity: string): string | null =>
  Object.hasOwn(SIGNS, commodity)
    ? SIGNS[commodity]!
    : /^[A-Z]{3}$/.test(commodity) && isCurrency(commodity)
      ? commodity
      : null
