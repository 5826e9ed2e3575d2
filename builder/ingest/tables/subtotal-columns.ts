/**
 * Columns that sum up the months of a sheet: quarters, half-years, years, totals. They are checked against the
 * months in every row and left out. For a balance the column may repeat the last month; a line that does not add up
 * is not checked.
 */
import { error, type Finding, note, warning } from '../../workspace/findings/finding.ts'
import { PRIOR_YEAR, plainWords } from '../claims/vocabulary.ts'
import { type TextRow, textAt } from '../text/csv.ts'
import { parsePeriod } from '../text/months.ts'
import { withoutScale } from '../text/scale.ts'
import { type FiscalCalendar, monthsOfPeriod, periodOf } from './periods.ts'
import { cellPlace, type Table } from './table.ts'

export interface ColumnRule {
  readonly dateFormat: string | undefined
  readonly calendar: FiscalCalendar
  /** The figure as an exact integer; null where it cannot be read. */
  readonly read: (text: string) => bigint | null
  readonly show: (value: bigint) => string
  /** How a row is summed over months: added, or added or the last month's; null where it does not add up. */
  readonly sums: (row: TextRow) => 'added' | 'added or last' | null
}

interface Subtotal {
  readonly column: number
  /** Sets of columns that it may sum up, one of which must agree. */
  readonly of: readonly (readonly number[])[]
}

const TOTAL =
  /\b(grand[ -]?total|totals?|totalt|totale|totaal|sum|summe|summa|gesamt|annual|full[ -]?year|year|år|helår|jahr|fy)\b/i
const QUARTER = /\bq[1-4]\b|\bquarter\b|\bqtr\b|\bkv(artal)?\b/i
const HALF = /\bh[12]\b|\bhalf\b|\bhalv/i
const TO_DATE = /to[ -]date|\bytd\b/i

/**
 * The columns that hold another year beside months: a year before the first of them, or one that is called the prior year. They are
 * neither figures of these months nor their sums.
 */
export function otherYears(
  table: Table,
  columns: readonly number[],
  { calendar, dateFormat }: Pick<ColumnRule, 'calendar' | 'dateFormat'>,
): { readonly columns: readonly number[]; readonly findings: readonly Finding[] } {
  const known = columns.map((column) => ({ column, period: periodOf(table, column, dateFormat) }))
  const months = known.flatMap(({ period }) => (period?.kind === 'month' ? [period.month] : [])).sort()
  const [first] = months
  const named = (column: number) => PRIOR_YEAR.has(plainWords(textAt(table.header, column)))
  const found = known.filter(
    ({ column, period }) =>
      named(column) ||
      (first !== undefined &&
        period?.kind === 'year' &&
        monthsOfPeriod(period, calendar)?.every((month) => month < first)),
  )
  if (months.length < 2 || found.length === 0) return { columns: [], findings: [] }
  const names = found.map(({ column }) => `"${textAt(table.header, column)}"`).join(', ')
  const what = `not read: ${names}, another year beside the months of this one`
  const place = { file: table.file, row: table.headerRow, text: names }
  const remedy =
    'nothing need be done; where it is budgeted as well, give that year a sheet or a file of its own'
  return {
    columns: found.map(({ column }) => column),
    findings: [warning('columns-not-read', what, { ...place, remedy })],
  }
}

/** The columns that sum up others; `columns` are those that may hold figures. */
export function subtotalColumns(
  table: Table,
  columns: readonly number[],
  { calendar, dateFormat }: Pick<ColumnRule, 'calendar' | 'dateFormat'>,
): Subtotal[] {
  const known = columns.flatMap((column) => {
    const period = periodOf(table, column, dateFormat)
    return period === null ? [] : [{ column, period, months: monthsOfPeriod(period, calendar) }]
  })
  // The shortest periods are the figures themselves; a longer one whose months they all cover is their sum.
  const months = known.filter(({ period: { kind } }) => kind === 'month' || kind === 'nth')
  const base =
    [
      months,
      ...['quarter', 'span', 'half'].map((kind) => known.filter(({ period }) => period.kind === kind)),
    ].find((each) => each.length > 0) ?? []
  if (base.length === 0) return []
  const inside = (wanted: readonly string[]): number[] =>
    base.filter((each) => each.months?.every((month) => wanted.includes(month))).map(({ column }) => column)
  const had = new Set(base.flatMap((each) => each.months ?? []))
  const covers = (wanted: readonly string[]): boolean => wanted.every((month) => had.has(month))
  const subtotals: Subtotal[] = []
  const isBase = new Set(base.map(({ column }) => column))
  for (const column of columns) {
    // January, February and Q2: Q2 is a figure of its own, since no other column covers a part of it.
    const own = known.find((each) => each.column === column)?.months
    if (isBase.has(column) || (own && !own.some((month) => had.has(month)))) continue
    const meant = monthsMeant(withoutScale(textAt(table.header, column)), calendar, dateFormat).filter(covers)
    const of =
      meant.length > 0
        ? meant.map(inside)
        : byPosition(textAt(table.header, column), column, base, subtotals, table)
    if (of.length > 0) subtotals.push({ column, of })
  }
  return subtotals
}

