/** Rows in the form that all programs share: see {@link Layout.plainRows}. */
import type { Layout } from './layout.ts'
import type { ReadRow } from './walk.ts'

/** Whether the row reads the same where none above it was read. */
export function isSameAlone(layout: Layout, { own, event: { cells } }: ReadRow): boolean {
  const alone = layout.plainRows?.(layout)(own)
  return alone === undefined || (alone.length === cells.length && alone.every((cell, i) => cell === cells[i]))
}
