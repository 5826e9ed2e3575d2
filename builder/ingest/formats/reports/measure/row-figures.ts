/** The figures of one row of a report, by the column that they stand in. */
import { currencyDecimals, displayMinor } from '../../../../contract/currency.ts'
import { error, type Finding } from '../../../../workspace/findings/finding.ts'
import { amountRemedy } from '../../../text/amount-remedy.ts'
import type { Cells } from '../../../text/delimited.ts'
import { cellOf, columnAt } from '../rows/cells.ts'
import { dateReader, type FigureReading, type Forms, figureReader } from '../rows/figures.ts'
import type { Role } from '../rows/layout.ts'
import type { ReadableReport } from '../rows/scan.ts'
import type { Stated } from './sums.ts'

const PROBLEMS = {
  'unreadable-amount': 'is not an amount',
  'too-many-decimals': 'has more decimals than the currency',
  'amount-too-large': 'is too large',
} as const

export class RowFigures {
  readonly #report: ReadableReport
  readonly #forms: Forms
  readonly #currency: string
  readonly #read: (text: string) => FigureReading | null
  readonly dateFormat: string
  readonly day: (text: string) => string | null

  constructor(report: ReadableReport, forms: Forms, currency: string) {
    this.#report = report
    this.#forms = forms
    this.#currency = currency
    this.#read = figureReader(forms, currency)
    this.dateFormat = forms.dateFormat
    this.day = dateReader(forms.dateFormat)
  }

  money = (minor: number): string => displayMinor(minor, currencyDecimals(this.#currency))

  /** In minor units; null where the cell is empty, missing, or cannot be read. */
  at = (cells: Cells, role: Role): number | null => this.#minor(cells, this.#report.layout.at[role])

  #minor(cells: Cells, position: number | undefined): number | null {
    const reading = this.#read(cellOf(cells, position))
    return reading === null || reading.problem !== undefined ? null : reading.minor
  }

  /** A balance that the row states: by its sides, else by its balance or amount. */
  stated(row: number, cells: Cells): Stated | null {
    const debit = this.at(cells, 'debit')
    const credit = this.at(cells, 'credit')
    if ((debit ?? 0) !== 0 || (credit ?? 0) !== 0)
      return { minor: (debit ?? 0) - (credit ?? 0), isSigned: true, row }
    const minor = this.at(cells, 'balance') ?? this.at(cells, 'amount')
    if (minor !== null) return { minor, isSigned: minor === 0, row }
    return debit === null && credit === null ? null : { minor: 0, isSigned: true, row }
  }

  /** The finding where a column that should repeat debit less credit states another amount. */
  contradiction(row: number, cells: Cells, net: number, position: number): Finding | null {
    const stated = this.#minor(cells, position)
    if (stated === null || stated === net) return null
    return error(
      'amount-differs',
      `the line is stated as ${this.money(stated)}; debit and credit give ${this.money(net)}`,
      {
        ...{ file: this.#report.file, row, column: columnAt(this.#report.layout.header, position) },
        remedy: 'export it again, and change nothing in the file',
      },
    )
  }

  /** An empty cell is zero; the finding where the text is no figure, or a formula over others. */
  amount(row: number, cells: Cells, position: number | undefined): number | Finding {
    const text = cellOf(cells, position)
    if (text === '') return 0
    const reading = this.#read(text)
    return reading === null || reading.problem !== undefined
      ? this.#unreadable(row, position, text, reading?.problem)
      : reading.minor
  }

  /** A finding for each of these cells that holds something else than a figure. */
  unreadable(row: number, cells: Cells, positions: readonly (number | undefined)[]): Finding[] {
    return positions.flatMap((position) => {
      const text = cellOf(cells, position)
      const problem = this.#read(text)?.problem
      return problem === undefined ? [] : [this.#unreadable(row, position, text, problem)]
    })
  }

  #unreadable(
    row: number,
    position: number | undefined,
    text: string,
    problem: FigureReading['problem'] = 'unreadable-amount',
  ): Finding {
    return error(problem, `"${text}" ${PROBLEMS[problem]}`, {
      file: this.#report.file,
      row,
      column: columnAt(this.#report.layout.header, position),
      text,
      remedy: amountRemedy(text, { ...this.#forms, currency: this.#currency }),
    })
  }
}
