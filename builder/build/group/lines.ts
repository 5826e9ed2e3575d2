/** Reads the postings of a member into lines in accounts of the group. What closes a year of the member is left out: the group has its own. */
import { join } from 'node:path'
import { GROUP_KINDS, KINDS, PUBLISHED_IN_BALANCES } from '../../books/post/postings.ts'
import { decimalsOf } from '../../books/reference/frame.ts'
import { formatInteger } from '../../contract/currency.ts'
import { decimalOfMinor, minorOfDecimal } from '../../database/amount-sql.ts'
import { copySql, type Database, parquetSql, quoted } from '../../database/database.ts'
import { canonicalPlan } from '../../ingest/format/canonical-plan.ts'
import { type FormatContent, NO_CONTENT } from '../../ingest/format/content.ts'
import type { AccountRow, LedgerPlan, OpeningRow } from '../../ingest/format/intake.ts'
import type { LedgerColumn } from '../../ingest/format/ledger-columns.ts'
import type { Scratch } from '../../ingest/text/scan.ts'
import type { Company } from '../../workspace/company.ts'
import type { AccountMap } from './accounts.ts'
import { type DatedMember, type Member, OPENINGS, POSTINGS, type Span } from './members.ts'
import { budgetsSql, budgetsTaken } from './plans.ts'

/** What all lines of a group have in common: its months, the decimals of its currency, and the accounts of its chart. */
export interface GroupFrame {
  readonly span: Span
  readonly decimals: number
  readonly chart: readonly AccountRow[]
}

/** SQL: whether an entry of a member, which is a group itself, is one that groups make. */
const IS_OF_GROUP = `coalesce((type, kind) IN (${Object.entries(GROUP_KINDS)
  .map(([type, kind]) => `('${type}', '${KINDS[kind]}')`)
  .join(', ')}), false)`

/** SQL for the postings of a member that count in the months of the group. */
const postingsSql = ({ snapshot, days: { from, until } }: DatedMember): string =>
  `FROM ${parquetSql(join(snapshot.folder, POSTINGS))} WHERE basis = 'accrual' AND (kind IN ('activity', 'transfer') OR ${IS_OF_GROUP})
     AND date BETWEEN DATE '${from}' AND DATE '${until}'`

/** SQL for the balances of a member before the first day of the group, by account and department. */
const openingSql = ({ snapshot, frame, days: { from } }: DatedMember): string => `
  SELECT own, department, sum(${minorOfDecimal('amount', decimalsOf(frame))})::BIGINT AS amount FROM (
    SELECT account AS own, department, amount FROM ${parquetSql(join(snapshot.folder, OPENINGS))} WHERE basis = 'accrual'
    UNION ALL
    SELECT account, department, amount FROM ${parquetSql(join(snapshot.folder, POSTINGS))}
    WHERE basis = 'accrual' AND ${PUBLISHED_IN_BALANCES} AND date < DATE '${from}')
  GROUP BY ALL HAVING sum(amount) <> 0`

/** The ids of the accounts of a member that have a figure in the months of the group or in its budgets, or a balance before. */
export async function usedAccounts(
  db: Database,
  member: DatedMember,
  company: Company,
): Promise<Set<string>> {
  const budgets = budgetsTaken(member, company)
  const rows = await db.rows<{ own: string }>(
    `SELECT own FROM (${openingSql(member)}) UNION SELECT account AS own ${postingsSql(member)}
     ${budgets.length === 0 ? '' : `UNION SELECT account ${budgetsSql(member, budgets)}`}`,
  )
  return new Set(rows.map(({ own }) => own))
}

/**
 * Creates the tables `line_<i>` (row, tx, day, own, account, department, amount, type, memo) and `opening_<i>` (own, account, department, amount):
 * own is the account of the member, account that of the group. Amounts are minor units of the member, debit positive.
 */
export async function createLines(
  db: Database,
  i: number,
  member: DatedMember,
  map: AccountMap,
): Promise<void> {
  const minor = minorOfDecimal('amount', decimalsOf(member.frame))
  await db.run(`CREATE TABLE map_${i} (own VARCHAR, account VARCHAR)`)
  await db.append(`map_${i}`, map)
  await db.run(`
    CREATE TABLE line_${i} AS
    SELECT seq AS row, transaction_id AS tx, date AS day, own, map_${i}.account AS account, department, ${minor} AS amount, type, NULL::VARCHAR AS memo
    FROM (
      SELECT seq, transaction_id, date, account AS own, department, amount, CASE WHEN ${IS_OF_GROUP} THEN type END AS type
      ${postingsSql(member)})
    JOIN map_${i} USING (own) ORDER BY seq;
    CREATE TABLE opening_${i} AS
    SELECT own, account, department, amount FROM (${openingSql(member)}) JOIN map_${i} USING (own) ORDER BY ALL`)
}

/**
 * Appends lines of entries that the group makes, given by SQL (tx, day, own, account, department, amount, type, memo). They get
 * numbers behind those of the member.
 */
export const addLines = (db: Database, i: number, lines: string): Promise<void> =>
  db.run(`
    INSERT INTO line_${i} BY NAME
    SELECT (row_number() OVER (ORDER BY tx, day, own, account, department NULLS FIRST) + (SELECT coalesce(max(row), 0) FROM line_${i})) AS row, * FROM (${lines})`)

const COLUMNS = [
  ...['row', 'transaction_id', 'date', 'account', 'amount', 'class', 'department', 'type', 'memo'],
] as (LedgerColumn | 'row')[]

/** The plan of lines that were written as CSV with these columns, among them `row`. */
export const planOf = (file: string, path: string, columns: readonly (LedgerColumn | 'row')[]): LedgerPlan =>
  canonicalPlan({ file, path, basis: 'ACCRUAL' }, columns)

/** The lines and openings of a member for the books of the group, in the class of the member and with so many decimals. */
export async function contentOf(
  db: Database,
  i: number,
  { id, file }: Member,
  { span: { from: yearStart }, decimals }: GroupFrame,
  scratch: Scratch,
): Promise<FormatContent> {
  const path = await scratch.file()
  const own = quoted(`${id} `)
  await db.run(
    copySql(
      `SELECT row, ${own} || tx AS transaction_id, day AS date, account, ${decimalOfMinor('amount', decimals, 18)} AS amount,
         ${quoted(id)} AS class, department, type, memo FROM line_${i} ORDER BY row`,
      path,
      'FORMAT csv, HEADER',
    ),
  )
  const { last } = await db.row<{ last: string }>(
    `SELECT coalesce(max(row), 0)::VARCHAR AS last FROM line_${i}`,
  )
  const balances = await db.rows<{ account: string; department: string | null; amount: string }>(
    `SELECT account, department, amount::VARCHAR AS amount FROM opening_${i} ORDER BY own, department, amount, account`,
  )
  const openings = balances.map(
    ({ account, department, amount }, n): OpeningRow => ({
      ...{ account, class: id, department, amount: formatInteger(amount, decimals), yearStart },
      ...{ basis: null, file, row: Number(last) + 1 + n },
    }),
  )
  return { ...NO_CONTENT, ledger: [planOf(file, path, COLUMNS)], openings, statesOpenings: true }
}
