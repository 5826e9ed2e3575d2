/** Long lists in a sentence: people read the beginning, and how many more there are. */

/** `, and 3 more`; nothing where there are none. */
export const andMore = (count: number): string => (count > 0 ? `, and ${count} more` : '')

/** `1510, 1930, and 3 more`. */
export const listed = (items: readonly (string | number)[], most: number): string =>
  items.slice(0, most).join(', ') + andMore(items.length - most)
