/** Which columns of a ledger that is a table are read, and how the books read the table or its copy. */
import type { Basis } from '../../../contract/vocabulary.ts'
import type { LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import {
  amountClaims,
  areBase,
  compared,
  countValue,
  meaningOf,
  meaningOfHeader,
  type UnreadColumn,
} from '../../claims/claims.ts'
import { canonicalPlan, formOfEntry, ROW } from '../../format/canonical-plan.ts'
import { basisOfEntry, type LedgerPlan } from '../../format/intake.ts'
import { KINDS_OF_ENTRY, LEDGER_COLUMNS, type LedgerColumn } from '../../format/ledger-columns.ts'
import { firstRecords, textAt } from '../../text/csv.ts'
import { ISO_DATE } from '../../text/months.ts'
import { headerFor, type MappedValue, mappedValue, positionsOf, REQUIRED } from '../header.ts'
import { duplicateColumn, missingColumn } from '../table.ts'
import { claimTexts } from '../unread/unread.ts'
import { DIRECTION, isMapped, type MappedTable } from './map.ts'

const AMOUNTS = ['amount', 'debit', 'credit'] as const
const isAmount = (name: LedgerColumn): boolean => (AMOUNTS as readonly string[]).includes(name)

/** Rows with one of these values in the column are left out. */
interface Skip {
  readonly header: string
  readonly at: number
  /** Trimmed, in small letters. */
  readonly values: readonly string[]
}

/** A column whose values are counted. */
interface Watched {
  readonly header: string
  readonly at: number
  /** Rows that are left out are counted too: the column says which these are. */
  readonly isOfAll: boolean
  /** Positions of the amounts that are read, with which its own are compared. */
  readonly against: readonly number[] | null
  readonly isExplained: boolean
  readonly isRead: boolean
}

/** A single amount that becomes a debit or a credit: by its sign, by the column beside it, or by both. */
export interface SidedAmount {
  readonly amount: MappedValue
  /** The column that states debit or credit. */
  readonly direction: MappedValue | null
}

/** So many rows of a text show whether a column whose header says nothing holds marks; the books look at all rows of a file that may have more. */
const LOOKED_AT = 1000

export class MappedColumns {
  readonly table: MappedTable
  readonly setting: LedgerSetting
  /** The entry of company.yaml, such as `ledger.0`. */
  readonly key: string
  /** About the header; where there are some, rows cannot be read. */
  readonly findings: Finding[] = []
  /** Those of the copy, with what each is read from; null for the sides of a {@link SidedAmount}. */
  readonly columns: readonly (readonly [LedgerColumn, MappedValue | null])[]
  readonly sided: SidedAmount | null
  readonly skips: readonly Skip[]
  /** Columns whose values are counted: those that are not read, those of `count`, and {@link KINDS_OF_ENTRY}. */
  readonly watched: readonly Watched[]
  /** Positions of the amounts that are read. */
  readonly amounts: readonly number[]
  readonly #values = new Map<LedgerColumn, MappedValue>()
  readonly #currency: string

  constructor(table: MappedTable, setting: LedgerSetting, key: string, currency: string) {
    this.table = table
    this.setting = setting
    this.key = key
    this.#currency = currency
    const { [DIRECTION]: stated, ...map } = setting.columns ?? {}
    const direction = stated === undefined ? null : this.#find(DIRECTION, stated)
    this.#findColumns(map)
    this.amounts = AMOUNTS.flatMap((name) => this.#values.get(name)?.at ?? [])
    this.skips = this.#findSkips()
    const amount = this.#values.get('amount')
    this.sided = amount && (direction !== null || amount.isReversed) ? { amount, direction } : null
    const named = [...this.#values]
    this.columns =
      this.sided === null
        ? named
        : [...named.filter(([name]) => name !== 'amount'), ['debit', null], ['credit', null]]
    this.watched = this.#watched(direction?.at ?? [])
  }

  /**
   * The columns that nothing reads, those that say what kind of entry a row is of, and those about which company.yaml says which rows
   * count.
   */
  #watched(direction: readonly number[]): Watched[] {
    const { header } = this.table
    const read = new Set([...[...this.#values.values()].flatMap(({ at }) => at), ...direction])
    const at = header.flatMap((cell, i) => (cell.trim() === '' || read.has(i) ? [] : [i]))
    const names = (those: readonly number[]) => those.map((i) => textAt(header, i))
    const { compared, isExplained } = amountClaims(names(at), names(this.amounts), this.#currency)
    const { skip, count } = this.setting
    const answered = Object.keys({ ...skip, ...count }).flatMap((name) => positionsOf(header, name)[0] ?? [])
    const kinds = KINDS_OF_ENTRY.flatMap((name) => this.#values.get(name)?.at ?? [])
    return [...new Set([...at, ...kinds, ...answered])].map((i) => ({
      ...{ header: textAt(header, i), at: i, isExplained, isOfAll: answered.includes(i) },
      isRead: read.has(i),
      against: compared.includes(textAt(header, i)) && !answered.includes(i) ? this.amounts : null,
    }))
  }

  /** Counts what a row holds in the watched columns; `all` has the counts of each. */
  watch(all: readonly Map<string, number>[], cells: readonly string[], isSkipped: boolean): void {
    for (const [i, { at, isOfAll, against }] of this.watched.entries()) {
      const values = all[i]
      if (values === undefined || (isSkipped && !isOfAll)) continue
      const cell = textAt(cells, at)
      countValue(values, against === null ? cell : compared(cell, cells, against))
    }
  }

  /** The columns that nothing reads, with their values where rows were read. */
  unread(values: readonly ReadonlyMap<string, number>[] = []): UnreadColumn[] {
    const { file, header: names, headerRow } = this.table
    return this.watched.map(({ header, against, isExplained, isRead }, i) => ({
      ...{ file, headerRow, header, isExplained, isRead, values: values[i] ?? new Map() },
      ...(against === null ? {} : { against: textAt(names, against[0] ?? -1) }),
    }))
  }

  /**
   * Whether the books can read the text as it is. Where columns that nobody reads may say what rows mean, values are counted while the
   * rows are copied; the rows of other texts are seen by the books alone.
   */
  get isPlain(): boolean {
    const { shape, source } = this.table
    if (shape === null || isMapped(this.setting)) return false
    const { delimiter, headerRow } = shape
    const values = this.watched.map(() => new Map<string, number>())
    for (const { cells } of firstRecords(source.look.head, delimiter, headerRow + LOOKED_AT).slice(headerRow))
      this.watch(values, cells, false)
    return !this.unread(values).some(
      (column) =>
        column.against !== undefined ||
        meaningOfHeader(column.header) !== null ||
        meaningOf(column, { currency: this.#currency }) !== null,
    )
  }

  /** The columns whose values the books count. */
  get others(): Pick<LedgerPlan, 'others'> {
    const headers = this.watched.map(({ header }) => header)
    const hasMore = this.table.source.scan.bytes > LOOKED_AT * '1,1.1.25,1,1\n'.length
    return hasMore && headers.length > 0 ? { others: { key: this.key, answers: this.setting, headers } } : {}
  }

  /** Questions about titles, the name of the sheet and headers of amounts. */
  get titled(): Finding[] {
    const { sheet, header } = this.table
    const headers = this.amounts.map((at) => textAt(header, at))
    const named = this.setting.sheet === undefined ? (sheet?.sheet ?? null) : null
    return claimTexts({ ...this.table, sheet: named, headers }, this.key, this.setting, {
      currency: this.#currency,
    })
  }

  /** Of the copy. */
  get header(): readonly string[] {
    const names = this.columns.map(([name]) => name)
    return this.table.sheet === null ? names : [ROW, ...names]
  }

  /** The basis of all rows; null where a column states it. */
  get basis(): Basis | null {
    return this.#values.has('basis') ? null : basisOfEntry(this.setting)
  }

  /** Of the copy. */
  plan(path: string): LedgerPlan {
    const { file, sheet } = this.table
    return {
      ...canonicalPlan({ file, path, basis: this.basis }, this.header),
      ...formOfEntry(this.setting),
      // Dates of a sheet are canonical in the copy.
      ...(sheet === null ? {} : { dateFormat: ISO_DATE }),
    }
  }

  get #head() {
    return { ...this.table, key: this.key }
  }

  #findColumns(map: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(map))
      if (!(LEDGER_COLUMNS as readonly string[]).includes(name))
        this.findings.push(this.#unknownColumn(name, text))
    const required: readonly string[] = REQUIRED.ledger
    for (const name of LEDGER_COLUMNS) {
      const isNeeded = required.includes(name) || Object.hasOwn(map, name)
      const value = this.#find(name, headerFor(name, map), isNeeded)
      if (value !== null) this.#values.set(name, value)
    }
    this.#chooseAmounts(map)
    if (this.setting.basis !== undefined) this.#values.delete('basis')
    // The currency beside amounts in that of the company is the document's.
    const amounts = [...this.#values].flatMap(([name, { at }]) => (isAmount(name) ? at : []))
    if (!('currency' in map) && areBase(amounts.map((at) => textAt(this.table.header, at))))
      this.#values.delete('currency')
  }

  /** A net amount beside debit and credit repeats them, with a sign that differs between exports. */
  #chooseAmounts(map: Readonly<Record<string, string>>): void {
    const has = (name: LedgerColumn) => this.#values.has(name)
    const isMappedAmount = map.amount !== undefined && map.debit === undefined
    const areSides = has('debit') && has('credit')
    const isNet = has('amount') && (!areSides || isMappedAmount)
    if (!isNet && !areSides) {
      const missing = has('debit') === has('credit') ? 'amount' : has('debit') ? 'credit' : 'debit'
      if (!(missing in map)) this.findings.push(missingColumn(this.#head, missing, missing))
    }
    for (const name of isNet ? (['debit', 'credit'] as const) : (['amount'] as const))
      this.#values.delete(name)
  }

  #find(name: string, text: string, isNeeded = true): MappedValue | null {
    const { header } = this.table
    const value = mappedValue(header, text)
    for (const at of value?.at ?? []) {
      const own = textAt(header, at)
      if (positionsOf(header, own).length > 1) this.findings.push(duplicateColumn(this.#head, own))
    }
    if (value === null && isNeeded) this.findings.push(missingColumn(this.#head, text, name))
    return value
  }

  #findSkips(): Skip[] {
    for (const header of Object.keys(this.setting.count ?? {}))
      if (positionsOf(this.table.header, header).length === 0)
        this.findings.push(missingColumn(this.#head, header, header))
    return Object.entries(this.setting.skip ?? {}).flatMap(([header, stated]) => {
      const [at] = positionsOf(this.table.header, header)
      if (at === undefined) this.findings.push(missingColumn(this.#head, header, header))
      const values = [stated].flat().map((value) => value.trim().toLowerCase())
      return at === undefined ? [] : [{ header, at, values: [...new Set(values)] }]
    })
  }

  #unknownColumn(name: string, text: string): Finding {
    return error('unknown-column', `"${name}" is not a column that is read here`, {
      file: COMPANY_FILE,
      column: `${this.key}.columns.${name}`,
      text,
      remedy: `"columns" maps these to headers of the file: ${[...LEDGER_COLUMNS, DIRECTION].join(', ')}`,
    })
  }
}
