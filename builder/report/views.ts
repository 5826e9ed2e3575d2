/** The columns of each view of a statement, and the documents that they are read from. */
import { budgetYearStart, cuttingStarts, fiscalYearOf, monthsOfYear } from '../books/reference/fiscal.ts'
import type { Budget, Frame } from '../books/reference/frame.ts'
import type { Tree } from '../books/reference/tree.ts'
import { addDays, dayOf, lastDay, monthOf, monthText } from '../contract/calendar.ts'
import { capitalised } from '../contract/listed.ts'
import { type StatementName, UNASSIGNED } from '../contract/vocabulary.ts'
import type { MonthSpan, StatementColumn } from './columns.ts'
import type { PageLayout } from './source.ts'

/** A month beside what it is compared with, the months and quarters up to it, the fiscal years, or the members of a dimension. */
export const VIEWS = ['month', 'months', 'quarters', 'years', 'classes', 'departments'] as const
export type View = (typeof VIEWS)[number]

/** Further filters of one document of a view. */
export interface DocumentFilter {
  readonly budgetId?: string
  readonly classId?: string
  readonly departmentId?: string
}

interface Layout {
  /** The budget that the view compares with; null for none. */
  readonly budget: Budget | null
  readonly documents: readonly DocumentFilter[]
  readonly columns: readonly StatementColumn[]
}

interface Setting {
  readonly frame: Frame
  readonly statement: StatementName
  /** `YYYY-MM` */
  readonly month: string
  /** The budget that was asked for; null for the first one that covers the year to date, or else the month. */
  readonly budgetId: string | null
  /** How many months stand side by side; twelve where it is not said. */
  readonly months?: number | undefined
  /** A profit and loss of a month states its figures in percent of income too. */
  readonly hasShares?: boolean | undefined
  readonly layout: PageLayout
}

export function columnsOf(view: View, setting: Setting): Layout {
  const layout = VIEW_LAYOUTS[view](setting)
  if (
    setting.layout === 1 ||
    setting.statement !== 'BalanceSheet' ||
    view === 'classes' ||
    view === 'departments'
  )
    return layout
  // Balances are those of a day.
  return {
    ...layout,
    columns: layout.columns.map((column) =>
      column.kind === 'amount' ? { ...column, title: dayTitle(endOf(column.span)) } : column,
    ),
  }
}

const endOf = ({ through, end = lastDayOf(through) }: MonthSpan): string => end

const VIEW_LAYOUTS: Readonly<Record<View, (setting: Setting) => Layout>> = {
  month: (setting) => (setting.statement === 'BalanceSheet' ? monthEnds(setting) : monthAndYear(setting)),
  months: (setting) => ofActuals(setting.layout === 1 ? monthsOfFiscalYear(setting) : lastMonths(setting)),
  quarters: (setting) =>
    ofActuals(setting.layout === 1 ? quartersOfFiscalYear(setting) : lastQuarters(setting)),
  years: (setting) => ofActuals(years(setting)),
  classes: (setting) => acrossMembers(setting, setting.frame.classes, 'classId'),
  departments: (setting) => acrossMembers(setting, setting.frame.departments, 'departmentId'),
}

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** `2026-10` → `Oct 2026` */
export const monthTitle = (month: string): string =>
  `${NAMES[Number(month.slice(5, 7)) - 1] ?? ''} ${month.slice(0, 4)}`

const numberOf = (month: string): number => monthOf(`${month}-01`)
/** The month that lies so many months before. */
export const monthBefore = (month: string, by: number): string => monthText(numberOf(month) - by)
const only = (month: string): MonthSpan => ({ from: month, through: month })
const lastDayOf = (month: string): string => lastDay(numberOf(month))

/** `2024-12-28` → `28 Dec 2024` */
export const dayTitle = (day: string): string => `${Number(day.slice(8))} ${monthTitle(day)}`

const endTitle = ({ through, end }: MonthSpan): string =>
  end === undefined ? monthTitle(through) : dayTitle(end)

/** States days where the span does not begin or end with a month, and the year of its beginning where that is another. */
function spanTitle(span: MonthSpan): string {
  const { from, through, start, end } = span
  const ending = endTitle(span)
  if (from === through && start === undefined && end === undefined) return ending
  if (from === through) return `${Number(start?.slice(8) ?? 1)} to ${dayTitle(end ?? lastDayOf(through))}`
  const beginning = start === undefined ? monthTitle(from) : dayTitle(start)
  return `${from.slice(0, 4) === through.slice(0, 4) ? beginning.slice(0, -5) : beginning} to ${ending}`
}

