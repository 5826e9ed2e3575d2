/** Reads lines of a GL_Detail as canonical CSV, and keeps what they say beside. */
import { RESERVED_MEMBER_IDS } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import type { CoveredLines } from '../../format/covered-lines.ts'
import type { UnreadRow } from '../../format/intake.ts'
import { type CountedRows, csvRow, type FileRecord, type RowWriter } from '../../format/records.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import { remembered } from '../../text/remembered.ts'
import { type AdsTable, cellAt, isoDate, periodNumber } from './tables.ts'

export const CANONICAL = [
  'transaction_id',
  'line_id',
  'date',
  'account',
  'class',
  'department',
  'memo',
  'journal',
  'type',
  'entered_on',
  'entered_by',
] as const

export type Target = 'class' | 'department'

/** Class, department or none: by company.yaml, else by the name of the column. */
export const targetOf = (name: string, stated: Company['dimensions']): Target | 'none' =>
  stated?.[name] ?? (/^business_?unit_?code$/i.test(name) ? 'class' : 'none')

/** What must be known of a table to read any of its lines. */
export interface LineForm extends Pick<AdsTable, 'file' | 'at' | 'measures' | 'others'> {
  /** The columns that name each. */
  readonly members: { readonly [target in Target]: readonly number[] }
}

export const lineForm = (
  { file, at, measures, dimensions, others }: AdsTable,
  stated: Company['dimensions'],
): LineForm => {
  const columns = (target: Target) =>
    dimensions.filter(({ name }) => targetOf(name, stated) === target).map((dimension) => dimension.at)
  const members = { class: columns('class'), department: columns('department') }
  return { file, at, measures, others, members }
}

export const headerOf = ({ measures }: Pick<AdsTable, 'measures'>): readonly string[] => [
  ...CANONICAL,
  ...measures.flatMap((_, i) => [`signed_${i}`, `sided_${i}`]),
]

export interface Counted extends CountedRows {
  count: number
}

/** What lines say as a whole. */
export interface LineFacts {
  readonly rows: number
  /** Account, and member, → the row that names it first. */
  readonly accounts: ReadonlyMap<string, number>
  readonly members: { readonly [target in Target]: ReadonlyMap<string, number> }
  /** By measure, the currencies of its amounts. */
  readonly currencies: readonly ReadonlySet<string>[]
  /**
   * Months between a period's number and the month of its line → the lines that have that distance.
   * The distance that most lines agree on says when the year begins.
   */
  readonly offsets: ReadonlyMap<number, Counted>
  readonly signs: Signs
  /** Lines with an amount that do not say whether it is a debit or a credit. */
  readonly noSide: (Counted & { readonly text: string }) | null
  readonly unread: readonly UnreadRow[]
  /** Of the columns that are not read. */
  readonly others: Values
}

/** Amounts by side and sign, zeros apart. */
export interface Signs {
  readonly debit: { plus: number; minus: number }
  readonly credit: { plus: number; minus: number }
}

/** D and C by the standard; S (Soll) and H (Haben) are SAP's. */
const DEBIT = /^(d|dr|debit|s)$/i
const CREDIT = /^(c|cr|credit|h)$/i
const sideOf = (text: string): keyof Signs | null =>
  DEBIT.test(text) ? 'debit' : CREDIT.test(text) ? 'credit' : null

/** A date as the books read it; its month, 1 to 12, is null where the date has another form. */
function dayOf(text: string): { readonly date: string; readonly month: number | null } {
  const date = isoDate(text)
  return { date, month: /^\d{4}-\d{2}-\d{2}$/.test(date) ? Number(date.slice(5, 7)) : null }
}

export class DetailLines implements RowWriter {
  readonly header: string
  readonly blank: string
  readonly #form: LineForm
  readonly #covered: CoveredLines | null
  readonly #accounts = new Map<string, number>()
  readonly #members = { class: new Map<string, number>(), department: new Map<string, number>() }
  readonly #currencies: readonly Set<string>[]
  readonly #offsets = new Map<number, Counted>()
  readonly #signs: Signs = { debit: { plus: 0, minus: 0 }, credit: { plus: 0, minus: 0 } }
  readonly #unread = new UnreadRows()
  readonly #others: Values = new Map()
  #noSide: LineFacts['noSide'] = null
  #rows = 0
  readonly #dayOf = remembered(dayOf)
  readonly #periodOf = remembered(periodNumber)

