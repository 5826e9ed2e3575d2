/** Sums that rows of a report state, in its columns of amounts, and those of the lines that they are of. */
import { error } from '../../../../workspace/findings/finding.ts'
import type { UnreadRows } from '../../../format/unread-rows.ts'
import type { Cells } from '../../../text/delimited.ts'
import { hasSides } from '../lines.ts'
import { cellOf, columnAt } from '../rows/cells.ts'
import type { ReadableReport } from '../rows/scan.ts'
import { CHANGED, type Difference } from './differences.ts'
import type { RowFigures } from './row-figures.ts'
import type { Sum } from './sums.ts'

export class StatedSums {
  readonly #report: ReadableReport
  readonly #figures: RowFigures
  readonly #unread: UnreadRows
  readonly roles: readonly ('debit' | 'credit' | 'amount')[]
  readonly differences: Difference[] = []

  constructor(report: ReadableReport, figures: RowFigures, unread: UnreadRows) {
    this.#report = report
    this.#figures = figures
    this.#unread = unread
    this.roles = hasSides(report) ? ['debit', 'credit'] : ['amount']
  }

  /** The first of the sums that the row states; null, with a difference, where it states none of them. */
  agree(
    { row, cells }: { readonly row: number; readonly cells: Cells },
    sums: readonly Sum[],
    label: string,
    of: Difference['of'],
  ): Sum | null {
    const { file, layout } = this.#report
    const { money } = this.#figures
    const differing = (sum: Sum) =>
      this.roles.find((role) => {
        const stated = this.#figures.at(cells, role)
        return stated !== null && stated !== sum[role === 'amount' ? 'net' : role]
      })
    const agreed = sums.find((sum) => differing(sum) === undefined)
    const [first] = sums
    const role = first && differing(first)
    if (agreed !== undefined || first === undefined || role === undefined) return agreed ?? null
    if (sums.some(({ lacks }) => lacks)) {
      this.#unread.leave(label)
      return null
    }
    const stated = this.#figures.at(cells, role) ?? 0
    const sum = first[role === 'amount' ? 'net' : role]
    const at = layout.at[role]
    const finding = error(
      'total-differs',
      `${label} is stated as ${money(stated)}, its lines add up to ${money(sum)}`,
      { file, row, column: columnAt(layout.header, at), text: cellOf(cells, at), remedy: CHANGED },
    )
    this.differences.push({ finding, off: role === 'credit' ? sum - stated : stated - sum, of })
    return null
  }
}
