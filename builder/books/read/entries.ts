/**
 * Surveys all entries in one pass. Most ledgers show nothing unusual, and the checks that would name the entries can then be
 * skipped.
 */
import type { Database } from '../../database/database.ts'

export interface Entries {
  /** The lines of some entry do not add up to zero. Openings are left out, because they only have to balance as a whole. */
  readonly haveDifferences: boolean
  /** Some entry has lines on several days. */
  readonly spanDays: boolean
  /** Some entry has lines in several files. */
  readonly spanFiles: boolean
  /** Some entry has every line an even number of times, as happens when a file is pasted into itself. */
  readonly haveDoubles: boolean
}

/** SQL aggregate over the lines of an entry that is NULL if each line occurs an even number of times. */
export const ODD_LINES = 'nullif(bit_xor(hash(day, account, class, department, amount, memo)), 0)'

/** Surveys the entries in the table `line`. */
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
    spanDays: found?.days ?? false,
    spanFiles: found?.files ?? false,
    haveDoubles: found?.doubles ?? false,
  }
}
