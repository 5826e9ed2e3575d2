/** Amounts and commodities of plain-text journals: `$-20.00`, `-1000,55 EUR`, `10 AAPL {50.00 USD}`. */
import { isCurrency } from '../../../contract/currency.ts'

export interface PlainAmount {
  /** As written, with its sign: the books read it. */
  readonly number: string
  /** Empty where the amount has none. */
  readonly commodity: string
}

const AMOUNT = /^([+-]?)\s*(?:([^\d\s+\-.,{@]+)\s*)?(?:([+-])\s*)?(\d[\d.,' ]*)(.*)/s

/** A text that is not an amount stays as it is, and the books report it. A cost or price behind the amount is left out. */
export function splitAmount(text: string): PlainAmount {
  const [, first, before, second, digits, after = ''] = AMOUNT.exec(text.trim()) ?? []
  if (digits === undefined) return { number: text, commodity: '' }
  const behind = after.replace(/[{@].*/s, '').trim()
  const sign = first === '-' || second === '-' ? '-' : ''
  return { number: sign + digits.trim(), commodity: (before || behind).replace(/^"(.*)"$/, '$1') }
}

const narrowSymbols = new Map<string, string>()
/** `$` of USD. Kept, since making a formatter takes longer than reading a row. */
function narrowSymbol(currency: string): string {
  const known = narrowSymbols.get(currency)
  if (known !== undefined) return known
  const symbol = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .flatMap(({ type, value }) => (type === 'currency' ? [value] : []))
    .join('')
  narrowSymbols.set(currency, symbol)
  return symbol
}

/** A commodity is the currency of the books by its code, by its sign ($, €, kr), or where it is not named at all. */
export const isOfCurrency = (commodity: string, currency: string): boolean =>
  commodity === '' || commodity === currency || commodity === narrowSymbol(currency)

/** Signs that stand for one currency, or hardly ever for another; $ and kr are of several. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['₹', 'INR'],
  ['zł', 'PLN'],
  ['Kč', 'CZK'],
])

/** Null where a commodity is not a currency, or a sign of several. */
export const currencyOf = (commodity: string): string | null =>
  SIGNS.get(commodity) ?? (/^[A-Z]{3}$/.test(commodity) && isCurrency(commodity) ? commodity : null)
