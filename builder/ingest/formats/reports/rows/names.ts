/**
 * Accounts of a report by the names that it gives them: a number where there is one, else the name with those of its
 * parents. The same account may be written in several ways in one report, and in another way in the next.
 */
import { present } from '../../../../contract/present.ts'
import type { ReportFamily } from './layout.ts'

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

/** As one file writes an account. */
export interface WrittenAccount {
  readonly text: AccountText
  readonly file: string
}

/** The accounts behind all ways to write them. */
export function nameAccounts(
  texts: readonly WrittenAccount[],
  family: ReportFamily,
): Map<string, NamedAccount> {
  const all = texts.map(({ text, file }) => ({ text, file, ...named(family, text) }))
  const isNumber = numbersIn(all)
  // A section may have the name of an account whose lines have its number.
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
      accounts.set(keyOf(text), { id: code, number: code, name: path.at(-1) ?? code, parent: null })
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

/**
 * A "number" that stands for two names in one file is a part of these names. In another file it may be a new name of the
 * same account, where accounts have numbers there.
 */
function numbersIn(
  all: readonly { text: AccountText; file: string; number: string; names: readonly string[] }[],
): (number: string, code: string) => boolean {
  const names = new Map<string, Map<string, Set<string>>>()
  const counts = new Map<string, { numbered: number; all: number }>()
  for (const { text, file, number, names: path } of all) {
    const count = counts.get(file) ?? { numbered: 0, all: 0 }
    counts.set(file, { numbered: count.numbered + (number === '' ? 0 : 1), all: count.all + 1 })
    if (number === '' || text.code !== '') continue
    const ofFile = names.get(number) ?? new Map<string, Set<string>>()
    names.set(number, ofFile.set(file, (ofFile.get(file) ?? new Set()).add(path.at(-1) ?? '')))
  }
  const ofMost = [...counts].filter(([, count]) => count.numbered * 2 > count.all)
  const numberedFiles = new Set(ofMost.map(([file]) => file))
  const known = new Map<string, boolean>()
  return (number, code) => {
    if (code !== '' || number === '') return code !== ''
    let is = known.get(number)
    if (is === undefined) {
      const files = [...(names.get(number) ?? [])]
      const distinct = new Set(files.flatMap(([, own]) => [...own]))
      is = distinct.size <= 1 || files.every(([file, own]) => own.size === 1 && numberedFiles.has(file))
      known.set(number, is)
    }
    return is
  }
}

/** The account behind a text that was given to {@link nameAccounts}. */
export const nameOf = (accounts: ReadonlyMap<string, NamedAccount>, text: AccountText): NamedAccount =>
  present(accounts.get(keyOf(text)), 'name of an account')

/** Accounts with several names: number → each name with a file that has it, in the order of the files. */
export function renamed(
  texts: readonly WrittenAccount[],
  accounts: ReadonlyMap<string, NamedAccount>,
): Map<string, ReadonlyMap<string, string>> {
  const names = new Map<string, Map<string, string>>()
  for (const { text, file } of texts) {
    const { id, number, name } = nameOf(accounts, text)
    if (number === '' || name === number) continue
    const own = names.get(id) ?? new Map<string, string>()
    if (!own.has(name)) own.set(name, file)
    names.set(id, own)
  }
  return new Map([...names].filter(([, own]) => own.size > 1))
}
