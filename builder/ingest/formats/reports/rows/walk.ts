/** The rows of a report in order, with the section that each stands in; a workbook's sheet and a text of any size alike. */

import { CHUNK } from '../../../format/records.ts'
import type { TextRow } from '../../../text/csv.ts'
import type { Encoding } from '../../../text/decode.ts'
import { type Cells, type OnFault, recordsOf } from '../../../text/delimited.ts'
import { textOf } from '../../../text/scan.ts'
import { cellOf } from './cells.ts'
import type { Layout, Report } from './layout.ts'
import { groupedRows, markedRow } from './marks.ts'
import type { AccountText } from './names.ts'
import { isBalanceLabel, type RowEvent, RowReader } from './rows.ts'
import type { Sections } from './sections.ts'

/** Where the rows of a report stand: in a text, or in a sheet that was read already. */
export type RowSource =
  | { readonly path: string; readonly encoding: Encoding; readonly delimiter: string }
  | { readonly sheet: readonly TextRow[] }

export interface OpenReport extends Report {
  /** Path of the file relative to the company's folder. */
  readonly source: string
  /** The same, with the sheet where a workbook holds several reports. */
  readonly file: string
  readonly rowSource: RowSource
}

export interface Step {
  readonly event: RowEvent
  /** The section that the row stands in; null outside of all, and in a journal. */
  readonly section: number | null
  /** The section that a total is of; null where there is none of its name. */
  readonly closed: number | null
}

/** In batches, since a report may have millions of rows. Sections are numbered alike on every walk. */
export async function* walk(
  open: OpenReport,
  sections: Sections,
  onFault?: OnFault,
): AsyncGenerator<readonly Step[]> {
  const { layout } = open
  const reader = new RowReader(layout, layout.marks === null ? null : markedRow(layout, layout.marks))
  const plain = layout.plainRows?.(layout) ?? null
  const grouped = layout.marks === null ? null : groupedRows(layout, layout.marks)
  const stepOf = follow(layout, sections)
  for await (const all of rowsOf(open, onFault)) {
    const steps: Step[] = []
    for (const { row, cells } of all) {
      const event = reader.event(row, plain === null || row <= layout.headerRow ? cells : plain(cells))
      if (event === null) continue
      if (grouped === null) steps.push(stepOf(event))
      else for (const each of grouped(event)) steps.push(stepOf(each))
    }
    yield steps
  }
}

/** Says of each row where it stands, in the order of the rows. */
function follow({ kind, isFlat }: Layout, sections: Sections): (event: RowEvent) => Step {
  let closedLast: number | null = null
  // Xero writes no total below an account that nothing moved; its balances show that it is one.
  let hasBalance = false
  return (event) => {
    let closed: number | null = null
    if (kind === 'ledger') {
      if (event.kind === 'section') {
        sections.start(kept(event.label), event.depth, isFlat && hasBalance)
        hasBalance = false
      } else if (event.kind === 'total') closed = sections.end(event.label)
    }
    closedLast = closed ?? closedLast
    hasBalance ||= event.kind === 'opening' || event.kind === 'closing'
    // The balance at the end may stand below the total.
    const section = sections.current ?? (event.kind === 'closing' ? closedLast : null)
    return { event, section, closed }
  }
}

/** A copy: a slice of a text would keep the whole text in memory. */
export const kept = (text: string): string => Buffer.from(text).toString()

/** Blank rows count, as they do in a spreadsheet. */
export async function* rowsOf(
  { rowSource }: OpenReport,
  onFault?: OnFault,
): AsyncGenerator<readonly TextRow[]> {
  if ('sheet' in rowSource) {
    yield rowSource.sheet
    return
  }
  const { path, encoding, delimiter } = rowSource
  let row = 0
  for await (const records of recordsOf(textOf(path, encoding, CHUNK), delimiter, onFault))
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

/** The same function, asked once for rows below each other that name the same account: in a ledger, most do. */
export function askedOnce<Made>({ at }: Layout, make: (cells: Cells, section: number | null) => Made) {
  let last: { readonly cells: Cells; readonly section: number | null; readonly made: Made } | null = null
  return (cells: Cells, section: number | null): Made => {
    const { account, code } = at
    if (
      last === null ||
      last.section !== section ||
      cellOf(last.cells, account) !== cellOf(cells, account) ||
      cellOf(last.cells, code) !== cellOf(cells, code)
    )
      last = { cells, section, made: make(cells, section) }
    return last.made
  }
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
