/**
 * Figures and values that stand twice. Several figures of a budget for one account and month: those of different members add up,
 * and so do details that the sheet distinguishes; figures that nothing distinguishes are refused, since they may be one figure
 * entered twice. Values of metrics that stand twice, or that are given both for a month and for its days, are refused.
 */
import { displayDecimal } from '../../contract/currency.ts'
import { addTo } from '../../contract/grouping.ts'
import { present } from '../../contract/present.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import type { FindingCode } from '../../workspace/findings/finding-codes.ts'
import type { ColumnRows } from '../format/column-rows.ts'
import type { BudgetRow, MetricRow } from '../format/intake.ts'
import type { DetailedBudgetRow } from './kept-rows.ts'

/** For each row the first one that is like it. */
type Firsts = Uint32Array<ArrayBuffer>

/** Rows are alike where they have the same texts in these columns. */
const firstAlike = <Row extends object>(rows: ColumnRows<Row>, ...columns: readonly (keyof Row)[]) =>
  columns.reduce<Firsts>(
    (first, name) => firstRows(first, rows.column(name) as (row: number) => string | null),
    new Uint32Array(rows.length),
  )

/** Of the rows that are alike so far, those are that have the same text too. */
function firstRows(before: Firsts, textOf: (row: number) => string | null): Firsts {
  const numbers = new Map<string | null, number>()
  const first = new Map<number, number>()
  return before.map((alike, row) => {
    const text = textOf(row)
    const number = numbers.get(text) ?? numbers.size
    if (number === numbers.size) numbers.set(text, number)
    const key = alike * before.length + number
    const found = first.get(key) ?? row
    if (found === row) first.set(key, row)
    return found
  })
}

/** One finding for each account. */
export const repeatedFigures = (rows: ColumnRows<DetailedBudgetRow>): Finding[] =>
  budgetFindings(unclearRows(rows).map((i) => present(rows.at(i), 'row of a budget')))

/** Indices of all rows of an account and month of which some have the same members, or some have members and others none. */
function unclearRows(rows: ColumnRows<DetailedBudgetRow>): readonly number[] {
  const [classOf, departmentOf] = [rows.column('class'), rows.column('department')]
  const groups = firstAlike(rows, 'account', 'month')
  const members = firstRows(firstRows(groups, classOf), departmentOf)
  const isTaggedAt = (row: number) => classOf(row) !== null || departmentOf(row) !== null
  const unclear = new Set<number>()
  for (let row = 0; row < rows.length; row++) {
    const group = groups[row] ?? row
    if (members[row] !== row || isTaggedAt(group) !== isTaggedAt(row)) unclear.add(group)
  }
  return unclear.size === 0 ? [] : [...groups.keys()].filter((row) => unclear.has(groups[row] ?? row))
}

function budgetFindings(rows: readonly DetailedBudgetRow[]): Finding[] {
  const said = new Set<string>()
  const findings: Finding[] = []
  const say = (make: typeof error, code: FindingCode, message: string, row: BudgetRow, remedy: string) => {
    if (said.has(`${code} ${row.account}`)) return
    said.add(`${code} ${row.account}`)
    findings.push(make(code, message, { file: row.file, row: row.row, text: row.account, remedy }))
  }
  for (const group of groupBy(rows, (row) => `${row.account}\n${row.month}`)) {
    const [first] = group
    if (first === undefined) continue
    const untagged = group.find((row) => !isTagged(row))
    if (untagged !== undefined && group.some(isTagged))
      say(
        warning,
        'tagged-and-untagged',
        `account ${first.account} has figures with and without a class or department in ${first.month}; they add up`,
        untagged,
        'if the untagged figure is the total of the others, remove it',
      )
    for (const alike of groupBy(group, (row) => `${row.class}\n${row.department}`)) {
      const [, second] = alike
      if (second === undefined) continue
      const twins = groupBy(alike, ({ detail }) => detail).find((same) => same.length > 1)
      const [one, other] = twins ?? []
      if (one !== undefined && other !== undefined) {
        const amounts =
          one.amount === other.amount
            ? `twice: ${displayDecimal(one.amount)}`
            : `as ${displayDecimal(one.amount)} and as ${displayDecimal(other.amount)}`
        say(
          error,
          'repeated-budget-row',
          `the budget of account ${first.account} for ${first.month} is stated ${amounts} (row ${one.row} of ${one.file}, row ${other.row} of ${other.file}), and nothing tells the two apart`,
          other,
          'remove one of the two; where both count, write what each is for in a column of its own, or its class or department',
        )
      } else
        say(
          warning,
          'budget-details',
          `account ${first.account} has ${alike.length} rows for ${first.month}, for different things; they add up`,
          second,
          'if one of them is the total of the others, remove it',
        )
    }
  }
  return findings
}

const isTagged = (row: BudgetRow): boolean => row.class !== null || row.department !== null

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) addTo(groups, keyOf(item), item)
  return [...groups.values()]
}

/** Allows one value for each metric, budget, members and day, and a month either as a whole or by its days. */
export function repeatedValues(rows: ColumnRows<MetricRow>): Finding[] {
  const dateOf = rows.column('date')
  const isWhole = rows.column('wholeMonth')
  const owners = firstAlike(rows, 'metric', 'budget', 'class', 'department')
  const days = firstRows(owners, dateOf)
  const months = firstRows(owners, (row) => dateOf(row).slice(0, 7))
  const findings: Finding[] = []
  for (let i = 0; i < rows.length; i++) {
    const [ofDay, ofMonth] = [days[i] ?? i, months[i] ?? i]
    if (ofDay === i && isWhole(ofMonth) === isWhole(i)) continue
    const row = present(rows.at(i), 'row of a metric')
    const sameDay = ofDay === i ? undefined : rows.at(ofDay)
    if (sameDay !== undefined)
      findings.push(
        error(
          'repeated-value',
          `${row.metric} has a value for ${row.date} in row ${sameDay.row} of ${sameDay.file} already`,
          {
            ...placeOf(row),
            remedy: 'keep one of the two; for two members, write their class or department',
          },
        ),
      )
    else
      findings.push(
        error(
          'month-and-days',
          `${row.metric} has a value for all of ${row.date.slice(0, 7)} and values for days in it`,
          {
            ...placeOf(row),
            remedy: 'keep the value of the month, or those of the days',
          },
        ),
      )
  }
  return findings
}

const placeOf = ({ file, row, metric }: MetricRow) => ({ file, row, text: metric })
