/** GL_Detail: what a table of journal lines says as a whole. */
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { LedgerPlan } from '../../format/intake.ts'
import { type RecordNotes, recordFindings } from '../../format/records.ts'
import { CANONICAL, headerOf, type LineFacts } from './lines.ts'
import { type AdsTable, measureIn, type UsedMeasure, usedMeasures } from './tables.ts'

export class AdsDetail {
  readonly table: AdsTable
  readonly facts: LineFacts
  readonly amounts: readonly UsedMeasure[]
  readonly #notes: RecordNotes

  constructor(table: AdsTable, facts: LineFacts, notes: RecordNotes) {
    this.table = table
    this.facts = facts
    this.#notes = notes
    this.amounts = usedMeasures(table, 'amount')
    for (const { index, currencies } of this.amounts)
      for (const code of facts.currencies[index] ?? []) currencies.add(code)
  }

  get findings(): Finding[] {
    const { file, shape } = this.table
    const { noSide } = this.facts
    return [
      ...(shape === null ? [] : recordFindings(file, shape, this.#notes)),
      ...(noSide === null ? [] : [this.#sideUnknown(noSide)]),
      ...this.#otherPeriods(),
    ]
  }

  /** Amounts are signed already where every credit is negative and no debit is; else the side gives the sign. */
  get isSigned(): boolean {
    const { debit, credit } = this.facts.signs
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
    const [most, ...others] = [...this.facts.offsets.values()].sort((a, b) => b.count - a.count)
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
