/**
 * Several budget figures for one account and month. Figures of different members add up, and so do details that the
 * sheet distinguishes. Figures that nothing distinguishes are refused: they may be one figure entered twice.
 */
import { displayDecimal } from '../../../contract/currency.ts'
import { present } from '../../../contract/present.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import type { BudgetRow } from '../../format/intake.ts'
import { firstRows, keysOf, keysWith } from '../row-keys.ts'

/** A budget figure, with the texts of its row that are not read otherwise. */
interface DetailedRow extends BudgetRow {
  readonly detail: string
}

/** One finding for each account; `details` has one text for each row. */
export const repeatFindings = (rows: readonly BudgetRow[], details: readonly string[]): Finding[] =>
  findingsOf(
    unclearRows(rows).map((i) => ({
      ...present(rows[i], 'row of a budget'),
      detail: details[i] ?? '',
    })),
  )

/** Indices of all rows of an account and month of which some have the same members, or some have members and others none. */
function unclearRows(rows: readonly BudgetRow[]): readonly number[] {
  const keys = keysOf(
    rows,
    ({ account }) => account,
    ({ month }) => month,
  )
  const groups = firstRows(keys)
  const ofMembers = keysWith(keys, rows, (row) => row.class)
  const members = firstRows(keysWith(ofMembers, rows, ({ department }) => department))
  const unclear = new Set<number>()
  for (const [i, row] of rows.entries()) {
    const group = groups[i] ?? i
    const first = rows[group] ?? row
    if (members[i] !== i || isTagged(first) !== isTagged(row)) unclear.add(group)
  }
  return unclear.size === 0 ? [] : [...rows.keys()].filter((i) => unclear.has(groups[i] ?? i))
}

function findingsOf(rows: readonly DetailedRow[]): Finding[] {
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
