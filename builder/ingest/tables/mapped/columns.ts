/** Which columns of a table a map reads, and how the books read the copy. */
import type { LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import { amountClaims, areBase, type UnreadColumn } from '../../claims/claims.ts'
import { canonicalPlan, formOfEntry } from '../../format/canonical-plan.ts'
import { basisOfEntry, type LedgerPlan } from '../../format/intake.ts'
import { LEDGER_COLUMNS, type LedgerColumn } from '../../format/ledger-columns.ts'
import { textAt } from '../../text/csv.ts'
import { ISO_DATE } from '../../text/months.ts'
import { positionsOf } from '../header.ts'
import { duplicateColumn, missingColumn } from '../table.ts'
import { claimTexts } from '../unread/unread.ts'
import { DIRECTION, type MappedTable, type MappedValue, mappedValue } from './map.ts'

const AMOUNTS = ['amount', 'debit', 'credit'] as const

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
}

/** A single amount that becomes a debit or a credit: by its sign, by the column beside it, or by both. */
export interface SidedAmount {
  readonly amount: MappedValue
  /** The column that states debit or credit. */
  readonly direction: MappedValue | null
}

export class MappedColumns {
  readonly table: MappedTable
  readonly setting: LedgerSetting
  /** The entry of company.yaml, such as `ledger.0`. */
  readonly key: string
  /** About the header; where there are errors, rows cannot be read. */
  readonly findings: Finding[] = []
  /** Those of the copy, with what each is read from; null for the sides of a {@link SidedAmount}. */
  readonly columns: readonly (readonly [LedgerColumn, MappedValue | null])[]
  readonly sided: SidedAmount | null
  readonly skips: readonly Skip[]
  /** Columns that are not read, and those of `count`, whose values are counted. */
  readonly watched: readonly Watched[]
  readonly #values = new Map<LedgerColumn, MappedValue>()

  constructor(table: MappedTable, setting: LedgerSetting, key: string, currency: string) {
    this.table = table
    this.setting = setting
    this.key = key
    const { [DIRECTION]: stated, ...map } = setting.columns ?? {}
    const direction = stated === undefined ? null : this.#find(DIRECTION, stated)
    this.#findColumns(map)
    this.skips = this.#findSkips()
    const amount = this.#values.get('amount')
    this.sided = amount && (direction !== null || amount.isReversed) ? { amount, direction } : null
    const named = [...this.#values]
    this.columns =
      this.sided === null
        ? named
        : [...named.filter(([name]) => name !== 'amount'), ['debit', null], ['credit', null]]
    this.watched = this.#watched(direction?.at ?? [], currency)
  }

  /** The columns that nothing reads, and those about which company.yaml says which rows count. */
  #watched(direction: readonly number[], currency: string): Watched[] {
    const { header } = this.table
    const read = new Set([...[...this.#values.values()].flatMap(({ at }) => at), ...direction])
    const amounts = AMOUNTS.flatMap((name) => this.#values.get(name)?.at ?? [])
    const at = header.flatMap((cell, i) => (cell.trim() === '' || read.has(i) ? [] : [i]))
    const names = (those: readonly number[]) => those.map((i) => textAt(header, i))
    const { compared, isExplained } = amountClaims(names(at), names(amounts), currency)
    const { skip, count } = this.setting
    const answered = Object.keys({ ...skip, ...count }).flatMap((name) => positionsOf(header, name)[0] ?? [])
    return [...new Set([...at, ...answered])].map((i) => ({
      ...{ header: textAt(header, i), at: i, isExplained, isOfAll: answered.includes(i) },
      against: compared.includes(textAt(header, i)) && !answered.includes(i) ? amounts : null,
    }))
  }

  /** The columns that nothing reads, with their values where rows were read. */
  unread(values: readonly ReadonlyMap<string, number>[] = []): UnreadColumn[] {
    const { file, header: names, headerRow } = this.table
    return this.watched.map(({ header, against, isExplained }, i) => ({
      ...{ file, headerRow, header, isExplained, values: values[i] ?? new Map() },
      ...(against === null ? {} : { against: textAt(names, against[0] ?? -1) }),
    }))
  }

  /** Questions about titles, the name of the sheet and headers of amounts. */
  get titled(): Finding[] {
    const { sheet = null } = this.table
    const headers = AMOUNTS.flatMap((name) => this.#values.get(name)?.at ?? []).map((at) =>
      textAt(this.table.header, at),
    )
    const named = this.setting.sheet === undefined ? sheet : null
    return claimTexts({ ...this.table, sheet: named, headers }, this.key, this.setting)
  }

  plan(path: string): LedgerPlan {
    const { file, shape } = this.table
    return {
      ...canonicalPlan(
        { file, path, basis: this.#values.has('basis') ? null : basisOfEntry(this.setting) },
        this.columns.map(([name]) => name),
      ),
      ...formOfEntry(this.setting),
      // Dates of a sheet are canonical in the copy.
      ...(shape === null ? { dateFormat: ISO_DATE } : {}),
    }
  }

  get #head() {
    return { ...this.table, key: this.key }
  }

  #findColumns(map: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(map)) {
      if (!(LEDGER_COLUMNS as readonly string[]).includes(name)) {
        this.findings.push(this.#unknownColumn(name, text))
        continue
      }
      const value = this.#find(name, text)
      if (value !== null) this.#values.set(name as LedgerColumn, value)
    }
    const hasMoney = ['amount', 'debit', 'credit'].some((name) => name in map)
    for (const name of LEDGER_COLUMNS) {
      const [own] = positionsOf(this.table.header, name)
      const isOther = name in map || (name === 'basis' && this.setting.basis !== undefined)
      const isMoney = name === 'amount' || name === 'debit' || name === 'credit'
      if (own !== undefined && !isOther && !(isMoney && hasMoney))
        this.#values.set(name, { at: [own], isReversed: false })
    }
    const amounts = AMOUNTS.flatMap((name) => this.#values.get(name)?.at ?? [])
    // The currency beside amounts in that of the company is the document's.
    if (!('currency' in map) && areBase(amounts.map((at) => textAt(this.table.header, at))))
      this.#values.delete('currency')
    // A net amount beside debit and credit repeats them.
    if (!hasMoney && this.#values.has('debit') && this.#values.has('credit')) this.#values.delete('amount')
    for (const name of ['transaction_id', 'date', 'account'] as const)
      if (!this.#values.has(name) && !(name in map)) this.findings.push(missingColumn(this.#head, name, name))
    if (!this.#values.has('amount') && !(this.#values.has('debit') && this.#values.has('credit')))
      if (!('amount' in map)) this.findings.push(missingColumn(this.#head, 'amount', 'amount'))
  }

  #find(name: string, text: string): MappedValue | null {
    const { header } = this.table
    const value = mappedValue(header, text)
    for (const at of value?.at ?? []) {
      const own = textAt(header, at)
      if (positionsOf(header, own).length > 1) this.findings.push(duplicateColumn(this.#head, own))
    }
    if (value === null) this.findings.push(missingColumn(this.#head, text, name))
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
