/** For `tieout add`: reads from a budget sheet which unit its figures are in and which signs its costs have. */

import type { BudgetSign, Scale } from '../../workspace/company.ts'
import type { Sample } from '../format/preview.ts'
import { isTotalLabel } from '../tables/totals.ts'
import { NO_CURRENCY, plainNumber } from '../text/amount.ts'
import type { AmountForm } from '../text/forms.ts'
import { scaleIn } from '../text/scale.ts'

export interface BudgetForm {
  /** Null where the sheet states no unit. */
  readonly scale: { readonly scale: Scale; readonly text: string } | null
  /** Null where the figures seem to have natural signs. */
  readonly sign: { readonly sign: BudgetSign; readonly why: string } | null
  /**
   * A line is named like one of a balance sheet. Whether equity includes the result is then a question for the
   * owner.
   */
  readonly hasEquity: boolean
}

const EQUITY =
  /\b(equity|retained earnings|share capital|eget kapital|egenkapital|eigenkapital|capitaux propres)\b/i

interface Rows {
  readonly above: Sample['rows']
  readonly rows: Sample['rows']
  readonly reading: { readonly figures: readonly (number | undefined)[] }
}

export function budgetForm(
  file: string,
  tables: readonly Rows[],
  { decimal, thousands }: AmountForm,
): BudgetForm {
  const texts = tables.flatMap(({ above, rows, reading }) => [
    ...above.flat(),
    ...rows
      .filter((cells) => reading.figures.every((at) => at === undefined || !/\d/.test(cells[at] ?? '')))
      .flat(),
  ])
  const [stated = null] = [...texts, file].flatMap((text) => {
    const scale = scaleIn(text)
    return scale === null ? [] : [{ scale, text: text.trim() }]
  })
  const numberOf = (cell: string): number =>
    Number(plainNumber(cell, { decimal: decimal ?? '.', thousands, currency: NO_CURRENCY }) || Number.NaN)
  // For each row with figures, the sign that most of them have; total rows are left out.
  const signs = tables.flatMap(({ rows, reading }) =>
    rows.flatMap((cells): (1 | -1)[] => {
      if (cells.some(isTotalLabel)) return []
      const numbers = reading.figures.flatMap((at) => {
        const number = at === undefined ? Number.NaN : numberOf(cells[at]?.trim() ?? '')
        return Number.isNaN(number) || number === 0 ? [] : [Math.sign(number)]
      })
      return numbers.length === 0 ? [] : [numbers.reduce((sum, sign) => sum + sign, 0) < 0 ? -1 : 1]
    }),
  )
  return {
    scale: stated,
    sign: signFrom(signs),
    hasEquity: tables.some(({ rows }) => rows.some((cells) => cells.some((cell) => EQUITY.test(cell)))),
  }
}

/** Assumes that income stands first: negative rows after it are costs; where it is negative itself, credits are. */
function signFrom(signs: readonly (1 | -1)[]): BudgetForm['sign'] {
  const negative = signs.filter((sign) => sign === -1).length
  if (negative < 2 || negative / signs.length < 0.3 || negative === signs.length) return null
  const counted = `${negative} of ${signs.length} rows are negative`
  return signs[0] === 1
    ? { sign: 'costs-negative', why: `${counted}, costs it seems` }
    : { sign: 'debit-positive', why: `${counted}, income it seems` }
}
