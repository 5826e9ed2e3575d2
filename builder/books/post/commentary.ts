/** Divides the commentary on a month into notes, and finds the statement line that the heading of each note names. */
import { SUMMARY_LABELS, type SummaryName } from '../../contract/vocabulary.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import type { CommentaryText } from '../../workspace/source-files.ts'
import type { Account, Frame } from '../reference/frame.ts'
import type { Layout, MonthlyCommentary, Note } from '../reference/presentation.ts'

type Named = Pick<Frame, 'accounts' | 'coverage'> & { readonly layout: Layout | undefined }

/** The notes of each month. Warns of months outside the books, and of headings that name no line or several. */
export function commentaryOf(
  texts: readonly CommentaryText[],
  frame: Named,
): { readonly commentary: readonly MonthlyCommentary[]; readonly findings: readonly Finding[] } {
  const lines = linesByName(frame)
  const findings: Finding[] = []
  const commentary = texts.map(({ month, file, text }): MonthlyCommentary => {
    const { startDate, endDate } = frame.coverage
    if (month < startDate.slice(0, 7) || month > endDate.slice(0, 7))
      findings.push(
        warning(
          'commentary-month',
          `is about a month that the books do not cover: ${startDate} to ${endDate}`,
          {
            file,
            remedy: 'correct the month in its name, or remove the file',
          },
        ),
      )
    const notes = notesIn(text).map(({ row, heading, text }): Note => {
      const found = heading === null ? [] : (lines.get(plain(heading)) ?? [])
      const [line] = found
      if (heading !== null && (line === undefined || found.length > 1))
        findings.push(
          warning(
            'commentary-line',
            found.length > 1
              ? `"${heading}" is the name of ${found.length} lines of the statements`
              : `no line of the statements is called "${heading}"; the note stands on the overview alone`,
            {
              file,
              row,
              text: heading,
              remedy: 'write the number of an account, or a name as the statements show it',
            },
          ),
        )
      return { line: found.length === 1 && line !== undefined ? line : null, heading, text }
    })
    return { month, notes }
  })
  return { commentary, findings }
}

interface WrittenNote {
  readonly row: number
  /** Null for the text before the first heading. */
  readonly heading: string | null
  readonly text: string
}

/** The text of a heading, which may end with signs of its own (`# Sales #`). */
function headingIn(line: string): string {
  const text = /^#{1,6}\s+(\S.*)$/.exec(line)?.[1]?.trim() ?? ''
  let end = text.length
  while (text[end - 1] === '#') end--
  return text.slice(0, end).trim()
}

/** Each heading (`# Sales`) begins a note. Notes without a text are dropped. */
function notesIn(text: string): WrittenNote[] {
  const notes: { row: number; heading: string | null; lines: string[] }[] = [
    { row: 1, heading: null, lines: [] },
  ]
  for (const [i, line] of text.split('\n').entries()) {
    const heading = headingIn(line)
    if (heading) notes.push({ row: i + 1, heading, lines: [] })
    else notes.at(-1)?.lines.push(line)
  }
  return notes
    .map(({ lines, ...rest }) => ({ ...rest, text: lines.join('\n').trim() }))
    .filter((note) => note.text !== '')
}

const plain = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()

/** The ids of statement lines (as `report/groups.ts` makes them) by the names that people may write. */
function linesByName({ accounts, layout }: Named): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  const name = (text: string, line: string) => {
    const key = plain(text)
    const lines = found.get(key)
    if (lines) lines.add(line)
    else if (key !== '') found.set(key, new Set([line]))
  }
  for (const account of accounts)
    for (const text of [account.number, account.id, account.name, `${account.number} ${account.name}`])
      name(text, lineOf(account))
  for (const [id, label] of Object.entries(SUMMARY_LABELS) as [SummaryName, string][]) name(label, id)
  for (const part of Object.values(layout ?? {}).flat())
    if (part.label !== null) name(part.label, `own:${part.label}${part.show === 'group' ? ':total' : ''}`)
  return new Map([...found].map(([key, lines]) => [key, [...lines]]))
}

/** The figure of a header account stands in the subtotal line of its group. */
const lineOf = ({ id, isHeader }: Account): string => (isHeader ? `group:${id}:total` : id)
