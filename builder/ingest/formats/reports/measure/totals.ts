/** Compares the totals of a report with the sums of its lines, where its program does not mark its rows. */
import type { UnreadRows } from '../../../format/unread-rows.ts'
import type { Cells } from '../../../text/delimited.ts'
import { hasSides, type Line } from '../lines.ts'
import { cellOf, columnAt } from '../rows/cells.ts'
import type { Role } from '../rows/layout.ts'
import type { ReadableReport } from '../rows/scan.ts'
import type { Difference } from './differences.ts'
import { totalDiffers } from './faults.ts'
import type { RowFigures } from './row-figures.ts'
import { Sum } from './sum.ts'

/** A figure of a total, and what its lines add up to. */
interface StatedFigure {
  readonly role: 'debit' | 'credit' | 'amount'
  readonly stated: number
  readonly found: number
}

/** The lines of one account, which its total states. */
interface AgreedTotal {
  readonly account: string
  readonly minor: number
}

type CheckReadable = (row: number, cells: Cells, roles: readonly Role[]) => void

export class Totals {
  readonly #report: ReadableReport
  readonly #figures: RowFigures
  readonly #currency: string
  readonly #unread: UnreadRows
  readonly #checkReadable: CheckReadable
  readonly #isSided: boolean
  /** The sums of each section of a ledger. */
  readonly #sums: Sum[] = []
  /** The sums of a journal's entry, since the last total. */
  #entry = new Sum()
  readonly #all = new Sum()
  readonly differences: Difference[] = []
  /** A total of the whole report states what its lines add up to. */
  isTotalled = false

  constructor(
    report: ReadableReport,
    figures: RowFigures,
    currency: string,
    unread: UnreadRows,
    checkReadable: CheckReadable,
  ) {
    this.#report = report
    this.#figures = figures
    this.#currency = currency
    this.#unread = unread
    this.#checkReadable = checkReadable
    this.#isSided = hasSides(report)
  }

  line({ section, id, figures }: Pick<Line, 'section' | 'id' | 'figures'>): void {
    for (const sum of [this.#all, this.#ownOf(section)]) sum.add(id, figures)
  }

  /** A line that cannot be read: the sums that include it are not compared. */
  lose(section: number | null): void {
    for (const sum of [this.#all, this.#ownOf(section)]) sum.lose()
  }

  /** The total of an entry of a journal. True where no line is above: the total below the last entry's own is that of them all. */
  entry(row: number, cells: Cells, label: string): boolean {
    const entry = this.#entry
    this.#entry = new Sum()
    if (entry.lines === 0) return true
    this.#agree(row, cells, [entry], label || 'the total of the entry above it', [row])
    return false
  }

  /** The total of a section; of its own account, if it states that alone. */
  section(row: number, cells: Cells, label: string, closed: number): AgreedTotal | null {
    const own = this.#sumOf(closed)
    const inside = new Sum()
    const sections = this.#report.sections.inside(closed)
    for (const index of sections) inside.join(this.#sumOf(index))
    const agreed = this.#agree(row, cells, [own, inside], label, sections)
    const roles = this.#isSided ? (['debit', 'credit'] as const) : (['amount'] as const)
    const isStated = roles.every((role) => this.#stated(cells, role) !== null)
    return agreed === own && own.account !== null && isStated
      ? { account: own.account, minor: own.net }
      : null
  }

  /** The total of the whole report. The sum of amounts in the sign of each account's own side has no meaning. */
  grand(row: number, cells: Cells): void {
    if (!this.#isSided) return
    const isStated = this.#stated(cells, 'debit') !== null
    this.isTotalled =
      this.#agree(row, cells, [this.#all], 'the total of the report', null) !== null && isStated
  }

  /** The first of the sums that the row states; null, with a difference, where it states none of them. */
  #agree(row: number, cells: Cells, sums: readonly Sum[], label: string, of: Difference['of']): Sum | null {
    const { file, layout } = this.#report
    this.#checkReadable(row, cells, this.#isSided ? ['debit', 'credit'] : ['amount'])
    let first: StatedFigure | null = null
    for (const sum of sums) {
      const different = this.#differing(cells, sum)
      if (different === null) return sum
      first ??= different
    }
    if (sums.some(({ lacks }) => lacks)) this.#unread.leave(label)
    else if (first !== null) {
      const { role, stated, found } = first
      const at = layout.at[role]
      const place = { file, row, column: columnAt(layout.header, at), text: cellOf(cells, at) }
      const finding = totalDiffers(label, stated, found, this.#currency, place)
      this.differences.push({ finding, off: role === 'credit' ? found - stated : stated - found, of })
    }
    return null
  }

  /** The first figure of the row that states another amount than the sum; null where there is none. */
  #differing(cells: Cells, { debit, credit, net }: Sum): StatedFigure | null {
    const sums: readonly (readonly [StatedFigure['role'], number])[] = this.#isSided
      ? [
          ['debit', debit],
          ['credit', credit],
        ]
      : [['amount', net]]
    for (const [role, found] of sums) {
      const stated = this.#stated(cells, role)
      if (stated !== null && stated !== found) return { role, stated, found }
    }
    return null
  }

  #stated = (cells: Cells, role: Role): number | null => this.#figures.at(cells, this.#report.layout.at[role])

  #ownOf = (section: number | null): Sum => (section === null ? this.#entry : this.#sumOf(section))

  #sumOf(index: number): Sum {
    const sum = this.#sums[index] ?? new Sum()
    this.#sums[index] = sum
    return sum
  }
}
