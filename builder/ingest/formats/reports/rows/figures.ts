/** How a report writes its figures and its dates, found from all of them, and the exact reading of each. */
import { currencyDecimals } from '../../../../contract/currency.ts'
import { parseAmount } from '../../../text/amount.ts'
import { numberOfFormula } from '../../../text/amount-remedy.ts'
import { amountForm, type DateForm, dateForm } from '../../../text/forms.ts'
import { ISO_DATE, parseDate, type ReportPeriod } from '../../../text/months.ts'
import { remembered } from '../../../text/remembered.ts'

const USUAL = /^-?\d[\d.,]*$/

/** `=15000.00` → `15000.00`; null for a formula over other cells, which is the spreadsheet's sum, not the program's. */
const plainFigure = (text: string): string | null => (text.startsWith('=') ? numberOfFormula(text) : text)

const PLAIN = /^-?\d+\.\d\d$/
const GROUPED = /^-?\d{1,3}(?:,\d{3})+\.\d\d$/

/** Figures of one form are alike but for their digits: one of each is enough to know how all are written. */
export class FigureForms {
  readonly #shapes = new Map<string, string>()
  #isGrouped = false
  #isPlain = false

  add(text: string): void {
    // Most figures have one of two forms, which need to be kept once only.
    if (PLAIN.test(text)) {
      if (this.#isPlain) return
      this.#isPlain = true
    } else if (GROUPED.test(text)) {
      if (this.#isGrouped) return
      this.#isGrouped = true
    }
    const figure = plainFigure(text)
    if (figure === null || figure === '') return
    const shape = figure.replace(/\d/g, '9')
    if (!this.#shapes.has(shape)) this.#shapes.set(shape, figure)
  }

  /** One figure of each form. */
  get all(): readonly string[] {
    return [...this.#shapes.values()]
  }

  form = (): ReturnType<typeof amountForm> => amountForm(this.all)
}

export interface Forms {
  readonly decimal: '.' | ','
  readonly thousands: string
  readonly dateFormat: string
}

/** The form of the dates. Where several fit, the one by which all dates lie in the period of the title, if there is just one. */
export function datesIn(texts: readonly string[], period: ReportPeriod | null): DateForm {
  const typed = texts.filter((text) => parseDate(text, ISO_DATE) === null)
  const form = dateForm(typed)
  if (form.formats.length < 2 || period === null || period === 'all') return form
  const inside = form.formats.filter((format) =>
    typed.every((text) => {
      const date = parseDate(text, format)
      return date !== null && period.startDate <= date && date <= period.endDate
    }),
  )
  return inside.length === 1 ? { ...form, formats: inside } : form
}

/** Dates as `YYYY-MM-DD`: a year has few, its lines are many. A date that a workbook holds as one is ISO already. */
export function dateReader(format: string): (text: string) => string | null {
  return remembered((text) => parseDate(text, ISO_DATE) ?? parseDate(text, format))
}

export type FigureReading = ReturnType<typeof parseAmount>

/** Minor units; null for an empty cell and for a formula over others. */
export function figureReader(
  { decimal, thousands }: Pick<Forms, 'decimal' | 'thousands'>,
  currency: string,
): (text: string) => FigureReading | null {
  const decimals = currencyDecimals(currency)
  const usual = { decimal, thousands }
  const form = { decimal, thousands, currency }
  return (text) => {
    if (text === '') return null
    // Most figures have no sign of a currency and no parentheses.
    if (USUAL.test(text)) return parseAmount(text, decimals, usual)
    const plain = plainFigure(text)
    return plain === null ? null : parseAmount(plain, decimals, form)
  }
}
