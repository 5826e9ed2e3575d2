/** Lists and words in sentences: people read the beginning of a long list, and how many more there are. */

/** `, and 3 more`; nothing where there are none. */
export const andMore = (count: number): string => (count > 0 ? `, and ${count} more` : '')

/** `1510, 1930, and 3 more`. */
export const listed = (items: readonly (string | number)[], most: number): string =>
  items.slice(0, most).join(', ') + andMore(items.length - most)

/** `cash flow` → `Cash flow` */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