/** The months of a span, the oldest first. */
export const monthsOfSpan = ({ from, through }: MonthSpan): string[] =>
  Array.from({ length: numberOf(through) - numberOf(from) + 1 }, (_, i) => monthText(numberOf(from) + i))

type Years = Pick<Frame, 'fiscalYears' | 'fiscalMonthEnd'>
type YearOf = { readonly frame: Years; readonly month: string }

/** The days from the beginning of the fiscal year that holds a day through that day, which is the last one of a month or of a fiscal year. */
function yearThrough(frame: Years, day: string): MonthSpan {
  const year = fiscalYearOf(frame.fiscalYears, day)
  const through = day.slice(0, 7)
  // Nothing is posted before the first fiscal year, so that its first month need not be divided.
  const start = year && cuttingStarts(frame.fiscalYears).includes(year.start) ? year.start : undefined
  return {
    from: year?.start.slice(0, 7) ?? monthText(budgetYearStart(frame, numberOf(through))),
    through,
    ...(start === undefined ? {} : { start }),
    ...(day === lastDayOf(through) ? {} : { end: day }),
  }
}

/** The days from the beginning of the fiscal year through the month. */
export const yearToDate = ({ frame, month }: YearOf): MonthSpan => yearThrough(frame, lastDayOf(month))

/** The months that a budget states of the same year; null where that begins with a later one, since budgets divide no months. */
function budgetYearToDate({ frame, month }: YearOf): MonthSpan | null {
  const year = monthsOfYear(frame.fiscalYears, lastDayOf(month))
  const from = year ? monthText(year.first) : yearToDate({ frame, month }).from
  return from > month ? null : { from, through: month }
}

/** The same days of the fiscal year before; null where that begins at another time of the year and no document states them. */
function yearBefore({ frame, month }: YearOf): MonthSpan | null {
  const prior = yearToDate({ frame, month: monthBefore(month, 12) })
  const { from, start } = yearToDate({ frame, month })
  const days = dayOf(start ?? `${from}-01`) - dayOf(prior.start ?? `${prior.from}-01`)
  if (Math.abs(days - 365) <= MOST_APART) return prior
  return start === undefined ? { from: monthBefore(from, 12), through: prior.through } : null
}

/** How many days a fiscal year may differ from 365, in its length or in its distance to the year before: one of weeks does. */
const MOST_APART = 15

/** The fiscal year through the month; where one ends inside the month, that one before it. */
const yearsIn = (setting: YearOf): MonthSpan[] => {
  const { frame, month } = setting
  const year = yearToDate(setting)
  return year.start?.startsWith(month) ? [yearThrough(frame, addDays(year.start, -1)), year] : [year]
}

const amount = (title: string, span: MonthSpan, document = 0): StatementColumn => ({
  kind: 'amount',
  title,
  document,
  span,
})
const oneMonth = (month: string): StatementColumn => amount(monthTitle(month), only(month))

const ofActuals = (columns: readonly StatementColumn[]): Layout => ({
  budget: null,
  documents: [{}],
  columns,
})

const TO_DATE = 'Year to date'
const toDateTitle = (year: MonthSpan): string =>
  year.end !== undefined
    ? `Year to ${endTitle(year)}`
    : year.start === undefined
      ? TO_DATE
      : `YTD from ${dayTitle(year.start)}`

export const isToDate = (title: string): boolean => title === TO_DATE || title.startsWith('YTD ')

/** Shows the month and the year to date, each beside budget and prior year. */
function monthAndYear(setting: Setting): Layout {
  const { month } = setting
  const year = yearToDate(setting)
  const planned = budgetYearToDate(setting)
  const budget = budgetFor(setting, planned ?? only(month))
  const prior = yearBefore(setting)
  const shares = (title: string, span: MonthSpan): StatementColumn[] =>
    setting.hasShares && setting.statement === 'ProfitAndLoss'
      ? [{ kind: 'share', title, document: 0, span }]
      : []
  const columns = [
    ...compared(monthTitle(month), only(month), budget && only(month), ''),
    ...shares('% of income', only(month)),
    oneMonth(monthBefore(month, 12)),
  ]
  const toDate = [
    ...compared(toDateTitle(year), year, budget && planned, 'YTD ', columns.length),
    ...shares('YTD % of income', year),
    ...(prior ? [amount(prior.start ? `Prior from ${dayTitle(prior.start)}` : 'Prior YTD', prior)] : []),
  ]
  return {
    budget,
    documents: budget ? [{}, { budgetId: budget.id }] : [{}],
    columns: [...columns, ...toDate],
  }
}

