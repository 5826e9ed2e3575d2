/** What one pass over all entries shows, so that most ledgers need no second one: checks ask further where there is something to name. */
import type { Database } from './database.ts'

export interface Entries {
  /** Some entry's lines do not add up to zero. Openings are left out: whether they do is judged as a whole. */
  readonly haveDifferences: boolean
  /** Some entry has lines of several days. */
  readonly lastDays: boolean
  /** Some entry stands in several files. */
  readonly spanFiles: boolean
  /** Some entry has every line an even number of times, as where a file was pasted into itself. */
  readonly haveDoubles: boolean
}

/** Null where each line of an entry is there an even number of times. Aggregated per entry, over `line`. */
export const ODD_LINES = 'nullif(bit_xor(hash(day, account, class, department, amount, memo)), 0)'

export async function surveyEntries(db: Database): Promise<Entries> {
  const [found] = await db.rows<Record<'differences' | 'days' | 'files' | 'doubles', boolean | null>>(`
    SELECT bool_or(total <> 0) AS differences, bool_or(first_day <> last_day) AS days, bool_or(first_file <> last_file) AS files,
      bool_or(odd IS NULL) AS doubles
    FROM (
      SELECT sum(amount) FILTER (NOT opening) AS total, min(day) AS first_day, max(day) AS last_day,
        min(file) AS first_file, max(file) AS last_file, ${ODD_LINES} AS odd
      FROM line GROUP BY basis, tx)`)
  return {
    haveDifferences: found?.differences ?? false,
    lastDays: found?.days ?? false,
    spanFiles: found?.files ?? false,
    haveDoubles: found?.doubles ?? false,
  }
}
