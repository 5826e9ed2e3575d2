/** Rows below the records of a file that are none: a total, or when and by whom the file was made. */
import { type Finding, note, ofLedger } from '../../workspace/findings/finding.ts'
import { parseDate } from './months.ts'

/** A name such as Total Wine is no total. */
const TOTAL =
  /^(?:grand |sub[ -]?)?(?:totals?|totalt|totale|totaal|totaux|summe|summa|gesamt(?:summe)?|somme|suma|soma|i alt)(?:\s*:)?(?:\s+\(?[A-Z]{3}\)?)?[\d\s.,]*$/i
/** Printed Matter Ltd prints nothing: a day, a person or a time follows. */
const MADE =
  /^(?:report )?(?:generated|printed|created|exported|produced|downloaded|prepared|erstellt|gedruckt|exportiert|généré|imprimé|édité|exporté|utskriven|skapad|exporterad|udskrevet|utskrevet|generado|impreso|exportado|gerado|impresso|generato|stampato|gegenereerd|afgedrukt)(?:\s*:|\s+\d|\s+(?:on|by|at|am|von|um|le|par|den|av|el|por|em|il|da|op|door)(?!\p{L}))|^end of (?:report|file|list)(?!\p{L})|^page \d/iu

/** What may be the beginning of a record that was cut off has a day in it. */
export function isFooter(cells: readonly string[]): boolean {
  const [label = '', ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (others.some((text) => parseDate(text) !== null)) return false
  return MADE.test(label) || (TOTAL.test(label) && others.every((text) => /\d/.test(text)))
}

/** The last rows, as far as they are footers. */
export function footersOf<Row extends { readonly cells: readonly string[] }>(
  rows: readonly Row[],
): readonly Row[] {
  const last = rows.findLastIndex(({ cells }) => !isFooter(cells))
  return rows.slice(last + 1)
}

export const footerLeftOut = (file: string, row: number, text: string): Finding =>
  note('line-left-out', `"${ofLedger(text)}" stands below the entries and is none: not read`, {
    ...{ file, row, text, remedy: 'nothing need be done' },
  })
