/** Rows of budgets and metrics as columns, which a thread hands over in a small part of the time that objects take. */
import type { BudgetRow, MetricRow } from '../format/intake.ts'
import type { SheetBudget } from './budgets/budgets.ts'

/** A column whose values stand in many rows: each value once, and its index for each row. */
interface Column<Value> {
  readonly values: readonly Value[]
  readonly of: Uint32Array
}

function packedColumn<Row, Value>(rows: readonly Row[], read: (row: Row) => Value): Column<Value> {
  const known = new Map<Value, number>()
  const of = new Uint32Array(rows.length)
  let last: { readonly value: Value; readonly index: number } | null = null
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as Row)
    // Rows that follow one another mostly have the same value.
    if (last === null || last.value !== value) {
      const index: number = known.get(value) ?? known.size
      if (index === known.size) known.set(value, index)
      last = { value, index }
    }
    of[i] = last.index
  }
  return { values: [...known.keys()], of }
}

const at =
  <Value>({ values, of }: Column<Value>) =>
  (row: number): Value =>
    values[of[row] ?? 0] as Value

interface Packed {
  /** Numbers of the rows in their part. */
  readonly rows: Uint32Array
  /** Amounts, or values: one text, since hardly one stands twice. */
  readonly figures: string
}

const packedFigures = <Row extends { readonly row: number }>(
  rows: readonly Row[],
  figureOf: (row: Row) => string,
): Packed => ({ rows: Uint32Array.from(rows, ({ row }) => row), figures: rows.map(figureOf).join(' ') })

const figuresOf = ({ rows, figures }: Packed): readonly string[] =>
  rows.length === 0 ? [] : figures.split(' ')

export interface PackedBudget extends Packed {
  readonly account: Column<string>
  readonly class: Column<string | null>
  readonly department: Column<string | null>
  readonly month: Column<string>
  readonly scale: Column<BudgetRow['scale']>
  readonly detail: Column<string>
}

export const packedBudget = ({ rows, details }: Pick<SheetBudget, 'rows' | 'details'>): PackedBudget => ({
  ...packedFigures(rows, ({ amount }) => amount),
  account: packedColumn(rows, ({ account }) => account),
  class: packedColumn(rows, (row) => row.class),
  department: packedColumn(rows, ({ department }) => department),
  month: packedColumn(rows, ({ month }) => month),
  scale: packedColumn(rows, ({ scale }) => scale),
  detail: packedColumn(details, (detail) => detail),
})

/** Adds the rows of a part, above which so many rows of the file stand. */
export function unpackBudget(
  packed: PackedBudget,
  file: string,
  above: number,
  rows: BudgetRow[],
  details: string[],
): void {
  const account = at(packed.account)
  const class_ = at(packed.class)
  const department = at(packed.department)
  const month = at(packed.month)
  const scaleAt = at(packed.scale)
  const detail = at(packed.detail)
  const amounts = figuresOf(packed)
  for (let i = 0; i < amounts.length; i++) {
    const own = {
      file,
      row: above + (packed.rows[i] ?? 0),
      account: account(i),
      class: class_(i),
      department: department(i),
      month: month(i),
      amount: amounts[i] ?? '',
    }
    const scale = scaleAt(i)
    rows.push(scale === undefined ? own : { ...own, scale })
    details.push(detail(i))
  }
}

export interface PackedMetrics extends Packed {
  readonly metric: Column<string>
  readonly class: Column<string | null>
  readonly department: Column<string | null>
  readonly budget: Column<string | null>
  readonly date: Column<string>
  readonly wholeMonth: Column<boolean>
  readonly scale: Column<MetricRow['scale']>
}

export const packedMetrics = (rows: readonly MetricRow[]): PackedMetrics => ({
  ...packedFigures(rows, ({ value }) => value),
  metric: packedColumn(rows, ({ metric }) => metric),
  class: packedColumn(rows, (row) => row.class),
  department: packedColumn(rows, ({ department }) => department),
  budget: packedColumn(rows, ({ budget }) => budget),
  date: packedColumn(rows, ({ date }) => date),
  wholeMonth: packedColumn(rows, ({ wholeMonth }) => wholeMonth),
  scale: packedColumn(rows, ({ scale }) => scale),
})

/** {@link unpackBudget} */
export function unpackMetrics(packed: PackedMetrics, file: string, above: number, rows: MetricRow[]): void {
  const metric = at(packed.metric)
  const class_ = at(packed.class)
  const department = at(packed.department)
  const budget = at(packed.budget)
  const date = at(packed.date)
  const wholeMonth = at(packed.wholeMonth)
  const scaleAt = at(packed.scale)
  const values = figuresOf(packed)
  for (let i = 0; i < values.length; i++) {
    const own = {
      file,
      row: above + (packed.rows[i] ?? 0),
      metric: metric(i),
      class: class_(i),
      department: department(i),
      budget: budget(i),
      date: date(i),
      wholeMonth: wholeMonth(i),
      value: values[i] ?? '',
    }
    const scale = scaleAt(i)
    rows.push(scale === undefined ? own : { ...own, scale })
  }
}
