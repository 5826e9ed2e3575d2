/** What one pass over all entries shows, so that most ledgers need no second one: checks ask further where there is something to name. */
import type { Database } from './database.ts'

export interface Entries {
  /** Some entry's lines do not add up to zero. Openings are left out: whether they do is judged as a whole. */
  readonly haveDifferences: boolean
  /** Some entry has lines of several days. */
  readonly lastDays: boolean
  /** Some entry stands in several files. */
  readonly spanFiles: boolean
}

export async function surveyEntries(db: Database): Promise<Entries> {
  const [found] = await db.rows<Record<'differences' | 'days' | 'files', boolean | null>>(`
    SELECT bool_or(total <> 0) AS differences, bool_or(first_day <> last_day) AS days, bool_or(first_file <> last_file) AS files
    FROM (
      SELECT sum(amount) FILTER (NOT opening) AS total, min(day) AS first_day, max(day) AS last_day,
        min(file) AS first_file, max(file) AS last_file
      FROM line GROUP BY basis, tx)`)
  return {
    haveDifferences: found?.differences ?? false,
    lastDays: found?.days ?? false,
    spanFiles: found?.files ?? false,
  }
}
