/** Transaction ids that begin anew each year: lines of one id count as one entry, which two vouchers are not. */
import { type Finding, warning } from '../workspace/finding.ts'
import type { Database } from './database.ts'
import type { Frame } from './frame.ts'

export async function repeatFindings(
  db: Database,
  frame: Frame,
  files: readonly string[],
): Promise<Finding[]> {
  const starts = frame.fiscalYears.slice(1).map((year) => `DATE '${year.start}'`)
  if (starts.length === 0) return []
  const [row] = await db.rows<{
    tx: string
    first: string
    last: string
    file: number
    row: string
    found: string
  }>(`
    SELECT tx, first::VARCHAR AS first, last::VARCHAR AS last, place[1] AS file, place[2] AS row, count(*) OVER () AS found FROM (
      SELECT basis, tx, min(day) AS first, max(day) AS last, arg_max([file, row], day) AS place FROM posting GROUP BY basis, tx)
    WHERE len(list_filter([${starts.join(', ')}], lambda start: start > first AND start <= last)) > 0
    ORDER BY first, tx LIMIT 1`)
  if (!row) return []
  return [
    warning(
      'transaction-id-in-two-years',
      `${row.found} transaction id${row.found === '1' ? ' stands' : 's stand'} in more than one fiscal year; ${row.tx} is dated ${row.first} and ${row.last}: its lines count as one entry`,
      {
        file: files[row.file] ?? null,
        row: Number(row.row),
        column: 'transaction_id',
        text: row.tx,
        remedy: 'where numbers begin anew each year, export ids that tell the years apart, such as 2024-17',
      },
    ),
  ]
}
