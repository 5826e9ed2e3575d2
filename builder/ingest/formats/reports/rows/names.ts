/**
 * Accounts of a report by the names that it gives them: a number where there is one, else the name with those of its
 * parents. The same account may be written in several ways in one report, and in another way in the next.
 */
import { present } from '../../../../contract/present.ts'
import type { AccountLabel, ReportFamily } from './layout.ts'

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

/** As one file writes an account. */
export interface WrittenAccount {
  readonly text: AccountText
  readonly file: string
}

interface Label extends AccountLabel {
  /** With its number. */
  readonly text: string
}

/** What a row says of its account: labels from the top, and the number of the account, empty where it has none of its own. */
interface Labelled extends WrittenAccount {
  readonly labels: readonly Label[]
  readonly number: string
}

const pathOf = (labels: readonly AccountLabel[]): string => labels.map(({ name }) => name).join(':')

/** The accounts behind all ways to write them. */
export function nameAccounts(
  texts: readonly WrittenAccount[],
  family: ReportFamily,
): Map<string, NamedAccount> {
  const all = labelled(texts, family)
  const isNumber = numbersIn(all)
  // A section may have the name of an account whose lines have its number.
  const coded = new Map<string, Set<string>>()
  for (const { text, labels } of all) if (text.code !== '') addTo(coded, pathOf(labels), text.code)
  const codeOf = (labels: readonly Label[]): string => {
    const [code = '', ...others] = coded.get(pathOf(labels)) ?? []
    return others.length === 0 ? code : ''
  }
  const accounts = new Map<string, NamedAccount>()
  for (const { text, number, labels } of all) {
    const name = labels.at(-1)?.name
    const above = labels.slice(0, -1)
    const aboveNumber = above.at(-1)?.number ?? ''
    if (isNumber(number, text.code)) {
      const parent = text.path.length === 1 || aboveNumber === number ? '' : aboveNumber
      accounts.set(keyOf(text), { id: number, number, name: name ?? number, parent: parent || null })
      continue
    }
    const code = number === '' ? codeOf(labels) : ''
    if (code !== '') {
      accounts.set(keyOf(text), { id: code, number: code, name: name ?? code, parent: null })
      continue
    }
    // What stands for several names is no number, but a part of each.
    const names = labels.map((label) => (isNumber(label.number, '') ? label.name : label.text))
    const parent = isNumber(aboveNumber, '') ? aboveNumber : codeOf(above)
    accounts.set(keyOf(text), {
      id: names.join(':'),
      number: '',
      name: names.at(-1) ?? '',
      parent: above.length === 0 ? null : parent || names.slice(0, -1).join(':'),
    })
  }
  return accounts
}

function addTo<Key>(sets: Map<Key, Set<string>>, key: Key, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value))
}

/**
 * In `1010 Assets:Checking` the number before the whole name is that of Checking; unless it is known to be that of Assets,
 * by another row or since several accounts of the file stand behind it.
 */
function labelled(texts: readonly WrittenAccount[], family: ReportFamily): readonly Labelled[] {
  const all = withoutDeletion(texts, family)
  const known = new Map<string, Set<string>>()
  const before = new Map<string, Label[]>()
  for (const { text, file, labels, leads } of all) {
    if (text.code !== '') addTo(known, text.code, pathOf(labels))
    for (const [i, { number }] of labels.entries())
      if (i !== leads) addTo(known, number, pathOf(labels.slice(0, i + 1)))
      else {
        const key = `${file}\u0001${number}`
        before.set(key, sharedPath(before.get(key) ?? labels, labels))
      }
  }
  for (const [key, labels] of before) addTo(known, key.slice(key.indexOf('\u0001') + 1), pathOf(labels))
  return all.map(({ text, file, labels, leads }) => {
    const leading = labels[leads]?.number ?? ''
    const owners = known.get(leading)
    const isOfParent = labels.some((_, i) => i > 0 && owners?.has(pathOf(labels.slice(0, i))))
    if (leading === '' || isOfParent)
      return { text, file, labels, number: text.code || (labels.at(-1)?.number ?? '') }
    const moved = labels.map((label, i) => ({ ...label, number: i === labels.length - 1 ? leading : '' }))
    return { text, file, labels: moved, number: text.code || leading }
  })
}

function sharedPath(a: readonly Label[], b: readonly Label[]): Label[] {
  const differs = a.findIndex(({ name }, i) => name !== b[i]?.name)
  return a.slice(0, differs === -1 ? a.length : differs)
}

/**
 * Labels of each account; `leads` is the place of one whose number stands before the names of its sub-accounts, or −1. A
 * mark of deletion is no part of a name, unless one file has an account of the same name beside it.
 */
function withoutDeletion(texts: readonly WrittenAccount[], { separator, parseLabel, deleted }: ReportFamily) {
  const all = texts.map(({ text, file }) => {
    const parts = text.path.map((label) =>
      (separator === null ? [label] : label.split(separator))
        .map((part) => part.trim())
        .filter((part) => part),
    )
    const labels = parts
      .flat()
      .map((part): Label => ({ ...(parseLabel?.(part) ?? { number: '', name: part }), text: part }))
    const first = labels.length - (parts.at(-1)?.length ?? 0)
    const { number, isOwn } = labels[first] ?? {}
    const isLeading = number && !isOwn && first < labels.length - 1 && labels.at(-1)?.number === ''
    return { text, file, labels, leads: isLeading ? first : -1 }
  })
  if (deleted === undefined) return all
  const plain = (labels: readonly Label[]): Label[] =>
    labels.map((label) => ({
      ...label,
      name: label.name.replace(deleted, ''),
      text: label.text.replace(deleted, ''),
    }))
  const keyIn = ({ text, labels }: (typeof all)[number], file: string): string =>
    `${file}\u0001${text.code}\u0001${plain(labels)
      .map(({ text: own }) => own)
      .join(':')}`
  const written = new Map<string, Set<string>>()
  for (const each of all) addTo(written, keyIn(each, each.file), pathOf(each.labels))
  const files = [...new Set(texts.map(({ file }) => file))]
  return all.map((each) =>
    files.some((file) => (written.get(keyIn(each, file))?.size ?? 0) > 1)
      ? each
      : { ...each, labels: plain(each.labels) },
  )
}

/**
 * A "number" that stands for two names in one file is a part of these names. In another file it may be a new name of the
 * same account, where accounts have numbers there.
 */
function numbersIn(all: readonly Labelled[]): (number: string, code: string) => boolean {
  const names = new Map<string, Map<string, Set<string>>>()
  const counts = new Map<string, { numbered: number; all: number }>()
  for (const { text, file, number, labels } of all) {
    const count = counts.get(file) ?? { numbered: 0, all: 0 }
    counts.set(file, { numbered: count.numbered + (number === '' ? 0 : 1), all: count.all + 1 })
    if (text.code !== '') continue
    for (const { number: own, name } of labels) {
      if (own === '') continue
      const ofFile = names.get(own) ?? new Map<string, Set<string>>()
      addTo(ofFile, file, name)
      names.set(own, ofFile)
    }
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
