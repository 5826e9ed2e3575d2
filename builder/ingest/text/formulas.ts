/** Cells whose formula has no result: `#REF!`, or a formula that was never calculated, such as `=SUM(B2:B4)`. */

const NUMBER = /^=\s*([-+]?)\s*(?:(\d[\d.,]*)|\(\s*([-+]?)\s*(\d[\d.,]*)\s*\))$/

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
