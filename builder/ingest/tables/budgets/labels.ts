/**
 * Finds the account of each budget row. Sheets made for people name accounts by number, by name or both, below
 * titles and indented; the label stands in a column called account, or else left of the months.
 */
import { addTo } from '../../../contract/grouping.ts'
import { nearestKey } from '../../../workspace/schema-keys.ts'
import type { AccountRow } from '../../format/intake.ts'
import { AccountForms, accountKeys } from '../../format/keys.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import type { Table } from '../table.ts'
import { sectionOfTotal } from '../totals.ts'

export type Label =
  | { readonly id: string; readonly problem?: never }
  | { readonly id?: never; readonly problem: 'unknown' | 'ambiguous' }

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase()

/** Looks accounts up by what a label may contain. */
export class AccountLabels {
  readonly #keys: ReturnType<typeof accountKeys>
  readonly #forms: AccountForms<string>
  readonly #byName = new Map<string, AccountRow[]>()
  readonly #byId: ReadonlyMap<string, AccountRow>
  readonly #known: readonly string[]

  constructor(accounts: readonly AccountRow[]) {
    this.#keys = accountKeys(accounts)
    this.#forms = new AccountForms(accounts.map((account) => ({ ...account, means: account.id })))
    this.#byId = new Map(accounts.map((account) => [account.id, account]))
    for (const account of accounts) {
      const key = plain(account.name)
      addTo(this.#byName, key, account)
    }
    this.#known = accounts.flatMap(({ id, number, name }) => [id, number, name]).filter((text) => text !== '')
  }

  /** `open` are the titles above the row, the nearest last; they distinguish accounts of the same name. */
  find(text: string, open: readonly string[] = []): Label {
    const own = this.#keys.get(text)
    if (own !== undefined) return own === null ? { problem: 'ambiguous' } : { id: own }
    const named = this.#named(text, open)
    if (named !== null) return named
    const forms = this.#forms
    const byNumber = forms.find(text) ?? forms.findNumbered(text) ?? forms.findWithoutZeros(text)
    if (byNumber !== null) return { id: byNumber }
    const titles = text.split(':').map((part) => part.trim())
    const last = titles.pop()
    const ofPath = last === undefined || titles.length === 0 ? null : this.#named(last, titles)
    return ofPath ?? { problem: 'unknown' }
  }

  #named(text: string, open: readonly string[]): Label | null {
    const found = this.#byName.get(plain(text)) ?? []
    if (found.length < 2) return found[0] === undefined ? null : { id: found[0].id }
    const parentName = ({ parentId }: AccountRow) =>
      parentId === null ? '' : plain(this.#byId.get(parentId)?.name ?? '')
    for (const title of [...open].reverse()) {
      const under = found.filter((account) => parentName(account) === plain(title))
      const [only, ...others] = under
      if (only !== undefined && others.length === 0) return { id: only.id }
    }
    return { problem: 'ambiguous' }
  }

  nearest(text: string): string | null {
    return nearestKey(text, this.#known)
  }
}

/** The account of each row, considering the titles above it. */
export function labelsOf(
  table: Table,
  key: number,
  figures: readonly number[],
  accounts: AccountLabels,
): ReadonlyMap<TextRow, Label> {
  const open: string[] = []
  const labels = new Map<TextRow, Label>()
  for (const row of table.rows) {
    const text = textAt(row.cells, key)
    const closes = sectionOfTotal(text)
    const at = closes === null ? -1 : open.findLastIndex((title) => plain(title) === plain(closes))
    const label = accounts.find(text, open)
    labels.set(row, label)
    if (at !== -1) open.length = at
    else if (text !== '' && (label.id !== undefined || figures.every((column) => row.cells[column] === '')))
      open.push(text)
  }
  return labels
}

/**
 * Where no header is called account: the column left of the months whose texts name most accounts. Where labels are
 * indented over several columns, they are moved to the first.
 */
export function labelColumn(
  table: Table,
  figures: readonly number[],
  accounts: AccountLabels,
): { readonly table: Table; readonly key: number } | null {
  const first = Math.min(...figures)
  const columns = table.header.flatMap((_, column) => (column < first ? [column] : []))
  const named = (column: number): number =>
    table.rows.filter(
      ({ cells }) => cells[column] !== '' && accounts.find(textAt(cells, column)).id !== undefined,
    ).length
  const filled = columns.filter((column) => table.rows.some(({ cells }) => cells[column] !== ''))
  const indented = filled.filter((column) => table.header[column] === '')
  const [key, ...rest] = indented
  if (
    key !== undefined &&
    rest.length > 0 &&
    table.rows.every(({ cells }) => indented.filter((at) => cells[at] !== '').length < 2)
  ) {
    const rows = table.rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell, at) =>
        at === key
          ? (indented.map((each) => textAt(row.cells, each)).find((text) => text !== '') ?? '')
          : rest.includes(at)
            ? ''
            : cell,
      ),
    }))
    return { table: { ...table, rows }, key }
  }
  const best = [...filled].sort((a, b) => named(b) - named(a))[0]
  return best === undefined ? null : { table, key: best }
}