  constructor(form: LineForm, covered: CoveredLines | null = null) {
    this.#form = form
    this.#covered = covered
    this.header = csvRow(headerOf(form))
    this.blank = csvRow(headerOf(form).map(() => ''))
    this.#currencies = form.measures.map(() => new Set())
  }

  get facts(): LineFacts {
    return {
      rows: this.#rows,
      accounts: this.#accounts,
      members: this.#members,
      currencies: this.#currencies,
      offsets: this.#offsets,
      signs: this.#signs,
      noSide: this.#noSide,
      unread: this.#unread.rows,
      others: this.#others,
    }
  }

  /** The canonical row: each amount as written, and by its side. Blank where there is no line, or where it has no side. */
  rowOf({ row, cells }: FileRecord): string {
    if (cells === null) return this.blank
    const { at, measures, others } = this.#form
    for (const [header, place] of others) countIn(this.#others, header, cellAt(cells, place))
    this.#rows++
    const account = cellAt(cells, at.account)
    if (account !== '') seen(this.#accounts, account, row)
    const amounts = measures.map(({ amount }) => cellAt(cells, amount))
    const first = this.#seeAmounts(cells, amounts)
    const { date, month } = this.#dayOf(cellAt(cells, at.date))
    const period = cellAt(cells, at.period)
    const number = this.#periodOf(period)
    if (number !== null && number <= 12 && month !== null) this.#seePeriod(number, month, row)
    const journal = cellAt(cells, at.journal)
    const line = cellAt(cells, at.line)
    const year = cellAt(cells, at.year)
    const id = journal === '' || year === '' ? journal : `${year} ${journal}`
    const side = cellAt(cells, at.side)
    const stated = sideOf(side)
    this.#covered?.add(date, [account, side, ...amounts])
    if (!this.#seeSide(row, side, stated, first)) {
      this.#unread.add({ file: this.#form.file, row, of: 'entry', account, entry: id || null })
      return this.blank
    }
    const own = [
      id,
      line === '' || id === '' ? '' : `${id} ${line}`,
      date,
      account,
      this.#member('class', row, cells),
      this.#member('department', row, cells),
      cellAt(cells, at.description) || cellAt(cells, at.header),
      cellAt(cells, at.source),
      number !== null && number > 12 ? period : '',
      isoDate(cellAt(cells, at.enteredOn)),
      cellAt(cells, at.enteredBy),
    ]
    for (const amount of amounts) own.push(amount, stated === 'credit' ? negated(amount) : amount)
    return csvRow(own)
  }

  /** Notes the currencies of the amounts; returns the first of these. */
  #seeAmounts(cells: readonly string[], amounts: readonly string[]): string {
    let first = ''
    for (const [i, amount] of amounts.entries()) {
      if (amount === '') continue
      if (first === '') first = amount
      const currency = cellAt(cells, this.#form.measures[i]?.currency ?? null)
      const known = this.#currencies[i]
      if (known?.has(currency) === false) known.add(currency.toUpperCase())
    }
    return first
  }

  /** Notes the side of an amount; false where the line does not state one. */
  #seeSide(row: number, text: string, side: keyof Signs | null, amount: string): boolean {
    if (this.#form.at.side === null || /^[-+0.,]*$/.test(amount)) return true
    if (side === null) {
      this.#noSide ??= { count: 0, row, text }
      this.#noSide.count++
      return false
    }
    this.#signs[side][amount.startsWith('-') ? 'minus' : 'plus']++
    return true
  }

  #seePeriod(period: number, month: number, row: number): void {
    const offset = (month - period + 12) % 12
    const known = this.#offsets.get(offset)
    if (known === undefined) this.#offsets.set(offset, { row, count: 1 })
    else known.count++
  }

  #member(target: Target, row: number, cells: readonly string[]): string {
    for (const column of this.#form.members[target]) {
      const id = cellAt(cells, column)
      if (id === '') continue
      seen(this.#members[target], id, row)
      // A member with a reserved id is an error; its line counts without it.
      return RESERVED_MEMBER_IDS.has(id) ? '' : id
    }
    return ''
  }
}

const seen = (rows: Map<string, number>, text: string, row: number): void => {
  if (!rows.has(text)) rows.set(text, row)
}

const negated = (amount: string): string =>
  amount === '' ? '' : amount.startsWith('-') ? amount.slice(1) : `-${amount.replace(/^\+/, '')}`
