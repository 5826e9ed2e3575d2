/** Golden companies whose ledgers are read in different ways; the others differ in what is made of their lines. */

/** What marks an opening, and bases by column, by file and by settlement. */
export const READ_IN_WAYS = [
  'bases-by-column',
  'bases-by-file',
  'closing-entries',
  'dinar-with-three-decimals',
  'opening-inside-year',
  'opening-results-not-closed',
]
