/**
 * Proposes a column map for a ledger of another program, with a reason for each column: its header, its values, or
 * that the entries balance with it. `tieout add` writes the proposal into company.yaml for the owner to check.
 */

import { amountClaims } from '../claims/claims.ts'
import { BASE, FOREIGN, plainWords } from '../claims/vocabulary.ts'
import { numbersIn } from '../format/keys.ts'
import type { LedgerColumn } from '../format/ledger-columns.ts'
import { mappedValue } from '../tables/header.ts'
import { DIRECTION, sideOf, valueAt } from '../tables/mapped/map.ts'
import { guessColumns, namedColumn, namedColumns } from '../tables/other-headers.ts'
import { parseAmount } from '../text/amount.ts'
import { amountForm, dateForm } from '../text/forms.ts'
import { ISO_DATE, parseDate } from '../text/months.ts'

export type ProposedName = LedgerColumn | typeof DIRECTION

export interface ProposedColumn {
  readonly column: ProposedName
  /** A header, several joined by ` + `, or one with `-` before it; null where no column was found. */
  readonly header: string | null
  readonly why: string
  /** The first values of the column, as they stand in the file. */
  readonly samples: readonly string[]
}

/** What the accounts of a chart are called: ids and numbers, and names. */
export interface ChartTexts {
  readonly ids: ReadonlySet<string>
  readonly names: ReadonlySet<string>
}

export const NO_CHART: ChartTexts = { ids: new Set(), names: new Set() }

type Rows = readonly (readonly string[])[]
type Map_ = Partial<Record<ProposedName, string>>

/** Columns that every ledger needs, in the order in which they are shown; optional ones follow. */
const NEEDED: readonly ProposedName[] = ['transaction_id', 'date', 'account']
const SHOWN: readonly ProposedName[] = [
  ...NEEDED,
  'debit',
  'credit',
  'amount',
  DIRECTION,
  'class',
  'department',
  'memo',
  'reference',
  'currency',
  'journal',
  'type',
]

/**
 * `stated` holds the columns that the user named on the command line. Null where the rows hold neither dates nor
 * amounts, whatever the header says.
 */
export function proposeMap(
  header: readonly string[],
  rows: Rows,
  stated: Readonly<Record<string, string>> = {},
  accounts: ChartTexts = NO_CHART,
): readonly ProposedColumn[] | null {
  const proposal = new Proposal(header, rows, stated)
  proposal.takeNamed()
  proposal.takeByValues(accounts)
  const { map } = proposal
  if (map.date === undefined || (map.amount === undefined && map.debit === undefined)) return null
  proposal.takeTransaction()
  return proposal.columns()
}

/** The map as far as it is found; each step only fills columns that are still open. */
class Proposal {
  readonly map: Map_ = {}
  readonly #why = new Map<ProposedName, string>()
  readonly #header: readonly string[]
  readonly #rows: Rows
  readonly #stated: Readonly<Record<string, string>>

  constructor(header: readonly string[], rows: Rows, stated: Readonly<Record<string, string>>) {
    this.#header = header
    this.#rows = rows
    this.#stated = stated
    for (const [column, text] of Object.entries(stated))
      this.#take(column as ProposedName, text, 'as you said')
  }

  /** Takes columns by their headers. */
  takeNamed(): void {
    for (const column of SHOWN)
      if (column !== 'transaction_id' && column !== 'account') {
        const names = this.#free().map(({ name }) => name)
        this.#take(column, namedColumn(column, names), 'by its name')
      }
    for (const column of ['debit', 'credit', 'amount'] as const) this.#takeBase(column)
    const { debit, credit } = this.map
    // Debit and credit together say more than an amount beside them; one of them alone says nothing.
    if (debit !== undefined && credit !== undefined) this.#drop('amount')
    else for (const side of ['debit', 'credit'] as const) this.#drop(side)
  }

