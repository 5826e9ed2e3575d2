/** How entries are told apart where a file does not number them reliably. */

/** What lines of one entry may share: a canonical column; `month` is that of the date, `payee` the party, or what stands before " - " in the memo. */
export type Shared = 'date' | 'month' | 'journal' | 'type' | 'reference' | 'memo' | 'party' | 'payee'

/** What is known only once a file was read to its end; the books apply it to its lines. */
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
  /**
   * once: a number is of one entry, which stands together. by-day: the same, but where it stands on several days it may begin anew on each: the
   * entry is that of its day where this balances. each: the file says which lines are an entry, whatever its number. counted: the
   * same, and ids are counted, so that an entry which stands twice has two. any: nothing is known of numbers.
   */
  readonly numbers: 'once' | 'by-day' | 'each' | 'counted' | 'any'
  /** Of counted entries those whose number, which the program gave them, stands above already. */
  readonly renumbered?: ReadonlySet<string>
  /** What stands in the place of the id of an entry, with the year before it → the id, where that is another. */
  readonly ids?: ReadonlyMap<string, string>
  /**
   * What the lines of an entry share that have no transaction id, from fine to coarse; the finest has all that the coarser ones have. The
   * books take the finest under which the lines balance (books/read/grouping.ts).
   */
  readonly shared?: readonly (readonly Shared[])[]
  /** All lines are of the last year of the list: those that are dated outside it count on its nearest day. */
  readonly isWithin?: boolean
}

/** As people read it. */
export const nameOf = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')