/** An amount with what a budget has for it and the difference. `at` is the place of the first of these columns. */
function compared(
  title: string,
  span: MonthSpan,
  planned: MonthSpan | null,
  prefix: string,
  at = 0,
): StatementColumn[] {
  const actual = amount(title, span)
  if (planned === null) return [actual]
  const of = [at, at + 1] as const
  const names = ['budget', 'variance', '%'].map((name) =>
    prefix === '' ? capitalised(name) : `${prefix}${name}`,
  )
  const [budget = '', variance = '', percent = ''] = names
  return [
    actual,
    amount(span.start === undefined ? budget : `${budget} from ${monthTitle(planned.from)}`, planned, 1),
    { kind: 'difference', title: variance, of },
    { kind: 'percent', title: percent, of },
  ]
}

function budgetFor({ frame, month, budgetId }: Setting, year: MonthSpan): Budget | null {
  const covers = ({ startMonth, endMonth }: Budget, { from, through }: MonthSpan) =>
    startMonth !== null && endMonth !== null && startMonth <= from && endMonth >= through
  if (budgetId !== null) return frame.budgets.find(({ id }) => id === budgetId) ?? null
  return (
    frame.budgets.find((budget) => covers(budget, year)) ??
    frame.budgets.find((budget) => covers(budget, only(month))) ??
    null
  )
}

/** Shows the balances of the month, of the month before, of the last year end and a year ago, and the change since the year end (IAS 34.20). */
function monthEnds(setting: Setting): Layout {
  const { frame, month } = setting
  const { from, start = `${from}-01` } = yearToDate(setting)
  const last = yearThrough(frame, addDays(start, -1))
  const yearEnd = amount(endTitle(last), last)
  const ends = [oneMonth(month), oneMonth(monthBefore(month, 1)), yearEnd, oneMonth(monthBefore(month, 12))]
  const columns = [...new Map(ends.map((column) => [column.title, column])).values()]
  const of = [0, columns.findIndex(({ title }) => title === yearEnd.title)] as const
  return ofActuals([
    ...columns,
    {
      kind: 'difference',
      title: `Change since ${setting.layout === 1 ? yearEnd.title : dayTitle(endOf(last))}`,
      of,
    },
  ])
}

/** The part of a fiscal year that lies in the months `from` to `through`. */
function partOf({ start, end, ...year }: MonthSpan, from: string, through: string): MonthSpan {
  return {
    ...{ from, through },
    ...(start !== undefined && from === year.from ? { start } : {}),
    ...(end !== undefined && through === year.through ? { end } : {}),
  }
}

/** Shows the last months, whatever the fiscal year, with their total and that of the same months a year before; balances are not added up. */
function lastMonths({ frame, statement, month, months = 12 }: Setting): StatementColumn[] {
  const begin = frame.coverage.startDate.slice(0, 7)
  const first = monthBefore(month, months - 1)
  const from = first > begin ? first : begin
  const columns = monthsOfSpan({ from, through: month }).map(oneMonth)
  if (statement === 'BalanceSheet') return columns
  const prior = { from: monthBefore(from, 12), through: monthBefore(month, 12) }
  const sums = [amount('Total', { from, through: month }), amount('Year before', prior)]
  return [...columns, ...(prior.from < begin ? sums.slice(0, 1) : sums)]
}

const LEAST_QUARTERS = 8

/** Shows the quarters of the fiscal year through the month and of the years before, at least eight, each year with its total. */
function lastQuarters(setting: Setting): StatementColumn[] {
  const { frame } = setting
  const shown = yearsIn(setting).map((year) => ({ year, title: toDateTitle(year) }))
  const count = () => shown.reduce((sum, { year }) => sum + quarters(year, frame, null).length, 0)
  while (count() < LEAST_QUARTERS) {
    const [first] = shown
    const day = first ? addDays(first.year.start ?? `${first.year.from}-01`, -1) : ''
    if (day < frame.coverage.startDate) break
    const year = yearThrough(frame, day)
    shown.unshift({ year, title: yearTitle(frame, year, day) })
  }
  const names = shown.map(({ year }) => yearName(frame, year))
  return shown.flatMap(({ year, title }, i) => {
    // Short fiscal years may have one name, so that days say which quarter it is.
    const isNamed = names.filter((name) => name === names[i]).length === 1
    return [...quarters(year, frame, isNamed ? ` ${names[i]}` : null), ...total(setting, title, year)]
  })
}

/** The first layout: the months of the fiscal year and its total, which a balance sheet has not. */
const monthsOfFiscalYear = (setting: Setting): StatementColumn[] =>
  inFirstLayout(setting, (year) => {
    const isPosition = setting.statement === 'BalanceSheet'
    if (isPosition && year.end !== undefined) return []
    return monthsOfSpan(year).map((month) => {
      const part = isPosition ? only(month) : partOf(year, month, month)
      return amount(spanTitle(part), part)
    })
  })

