/** GL_Detail: what a table of journal lines says as a whole, of which the parts are joined in their order. */
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { addAll, type Values } from '../../claims/claim-format.ts'
import type { TableCopy } from '../../format/copied-tables.ts'
import { type Covered, CoveredLines } from '../../format/covered-lines.ts'
import { addFirst } from '../../format/first-rows.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { moreRows, NO_RECORDS, placedBelow, recordFindings } from '../../format/records.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import {
  CANONICAL,
  type Counted,
  DetailLines,
  headerOf,
  type LineFacts,
  type LineForm,
  lineForm,
  type Signs,
} from './lines.ts'
import { type AdsTable, cellAt, isoDate, measureIn, type UsedMeasure, usedMeasures } from './tables.ts'

/** Complete when the last part was joined. */
export class AdsDetail implements TableCopy<LineForm, LineFacts> {
  readonly table: AdsTable
  readonly form: LineForm
  /** Account, and member, → the row that names it first. */
  readonly accounts = new Map<string, number>()
  readonly members = { class: new Map<string, number>(), department: new Map<string, number>() }
  readonly amounts: readonly UsedMeasure[]
  readonly unread = new UnreadRows()
  readonly others: Values = new Map()
  rows = 0
  /**
   * Months between a period's number and the month of its line → the lines that have that distance.
   * The distance that most lines agree on says when the year begins.
   */
  readonly offsets = new Map<number, Counted>()
  readonly #signs: Signs = { debit: { plus: 0, minus: 0 }, credit: { plus: 0, minus: 0 } }
  #noSide: LineFacts['noSide'] = null
  notes = NO_RECORDS

  constructor(table: AdsTable, stated: Company['dimensions']) {
    this.table = table
    this.form = lineForm(table, stated)
    this.amounts = usedMeasures(table, 'amount')
  }

  writer(): DetailLines {
    return new DetailLines(this.form)
  }

  join(part: LineFacts, above: number): void {
    this.rows += part.rows
    addFirst(this.accounts, part.accounts, above)
    for (const target of ['class', 'department'] as const)
      addFirst(this.members[target], part.members[target], above)
    for (const { index, currencies } of this.amounts)
      for (const code of part.currencies[index] ?? []) currencies.add(code)
    for (const [offset, { row, count }] of part.offsets) {
      const known = this.offsets.get(offset)
      if (known === undefined) this.offsets.set(offset, { row: above + row, count })
      else known.count += count
    }
    for (const side of ['debit', 'credit'] as const)
      for (const sign of ['plus', 'minus'] as const) this.#signs[side][sign] += part.signs[side][sign]
    this.#noSide = moreRows(this.#noSide, placedBelow(part.noSide, above))
    addAll(this.others, part.others)
    for (const line of part.unread) this.unread.add({ ...line, row: above + line.row })
  }

  get findings(): Finding[] {
    const { file, shape } = this.table
    return [
      ...(shape === null ? [] : recordFindings(file, shape, this.notes)),
      ...(this.#noSide === null ? [] : [this.#sideUnknown(this.#noSide)]),
      ...this.#otherPeriods(),
    ]
  }

  /** The days on which its lines are dated, with a sample of the lines. */
  async covers(): Promise<readonly Covered[]> {
    const { at, measures } = this.table
    const lines = new CoveredLines()
    const columns = [at.account, at.side, ...measures.map(({ amount }) => amount)]
    for await (const batch of this.table.records().batches)
      for (const { cells } of batch)
        if (cells !== null)
          lines.add(
            isoDate(cellAt(cells, at.date)),
            columns.map((index) => cellAt(cells, index)),
          )
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
      header: headerOf(this.table),
    }
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

  #sideUnknown({ count, row, text }: NonNullable<LineFacts['noSide']>): Finding {
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
