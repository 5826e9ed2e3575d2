/**
 * Names of entries where a file does not number them reliably. A line then states, as its transaction id, every group that it may count in,
 * from the finest to the coarsest; the books take the finest that balances (books/grouping.ts).
 */

/** Between names: the coarser group counts only where the finer one does not balance. Neither sign occurs in a cell. */
export const ELSE = '\u0001'
/** The same, and the coarser name is taken too where the finer group is the only one in it: `VEN 12 2025-01-31` is `VEN 12`. */
export const ALONE = '\u0002'

/** As people read it. */
export const nameOf = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')
