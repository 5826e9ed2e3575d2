/** Where lines stand in a SAF-T file, and in a part of one that was read before it was known where in the file it begins. */

/** Where a line stands in what is read. */
export interface Place {
  /** Line of the text; where several begin on one, counted on from it, so that no two lines of a file share a number. */
  readonly row: number
  /** How many numbers the lines before it have taken. */
  readonly nth: number
}

/** Where a part of a file begins: the line of the text, and the last number that a line before it has. */
export interface Position {
  readonly row: number
  readonly taken: number
}
export const BEGINNING: Position = { row: 1, taken: 0 }
/** Where that is not known yet: rows are counted from the beginning of the part ({@link rowIn}). */
export const UNKNOWN: Position = { row: 0, taken: -1 }

/** How much of the file a part takes: lines of the text; the last number, counted from where it begins; and how many numbers. */
export interface Extent {
  readonly rows: number
  readonly last: number
  readonly numbers: number
}

/** The row in the file of a line in a part. */
export const rowIn = (position: Position, { row, nth }: Place): number =>
  Math.max(position.row + row, position.taken + 1 + nth)

/** Where the next part begins. */
export const behind = ({ row, taken }: Position, { rows, last, numbers }: Extent): Position => ({
  row: row + rows,
  taken: Math.max(row + last, taken + numbers),
})
