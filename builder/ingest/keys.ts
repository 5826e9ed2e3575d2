/** The one lookup behind every column that names an account, a member or a metric: by id, else by its other name. */

/** What a source may write → the id that it means; null where that could be two, which is an error where it is used. */
export type Keys = ReadonlyMap<string, string | null>

/**
 * A text that is the id of one and the number of another means two: taking either would post to the wrong one in
 * silence.
 */
function keysOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  otherName: (row: Row) => string,
): Keys {
  const keys = new Map<string, string | null>(rows.map((row) => [row.id, row.id]))
  for (const row of rows) {
    const other = otherName(row)
    if (other === '') continue
    const taken = keys.get(other)
    if (taken === undefined) keys.set(other, row.id)
    else if (taken !== row.id) keys.set(other, null)
  }
  return keys
}

/** Accounts by id, else by number. */
export const accountKeys = (accounts: readonly { readonly id: string; readonly number: string }[]): Keys =>
  keysOf(accounts, (account) => account.number)

/** Classes, departments and metrics by id, else by name. */
export const nameKeys = (rows: readonly { readonly id: string; readonly name: string }[]): Keys =>
  keysOf(rows, (row) => row.name)

/** The id that `text` means, or the problem with it. */
export function resolve(
  keys: Keys,
  text: string,
):
  | { readonly id: string; readonly problem?: never }
  | { readonly id?: never; readonly problem: 'unknown' | 'ambiguous' } {
  const id = keys.get(text)
  if (id === undefined) return { problem: 'unknown' }
  return id === null ? { problem: 'ambiguous' } : { id }
}
