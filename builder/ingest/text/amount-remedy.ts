/** The remedy for a text that should be an amount and cannot be read as one. */
import { type NumberForm, parseAmount } from './amount.ts'
import { ALL_SIGNS, signPattern } from './decorations.ts'

const DECIMALS = ['.', ','] as const
const THOUSANDS = ['', ',', '.', ' ', "'"] as const

/** Chosen by what the text looks like; `form` is how the file's amounts are read now. */
export function amountRemedy(text: string, form: NumberForm & { readonly currency: string }): string {
  return (
    formulaRemedy(text) ??
    shortened(text) ??
    (/\d ?(k|m|mio|mn|mln)\.?$/i.test(text)
      ? 'write the amount in full; in a budget whose figures are all in this unit, state "scale: 1000" or "scale: 1000000"'
      : null) ??
    (/%$/.test(text) ? 'a percentage is not an amount: write the amount itself' : null) ??
    (/\d *(CR|DR|C|D|S|H)\.?$/i.test(text)
      ? 'write amounts in credit with "-" in front, or debits and credits in columns of their own'
      : null) ??
    otherForm(text, form) ??
    otherCurrency(text, form) ??
    'write digits with a decimal point, such as -1234.50, or state "decimal" and "thousands" of the file in company.yaml'
  )
}

/** A number that a spreadsheet shortened in a narrow column before it was saved to CSV: its last digits are lost. */
export const SHORTENED = '[-+]?[0-9]([.,][0-9]+)?E[-+]?[0-9]+'

export const shortened = (text: string): string | null =>
  new RegExp(`^${SHORTENED}$`, 'i').test(text)
    ? 'a spreadsheet has shortened this number: give the column a format without exponent, or as text, and export again'
    : null

function otherForm(text: string, form: NumberForm & { readonly currency: string }): string | null {
  for (const decimal of DECIMALS)
    for (const thousands of THOUSANDS) {
      if (decimal === thousands) continue
      if (parseAmount(text, 4, { ...form, decimal, thousands }).minor === undefined) continue
      const wanted = [
        decimal === (form.decimal ?? '.') ? null : `decimal: "${decimal}"`,
        thousands === (form.thousands ?? '')
          ? null
          : `thousands: ${thousands === '' ? 'nothing' : `"${thousands}"`}`,
      ].filter((setting) => setting !== null)
      return `where this is how the file writes amounts, state ${wanted.join(' and ')} in company.yaml`
    }
  return null
}

function otherCurrency(text: string, { currency }: { readonly currency: string }): string | null {
  const found = new RegExp(`${signPattern(ALL_SIGNS)}|\\b[A-Z]{3}\\b`).exec(text)?.[0]
  return found === undefined || !/\d/.test(text)
    ? null
    : `"${found}" is not a sign of ${currency}: export amounts in ${currency}, the currency of the books`
}

const NUMBER = /^=\s*(?:([-+])\s*)?(?:(\d[\d.,]*)|\(\s*(?:([-+])\s*)?(\d[\d.,]*)\s*\))$/

/**
 * The number of a formula that is only a number: QuickBooks writes figures as `=15000.00`. Brackets group in a
 * formula and are not a sign: `=(5.00)` is 5.00, `=-(5.00)` is -5.00. Null for any other formula.
 */
export function numberOfFormula(text: string): string | null {
  const found = NUMBER.exec(text)
  if (found === null) return null
  const [, outer, plain, inner = '', bracketed] = found
  return `${(outer === '-') === (inner === '-') ? '' : '-'}${plain ?? bracketed}`
}

/** The remedy for such a text where a figure was expected; null for any other text. */
export function formulaRemedy(text: string): string | null {
  if (text.startsWith('='))
    return 'open the file in a spreadsheet program and save it, so that the formula is calculated'
  return /^#[A-Z0-9/_]+[!?]?$/.test(text) ? 'correct the formula in this cell' : null
}
