/** Published statements as they are, and as rows: one per line and month, with the figure as the text that was published. */

import type { Database } from '../books/database.ts'
import { currencyDecimals, formatMinor, minorFromJson } from '../contract/currency.ts'
import type { StatementScope } from '../contract/document.ts'
import { present } from '../contract/present.ts'
import { statementPath } from '../snapshot/layout.ts'
import type { Snapshot } from '../snapshot/open.ts'
import { type Column, countedTable, type Table } from './table.ts'

interface StatedRow {
  readonly AccountId?: string
  readonly AccountNumber?: string | null
  readonly AccountName?: string
  readonly Section?: string
  readonly Name?: string
  readonly Values: readonly (number | null)[]
}

/** A line of a statement: of an account, or a total. Figures are decimal text, null where there is none. */
export interface StatementLine {
  readonly total: boolean
  readonly section: string | null
  readonly account: string
  readonly number: string | null
  readonly name: string
  readonly figures: readonly (string | null)[]
}

export interface ExportedStatement {
  readonly scope: StatementScope
  /** `YYYY-MM` */
  readonly months: readonly string[]
  readonly lines: readonly StatementLine[]
}

/** Months `from` to `through`, both `YYYY-MM` and included. */
export interface Months {
  readonly from: string
  readonly through: string
}

/** A combination without a file has no figures: null. */
export async function readStatement(
  snapshot: Snapshot,
  scope: StatementScope,
  { from, through }: Months,
): Promise<ExportedStatement | null> {
  const path = statementPath(scope)
  if (!snapshot.has(path)) return null
  const document = JSON.parse((await snapshot.read(path)).toString('utf8')) as {
    readonly Currency: string
    readonly Periods: readonly { readonly Month: string }[]
    readonly Data: readonly StatedRow[]
    readonly Summary: readonly StatedRow[]
  }
  const decimals = currencyDecimals(document.Currency)
  const all = document.Periods.map(({ Month }) => Month)
  const [begin, end] = [
    all.findIndex((month) => month >= from),
    all.findLastIndex((month) => month <= through),
  ]
  const within = <T>(values: readonly T[]) => (begin === -1 ? [] : values.slice(begin, end + 1))
  const line = (row: StatedRow, total: boolean): StatementLine => ({
    total,
    section: row.Section ?? null,
    account: present(row.AccountId ?? row.Name, 'name of a row'),
    number: row.AccountNumber ?? null,
    name: present(row.AccountName ?? row.Name, 'name of a row'),
    figures: within(row.Values).map((value) =>
      value === null ? null : formatMinor(minorFromJson(value, decimals), decimals),
    ),
  })
  return {
    scope,
    months: within(all),
    lines: [
      ...document.Data.map((row) => line(row, false)),
      ...document.Summary.map((row) => line(row, true)),
    ],
  }
}

const COLUMNS: readonly Column[] = [
  { name: 'company', kind: 'text' },
  { name: 'snapshot', kind: 'text' },
  { name: 'statement', kind: 'text' },
  { name: 'basis', kind: 'text' },
  { name: 'budget', kind: 'text' },
  { name: 'class', kind: 'text' },
  { name: 'department', kind: 'text' },
  { name: 'line', kind: 'text' },
  { name: 'section', kind: 'text' },
  { name: 'account', kind: 'text' },
  { name: 'number', kind: 'text' },
  { name: 'name', kind: 'text' },
  { name: 'month', kind: 'date' },
  { name: 'currency', kind: 'text' },
  { name: 'amount', kind: 'money' },
]

/** A row per line and month (its first day), in the order of the statements; `line` is `account` or `total`. */
export async function statementTable(
  db: Database,
  snapshot: Snapshot,
  statements: readonly ExportedStatement[],
): Promise<Table> {
  const { Currency } = snapshot.manifest
  const decimals = currencyDecimals(Currency)
  await db.run(
    `CREATE TABLE stated (place BIGINT, ${COLUMNS.map(({ name }) => `${name} VARCHAR`).join(', ')})`,
  )
  let place = 0
  for (const { scope, months, lines } of statements) {
    const head = [snapshot.company, snapshot.id, scope.statement, scope.basis.toLowerCase()]
    const filters = [scope.budgetId, scope.classId, scope.departmentId]
    await db.append(
      'stated',
      lines.flatMap((line) =>
        line.figures.map((figure, i) => [
          place++,
          ...head,
          ...filters,
          line.total ? 'total' : 'account',
          line.section,
          line.account,
          line.number,
          line.name,
          `${present(months[i], 'month of a figure')}-01`,
          Currency,
          figure,
        ]),
      ),
    )
  }
  const query = `SELECT * EXCLUDE place REPLACE (month::DATE AS month, amount::DECIMAL(18, ${decimals}) AS amount) FROM stated ORDER BY place`
  return countedTable(db, { name: 'statements', columns: COLUMNS, query, decimals })
}
