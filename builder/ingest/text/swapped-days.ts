/**
 * A spreadsheet that opens dates of another country reads 5/1/2025 as a day where that is one, with day and month exchanged, and leaves
 * 15/1/2025 as text. In a column, days up to the twelfth that are dates beside later ones that are texts are its mark.
 */
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { ISO_DATE, parseDate } from './months.ts'

const LAST_MONTH = 12

/** Dates of a sheet with their rows; those that are dates of the spreadsheet are in ISO form. `format` is that of the texts. */
export function swappedDays(
  dates: Iterable<readonly [row: number, text: string]>,
  format: string | undefined,
  place: { readonly file: string; readonly column: string },
): Finding[] {
  let stored: readonly [row: number, text: string] | null = null
  let typed: readonly [row: number, text: string] | null = null
  for (const date of dates) {
    const [, text] = date
    const iso = parseDate(text, ISO_DATE)
    const day = Number((iso ?? parseDate(text, format) ?? '').slice(8))
    if (day === 0) continue
    if ((iso !== null) !== day <= LAST_MONTH) return []
    if (iso === null) typed ??= date
    else stored ??= date
  }
  if (stored === null || typed === null) return []
  const [row, text] = stored
  const meant = `${text.slice(0, 4)}-${text.slice(8, 10)}-${text.slice(5, 7)}`
  return [
    error(
      'swapped-days',
      `all days up to the 12th are dates of the spreadsheet, all later ones are texts, such as "${typed[1]}" in row ${typed[0]}: it has read day and month in the wrong order, and ${text} may be ${meant}`,
      {
        ...{ ...place, row, text },
        remedy:
          'open the original export with the dates of its country, and save it again; or write all dates of the column as text in one form',
      },
    ),
  ]
}
