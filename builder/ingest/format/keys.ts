/** The one lookup behind every column that names an account, a member or a metric: by id, else by its other name. */

/** What a source may write → what it means; null where that could be two, which is an error where it is used. */
export type KeysTo<Meaning> = ReadonlyMap<string, Meaning | null>
export type Keys = KeysTo<string>

/**
 * By id, else by the other name. A text that is the id of one and the other name of another means two: taking either
 * would post to the wrong one in silence.
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

/** How exports write an account that they do not call by its id or number alone. */
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
 * `1000 - Bank - CO`, as ERPNext writes an account and its company; what stands before the company is looked up where no
 * account is called so. Only behind a number: `Sales - US` may well be another account than `Sales`.
 */
export const BEFORE_COMPANY = String.raw`^([\d.-]*\d[\d.-]* - .+) - \p{Lu}[\p{Lu}\d&._-]{0,7}$`

/** Accounts by id, else by number, else by number and name, or by name where no other account is called so. */
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

/** Accounts by id, else by number. */
export const accountKeys = (accounts: readonly { readonly id: string; readonly number: string }[]): Keys =>
  keysOf(accounts.map(({ id, number }) => ({ id, other: number, means: id })))

/** Classes, departments and metrics by id, else by name. */
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

/** What a map of company.yaml says of an id from a file, which may well be "constructor". */
export const statedOf = <Value>(
  map: Readonly<Record<string, Value>> | undefined,
  id: string,
): Value | undefined => (map !== undefined && Object.hasOwn(map, id) ? map[id] : undefined)
