/**
 * Accounts of a report by the names that it gives them: a number where there is one, else the name with those of its
 * parents. The same account may be written in several ways in one report, and in another way in the next.
 */
import type { ReportFamily } from './report-layout.ts'

/** An account as a row names it: labels from the top, and a number in a column of its own. */
export interface AccountText {
  readonly path: readonly string[]
  readonly code: string
}

export interface NamedAccount {
  readonly id: string
  readonly number: string
  readonly name: string
  /** Id of the account that it is a sub-account of, whether or not that one is used. */
  readonly parent: string | null
}

export const keyOf = ({ path, code }: AccountText): string => `${code}\u0001${path.join('\u0002')}`

const named = (family: ReportFamily, text: AccountText): { number: string; names: string[] } => {
  const { separator } = family
  const parts = text.path
    .flatMap((label) => (separator === null ? [label] : label.split(separator)))
    .map((label) => label.trim())
    .filter((label) => label !== '')
  const labels = parts.map((label) => family.parseLabel(label))
  // `1010 Assets:Checking`: the number before the whole name is that of the last account in it.
  const last = labels.at(-1)
  const number = text.code || last?.number || labels[0]?.number || ''
  return { number, names: labels.map(({ name }) => name) }
}

/** The accounts behind all ways to write them. A "number" that stands for two names is a part of these names. */
export function nameAccounts(texts: Iterable<AccountText>, family: ReportFamily): Map<string, NamedAccount> {
  const all = [...texts].map((text) => ({ text, ...named(family, text) }))
  const names = new Map<string, Set<string>>()
  for (const { text, number, names: path } of all)
    if (number !== '' && text.code === '')
      names.set(number, (names.get(number) ?? new Set()).add(path.at(-1) ?? ''))
  const isNumber = (number: string, code: string) =>
    code !== '' || (number !== '' && (names.get(number)?.size ?? 0) <= 1)
  // A section may name what its lines number.
  const coded = new Map<string, Set<string>>()
  for (const { text, names: path } of all)
    if (text.code !== '') coded.set(path.join(':'), (coded.get(path.join(':')) ?? new Set()).add(text.code))
  const accounts = new Map<string, NamedAccount>()
  for (const { text, number, names: path } of all) {
    const plain = text.path.join(family.separator ?? ' ')
    if (isNumber(number, text.code)) {
      const parentNumber = family.parseLabel(text.path.at(-2) ?? '').number
      accounts.set(keyOf(text), {
        id: number,
        number,
        name: path.at(-1) ?? number,
        parent: parentNumber === '' || parentNumber === number ? null : parentNumber,
      })
      continue
    }
    const [code, ...others] = number === '' ? (coded.get(path.join(':')) ?? []) : []
    if (code !== undefined && others.length === 0) {
      accounts.set(keyOf(text), { id: code, number: code, name: path.at(-1)!, parent: null })
      continue
    }
    const labels = number === '' ? path : plain.split(family.separator ?? '\u0000')
    const full = labels.join(':')
    accounts.set(keyOf(text), {
      id: full,
      number: '',
      name: labels.at(-1) ?? full,
      parent: labels.length > 1 ? labels.slice(0, -1).join(':') : null,
    })
  }
  return accounts
}
