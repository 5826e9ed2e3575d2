/** Texts, and the row where each stands first, as parts of a file are joined in their order. */

/** Text → row. */
export type FirstRows = ReadonlyMap<string, number>

/** Adds those of a part whose rows count from `above`. */
export function addFirst(rows: Map<string, number>, part: FirstRows, above: number): void {
  for (const [text, row] of part) if (!rows.has(text)) rows.set(text, above + row)
}
