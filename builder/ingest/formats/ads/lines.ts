/** GL_Detail: its lines as canonical CSV, and what they say as a whole. */
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import type { CoveredLines } from '../../format/covered-lines.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { type FirstRows, noteFirst } from '../../format/members.ts'
import { csvRow, type FileRecord, NO_RECORDS, type RowWriter, recordFindings } from '../../format/records.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import { remembered } from '../../text/remembered.ts'
import {
  type AdsTable,
  cellAt,
  isoDate,
  measureIn,
  memberColumns,
  periodNumber,
  TARGETS,
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
  'entered_on',
  'entered_by',
] as const

/** Lines that have something in common. */
interface Counted {
  count: number
  /** The first one. */
  readonly row: number
}

/** D and C by the standard; S (Soll) and H (Haben) are SAP's. */
const DEBIT = /^(d|dr|debit|s)$/i
const CREDIT = /^(c|cr|credit|h)$/i

/** A date as the books read it; its month, 1 to 12, is null where the date has another form. */
function dayOf(text: string): { readonly date: string; readonly month: number | null } {
  const date = isoDate(text)
  return { date, month: /^\d{4}-\d{2}-\d{2}$/.test(date) ? Number(date.slice(5, 7)) : null }
}

export class DetailLines implements RowWriter {
  readonly table: AdsTable
  readonly file: string
  readonly header: string
  readonly blank: string
  rows = 0
  /** Account, and member, → the row that names it first. */
  readonly accounts: FirstRows = new Map()
  readonly members = { class: new Map<string, number>(), department: new Map<string, number>() }
  readonly amounts: ReturnType<typeof usedMeasures>
  /**
   * Months between a period's number and the month of its line → the lines that have that distance.
   * The distance that most lines agree on says when the year begins.
   */
  readonly offsets = new Map<number, Counted>()
  readonly unread = new UnreadRows()
  /** Of the columns that are not read. */
  readonly others: Values = new Map()
  /** What is to be said of the records; set once all were read. */
  notes = NO_RECORDS
  readonly #covered: CoveredLines | null
  readonly #columns: readonly string[]
  readonly #memberColumns: ReturnType<typeof memberColumns>
  /** The sides and signs of amounts that are not zero: `credit -`. */
  readonly #signs = new Set<string>()
  /** Lines with an amount that do not say whether it is a debit or a credit. */
  #noSide: (Counted & { readonly text: string }) | null = null
  readonly #dayOf = remembered(dayOf)
  readonly #periodOf = remembered(periodNumber)

