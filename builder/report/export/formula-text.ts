/** Texts that spreadsheets take for a formula (OWASP, CSV injection), also with full-width characters. Without imports, as every start of the CLI loads it. */

/** A regular expression that DuckDB and JavaScript both understand. */
export const FORMULA = String.raw`^[=+\-@\t\r\n＝＋－＠]`

/** The text with an apostrophe before it where a spreadsheet would take it for a formula; a figure stays as it is. */
export const notFormula = (text: string): string =>
  new RegExp(FORMULA).test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text
