/**
 * Finds rows of published tables that name what the frame has not. Statements leave them out, or show them as unassigned, so that whoever
 * adds up the tables would get other figures than were published.
 */
import { type Database, parquetSql, quoted } from '../../database/database.ts'
import { KINDS } from '../post/postings.ts'
import { COMPUTED_CODES, type Frame } from '../reference/frame.ts'
import type { BookTable } from './shape.ts'

/** What each column may name, by the frame. A header has no figures of its own. */
function namesOf(frame: Frame): Readonly<Record<string, readonly string[]>> {
  const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id)
  return {
    basis: frame.bases.map((basis) => basis.toLowerCase()),
    account: [...idsOf(frame.accounts.filter(({ isHeader }) => !isHeader)), ...COMPUTED_CODES],
    class: idsOf(frame.classes.members),
    department: idsOf(frame.departments.members),
    kind: KINDS,
    budget: idsOf(frame.budgets),
    metric: idsOf(frame.metrics),
  }
}

/** A sentence, with the file, for each column that names something unknown, and each table with rows that its format rules out. */
export async function unknownReferences(
  db: Database,
  tables: readonly BookTable[],
  frame: Frame,
): Promise<{ readonly file: string; readonly message: string }[]> {
  const names = Object.entries(namesOf(frame))
  const problems: { file: string; message: string }[] = []
  for (const { file, path, columns } of tables) {
    for (const [name, known] of names) {
      if (!columns.some((column) => column.name === name)) continue
      const { rows, first } = await db.row<{ rows: string; first: string | null }>(
        `SELECT count(*)::VARCHAR AS rows, min(${name}) AS first FROM ${parquetSql(path)}
         WHERE ${name} NOT IN (SELECT unnest([${known.map(quoted).join(', ')}]::VARCHAR[]))`,
      )
      if (first !== null)
        problems.push({
          file,
          message: `has ${rows} rows of the ${name} "${first}", which the frame has not${name === 'account' ? ', or as a header' : ''}`,
        })
    }
    const { count, what } = RULED_OUT[file]?.(parquetSql(path), frame) ?? {}
    if (count === undefined) continue
    const { rows } = await db.row<{ rows: string }>(`SELECT (${count})::VARCHAR AS rows`)
    if (rows !== '0') problems.push({ file, message: `has ${rows} rows ${what}` })
  }
  return problems
}

/** SQL for the number of rows that the format rules out, and words for them, which follow their number. */
const RULED_OUT: Readonly<
  Record<string, (from: string, frame: Frame) => { readonly count: string; readonly what: string }>
> = {
  'postings.parquet': (from) => ({
    count: `SELECT count(*) - count(DISTINCT seq) FILTER (seq BETWEEN 1 AND (SELECT count(*) FROM ${from})) FROM ${from}`,
    what: 'that are not numbered from 1 by seq',
  }),
  'budgets.parquet': (from, { budgets }) => ({
    count: `SELECT count(*) FROM ${from} WHERE NOT (length(month) = 7 AND (${
      budgets
        .map(
          ({ id, startMonth, endMonth }) =>
            `budget = ${quoted(id)} AND month BETWEEN ${quoted(startMonth ?? '')} AND ${quoted(endMonth ?? '')}`,
        )
        .join(' OR ') || 'false'
    }))`,
    what: 'outside the months of their budget',
  }),
  'metrics.parquet': (from) => ({
    count: `SELECT count(*) - count(*) FILTER (NOT whole_month OR date = last_day(date))
      + count(*) - count(DISTINCT (metric, budget, class, department, date)) FROM ${from}`,
    what: 'of a value that is there twice, or of a month and not dated on its last day',
  }),
}
