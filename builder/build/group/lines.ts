/** Reads the postings of a member into lines in accounts of the group. What closes a year of the member is left out: the group has its own. */
import { join } from 'node:path'
import { GROUP_KINDS, KINDS, PUBLISHED_IN_BALANCES } from '../../books/post/postings.ts'
import { decimalsOf } from '../../books/reference/frame.ts'
import { formatInteger } from '../../contract/currency.ts'
import { decimalOfMinor, minorOfDecimal } from '../../database/amount-sql.ts'
import { copySql, type Database, parquetSql, quoted } from '../../database/database.ts'
import { monthSql } from '../../database/date-sql.ts'
import { canonicalPlan, formOfEntry } from '../../ingest/format/canonical-plan.ts'
import { type FormatContent, NO_CONTENT } from '../../ingest/format/content.ts'
import type { AccountRow, LedgerParquet, LedgerPlan, OpeningRow } from '../../ingest/format/intake.ts'
import type { LedgerColumn } from '../../ingest/format/ledger-columns.ts'
import type { Scratch } from '../../ingest/text/scan.ts'
import type { Company } from '../../workspace/company.ts'
import type { AccountMap } from './accounts.ts'
import { departmentSql } from './departments.ts'
import { booksPath, type DatedMember, OPENINGS, POSTINGS, type Span } from './members.ts'
import { budgetsSql, budgetsTaken } from './plans.ts'

/** What all lines of a group have in common: its months, the decimals of its currency, and the accounts of its chart. */
export interface GroupFrame {
  readonly span: Span
  readonly decimals: number
  readonly chart: readonly AccountRow[]
}

/** SQL: whether an entry of a member, which is a group itself, is one that groups make. */
const IS_OF_GROUP = `coalesce(${Object.entries(GROUP_KINDS)
  .map(([type, kind]) => `kind = '${KINDS[kind]}' AND type = '${type}'`)
  .join(' OR ')}, false)`

/** SQL for the postings of a member that count in the months of the group. */
const postingsSql = ({ snapshot, days: { from, until } }: DatedMember): string =>
  `FROM ${parquetSql(join(snapshot.folder, POSTINGS))} WHERE basis = 'accrual' AND (kind IN ('activity', 'transfer') OR ${IS_OF_GROUP})
     AND date BETWEEN DATE '${from}' AND DATE '${until}'`

/** SQL for the balances of a member before the first day of the group, by account and department. */
const openingSql = ({ snapshot, frame, departments, days: { from } }: DatedMember): string => `
  SELECT own, ${departmentSql(departments, 'department')} AS department, sum(${minorOfDecimal('amount', decimalsOf(frame))})::BIGINT AS amount FROM (
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
 * Creates the views `own_<i>` and `line_<i>` (row, tx, day, own, department, amount, type), both the postings of a member in their order, and
 * the tables `map_<i>` (own, account), `opening_<i>` (own, account, department, amount) and `added_<i>`, of lines that the group adds. `own` is
 * the account of the member, `account` that of the group. Amounts are minor units of the member, debit positive. Postings stay
 * in the member's books: a table of them would cost more than reading them where all are needed.
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
    CREATE VIEW own_${i} AS
    SELECT seq AS row, transaction_id AS tx, date AS day, account AS own, ${departmentSql(member.departments, 'department')} AS department, ${minor} AS amount, CASE WHEN ${IS_OF_GROUP} THEN type END AS type
    ${postingsSql(member)};
    CREATE VIEW line_${i} AS FROM own_${i};
    CREATE TABLE added_${i} (row BIGINT, tx VARCHAR, day DATE, own VARCHAR, account VARCHAR, department VARCHAR, amount BIGINT, type VARCHAR, memo VARCHAR);
    CREATE TABLE opening_${i} AS
    SELECT own, account, department, amount FROM (${openingSql(member)}) JOIN map_${i} USING (own) ORDER BY ALL`)
}

/**
 * Creates `moved_<i>`: what accounts of a member move by month and type of entry (own, account, department, month, type, amount), in
 * minor units of the group. Lines that the group adds count in it. The postings alone are `sum_<i>`, with the columns that `more` names.
 */
export const createSums = (db: Database, i: number, more = ''): Promise<void> =>
  db.run(`
    CREATE TABLE sum_${i} AS
    FROM (
      SELECT own, department, ${monthSql('day')} AS month, type, sum(amount)::BIGINT AS amount, max(row) AS row ${more}
      FROM line_${i} GROUP BY ALL)
    JOIN map_${i} USING (own);
    CREATE VIEW moved_${i} AS
    SELECT own, account, department, month, type, amount FROM sum_${i}
    UNION ALL SELECT own, account, department, ${monthSql('day')}, type, amount FROM added_${i}`)

/**
 * Appends lines of entries that the group makes, given by SQL (tx, day, own, account, department, amount, type, memo). They get
 * numbers behind those of the member.
 */