  constructor(table: AdsTable, stated: Company['dimensions'], covered: CoveredLines | null = null) {
    this.table = table
    this.file = table.file
    this.#covered = covered
    this.#memberColumns = memberColumns(table, stated)
    this.amounts = usedMeasures(table, 'amount')
    this.#columns = [...CANONICAL, ...this.amounts.flatMap((_, i) => [`signed_${i}`, `sided_${i}`])]
    this.header = csvRow(this.#columns)
    this.blank = csvRow(this.#columns.map(() => ''))
  }

  /** The canonical row: each amount as written, and by its side. Blank where there is no line, or where it has no side. */
  rowOf({ row, cells }: FileRecord): string {
    if (cells === null) return this.blank
    const { at, others } = this.table
    const cell = (column: number | null) => cellAt(cells, column)
    for (const [header, place] of others) countIn(this.others, header, cell(place))
    this.rows++
    const account = cell(at.account)
    noteFirst(this.accounts, account, row)
    const amounts = this.amounts.map(({ measure, currencies }) => {
      const amount = cell(measure.amount)
      if (amount !== '') currencies.add(cell(measure.currency).toUpperCase())
      return amount
    })
    const { date, month } = this.#dayOf(cell(at.date))
    const period = cell(at.period)
    const number = this.#periodOf(period)
    if (number !== null && number <= 12 && month !== null) this.#seePeriod(number, month, row)
    const [journal, line, year, side] = [cell(at.journal), cell(at.line), cell(at.year), cell(at.side)]
    const id = journal === '' || year === '' ? journal : `${year} ${journal}`
    const isCredit = CREDIT.test(side)
    this.#covered?.add(date, [account, side, ...amounts])
    const amount = amounts.find((text) => text !== '') ?? ''
    if (at.side !== null && !/^[-+0.,]*$/.test(amount)) {
      if (!isCredit && !DEBIT.test(side)) {
        this.#noSide ??= { count: 0, row, text: side }
        this.#noSide.count++
        this.unread.add({ file: this.file, row, of: 'entry', account, entry: id || null })
        return this.blank
      }
      this.#signs.add(`${isCredit ? 'credit' : 'debit'} ${amount.startsWith('-') ? '-' : '+'}`)
    }
    const [class_, department] = TARGETS.map((target) => {
      const member = this.#memberColumns[target].map(cell).find((text) => text !== '') ?? ''
      noteFirst(this.members[target], member, row)
      return member
    })
    const own = [
      id,
      line === '' || id === '' ? '' : `${id} ${line}`,
      date,
      account,
      class_ ?? '',
      department ?? '',
      cell(at.description) || cell(at.header),
      cell(at.source),
      number !== null && number > 12 ? period : '',
      isoDate(cell(at.enteredOn)),
      cell(at.enteredBy),
    ]
    for (const text of amounts) own.push(text, isCredit ? negated(text) : text)
    return csvRow(own)
  }

  #seePeriod(period: number, month: number, row: number): void {
    const offset = (month - period + 12) % 12
    const known = this.offsets.get(offset)
    if (known === undefined) this.offsets.set(offset, { row, count: 1 })
    else known.count++
  }

  /** How the books read the copy at `path`; null where no amount is in their currency. */
  plan(
    path: string,
    form: Pick<LedgerPlan, 'basis' | 'dateFormat' | 'decimal' | 'thousands'>,
    currency: string,
  ): LedgerPlan | null {
    const used = measureIn(this.amounts, currency)
    if (used === undefined) return null
    // Amounts are signed already where every credit is negative and no debit is; else the side gives the sign.
    const has = (sign: string) => this.#signs.has(sign)
    const isSigned = this.table.at.side === null || (has('credit -') && !has('credit +') && !has('debit -'))
    return {
      ...{ kind: 'csv', file: this.file, path, ...form, delimiter: ',', header: this.#columns },
      columns: {
        ...Object.fromEntries(CANONICAL.map((name) => [name, name])),
        amount: `${isSigned ? 'signed' : 'sided'}_${this.amounts.indexOf(used)}`,
      },
    }
  }

  get findings(): Finding[] {
    const { shape } = this.table
    return [
      ...(shape === null ? [] : recordFindings(this.file, shape, this.notes)),
      ...this.#sideUnknown(),
      ...this.#otherPeriods(),
    ]
  }

  /** Where nine of ten lines agree in which month a period lies, the others are dated in a month of another period. */
  #otherPeriods(): Finding[] {
    const [most, ...others] = [...this.offsets.values()].sort((a, b) => b.count - a.count)
    const count = others.reduce((sum, other) => sum + other.count, 0)
    if (most === undefined || count === 0 || most.count < count * 9) return []
    const row = Math.min(...others.map((other) => other.row))
    const lines = count === 1 ? 'a line is' : `${count} lines are`
    return [
      warning(
        'period-differs',
        `${lines} of another Period than the month of Effective_Date, and counted on that date`,
        {
          ...{ file: this.file, row, column: 'Period' },
          remedy: 'nothing to do where the date is right; else correct it in the program, and export again',
        },
      ),
    ]
  }

  #sideUnknown(): Finding[] {
    if (this.#noSide === null) return []
    const { count, row, text } = this.#noSide
    return [
      error(
        'unreadable-side',
        `${text === '' ? 'the indicator of debit or credit is empty' : `"${text}" is neither debit nor credit`}${count === 1 ? '' : `; ${count} rows say neither`}`,
        {
          ...{ file: this.file, row, column: 'Amount_Credit_Debit_Indicator', text },
          remedy: 'write D or C on each line that has an amount',
        },
      ),
    ]
  }
}

const negated = (amount: string): string =>
  amount === '' ? '' : amount.startsWith('-') ? amount.slice(1) : `-${amount.replace(/^\+/, '')}`
