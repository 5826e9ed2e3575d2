/** Removes rows that cannot be read from the lines, so that checks which do not depend on them can still run. */
import { LISTED } from '../workspace/cap-findings.ts'
import type { Finding } from '../workspace/finding.ts'
import { type Database, quoted } from './database.ts'
import type { LeftOut } from './doubts.ts'
import { REPEATED, wrongRows } from './ledger-checks.ts'
import { type Context, inputAt } from './ledger-context.ts'

interface Wrong extends Record<string, unknown> {
  readonly file: number
  readonly row: string
  readonly account: number | null
  readonly opening: boolean
  /** Whether the row is removed: an amount without account, day or basis cannot be counted. */
  readonly out: boolean
  readonly repeated: boolean
}

/** The table with the keys of the lines that were left out, for findings that name them. */
export const LEFT_OUT = 'left_out'

/** Books with more wrong rows are read in a wrong way altogether, so the other lines prove nothing. */
const MOST = LISTED

/**
 * Deletes unreadable rows from `line` and fills in missing ids and members of the others. `found` holds the findings about rows.
 * Returns the rows that were left out or are only partly read; none where there are too many.
 */
export async function leaveOutUnread(
  db: Database,
  context: Context,
  found: readonly Finding[],
): Promise<LeftOut[]> {
  const rejected = context.rejected.flatMap(({ code, file, row }): LeftOut[] =>
    code === 'malformed-row' && file !== null && row !== null
      ? [{ file, row, of: 'either', account: null }]
      : [],
  )
  const wrong = wrongRows(context, found)
  if (wrong === null) return rejected
  const repeated = found.some(({ code }) => code === 'duplicate-line-id') ? REPEATED : 'false'
  const out = `(account IS NULL OR day IS NULL OR amount IS NULL OR basis IS NULL
    OR coalesce(upper(currency) <> ${quoted(context.currency)}, false) OR ${repeated})`
  const rows = await db.rows<Wrong>(
    `SELECT file, row, account, opening, ${out} AS out, ${repeated} AS repeated FROM line WHERE ${wrong} ORDER BY file, row LIMIT ${MOST + 1}`,
  )
  if (rows.length > MOST) return []
  await db.run(`
    CREATE TABLE ${LEFT_OUT} AS SELECT file, row, tx, line_id FROM line WHERE ${out};
    DELETE FROM line WHERE ${out};
    UPDATE line SET tx = coalesce(tx, ''), class = coalesce(class, 0), department = coalesce(department, 0)
    WHERE tx IS NULL OR class IS NULL OR department IS NULL`)
  const kept = found.flatMap(({ file, row }): LeftOut[] =>
    file === null || row === null ? [] : [{ file, row, of: 'statement', account: null }],
  )
  return [
    ...rejected,
    ...kept,
    ...rows
      .filter((row) => row.out)
      .map(
        ({ file, row, account, opening, repeated }): LeftOut => ({
          file: inputAt(context.inputs, file).file,
          row: Number(row),
          // The first of two lines with the same line id stays in the books, so no entry lacks it.
          of: repeated ? 'statement' : opening ? 'opening' : 'entry',
          account,
        }),
      ),
  ]
}

/**
 * The differences of unbalanced entries in minor units, as a whole and by month, each once. Correcting such an entry changes some
 * account by its difference.
 */
export async function differencesOf(db: Database): Promise<number[]> {
  const rows = await db.rows<{ off: string }>(`
    WITH monthly AS (
      SELECT basis, tx, date_trunc('month', day) AS month, sum(amount) AS off FROM line
      WHERE NOT opening AND tx <> '' GROUP BY ALL HAVING sum(amount) <> 0)
    SELECT DISTINCT off::VARCHAR AS off FROM (
      SELECT off FROM monthly UNION ALL SELECT sum(off) AS off FROM monthly GROUP BY basis, tx)
    LIMIT ${MOST}`)
  return rows.map(({ off }) => Number(off))
}