export const addLines = (db: Database, i: number, lines: string): Promise<void> =>
  db.run(`
    INSERT INTO added_${i} BY NAME
    SELECT (row_number() OVER (ORDER BY tx, day, own, account, department NULLS FIRST) + ${lastRow(i)}) AS row, * FROM (${lines})`)

const lastRow = (i: number): string =>
  `(SELECT coalesce(max(row), 0) FROM (SELECT row FROM sum_${i} UNION ALL SELECT row FROM added_${i}))`

/** The plan of lines that were written as CSV with these columns, among them `row`. */
export const planOf = (file: string, path: string, columns: readonly (LedgerColumn | 'row')[]): LedgerPlan =>
  canonicalPlan({ file, path, basis: 'ACCRUAL' }, columns)

/** What the postings of a member are in another currency. */
export interface Stated {
  /** A file with a record for each posting, in their order: `row`, `amount` in minor units of the group, and the place of its rate. */
  readonly path: string
  /** The rates as they are written, by place. */
  readonly rates: readonly string[]
  /** False where a sum is so large that the books refuse it. */
  readonly isExact: boolean
}

const TEXTS = ['transaction_id', 'account', 'department', 'type', 'memo'] as const

/** SQL for the postings of a member, and then the lines that the group adds, in the accounts of the group; amounts are decimals. */
async function linesSql(
  db: Database,
  i: number,
  member: DatedMember,
  map: AccountMap,
  stated: Stated | null,
  decimals: number,
  scratch: Scratch,
): Promise<string> {
  const money = (amount: string, scale: number) => `${amount}::DECIMAL(18, ${scale})`
  const own = money('amount', decimalsOf(member.frame))
  const postings = `(SELECT * ${postingsSql(member)})`
  const texts = (all: Iterable<string>) => [...all].map(quoted).join(', ')
  // A join would not keep the order of postings.
  const account = `[${texts(map.values())}][enum_code(account::ENUM(${texts(map.keys())})) + 1]`
  const [from, amount, memo] =
    stated === null
      ? [postings, own, 'NULL']
      : [
          // An amount that would stand beside another posting is none, which refuses the build.
          `(SELECT posting.*, CASE WHEN stated.row = seq THEN stated.amount END AS stated, rate
            FROM ${postings} posting POSITIONAL JOIN ${parquetSql(stated.path)} stated)`,
          decimalOfMinor('stated', decimals, 18),
          `${own} || ' ${member.frame.currency} ' || [${texts(stated.rates)}][rate + 1]`,
        ]
  const lines = `
    SELECT seq AS row, ${quoted(`${member.id} `)} || transaction_id AS transaction_id, date, ${account} AS account, ${amount} AS amount,
      ${departmentSql(member.departments, 'department')} AS department, CASE WHEN ${IS_OF_GROUP} THEN type END AS type, ${memo} AS memo
    FROM ${from}`
  const { count } = await db.row<{ count: string }>(`SELECT count(*)::VARCHAR AS count FROM added_${i}`)
  if (count === '0') return lines
  const added = await scratch.file()
  await db.run(
    copySql(
      `SELECT row, ${quoted(`${member.id} `)} || tx AS transaction_id, day AS date, account, ${decimalOfMinor('amount', decimals, 18)} AS amount,
         department, type, memo FROM added_${i} ORDER BY row`,
      added,
      'FORMAT parquet',
    ),
  )
  return `${lines} UNION ALL FROM ${parquetSql(added)}`
}

/** The lines and openings of a member for the books of the group, in the class of the member and with so many decimals. */
export async function contentOf(
  db: Database,
  i: number,
  member: DatedMember,
  map: AccountMap,
  stated: Stated | null,
  { span: { from: yearStart }, decimals }: GroupFrame,
  scratch: Scratch,
): Promise<FormatContent> {
  const { id, file } = member
  const balances = await db.rows<{ account: string; department: string | null; amount: string }>(
    `SELECT account, department, amount::VARCHAR AS amount FROM opening_${i} ORDER BY own, department, amount, account`,
  )
  const { last } = await db.row<{ last: string }>(`SELECT ${lastRow(i)}::VARCHAR AS last`)
  const openings = balances.map(
    ({ account, department, amount }, n): OpeningRow => ({
      ...{ account, class: id, department, amount: formatInteger(amount, decimals), yearStart },
      ...{ basis: null, file, row: Number(last) + 1 + n },
    }),
  )
  const input: LedgerParquet = {
    ...{ kind: 'parquet', file, path: booksPath(member), basis: 'ACCRUAL', ...formOfEntry({}) },
    columns: {
      ...Object.fromEntries(TEXTS.map((column) => [column, { column, read: 'text' }])),
      date: { column: 'date', read: 'day' },
      amount: { column: 'amount', read: 'decimal', scale: decimals },
      class: { folder: id },
    },
    ...{ rows: Number(last), types: '' },
    query: await linesSql(db, i, member, map, stated, decimals, scratch),
  }
  return { ...NO_CONTENT, ledger: [input], openings, statesOpenings: true }
}