  /** Takes the amount in the currency of the company where it stands beside that of the document. */
  #takeBase(column: 'debit' | 'credit' | 'amount'): void {
    const own = this.map[column]
    if (own === undefined || column in this.#stated) return
    const names = this.#free().map(({ name }) => name)
    const base = amountClaims(names, [own], null).compared.find(
      (name) => bareAmount(name) === bareAmount(own),
    )
    if (base === undefined) return
    this.map[column] = base
    this.#why.set(column, `by its name: the currency of the company, where ${own} is that of the document`)
    this.#drop('currency')
  }

  /** Takes columns by what stands in them. */
  takeByValues(accounts: ChartTexts): void {
    const { map } = this
    this.#take('date', this.#freeWith(isDates), 'holds dates')
    this.#takeAccount(accounts)
    if (map.amount === undefined && map.debit === undefined)
      this.#take('amount', this.#freeWith(isAmounts), 'holds amounts with decimals')
    if (map.amount === undefined && map.debit === undefined) {
      const [only, ...others] = this.#free().filter(({ i }) => addUpToZero(this.#cells(i)))
      if (others.length === 0) this.#take('amount', only?.name, 'holds amounts that add up to zero')
    }
    if (map.amount === undefined) this.#drop(DIRECTION)
    else this.#take(DIRECTION, this.#freeWith(isSides), 'holds D and C, or the like')
  }

