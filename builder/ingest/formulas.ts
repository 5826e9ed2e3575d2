/** Cells whose formula has no result: `#REF!`, or one that no spreadsheet program has calculated yet, `=SUM(B2:B4)`. */

/** What mends such a text where a figure was expected; null for any other text. */
export function formulaRemedy(text: string): string | null {
  if (text.startsWith('='))
    return 'open the file in a spreadsheet program and save it, so that the formula is calculated'
  return /^#[A-Z0-9/_]+[!?]?$/.test(text) ? 'mend the formula in this cell' : null
}