/** The months that a header names, for each reading: `Total 2025` may be a calendar or a fiscal year. */
function monthsMeant(
  header: string,
  calendar: FiscalCalendar,
  dateFormat: string | undefined,
): (readonly string[])[] {
  const bare = header
    .replace(TOTAL, '')
    .replace(/[():–-]/g, ' ')
    .trim()
  const texts = [header, bare, `FY${bare}`]
  const year = /^(?:FY ?)?(\d{4})$/i.exec(bare)?.[1]
  const half = parsePeriod(bare)
  const found = texts.flatMap((text) => {
    const period = parsePeriod(text, dateFormat)
    return period === null || period.kind === 'month' ? [] : [monthsOfPeriod(period, calendar) ?? []]
  })
  if (year !== undefined) found.push(calendarMonths(Number(year), 1, 12))
  if (half?.kind === 'half') {
    const { year, part } = half
    found.push(
      monthsOfPeriod({ ...half, fiscal: true }, calendar) ?? [],
      calendarMonths(year, part * 6 - 5, part * 6),
    )
  }
  return found.filter((months) => months.length > 0)
}

const calendarMonths = (year: number, first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => `${year}-${String(first + i).padStart(2, '0')}`)

/** `Q1`, `1st half` and `Total` name no months: they stand behind the columns that they sum up. */
function byPosition(
  header: string,
  column: number,
  base: readonly { readonly column: number }[],
  before: readonly Subtotal[],
  table: Table,
): number[][] {
  if (TO_DATE.test(header)) return []
  const all = base.map((each) => each.column)
  const left = all.filter((each) => each < column)
  const since = (form: RegExp) => {
    const last = before.findLast((each) => form.test(textAt(table.header, each.column)))?.column ?? -1
    return left.filter((each) => each > last)
  }
  if (QUARTER.test(header)) return [left.slice(-3), since(QUARTER)].filter((of) => of.length > 0)
  if (HALF.test(header)) return [left.slice(-6), since(HALF)].filter((of) => of.length > 0)
  return TOTAL.test(header) ? [all, left, left.slice(-12)].filter((of) => of.length > 0) : []
}

/** One finding for each column that differs, and one that lists all columns left out. */
export function checkSubtotals(table: Table, subtotals: readonly Subtotal[], rule: ColumnRule): Finding[] {
  const findings = subtotals.flatMap((subtotal) => differences(table, subtotal, rule))
  if (subtotals.length === 0) return findings
  const names = subtotals.map(({ column }) => `"${table.header[column]}"`).join(', ')
  findings.push(
    note('total-left-out', `${names}: sums of other columns, held against them in each row and left out`, {
      file: table.file,
      row: table.headerRow,
      text: names,
      remedy: 'nothing need be done',
    }),
  )
  return findings
}

function differences(table: Table, { column, of }: Subtotal, rule: ColumnRule): Finding[] {
  const wrong = table.rows.flatMap((row) => {
    const how = row.cells[column] === '' ? null : rule.sums(row)
    if (how === null) return []
    const stated = rule.read(textAt(row.cells, column))
    const sums = of.flatMap((columns) => {
      const texts = columns.map((each) => textAt(row.cells, each)).filter((text) => text !== '')
      const figures = texts.map(rule.read).filter((value) => value !== null)
      if (figures.length < texts.length) return []
      const added = figures.reduce((sum, value) => sum + value, 0n)
      return how === 'added' ? [added] : [added, figures.at(-1) ?? 0n]
    })
    const [sum] = sums
    return sum === undefined || (stated !== null && sums.includes(stated)) ? [] : [{ row, sum }]
  })
  const [first] = wrong
  if (first === undefined) return []
  const place = cellPlace(table, first.row, column)
  const more = wrong.length === 1 ? '' : `; ${wrong.length - 1} more rows differ too`
  return [
    error(
      'total-differs',
      `"${table.header[column]}" is ${place.text} here, and the columns that it sums up make ${rule.show(first.sum)}${more}`,
      { ...place, remedy: 'correct the figure, or remove the column, which is not needed' },
    ),
  ]
}
