/** Looks up the account, member or metric that a cell names: by id, else by its other name. */

/** Text of a source → its meaning; null where it could mean two, which is an error where it is used. */
export type KeysTo<Meaning> = ReadonlyMap<string, Meaning | null>
export type Keys = KeysTo<string>

/**
 * Looks up by id, else by the other name. A text that is the id of one entry and the other name of another is
 * ambiguous: either choice might post to the wrong one unnoticed.
 */
export function keysOf<Meaning>(
  entries: readonly { readonly id: string; readonly other: string; readonly means: Meaning }[],
): KeysTo<Meaning> {
  const keys = new Map<string, Meaning | null>(entries.map(({ id, means }) => [id, means]))
  for (const { other, means } of entries) {
    if (other === '') continue
    const taken = keys.get(other)
    if (taken === undefined) keys.set(other, means)
    else if (taken !== means) keys.set(other, null)
  }
  return keys
}

/** The forms in which exports write an account by number and name. */
const writtenNames = ({ number, name }: { readonly number: string; readonly name: string }): string[] =>
  number === '' || name === ''
    ? [name]
    : [
        name,
        `${number} ${name}`,
        `${number} - ${name}`,
        `${number} · ${name}`,
        `${number}: ${name}`,
        `${name} (${number})`,
      ]

/**
 * `1000 - Bank - CO`, as ERPNext writes an account with its company; the part before the company is looked up where
 * no account has the whole name. Only after a number: `Sales - US` may be another account than `Sales`.
 */
export const BEFORE_COMPANY = String.raw`^([\d.-]*\d[\d.-]* - .+) - \p{Lu}[\p{Lu}\d&._-]{0,7}$`

/** Looks accounts up by id, else by number, else by number and name, or by a name that no other account has. */
export function writtenAccountKeys<Meaning>(
  accounts: readonly {
    readonly id: string
    readonly number: string
    readonly name: string
    readonly means: Meaning
  }[],
): KeysTo<Meaning> {
  const keys = keysOf(accounts.map(({ id, number, means }) => ({ id, other: number, means })))
  const names = new Map<string, Meaning | null>()
  for (const account of accounts)
    for (const text of writtenNames(account)) {
      if (text === '' || keys.has(text)) continue
      const taken = names.get(text)
      names.set(text, taken === undefined || taken === account.means ? account.means : null)
    }
  return new Map([...keys, ...names])
}

/** Looks accounts up by id, else by number. */
export const accountKeys = (accounts: readonly { readonly id: string; readonly number: string }[]): Keys =>
  keysOf(accounts.map(({ id, number }) => ({ id, other: number, means: id })))

/** Looks classes, departments and metrics up by id, else by name. */
export const nameKeys = (rows: readonly { readonly id: string; readonly name: string }[]): Keys =>
  keysOf(rows.map(({ id, name }) => ({ id, other: name, means: id })))

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

/** The value of a map of company.yaml for an id from a file, which may be "constructor". */
export const statedOf = <Value>(
  map: Readonly<Record<string, Value>> | undefined,
  id: string,
): Value | undefined => (map !== undefined && Object.hasOwn(map, id) ? map[id] : undefined)
