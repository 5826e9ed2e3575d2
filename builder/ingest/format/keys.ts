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

/**
 * `1000 - Bank - CO`, as ERPNext writes an account with its company; the part before the company is looked up where
 * no account has the whole name. Only after a number: `Sales - US` may be another account than `Sales`.
 */
export const BEFORE_COMPANY = String.raw`^([\d.-]*\d[\d.-]* - .+) - \p{Lu}[\p{Lu}\d&._-]{0,7}$`

/** The forms in which most exports write an account. Each is looked up as it stands, which is fast. */
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

/** Looks accounts up by id, else by number, else by number and name, or by a name that no other account has. */
export function writtenAccountKeys<Meaning>(accounts: readonly Written<Meaning>[]): KeysTo<Meaning> {
  const keys = keysOf(accounts.map(({ id, number, means }) => ({ id, other: number, means })))
  const names = new Map<string, Meaning | null>()
  for (const account of accounts)
    for (const text of writtenNames(account)) if (!keys.has(text)) note(names, text, account.means)
  return new Map([...keys, ...names])
}

/** An account, with what a text that names it stands for. */
interface Written<Meaning> {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly means: Meaning
}

/** Notes the meaning of a text; null where two accounts are written so. */
function note<Meaning>(texts: Map<string, Meaning | null>, text: string, means: Meaning): void {
  if (text === '') return
  const taken = texts.get(text)
  texts.set(text, taken === undefined || taken === means ? means : null)
}

/** Letters and digits alone: `[1000] Bank`, `1000 – Bank` and `1000/Bank` are written alike. */
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** `1000.0`, as some programs write a number; a leading zero is lost where a spreadsheet takes a number for a quantity. */
const wholeNumber = (text: string): string => text.replace(/\.0+$/, '')
const withoutZeros = (text: string): string => (/^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : '')

/** What may be the number of an account at either end of a text, the likeliest first. */
export const numbersIn = (text: string): string[] =>
  [/^(\S+)\s*[·:–-]?\s+/, /^\[([^[\]]+)\]/, /[([]([^()[\]]+)[)\]]$/, /^([^\s·:–—/_-]+)[·:–—/_-]/].flatMap(
    (pattern) => pattern.exec(text)?.[1] ?? [],
  )

/**
 * Finds the account that a text means where it is none of the keys: the one rule for ledgers, budgets and trial balances.
 * A text is read where exactly one account is written so; the account that is only likely is for a finding, or for
 * reports that may still have an account's former name.
 */
export class AccountForms<Meaning> {
  readonly #keys: KeysTo<Meaning>
  readonly #forms = new Map<string, Meaning | null>()
  readonly #bare = new Map<string, Meaning | null>()
  readonly #names = new Map<string, Meaning | null>()

  constructor(accounts: readonly Written<Meaning>[]) {
    this.#keys = keysOf(accounts.map(({ id, number, means }) => ({ id, other: number, means })))
    for (const { id, number, name, means } of accounts) {
      for (const known of new Set([number, id])) {
        note(this.#bare, withoutZeros(known), means)
        if (known === '' || name === '') continue
        note(this.#forms, lettersOf(known + name), means)
        note(this.#forms, lettersOf(name + known), means)
      }
      note(this.#names, lettersOf(name), means)
    }
  }

  /** The only account that is written so: by number and name with any signs between them, or by a number as `1000.0` or `[1000]`. */
  find(text: string): Meaning | null {
    const number = wholeNumber(/^\[(.+)\]$/.exec(text)?.[1] ?? text)
    return this.#keys.get(number) ?? this.#forms.get(lettersOf(text)) ?? null
  }

  /** The only account whose number differs from this one by leading zeros alone. */
  findWithoutZeros(text: string): Meaning | null {
    return this.#bare.get(withoutZeros(wholeNumber(text))) ?? null
  }

  /** The account whose number stands in the text, at either end. */
  findNumbered(text: string): Meaning | null {
    return (
      numbersIn(text)
        .flatMap((number) => this.#keys.get(number) ?? [])
        .at(0) ?? null
    )
  }

  /** The account that a text which is read as none most likely means. */
  likely(text: string): Meaning | null {
    const known = [this.findWithoutZeros(text), this.findNumbered(text), this.#names.get(lettersOf(text))]
    return known.find((means) => means != null) ?? null
  }
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
