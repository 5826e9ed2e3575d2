/** Published statements for an export: as they were published, and as rows with one figure for each line and month. */

import { currencyDecimals, formatMinor } from '../../contract/currency.ts'
import type { StatementScope } from '../../contract/document.ts'
import { present } from '../../contract/present.ts'
import type { Database } from '../../database/database.ts'
import { type MonthlyFigures, readPublishedStatement } from '../../snapshot/files/documents.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { countedTable, type ExportColumn, type ExportTable } from './table.ts'

/** A line of a statement, of an account or a total. Figures are decimal text; null where there is none. */
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

/**
 * Reads a statement in the months asked for; null where none was published for this combination. Throws
 * SnapshotDamagedError.
 */
export async function readStatement(
  snapshot: Snapshot,
  scope: StatementScope,
  { from, through }: Months,
): Promise<ExportedStatement | null> {
  const published = await readPublishedStatement(snapshot, scope)
  if (published === null) return null
  const decimals = currencyDecimals(snapshot.manifest.Currency)
  const all = published.months
  const [begin, end] = [
    all.findIndex((month) => month >= from),
    all.findLastIndex((month) => month <= through),
  ]
  const within = <T>(values: readonly T[]) => (begin === -1 ? [] : values.slice(begin, end + 1))
  const textsOf = (figures: MonthlyFigures) =>
    within(figures).map((figure) => (figure === null ? null : formatMinor(figure, decimals)))
  const rows = [...published.rows.values()].map(({ accountId, number, name, section, figures }) => ({
    total: false,
    section,
    account: accountId,
    number,
    name,
    figures: textsOf(figures),
  }))
  const totals = [...published.totals].map(([name, figures]) => ({
    total: true,
    section: null,
    account: name,
    number: null,
    name,
    figures: textsOf(figures),
  }))
  return { scope, months: within(all), lines: [...rows, ...totals] }
}

const COLUMNS: readonly ExportColumn[] = [
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

/** One row for each line and month (its first day), in the order of the statements; `line` is `account` or `total`. */
export async function statementsTable(
  db: Database,
  snapshot: Snapshot,
  statements: readonly ExportedStatement[],
): Promise<ExportTable> {
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
