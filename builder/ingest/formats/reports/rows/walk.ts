/** The rows of a report in order, with the section that each stands in; a workbook's sheet and a text of any size alike. */
import { present } from '../../../../contract/present.ts'
import { createReadStream } from '../../../../workspace/plain-file.ts'
import type { SourceFile } from '../../../format/format.ts'
import { type Cells, type OnFault, recordsOf } from '../../../text/delimited.ts'
import { decodeChunks } from '../../../text/scan.ts'
import { cellOf } from './cells.ts'
import type { Layout, Report } from './layout.ts'
import { groupedRows, markedRow } from './marks.ts'
import type { AccountText } from './names.ts'
import { isBalanceLabel, type RowEvent, RowReader } from './rows.ts'
import type { Sections } from './sections.ts'

export interface OpenReport extends Report {
  readonly source: SourceFile
  /** Path of the file, with the sheet where a workbook holds several reports. */
  readonly file: string
}

export interface Step {
  readonly event: RowEvent
  /** The section that the row stands in; null outside of all, and in a journal. */
  readonly section: number | null
  /** The section that a total is of; null where there is none of its name. */
  readonly closed: number | null
}

/** In batches, since a report may have millions of rows. Sections are numbered alike on every walk. */
export async function* walk(open: OpenReport, sections: Sections, onFault?: OnFault): AsyncGenerator<Step[]> {
  const { layout } = open
  const reader = new RowReader(layout, layout.marks === null ? null : markedRow(layout, layout.marks))
  const plain = layout.plainRows?.(layout) ?? null
  const grouped = layout.marks === null ? null : groupedRows(layout, layout.marks)
  let last: number | null = null
  for await (const rows of rowsOf(open, onFault)) {
    const steps: Step[] = []
    const take = (event: RowEvent) => {
      let closed: number | null = null
      if (layout.kind === 'ledger') {
        if (event.kind === 'section') sections.start(kept(event.label), event.depth)
        else if (event.kind === 'total') closed = sections.end(event.label)
      }
      last = closed ?? last
      // The balance at the end may stand below the total.
      const section = sections.current ?? (event.kind === 'closing' ? last : null)
      steps.push({ event, section, closed })
    }
    for (const { row, cells } of rows) {
      const event = reader.event(row, plain === null || row <= layout.headerRow ? cells : plain(cells))
      if (event === null) continue
      if (grouped === null) take(event)
      else grouped(event).forEach(take)
    }
    if (steps.length > 0) yield steps
  }
}

/** In bytes. Small parts keep the memory for rows small. */
const PART = 1 << 17

/** A copy: a slice of a text would keep the whole text in memory. */
export const kept = (text: string): string => Buffer.from(text).toString()

/** Blank rows count, as they do in a spreadsheet. */
export async function* rowsOf(
  { source, sheet, delimiter }: OpenReport,
  onFault?: OnFault,
): AsyncGenerator<readonly { readonly row: number; readonly cells: Cells }[]> {
  if (delimiter === null) {
    yield present(
      source.look.workbook?.sheets.find(({ name }) => name === sheet),
      'sheet of the report',
    ).rows
    return
  }
  const bytes = createReadStream(source.path, { highWaterMark: PART }) as AsyncIterable<Buffer>
  let row = 0
  for await (const records of recordsOf(decodeChunks(bytes, source.look.encoding), delimiter, onFault))
    yield records.map((cells) => ({ row: ++row, cells }))
}

/**
 * The account of a row, as the row or its section names it. Where the row's own column names another account, the section is
 * not an account: reports can be grouped by customer too.
 */
export function accountText(
  { at }: Layout,
  cells: Cells,
  section: { readonly label: string; readonly path: () => readonly string[] } | null,
): AccountText | null {
  const own = accountCell(cells, at.account)
  const code = accountCell(cells, at.code)
  if (section !== null && (own === '' || isSame(own, section.label))) return { path: section.path(), code }
  return own === '' && code === '' ? null : { path: own === '' ? [] : [own], code }
}

/** Some programs write "Opening balance" into the column of the account. */
function accountCell(cells: Cells, at: number | undefined): string {
  const text = cellOf(cells, at)
  return isBalanceLabel(text) ? '' : text
}

/** `Assets:Checking` and `Checking`, `Checking` and `1010 Checking`. */
const isSame = (own: string, label: string): boolean =>
  own === label || endsWithName(own, label) || endsWithName(label, own)
const endsWithName = (text: string, name: string): boolean =>
  text.endsWith(name) && /[:\s]/.test(text[text.length - name.length - 1] ?? '')
