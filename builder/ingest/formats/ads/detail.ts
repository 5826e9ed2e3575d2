/** GL_Detail: reads one table of journal lines into canonical CSV, and what it says as a whole. */
import { RESERVED_MEMBER_IDS } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { type Covered, CoveredLines } from '../../format/covered-lines.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { csvRow } from '../../format/records.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import {
  type AdsTable,
  cellAt,
  isoDate,
  measureIn,
  periodNumber,
  type UsedMeasure,
  usedMeasures,
} from './tables.ts'

const CANONICAL = [
  'transaction_id',
  'line_id',
  'date',
  'account',
  'class',
  'department',
  'memo',
  'journal',
  'type',
] as const

/** D and C by the standard; S (Soll) and H (Haben) are SAP's. */
const DEBIT = /^(d|dr|debit|s)$/i
const CREDIT = /^(c|cr|credit|h)$/i

export type Target = 'class' | 'department'

/** Class, department or none: by company.yaml, else by the name of the column. */
export const targetOf = (name: string, stated: Company['dimensions']): Target | 'none' =>
  stated?.[name] ?? (/^business_?unit_?code$/i.test(name) ? 'class' : 'none')

/** What a table says as a whole: complete when its last row was read. */
export class AdsDetail {
  readonly table: AdsTable
  /** Account, and member, → the row that names it first. */
  readonly accounts = new Map<string, number>()
  readonly members = { class: new Map<string, number>(), department: new Map<string, number>() }
  readonly amounts: readonly UsedMeasure[]
  readonly findings: Finding[] = []
  /** Lines with an amount that do not say whether it is a debit or a credit. */
  readonly unread = new UnreadRows()
  rows = 0
  /**
   * Months between a period's number and the month of its line → how many lines have that distance, and the first of them.
   * The distance that most lines agree on says when the year begins.
   */
  readonly offsets = new Map<number, { readonly row: number; count: number }>()
  /** Amounts by side and sign, zeros apart. */
  readonly #signs = { debit: { plus: 0, minus: 0 }, credit: { plus: 0, minus: 0 } }
  readonly #stated: Company['dimensions']
  #noSide: { count: number; readonly row: number; readonly text: string } | null = null

  constructor(table: AdsTable, stated: Company['dimensions']) {
    this.table = table
    this.#stated = stated
    this.amounts = usedMeasures(table, 'amount')
  }

  get header(): readonly string[] {
    return [...CANONICAL, ...this.table.measures.flatMap((_, i) => [`signed_${i}`, `sided_${i}`])]
  }

