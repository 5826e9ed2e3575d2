/** Formats amounts and texts of the books for a terminal. */

/** Decimal text with thousands separators: `-1234567.50` → `-1,234,567.50`; null, no figure, is a dash. */
export const money = (amount: string | null): string =>
  amount === null ? '–' : amount.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')

/** Escapes control characters, which text of a source may hold and which would act on the terminal. */
export const visible = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => JSON.stringify(character).slice(1, -1))

/** At most `width` characters; … stands for the rest. */
export const truncated = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