  /**
   * Takes the first column with a usual name or with accounts of the chart between which amounts move: where debit and credit
   * are equal in each of its values, it is another account, such as the bank's, repeated on all lines of an entry.
   */
  #takeAccount({ ids, names }: ChartTexts): void {
    const free = this.#free()
    const usual = namedColumns(
      'account',
      free.map(({ name }) => name),
    )
    const shareIn = (i: number, texts: ReadonlySet<string>) =>
      share(this.#cells(i), (cell) => isAccountOf(cell, texts))
    const listed = free.flatMap(({ name, i }) => (!CONTRA.test(name) && shareIn(i, ids) >= 0.9 ? [name] : []))
    const [first] = usual
    const isKnown = free.some(
      ({ name, i }) => name === first && (shareIn(i, ids) >= 0.5 || shareIn(i, names) >= 0.5),
    )
    const all = isKnown ? [...usual, ...listed] : [...listed, ...usual]
    const found = all.find((name) => this.#moves(name)) ?? first ?? listed[0]
    if (found === first) this.#take('account', found, 'by its name')
    const unlike = isKnown ? ` between which amounts move, unlike "${first}"` : ' of the chart'
    this.#take('account', found, `holds accounts${unlike}`)
  }

  #moves(name: string): boolean {
    const value = mappedValue(this.#header, name)
    const amounts = minorAmounts(this.#header, this.#rows, this.map)
    if (value === null || amounts === null) return false
    const sums = new Map<string, number>()
    for (const [i, row] of this.#rows.entries()) {
      const id = valueAt(row, value)
      sums.set(id, (sums.get(id) ?? 0) + (amounts[i] ?? 0))
    }
    // The last entry may continue below the rows that were sampled.
    return [...sums.values()].filter((sum) => sum !== 0).length > 1
  }

  /** Takes the column by which the entries balance, else the one with a usual name. */
  takeTransaction(): void {
    const numbers = this.#free().filter(({ name, i }) => isNumber(name, this.#cells(i)))
    const proof = provenTransaction(this.#header, this.#rows, this.map, numbers)
    if (proof !== null) this.#take('transaction_id', proof.text, `all ${proof.entries} entries balance by it`)
    else {
      const named = guessColumns(this.#header)?.transaction_id
      const doubt = this.#rows.length === 0 ? '' : '; entries do not balance by it, please check'
      this.#take('transaction_id', named, `by its name${doubt}`)
    }
  }

  /** The columns found and those that every ledger needs, with their reasons. */
  columns(): readonly ProposedColumn[] {
    const shown = SHOWN.filter((column) => this.map[column] !== undefined || NEEDED.includes(column))
    return shown.map((column) => {
      const text = this.map[column]
      const value = text === undefined ? null : mappedValue(this.#header, text)
      const texts = value === null ? [] : this.#rows.map((row) => valueAt(row, value))
      return {
        column,
        header: text ?? null,
        why: this.#why.get(column) ?? 'nothing tells: please fill in',
        samples: [...new Set(texts.filter((each) => each !== ''))].slice(0, 3),
      }
    })
  }

  #take(column: ProposedName, text: string | null | undefined, reason: string): void {
    if (text == null || this.map[column] !== undefined) return
    this.map[column] = text
    this.#why.set(column, reason)
  }

  /** Leaves a column out, unless the user named it. */
  #drop(column: ProposedName): void {
    if (!(column in this.#stated)) delete this.map[column]
  }

  /** Columns that no part of the map uses yet. */
  #free(): { readonly name: string; readonly i: number }[] {
    const taken = Object.values(this.map)
    return this.#header.flatMap((name, i) =>
      name.trim() === '' || taken.some((text) => isTakenBy(this.#header, text, i)) ? [] : [{ name, i }],
    )
  }

  /** The header of the first free column whose values pass the test. */
  #freeWith(test: (cells: readonly string[]) => boolean): string | undefined {
    return this.#free().find(({ i }) => test(this.#cells(i)))?.name
  }

  #cells(i: number): string[] {
    return this.#rows.map((row) => row[i]?.trim() ?? '').filter((cell) => cell !== '')
  }
}

/** The other side of an entry, or what is the account of a bank or a party. */
const CONTRA = /\b(?:bal|balancing|contra|counter|offset|split|gegen|mot)/i
/** A header of an amount without what says of which currency it is. */
const bareAmount = (header: string): string =>
  plainWords(header).replace(BASE, '').replace(FOREIGN, '').replace(/\s+/g, ' ').trim()

/** Accepts `1000` and `1000 Checking`, as the books do. */
const isAccountOf = (cell: string, accounts: ReadonlySet<string>): boolean =>
  [cell, ...numbersIn(cell)].some((number) => accounts.has(number))

/**
 * Whether the column stands alone for `text`. A column that is only a part of an id, such as the date, may be used
 * again.
 */
const isTakenBy = (header: readonly string[], text: string, i: number): boolean => {
  const at = mappedValue(header, text)?.at
  return at?.length === 1 && at[0] === i
}

const share = (cells: readonly string[], is: (cell: string) => boolean): number =>
  cells.length === 0 ? 0 : cells.filter(is).length / cells.length

function isDates(cells: readonly string[]): boolean {
  if (share(cells, (cell) => parseDate(cell, ISO_DATE) !== null) >= 0.9) return true
  // Eight digits alone may be a date or any other number.
  return share(cells, (cell) => /[^\d]/.test(cell)) >= 0.9 && dateForm(cells).formats.length > 0
}

const isAmounts = (cells: readonly string[]): boolean =>
  share(cells, (cell) => /^[-(]?[\d.,' ]+[.,]\d{2}(\)?-?| *[DC]r\.?)$/i.test(cell)) >= 0.9

/** Amounts of whole numbers are told from other numbers by debits and credits that are equal. */
const addUpToZero = (cells: readonly string[]): boolean =>
  cells.some((cell) => /^-\d/.test(cell)) &&
  cells.every((cell) => /^-?\d+(\.\d{1,2})?$/.test(cell)) &&
  cells.reduce((sum, cell) => sum + BigInt(Math.round(Number(cell) * 100)), 0n) === 0n

/**
 * Whether a column may hold entry numbers: by its header, or because it holds neither names of accounts, nor
 * amounts, nor descriptions.
 */
const isNumber = (name: string, cells: readonly string[]): boolean =>
  namedColumn('transaction_id', [name]) !== undefined ||
  !(
    NO_NUMBER.test(name) ||
    isAmounts(cells) ||
    share(cells, (cell) => /\p{L}{2}[^\p{L}\d\s]*\s[^\p{L}\d]*\p{L}{2}/u.test(cell)) >= 0.5
  )
const NO_NUMBER =
  /account|acct|konto|compte|descr|memo|narrati|text|tekst|remark|comment|label|libell|name|payee|party|balance|saldo/i

const isSides = (cells: readonly string[]): boolean => {
  const sides = new Set(cells.map(sideOf))
  return sides.size === 2 && !sides.has(null) && new Set(cells).size === 2
}

/**
 * Tries the candidates for the entry number in order of likelihood: a column with a usual header, any other column,
 * and each of these joined with the date or with another column. The first one by which the entries balance is
 * taken.
 */
function provenTransaction(
  header: readonly string[],
  rows: Rows,
  map: Map_,
  free: readonly { readonly name: string }[],
): { readonly text: string; readonly entries: number } | null {
  const amounts = minorAmounts(header, rows, map)
  const { date } = map
  if (amounts === null || date === undefined) return null
  const names = free.map(({ name }) => name)
  const named = namedColumn('transaction_id', names)
  const singles = [...new Set([...(named === undefined ? [] : [named]), ...names])]
  const others = (['reference', 'journal', 'type'] as const).flatMap((column) => map[column] ?? [])
  const pairs = [...singles, ...others].flatMap((name) => [`${date} + ${name}`])
  const candidates = [
    ...singles,
    ...(map.reference === undefined ? [] : [map.reference]),
    ...pairs,
    ...singles.flatMap((a) => singles.filter((b) => a !== b).map((b) => `${a} + ${b}`)),
  ]
  for (const text of candidates.slice(0, 200)) {
    const entries = balancedEntries(header, rows, amounts, text)
    if (entries !== null) return { text, entries }
  }
  return null
}

/**
 * Counts the entries that the rows form when they are grouped by this value; null where an entry does not balance,
 * or where all rows are one entry.
 */
function balancedEntries(
  header: readonly string[],
  rows: Rows,
  amounts: readonly number[],
  text: string,
): number | null {
  const value = mappedValue(header, text)
  if (value === null) return null
  const sums = new Map<string, number>()
  let last = ''
  for (const [i, row] of rows.entries()) {
    const id = valueAt(row, value)
    if (id === '') {
      if (amounts[i] !== 0) return null
      continue
    }
    sums.set(id, (sums.get(id) ?? 0) + (amounts[i] ?? Number.NaN))
    last = id
  }
  // The last entry may continue below the rows that were sampled.
  sums.delete(last)
  return sums.size > 0 && [...sums.values()].every((sum) => sum === 0) ? sums.size + 1 : null
}

/** Decimals compared here; the build checks what the currency allows. */
const DECIMALS = 4

/** The amount of each row, debit positive, in units of 10^-4; null where an amount cannot be read. */
function minorAmounts(header: readonly string[], rows: Rows, map: Map_): number[] | null {
  const column = (name: ProposedName) => {
    const text = map[name]
    return text === undefined ? null : mappedValue(header, text)
  }
  const [amount, debit, credit, direction] = [
    column('amount'),
    column('debit'),
    column('credit'),
    column(DIRECTION),
  ]
  const values = [amount, debit, credit].filter((value) => value !== null)
  const form = amountForm(rows.flatMap((row) => values.map((value) => valueAt(row, value))))
  const number = { decimal: form.decimal ?? ('.' as const), thousands: form.thousands, currency: 'USD' }
  const read = (text: string, isSigned = false) =>
    text === '' ? 0 : (parseAmount(text, DECIMALS, { ...number, isSigned }).minor ?? Number.NaN)
  const minor = rows.map((row) => {
    if (amount === null)
      return read(debit ? valueAt(row, debit) : '') - read(credit ? valueAt(row, credit) : '')
    const side = direction === null ? 'debit' : sideOf(valueAt(row, direction))
    return read(valueAt(row, amount), true) * ((side === 'credit') !== amount.isReversed ? -1 : 1)
  })
  return minor.some(Number.isNaN) ? null : minor
}
