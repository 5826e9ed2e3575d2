/**
 * Several budget figures for one account and month. Figures of different members add up, and so do details that the
 * sheet distinguishes. Figures that nothing distinguishes are refused: they may be one figure entered twice.
 */
import { displayDecimal } from '../../../contract/currency.ts'
import { present } from '../../../contract/present.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { BudgetRow } from '../../format/intake.ts'
import type { DetailedBudgetRow } from '../kept-rows.ts'
import { firstRows, keysOf, keysWith } from '../row-keys.ts'

/** One finding for each account. */
export const repeatFindings = (rows: ColumnRows<DetailedBudgetRow>): Finding[] =>
  findingsOf(unclearRows(rows).map((i) => present(rows.at(i), 'row of a budget')))

/** Indices of all rows of an account and month of which some have the same members, or some have members and others none. */
function unclearRows(rows: ColumnRows<DetailedBudgetRow>): readonly number[] {
  const [classOf, departmentOf] = [rows.column('class'), rows.column('department')]
  const keys = keysOf(rows.length, rows.column('account'), rows.column('month'))
  const groups = firstRows(keys)
  const members = firstRows(keysWith(keysWith(keys, classOf), departmentOf))
  const isTaggedAt = (row: number) => classOf(row) !== null || departmentOf(row) !== null
  const unclear = new Set<number>()
  for (let row = 0; row < rows.length; row++) {
    const group = groups[row] ?? row
    if (members[row] !== row || isTaggedAt(group) !== isTaggedAt(row)) unclear.add(group)
  }
  return unclear.size === 0 ? [] : [...groups.keys()].filter((row) => unclear.has(groups[row] ?? row))
}

function findingsOf(rows: readonly DetailedBudgetRow[]): Finding[] {
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
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return [...groups.values()]
}
