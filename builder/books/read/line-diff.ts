/** Compares the lines of the books of two snapshots. The differing lines, with file and row, explain figures that changed. */
import { join } from 'node:path'
import type { Basis } from '../../contract/vocabulary.ts'
import { type Database, openDatabase, parquetSql, quoted } from '../../database/database.ts'
import type { Frame } from '../reference/frame.ts'
import { membersIn } from './lineage.ts'

export interface DifferingLine {
  readonly side: 'removed' | 'added'
  readonly kind: string
  readonly basis: string
  /** Null for an opening balance. */
  readonly date: string | null
  readonly account: string
  readonly classId: string | null
  readonly departmentId: string | null
  readonly transactionId: string | null
  /** Decimal text, debit positive. */
  readonly amount: string
  readonly memo: string | null
  readonly file: string
  readonly row: number
}

/** Lines that agree in these columns are the same. File, row and memo are left out, because they change no figure. */
const KEY = ['basis', 'kind', 'date', 'transaction_id', 'account', 'class', 'department', 'amount'] as const

/** The books of a snapshot: the verified folder, and the dimension trees that filters use. */
export interface ComparedBooks {
  readonly folder: string
  readonly frame: Pick<Frame, 'classes' | 'departments'>
}

export interface LineFilters {
  readonly basis: Basis | null
  readonly classId: string | null
  readonly departmentId: string | null
}

/**
 * The lines that only one of two snapshots has; both must be in one currency. Filters use the dimension trees of each line's
 * own snapshot.
 */
export async function differingLines(
  before: ComparedBooks,
  now: ComparedBooks,
  { basis, classId, departmentId }: LineFilters,
): Promise<DifferingLine[]> {
  const db = await openDatabase({ folders: [before.folder, now.folder] })
  const within = ({ frame }: ComparedBooks) =>
    [
      basis === null ? 'true' : `basis = ${quoted(basis.toLowerCase())}`,
      membersIn(frame.classes, 'class', classId),
      membersIn(frame.departments, 'department', departmentId),
    ].join(' AND ')
  const postings = (books: ComparedBooks) =>
    `FROM ${parquetSql(join(books.folder, 'postings.parquet'))} WHERE ${within(books)}`
  const lines = (books: ComparedBooks, days: string) => `
    SELECT *, row_number() OVER (PARTITION BY ${KEY.join(', ')} ORDER BY file, "row") AS copy FROM (
      SELECT basis, kind, date, transaction_id, account, class, department, amount, memo, file, "row"
      ${postings(books)} AND ${days}
      UNION ALL
      SELECT basis, 'opening', NULL, NULL, account, class, department, amount, NULL, file, "row"
      FROM ${parquetSql(join(books.folder, 'openings.parquet'))} WHERE ${within(books)})`
  const same = [...KEY, 'copy'].map((column) => `a.${column} IS NOT DISTINCT FROM b.${column}`).join(' AND ')
  const without = (side: string, left: string, right: string) =>
    `SELECT '${side}' AS side, a.* FROM ${left} a WHERE NOT EXISTS (SELECT 1 FROM ${right} b WHERE ${same})`
  try {
    const days = await differingMonths(db, postings(before), postings(now))
    const rows = await db.rows<Omit<DifferingLine, 'row'> & { row: string } & Record<string, unknown>>(`
      WITH older AS MATERIALIZED (${lines(before, days)}), younger AS MATERIALIZED (${lines(now, days)})
      SELECT side, kind, basis, date::VARCHAR AS date, account, class AS "classId", department AS "departmentId",
        transaction_id AS "transactionId", amount::VARCHAR AS amount, memo, file, "row"
      FROM (${without('removed', 'older', 'younger')} UNION ALL ${without('added', 'younger', 'older')}) d
      ORDER BY basis, account, d.date NULLS FIRST, transaction_id, side DESC, file, d."row"`)
    return rows.map((row) => ({ ...row, row: Number(row.row) }))
  } finally {
    db.close()
  }
}

/**
 * The SQL condition for the days of the months whose lines are not the same on both sides, recognised by hashes. Lines of other months need
 * not be compared, nor all of their columns be read: most of two snapshots is the same. DuckDB passes over row groups by the first and
 * the last day, which are a condition of their own.
 */
async function differingMonths(db: Database, before: string, now: string): Promise<string> {
  const months = (from: string) =>
    `SELECT date_trunc('month', date) AS month, count(*) AS lines, sum(hash(${KEY.join(', ')})) AS hash ${from} GROUP BY month`
  const differing = await db.rows<{ first: string; last: string }>(
    `SELECT month::DATE::VARCHAR AS first, last_day(month)::VARCHAR AS last
     FROM (${months(before)}) a FULL JOIN (${months(now)}) b USING (month)
     WHERE (a.lines, a.hash) IS DISTINCT FROM (b.lines, b.hash) ORDER BY month`,
  )
  const [first, last] = [differing[0], differing.at(-1)]
  if (first === undefined || last === undefined) return 'false'
  const each = differing.map((month) => `DATE '${month.first}'`).join(', ')
  return `date >= DATE '${first.first}' AND date <= DATE '${last.last}' AND date_trunc('month', date) IN (${each})`
}

/** The sums of the postings of one day, account, class, department, basis and kind, in two snapshots; `0` where one has none. */
export interface DifferingDay {
  readonly basis: string
  readonly kind: string
  readonly date: string
  readonly account: string
  readonly classId: string | null
  readonly departmentId: string | null
  /** Decimal text, debit positive. */
  readonly before: string
  readonly now: string
}

/**
 * Days through `until` (`YYYY-MM-DD`) whose sums differ. An entry that moves inside its month changes no monthly figure, but it
 * changes the figures of ranges that begin or end between the two days. `before` and `now` are folders of books. Equal
 * lines, the usual case, are recognised by their hashes at a fifth of the cost.
 */
export async function differingDays(before: string, now: string, until: string): Promise<DifferingDay[]> {
  const db = await openDatabase({ folders: [before, now] })
  const postings = (folder: string) =>
    `FROM ${parquetSql(join(folder, 'postings.parquet'))} WHERE date <= DATE ${quoted(until)}`
  const lines = (folder: string, was: string, is: string) =>
    `SELECT basis, kind, date, account, class, department, ${was} AS was, ${is} AS "is" ${postings(folder)}`
  const hash = (folder: string) =>
    `SELECT count(*) AS lines, sum(hash(basis, kind, date, account, class, department, amount)) AS hash ${postings(folder)}`
  try {
    const equal = await db.row<{ same: boolean }>(
      `SELECT (a.lines, a.hash) IS NOT DISTINCT FROM (b.lines, b.hash) AS same FROM (${hash(before)}) a, (${hash(now)}) b`,
    )
    if (equal.same) return []
    return await db.rows<DifferingDay & Record<string, unknown>>(`
      SELECT basis, kind, date::VARCHAR AS date, account, class AS "classId", department AS "departmentId",
        sum(was)::VARCHAR AS before, sum("is")::VARCHAR AS now
      FROM (${lines(before, 'amount', '0')} UNION ALL ${lines(now, '0', 'amount')}) line
      GROUP BY basis, kind, line.date, account, class, department HAVING sum(was) <> sum("is")
      ORDER BY basis, line.date, account, class NULLS FIRST, department NULLS FIRST, kind`)
  } finally {
    db.close()
  }
}
