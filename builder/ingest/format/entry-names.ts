/**
 * Names of entries where a file does not number them reliably. A line then states, as its transaction id, every group that it may count in,
 * from the finest to the coarsest; the books take the finest that balances (books/grouping.ts).
 */

/**
 * What is known only once a file was read to its end; the books apply it to its lines, which may name several groups as their transaction
 * id (entry-names.ts).
 */
export interface WholeFile {
  /**
   * Fiscal years by which the numbers of entries are told apart: the one that holds a line's day, else the last of the list. Empty where
   * numbers need no year.
   */
  readonly years: readonly { readonly start: string; readonly end: string }[]
  /** Journals of balances brought forward. Their lines count on the first day of their year; those dated before the last year of the list, on its first day. */
  readonly openingJournals: readonly string[]
  /** The column of the file that numbers entries, for findings about them. */
  readonly entryColumn: string
}

/** Between names: the coarser group counts only where the finer one does not balance. Neither sign occurs in a cell. */
export const ELSE = '\u0001'
/** The same, and the coarser name is taken too where the finer group is the only one in it: `VEN 12 2025-01-31` is `VEN 12`. */
export const ALONE = '\u0002'

/** As people read it. */
export const nameOf = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')
