/** Cells whose formula has no result: `#REF!`, or one that no spreadsheet program has calculated yet, `=SUM(B2:B4)`. */

const NUMBER = /^=\s*([-+]?)\s*(?:(\d[\d.,]*)|\(\s*([-+]?)\s*(\d[\d.,]*)\s*\))$/

/**
 * The number that a formula consists of, which any program would show: QuickBooks writes figures as `=15000.00`. Brackets
 * are grouping in a formula, not a sign: `=(5.00)` is 5.00, `=-(5.00)` is -5.00. Null for any other formula.
 */
export function numberOfFormula(text: string): string | null {
  const found = NUMBER.exec(text)
  if (found === null) return null
  const [, outer, plain, inner = '', bracketed] = found
  return `${(outer === '-') === (inner === '-') ? '' : '-'}${plain ?? bracketed}`
}

/** How to correct such a text where a figure was expected; null for any other text. */
export function formulaRemedy(text: string): string | null {
  if (text.startsWith('='))
    return 'open the file in a spreadsheet program and save it, so that the formula is calculated'
  return /^#[A-Z0-9/_]+[!?]?$/.test(text) ? 'correct the formula in this cell' : null
}
