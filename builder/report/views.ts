/** The columns of each view of a statement, and the documents that they are read from. */
import { budgetYearStart } from '../books/fiscal.ts'
import type { Budget, Frame } from '../books/frame.ts'
import type { Tree } from '../books/tree.ts'
import { monthOf, monthText } from '../contract/calendar.ts'
import { type StatementName, UNASSIGNED } from '../contract/vocabulary.ts'
import type { Column, Span } from './columns.ts'

/** A month beside what it is compared with, the parts of a fiscal year, the fiscal years, or the members of a dimension. */
export const VIEWS = ['month', 'months', 'quarters', 'years', 'classes', 'departments'] as const
export type View = (typeof VIEWS)[number]

/** Further filters of one document of a view. */
export interface DocumentFilter {
  readonly budgetId?: string
  readonly classId?: string
  readonly departmentId?: string
}

export interface Layout {
  /** The budget that the view compares with; null for none. */
  readonly budget: Budget | null
  readonly documents: readonly DocumentFilter[]
  readonly columns: readonly Column[]
}

export interface Setting {
  readonly frame: Frame
  readonly statement: StatementName
  /** `YYYY-MM` */
  readonly month: string
  /** The budget that was asked for; null for the first one that covers the year to date, or else the month. */
  readonly budgetId: string | null
}

export const layoutOf = (view: View, setting: Setting): Layout => VIEW_LAYOUTS[view](setting)

const VIEW_LAYOUTS: Readonly<Record<View, (setting: Setting) => Layout>> = {
  month: (setting) => (setting.statement === 'BalanceSheet' ? monthEnds(setting) : monthAndYear(setting)),
  months: (setting) => ofActuals([...monthsOf(yearToDate(setting)).map(oneMonth), ...total(setting)]),
  quarters: (setting) => ofActuals([...quarters(yearToDate(setting)), ...total(setting)]),
  years: (setting) => ofActuals(years(setting)),
  classes: (setting) => acrossMembers(setting, setting.frame.classes, 'classId'),
  departments: (setting) => acrossMembers(setting, setting.frame.departments, 'departmentId'),
}

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** `2026-10` → `Oct 2026` */
export const monthTitle = (month: string): string =>
  `${NAMES[Number(month.slice(5, 7)) - 1] ?? ''} ${month.slice(0, 4)}`

const numberOf = (month: string): number => monthOf(`${month}-01`)
const before = (month: string, by: number): string => monthText(numberOf(month) - by)
const yearBefore = ({ from, through }: Span): Span => ({
  from: before(from, 12),
  through: before(through, 12),
})
const only = (month: string): Span => ({ from: month, through: month })

const monthsOf = ({ from, through }: Span): string[] =>
  Array.from({ length: numberOf(through) - numberOf(from) + 1 }, (_, i) => monthText(numberOf(from) + i))

/** The months from the beginning of the fiscal year through the month. */
export const yearToDate = ({ frame, month }: Pick<Setting, 'frame' | 'month'>): Span => ({
  from: monthText(budgetYearStart(frame, numberOf(month))),
  through: month,
})

const amount = (title: string, span: Span, document = 0): Column => ({
  kind: 'amount',
  title,
  document,
  span,
})
const oneMonth = (month: string): Column => amount(monthTitle(month), only(month))

const ofActuals = (columns: readonly Column[]): Layout => ({ budget: null, documents: [{}], columns })

/** A column for the year to date; balances are not added up, so the balance sheet has none. */
const total = (setting: Setting): Column[] =>
  setting.statement === 'BalanceSheet' ? [] : [amount('Year to date', yearToDate(setting))]

/** Shows the month and the year to date, each beside budget and prior year. */
function monthAndYear(setting: Setting): Layout {
  const { month } = setting
  const year = yearToDate(setting)
  const budget = budgetFor(setting, year)
  const columns = [
    ...compared(monthTitle(month), only(month), budget !== null, ''),
    oneMonth(before(month, 12)),
  ]
  const toDate = [
    ...compared('Year to date', year, budget !== null, 'YTD ', columns.length),
    amount('Prior YTD', yearBefore(year)),
  ]
  return {
    budget,
    documents: budget ? [{}, { budgetId: budget.id }] : [{}],
    columns: [...columns, ...toDate],
  }
}

/** An amount with its budget and the difference. `at` is the place of the first of these columns. */
function compared(title: string, span: Span, hasBudget: boolean, prefix: string, at = 0): Column[] {
  const actual = amount(title, span)
  if (!hasBudget) return [actual]
  const of = [at, at + 1] as const
  const names = ['budget', 'variance', '%'].map((name) =>
    prefix === '' ? capital(name) : `${prefix}${name}`,
  )
  const [budget = '', variance = '', percent = ''] = names
  return [
    actual,
    amount(budget, span, 1),
    { kind: 'difference', title: variance, of },
    { kind: 'percent', title: percent, of },
  ]
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function budgetFor({ frame, month, budgetId }: Setting, year: Span): Budget | null {
  const covers = ({ startMonth, endMonth }: Budget, { from, through }: Span) =>
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
  const { month } = setting
  const yearEnd = before(yearToDate(setting).from, 1)
  const ends = [...new Set([month, before(month, 1), yearEnd, before(month, 12)])]
  const of = [0, ends.indexOf(yearEnd)] as const
  return ofActuals([
    ...ends.map(oneMonth),
    { kind: 'difference', title: `Change since ${monthTitle(yearEnd)}`, of },
  ])
}

function quarters(year: Span): Column[] {
  const months = monthsOf(year)
  const starts = months.filter((_, i) => i % 3 === 0)
  return starts.map((from, i) => {
    const own = months.slice(i * 3, i * 3 + 3)
    const through = own.at(-1) ?? from
    const part = own.length === 3 ? '' : ` to ${monthTitle(through).slice(0, 3)}`
    return amount(`Q${i + 1}${part}`, { from, through })
  })
}

/** Shows the fiscal years of the books up to that of the month; the first and the last as far as the books reach. */
function years({ frame, month }: Setting): Column[] {
  const first = frame.coverage.startDate.slice(0, 7)
  const columns: Column[] = []
  for (let through = month; through >= first; ) {
    const from = yearToDate({ frame, month: through }).from
    columns.unshift(amount(yearTitle(from, through, first), { from: from < first ? first : from, through }))
    through = before(from, 1)
  }
  return columns
}

const yearTitle = (from: string, through: string, first: string): string =>
  from >= first && numberOf(through) - numberOf(from) === 11
    ? `Year to ${monthTitle(through)}`
    : `${monthTitle(from < first ? first : from).slice(0, 3)} to ${monthTitle(through)}`

/** Shows the month of each top-level member of the dimension, of postings without a member, and of the whole company. */
function acrossMembers({ month }: Setting, tree: Tree, filter: 'classId' | 'departmentId'): Layout {
  const top = tree.members.filter(({ parentId }) => parentId === null)
  const members = [...top, { id: UNASSIGNED, name: 'Unassigned' }]
  return {
    budget: null,
    documents: [{}, ...members.map(({ id }) => ({ [filter]: id }))],
    columns: [
      ...members.map(({ name }, i) => amount(name, only(month), i + 1)),
      amount(monthTitle(month), only(month)),
    ],
  }
}
