/** SQL for the ids of entries, where the format of a file says more of them than each line does. */
import { present } from '../../contract/present.ts'
import { quoted } from '../../database/database.ts'
import type { Shared, WholeFile } from '../../ingest/format/entry-names.ts'
import { type FiscalYear, yearLabel } from '../../ingest/format/intake.ts'
import type { LedgerColumn } from '../../ingest/format/ledger-columns.ts'

export const NEVER = 'false'
export const among = (column: string, values: readonly string[]): string =>
  values.length === 0 ? NEVER : `coalesce(${column} IN (${values.map(quoted).join(', ')}), false)`

export type Whole = Pick<WholeFile, 'years' | 'openingJournals' | 'isWithin' | 'shared'>
export const NOTHING_OF_WHOLE: Whole = { years: [], openingJournals: [] }

/** SQL for what is said of the fiscal year that a line belongs to. */
export function byYear({ years, openingJournals }: Whole, said: (year: FiscalYear) => string): string {
  const last = present(years.at(-1), 'fiscal year of a file')
  const stated = years.slice(0, -1)
  if (stated.length === 0) return said(last)
  // A balance that is dated before the file's year is an open item of that year's opening.
  const isBefore = `${among('journal', openingJournals)} AND entered < DATE '${last.start}'`
  const cases = stated.map(
    (year) => `WHEN entered BETWEEN DATE '${year.start}' AND DATE '${year.end}' THEN ${said(year)}`,
  )
  return `CASE WHEN ${isBefore} THEN ${said(last)} ${cases.join(' ')} ELSE ${said(last)} END`
}

/** SQL for the id of a line or its entry, with the year before it. */
export const ofYearSql = (id: string, whole: Whole): string =>
  whole.years.length === 0 ? id : `${byYear(whole, (year) => quoted(`${yearLabel(year)} `))} || ${id}`

/**
 * SQL for the ids that a line without a number may have, from the finest to the coarsest. `value` is SQL for the text of a column; null where
 * the lines have none.
 */
export function sharedSql(whole: Whole, value: (column: LedgerColumn) => string | null): string[] {
  const [party, memo] = [value('party') ?? 'NULL::VARCHAR', value('memo') ?? 'NULL::VARCHAR']
  const texts: { readonly [each in Shared]: string | null } = {
    date: 'entered',
    month: "strftime(entered, '%Y-%m')",
    journal: value('journal'),
    type: value('type'),
    reference: value('reference'),
    memo: value('memo'),
    party: value('party'),
    payee: `coalesce(${party}, CASE WHEN contains(${memo}, ' - ') THEN nullif(split_part(${memo}, ' - ', 1), '') END)`,
  }
  return (whole.shared ?? []).map((shared) =>
    ofYearSql(`concat_ws(' ', ${shared.flatMap((each) => texts[each] ?? []).join(', ')})`, whole),
  )
}