/** The first layout: the quarters of the fiscal year, which their titles do not name, and its total. */
const quartersOfFiscalYear = (setting: Setting): StatementColumn[] =>
  inFirstLayout(setting, (year) => quarters(year, setting.frame, ''))

/** A column for a year; balances are not added up, so the balance sheet has none. */
const total = ({ statement }: Setting, title: string, year: MonthSpan): StatementColumn[] =>
  statement === 'BalanceSheet' ? [] : [amount(title, year)]

const inFirstLayout = (
  setting: Setting,
  columnsOf: (year: MonthSpan) => StatementColumn[],
): StatementColumn[] =>
  yearsIn(setting).flatMap((year) => [...columnsOf(year), ...total(setting, toDateTitle(year), year)])

/**
 * The quarters of a year. A month of which the fiscal year has only a few days belongs to the quarter beside it. `name` follows the number of
 * the quarter in its title; with null the months are the title.
 */
function quarters(year: MonthSpan, frame: Years, name: string | null): StatementColumn[] {
  const own = monthsOfYear(frame.fiscalYears, year.end ?? lastDayOf(year.through))
  const first = year.start === undefined || !own ? year.from : monthText(own.first)
  const last = year.end === undefined || !own ? year.through : monthText(own.last)
  const months = monthsOfSpan({ from: first < year.through ? first : year.from, through: last })
  const starts = months.filter((_, i) => i % 3 === 0)
  return starts.map((from, i) => {
    const isLast = i === starts.length - 1
    const through = isLast ? year.through : (months[i * 3 + 2] ?? from)
    const part = partOf(year, i === 0 ? year.from : from, through)
    const isWhole = months.length >= i * 3 + 3
    if (name === null) return amount(spanTitle(part), part)
    const days = part.start || part.end ? `: ${spanTitle(part)}` : ''
    return amount(
      `Q${i + 1}${name}${days || (isWhole ? '' : ` to ${monthTitle(through).slice(0, 3)}`)}`,
      part,
    )
  })
}

/** `2025`, or `2025/26`; a few days in a year do not name it. */
function yearName(
  frame: Years,
  { from, through, start = `${from}-01`, end = lastDayOf(through) }: MonthSpan,
): string {
  const last = fiscalYearOf(frame.fiscalYears, end)?.end ?? lastDayOf(monthBefore(from, -11))
  const [first, second] = [addDays(start, MOST_APART).slice(0, 4), addDays(last, -MOST_APART).slice(0, 4)]
  return first === second ? first : `${first}/${second.slice(2)}`
}

/** Shows the fiscal years of the books up to that of the month; the first and the last as far as the books reach. */
function years({ frame, month }: Setting): StatementColumn[] {
  const columns: StatementColumn[] = []
  for (let day = lastDayOf(month); day >= frame.coverage.startDate; ) {
    const year = yearThrough(frame, day)
    columns.unshift(amount(yearTitle(frame, year, day), year))
    day = addDays(year.start ?? `${year.from}-01`, -1)
  }
  return columns
}

/** A year of about twelve months is named by its end, any other span by both. */
function yearTitle(frame: Years, span: MonthSpan, day: string): string {
  const year = fiscalYearOf(frame.fiscalYears, day)
  const isWhole = year?.end === day && Math.abs(dayOf(year.end) - dayOf(year.start) - 365) <= MOST_APART
  return isWhole ? `Year to ${endTitle(span)}` : spanTitle(span)
}

/**
 * Shows the month, or so many months through it, of each top-level member of the dimension, of postings without a member, and of the whole
 * company. What is eliminated in a group stands behind its members, as in a consolidation worksheet.
 */
function acrossMembers(
  { frame, month, months = 1 }: Setting,
  tree: Tree,
  filter: 'classId' | 'departmentId',
): Layout {
  const group = filter === 'classId' ? (frame.consolidation?.members ?? []) : []
  const place = ({ id }: { readonly id: string }) => (group.includes(id) ? group.indexOf(id) : group.length)
  const top = tree.members.filter(({ parentId }) => parentId === null).sort((a, b) => place(a) - place(b))
  const [first, begin] = [monthBefore(month, months - 1), frame.coverage.startDate.slice(0, 7)]
  const span = { from: first > begin ? first : begin, through: month }
  const members = [...top, { id: UNASSIGNED, name: 'Unassigned' }]
  return {
    budget: null,
    documents: [{}, ...members.map(({ id }) => ({ [filter]: id }))],
    columns: [...members.map(({ name }, i) => amount(name, span, i + 1)), amount(spanTitle(span), span)],
  }
}
