/** Amounts and texts of the books as people read them in a terminal. */

/** Decimal text with thousands apart: `-1234567.50` → `-1,234,567.50`; a dash where there is no figure. */
export const money = (amount: string | null): string =>
  amount === null ? '–' : amount.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')

/** Text of a source may hold anything: control characters would act on the terminal instead of being seen. */
export const visible = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => JSON.stringify(character).slice(1, -1))

/** At most `width` characters, with … for what is left out. */
export const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