  /** Canonical rows, one for each record so that rows keep their numbers; each amount as written, and by its side. */
  async *canonical(): AsyncGenerator<string> {
    const header = this.header
    const blank = csvRow(header.map(() => ''))
    let part = csvRow(header)
    let next = 2
    for await (const { row, cells } of this.table.records(this.findings)) {
      // A workbook leaves blank rows out.
      for (; next < row; next++) part += blank
      next = row + 1
      const own = cells === null ? null : this.#canonicalRow(row, cells)
      part += own === null ? blank : csvRow(own)
      if (part.length < 1 << 16) continue
      yield part
      part = ''
    }
    yield part
    if (this.#noSide !== null) this.findings.push(this.#sideUnknown(this.#noSide))
    this.findings.push(...this.#otherPeriods())
  }

  /** Reads the whole table without writing a copy. */
  async read(): Promise<this> {
    for await (const _ of this.canonical());
    return this
  }

  /** The days on which its lines are dated, with a sample of the lines. */
  async covers(): Promise<readonly Covered[]> {
    const { at, measures } = this.table
    const lines = new CoveredLines()
    for await (const { cells } of this.table.records([]))
      if (cells !== null) {
        const columns = [at.account, at.side, ...measures.map(({ amount }) => amount)]
        lines.add(
          isoDate(cellAt(cells, at.date)),
          columns.map((index) => cellAt(cells, index)),
        )
      }
    return lines.covers
  }

  /** Amounts are signed already where every credit is negative and no debit is; else the side gives the sign. */
  get isSigned(): boolean {
    const { debit, credit } = this.#signs
    return this.table.at.side === null || (credit.minus > 0 && credit.plus === 0 && debit.minus === 0)
  }

  /** How the books read the copy; null where no amount is in their currency. */
  plan(
    path: string,
    form: Pick<LedgerPlan, 'basis' | 'dateFormat' | 'decimal' | 'thousands'>,
    currency: string,
  ): LedgerPlan | null {
    const used = measureIn(this.amounts, currency)
    if (used === undefined) return null
    return {
      kind: 'csv',
      file: this.table.file,
      path,
      ...form,
      delimiter: ',',
      columns: {
        ...Object.fromEntries(CANONICAL.map((name) => [name, name])),
        amount: `${this.isSigned ? 'signed' : 'sided'}_${used.index}`,
      },
      header: this.header,
    }
  }

  /** Null where the line has no side. */
  #canonicalRow(row: number, cells: readonly string[]): string[] | null {
    const { at, measures } = this.table
    const cell = (index: number | null) => cellAt(cells, index)
    this.rows++
    const account = cell(at.account)
    if (account !== '' && !this.accounts.has(account)) this.accounts.set(account, row)
    const side = cell(at.side)
    const isCredit = CREDIT.test(side)
    const amounts = measures.map(({ amount }) => cell(amount))
    for (const { measure, currencies } of this.amounts)
      if (cell(measure.amount) !== '') currencies.add(cell(measure.currency).toUpperCase())
    const first = amounts.find((amount) => amount !== '') ?? ''
    const date = isoDate(cell(at.date))
    const period = cell(at.period)
    const number = periodNumber(period)
    if (number !== null && number <= 12) this.#seePeriod(number, date, row)
    const journal = cell(at.journal)
    const line = cell(at.line)
    const id = journal === '' ? '' : [cell(at.year), journal].filter((part) => part !== '').join(' ')
    if (!this.#seeSide(row, side, isCredit, first)) {
      this.unread.add({ file: this.table.file, row, of: 'entry', account, entry: id || null })
      return null
    }
    return [
      id,
      line === '' || id === '' ? '' : `${id} ${line}`,
      date,
      account,
      this.#member('class', row, cells),
      this.#member('department', row, cells),
      [cell(at.description), cell(at.header)].find((text) => text !== '') ?? '',
      cell(at.source),
      number !== null && number > 12 ? period : '',
      ...amounts.flatMap((amount) => [amount, isCredit ? negated(amount) : amount]),
    ]
  }

  /** Notes the side of an amount; false where the line does not state one. */
  #seeSide(row: number, side: string, isCredit: boolean, amount: string): boolean {
    if (this.table.at.side === null || /^[-+0.,]*$/.test(amount)) return true
    if (!isCredit && !DEBIT.test(side)) {
      this.#noSide ??= { count: 0, row, text: side }
      this.#noSide.count++
      return false
    }
    this.#signs[isCredit ? 'credit' : 'debit'][amount.startsWith('-') ? 'minus' : 'plus']++
    return true
  }

  #seePeriod(period: number, date: string, row: number): void {
    const month = Number(date.slice(5, 7))
    if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return
    const offset = (month - period + 12) % 12
    const known = this.offsets.get(offset)
    if (known === undefined) this.offsets.set(offset, { row, count: 1 })
    else known.count++
  }

  /** Where nine of ten lines agree in which month a period lies, the others are dated in a month of another period. */
  #otherPeriods(): Finding[] {
    const [most, ...others] = [...this.offsets.values()].sort((a, b) => b.count - a.count)
    const count = others.reduce((sum, other) => sum + other.count, 0)
    if (most === undefined || count === 0 || most.count < count * 9) return []
    const row = Math.min(...others.map((other) => other.row))
    return [
      warning(
        'period-differs',
        `${count === 1 ? 'a line is' : `${count} lines are`} of another Period than the month of Effective_Date, and counted on that date`,
        {
          file: this.table.file,
          row,
          column: 'Period',
          remedy: 'nothing to do where the date is right; else correct it in the program, and export again',
        },
      ),
    ]
  }

  #member(target: Target, row: number, cells: readonly string[]): string {
    for (const { name, at } of this.table.dimensions) {
      if (targetOf(name, this.#stated) !== target) continue
      const id = cellAt(cells, at)
      if (id === '') continue
      if (!this.members[target].has(id)) this.members[target].set(id, row)
      // A member with a reserved id is an error; its line counts without it.
      return RESERVED_MEMBER_IDS.has(id) ? '' : id
    }
    return ''
  }

  #sideUnknown({ count, row, text }: { count: number; row: number; text: string }): Finding {
    return error(
      'unreadable-side',
      `${text === '' ? 'the indicator of debit or credit is empty' : `"${text}" is neither debit nor credit`}${count === 1 ? '' : `; ${count} rows say neither`}`,
      {
        file: this.table.file,
        row,
        column: 'Amount_Credit_Debit_Indicator',
        text,
        remedy: 'write D or C on each line that has an amount',
      },
    )
  }
}

const negated = (amount: string): string =>
  amount === '' ? '' : amount.startsWith('-') ? amount.slice(1) : `-${amount.replace(/^\+/, '')}`
