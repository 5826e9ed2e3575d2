/** The building blocks of a statement's lines: headings, accounts below the groups of the chart, subtotals and totals. */
import type { Account } from '../books/reference/frame.ts'
import { RAISING } from '../books/reference/presentation.ts'
import { type Section, SUMMARY_LABELS, type SummaryName } from '../contract/vocabulary.ts'
import type { PublishedRow } from '../snapshot/files/documents.ts'

/** How the months of a column become one figure: their sum, or what the first or the last of them states. */
type Measure = 'sum' | 'first' | 'last'

export interface ReportLine {
  /** The id of the account, the name of the total, or `group:` and the id of the account that heads the group. */
  readonly id: string
  readonly kind: 'heading' | 'account' | 'subtotal' | 'total'
  /** How far it is indented: 0 for sections and totals. */
  readonly depth: number
  readonly number: string
  readonly label: string
  readonly measure: Measure
  /**
   * What it states: a published total; the sum of these accounts' published rows less those of others; one total in
   * tenths of a percent of another; or what moved no cash in a section of the cash flow. Null for a heading.
   */
  readonly of:
    | { readonly total: SummaryName }
    | { readonly accounts: readonly string[]; readonly less?: readonly string[] }
    | { readonly ratio: readonly [part: SummaryName, whole: SummaryName] }
    | { readonly withoutCash: Section }
    | null
  /** Whether more of it is better for the result; null where that cannot be said. */
  readonly better: 'more' | 'less' | null
}

export type Total = readonly [name: SummaryName, better: ReportLine['better']]

/** The properties that all lines of a part share. */
export type LineStyle = Pick<ReportLine, 'measure' | 'better'>

export const heading = (id: string, label: string, depth: number, number = ''): ReportLine => ({
  ...{ id, kind: 'heading', depth, number, label },
  ...{ measure: 'sum', of: null, better: null },
})

/** Totals of the cash flow that are balances, and are not added up over months. */
const MEASURE_OF: Partial<Record<SummaryName, Measure>> = { BeginningCash: 'first', EndingCash: 'last' }

/** What rows of the profit and loss add up to: those that raise the result, less the others. */
export function resultOf(rows: readonly PublishedRow[]) {
  const idsWhere = (isRaised: boolean): string[] =>
    rows.filter(({ section }) => RAISING.has(section) === isRaised).map(({ accountId }) => accountId)
  return { accounts: idsWhere(true), less: idsWhere(false) }
}

export const totalLine = (
  [name, better]: Total,
  measure: Measure,
  kind: 'subtotal' | 'total',
  label = SUMMARY_LABELS[name],
): ReportLine => ({
  ...{ id: name, kind, depth: 0, number: '', label, better, of: { total: name } },
  measure: MEASURE_OF[name] ?? measure,
})

/**
 * Names of computed rows on pages and in the terminal. Documents keep the names that they were always published with: other names
 * would make every earlier snapshot differ from what a later version recomputes.
 */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['prior-years-not-closed', 'Earnings of earlier years'],
  ['balancing', 'Interclass balancing'],
])

export const accountLine = (row: PublishedRow, style: LineStyle, depth: number): ReportLine => ({
  ...{
    id: row.accountId,
    kind: 'account',
    depth,
    number: row.number,
    label: LABELS.get(row.accountId) ?? row.name,
  },
  ...{ ...style, of: { accounts: [row.accountId] } },
})

/**
 * Arranges accounts below the accounts that head them in the chart, in the order of the statement, each group with a subtotal.
 * A group of one account is shown as that account, and a group that holds all of them is left out, since its subtotal would repeat
 * the total.
 */
export function grouped(
  rows: readonly PublishedRow[],
  chart: ReadonlyMap<string, Account>,
  style: LineStyle,
  depth: number,
  level = 0,
): ReportLine[] {
  const inChart = rows.filter(({ accountId }) => chart.has(accountId))
  const [head, ...others] = new Set(inChart.map((row) => headOf(row, level, chart)))
  if (head && others.length === 0 && inChart.length > 1) return grouped(rows, chart, style, depth, level + 1)
  return groupsBelow(rows, level, chart).flatMap(({ head, members }) =>
    head === null
      ? members.map((row) => accountLine(row, style, depth))
      : groupLines(head, members, chart, style, depth, level),
  )
}

interface Group {
  /** Null for a row that no account heads; it stands alone. */
  readonly head: Account | null
  readonly members: PublishedRow[]
}

/** In the order in which their first rows stand. */
function groupsBelow(
  rows: readonly PublishedRow[],
  level: number,
  chart: ReadonlyMap<string, Account>,
): Group[] {
  const groups = new Map<Account | PublishedRow, Group>()
  for (const row of rows) {
    const head = headOf(row, level, chart)
    const known = groups.get(head ?? row)
    if (known) known.members.push(row)
    else groups.set(head ?? row, { head, members: [row] })
  }
  return [...groups.values()]
}

function groupLines(
  head: Account,
  members: readonly PublishedRow[],
  chart: ReadonlyMap<string, Account>,
  style: LineStyle,
  depth: number,
  level: number,
): ReportLine[] {
  const [only] = members
  if (members.length === 1 && only) return [accountLine(only, style, depth)]
  return [
    heading(`group:${head.id}`, head.name, depth, head.number),
    ...grouped(members, chart, style, depth + 1, level + 1),
    {
      ...{ id: `group:${head.id}:total`, kind: 'subtotal', depth, number: '', label: `Total ${head.name}` },
      ...{ ...style, of: { accounts: members.map(({ accountId }) => accountId) } },
    },
  ]
}

/** The account of the chart that stands on the path to a row with so many others above it; null where there is none. */
const headOf = (
  { accountId }: PublishedRow,
  level: number,
  chart: ReadonlyMap<string, Account>,
): Account | null => pathTo(accountId, chart)[level] ?? null

type Paths = Map<string, readonly Account[]>
const pathsIn = new WeakMap<ReadonlyMap<string, Account>, Paths>()

/** The path from the top of the chart to the account itself, through accounts of its own classification; empty for a computed row. */
function pathTo(accountId: string, chart: ReadonlyMap<string, Account>): readonly Account[] {
  const paths: Paths = pathsIn.get(chart) ?? new Map()
  pathsIn.set(chart, paths)
  const known = paths.get(accountId)
  if (known) return known
  const path: Account[] = []
  const classification = chart.get(accountId)?.classification
  for (let account = chart.get(accountId); account; account = chart.get(account.parentId ?? ''))
    if (account.classification === classification) path.push(account)
  paths.set(accountId, path.reverse())
  return path
}
