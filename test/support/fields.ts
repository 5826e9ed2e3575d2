/** What rows, findings and the like say in some of their fields, as a test compares them. */

/** One field of each. */
export const column = <Row, Key extends keyof Row>(rows: Iterable<Row>, key: Key): Row[Key][] =>
  Array.from(rows, (row) => row[key])

/** Several fields of each. */
export const fields = <Row, Key extends keyof Row>(rows: Iterable<Row>, ...keys: Key[]): Row[Key][][] =>
  Array.from(rows, (row) => keys.map((key) => row[key]))
