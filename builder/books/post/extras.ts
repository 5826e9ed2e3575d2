/** The columns that no statement needs (party, due date, who entered a line and when), in the tables of the books. */
import { columnsOf, type Database } from '../../database/database.ts'
import { EXTRA_COLUMNS, EXTRA_DAYS, type ExtraColumn } from '../../ingest/format/ledger-columns.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'

/** Those of them in which some line has a value. `posting` and `opening_line` have the same ones. */
export async function extrasIn(db: Database): Promise<ExtraColumn[]> {
  const columns = await tableExtras(db)
  if (columns.length === 0) return []
  const found = await db.row<Record<string, boolean>>(`
    SELECT ${columns.map((column) => `coalesce(bool_or(${column}), false) AS ${column}`).join(', ')} FROM (
      ${['posting', 'opening_line'].map((table) => `SELECT ${columns.map((column) => `count(${column}) > 0 AS ${column}`).join(', ')} FROM ${table}`).join(' UNION ALL ')})`)
  return columns.filter((column) => found[column])
}

/** Those of them that a table has, or published books, given as SQL. */
export async function tableExtras(db: Database, table = 'posting'): Promise<ExtraColumn[]> {
  const columns = await columnsOf(db, table)
  return EXTRA_COLUMNS.filter((column) => columns.includes(column))
}

export const isExtraDay = (column: ExtraColumn): boolean => EXTRA_DAYS.includes(column)

/** SQL for the value of such a column as it is published. */
export const extraSql = (column: ExtraColumn): string =>
  isExtraDay(column) ? `try_cast(${column} AS DATE) AS ${column}` : column

/** Warns of texts in columns of days that are no days: they are left out. */
export async function extraDayFindings(db: Database, files: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const column of (await tableExtras(db)).filter(isExtraDay)) {
    const rows = await db.rows<{ file: number; row: string; text: string; found: string }>(`
      SELECT file, arg_min(row, row)::VARCHAR AS row, arg_min(${column}, row) AS text, count(*)::VARCHAR AS found
      FROM posting WHERE ${column} IS NOT NULL AND try_cast(${column} AS DATE) IS NULL GROUP BY file ORDER BY file`)
    findings.push(
      ...rows.map(({ file, row, text, found }) =>
        warning(
          'unreadable-day',
          `${found === '1' ? 'one value' : `${found} values`} of ${column} ${found === '1' ? 'is no day' : 'are no days'}, and left out: they change no figure`,
          {
            file: files[file] ?? null,
            row: Number(row),
            column,
            text,
            remedy: 'write these days as 2025-12-31, or in the form that "dateFormat" states',
          },
        ),
      ),
    )
  }
  return findings
}
