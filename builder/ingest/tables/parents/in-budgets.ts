/** Parents beside their children in a budget: in a sheet, where totals do not count both, and in all of its rows. */
import { currencyDecimals, displayMinor, minorOfText } from '../../../contract/currency.ts'
import { present } from '../../../contract/present.ts'
import type { BudgetSetting } from '../../../workspace/company.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { AccountRow } from '../../format/intake.ts'
import type { Keys } from '../../format/keys.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import type { Label } from '../budgets/labels.ts'
import { type DetailedBudgetRow, keptBudget } from '../kept-rows.ts'
import type { Table } from '../table.ts'
import type { Dimensions } from '../tags.ts'
import { sectionOfTotal } from '../totals.ts'
import { type FigureOf, type ParentLine, parentLines, parentsOf, withoutParents } from './parents.ts'

interface Context extends Dimensions {
  readonly accounts: readonly AccountRow[]
  readonly currency: string
}

const treesOf = ({ accounts, parents }: Context) => ({ ...parents, account: parentsOf(accounts) })

/** The rows of a budget without those of parents that sum up others; `own` are places of rows that are no sums. */
export const withoutParentRows = (
  rows: ColumnRows<DetailedBudgetRow>,
  own: ReadonlySet<string>,
  { parents }: BudgetSetting,
  context: Context,
  key: string,
) =>
  withoutParents(rows, keptBudget, {
    key,
    trees: treesOf(context),
    isOwn: ({ file, row }) => parents === 'own' || own.has(`${file}\n${row}`),
    figureOf: (row) => ({ about: row, period: row.month, figure: minorOfText(row.amount) }),
    show: (figure) => displayMinor(figure, currencyDecimals(context.currency)),
  })

interface Layout {
  readonly at: { readonly class?: number; readonly department?: number }
  readonly key: number
  readonly long: { readonly period: number } | null
  readonly figures: readonly number[]
}

/** The rows of parents in a sheet. */
export class ParentRows {
  /** Those that sum up rows of their children. */
  readonly sums: ReadonlySet<TextRow>
  /** Places of those that a total below them proves to have figures of their own, as it sums up both. */
  readonly own: readonly string[]
  readonly #layout: Layout
  readonly #read: (text: string) => bigint | null

  constructor(
    table: Table,
    layout: Layout,
    labels: ReadonlyMap<TextRow, Label>,
    context: Context,
    read: (text: string) => bigint | null,
  ) {
    this.#layout = layout
    this.#read = read
    const closings = new Map<string, TextRow>()
    for (const row of table.rows) {
      const title = sectionOfTotal(textAt(row.cells, layout.key))
      if (title !== null) closings.set(title.toLowerCase(), row)
    }
    const own: string[] = []
    const found = parentLines(this.#figures(table, labels, context), treesOf(context), (parent) => {
      const row = present([...parent.rows][0], 'row of a parent')
      const closing = closings.get(textAt(row.cells, layout.key).toLowerCase())
      const isOwn = closing !== undefined && this.#isSumOfAll(closing, parent)
      if (isOwn) own.push(`${table.file}\n${row.row}`)
      return isOwn
    })
    this.own = own
    this.sums = new Set(found.flatMap(({ differs, rows }) => (differs === null ? [...rows] : [])))
  }

  #isSumOfAll(closing: TextRow, { rows, children }: ParentLine<TextRow>): boolean {
    const all = [...rows, ...children.flatMap((child) => [...child.rows])]
    const figureIn = ({ cells }: TextRow, column: number) => this.#read(textAt(cells, column)) ?? 0n
    return this.#layout.figures.every(
      (column) => figureIn(closing, column) === all.reduce((sum, row) => sum + figureIn(row, column), 0n),
    )
  }

  *#figures(
    table: Table,
    labels: ReadonlyMap<TextRow, Label>,
    { classes, departments }: Context,
  ): Generator<FigureOf<TextRow>> {
    const { at, long, figures } = this.#layout
    const idIn = (keys: Keys, { cells }: TextRow, column: number | undefined) =>
      column === undefined ? null : (keys.get(textAt(cells, column)) ?? null)
    for (const row of table.rows) {
      const account = labels.get(row)?.id
      if (account === undefined) continue
      const about = {
        account,
        class: idIn(classes, row, at.class),
        department: idIn(departments, row, at.department),
      }
      for (const column of figures) {
        const figure = this.#read(textAt(row.cells, column))
        const period = long === null ? String(column) : textAt(row.cells, long.period)
        if (figure !== null) yield { about, row, period, figure }
      }
    }
  }
}
