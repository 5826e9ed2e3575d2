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
  /** The cells as the program wrote them. */
  readonly own: Cells
  /** The section that the row stands in; null outside of all, and in a journal. */
  readonly section: number | null
  /** How many sections are open: that one, and those that it is inside of. */
  readonly depth: number
  /** The section that a total is of; null where there is none of its name. */
  readonly closed: number | null
}

/** What a row is, whichever section it stands in. */
export type ReadRow = Pick<Step, 'event' | 'own'>

/** In batches, since a report may have millions of rows. Sections are numbered alike on every walk. */
export function walk(open: OpenReport, sections: Sections): AsyncGenerator<readonly Step[]> {
  const placeOf = follow(open.layout, sections)
  return batchesOf(open, (event, own): Step => {
    const { section, depth, closed } = placeOf(event)
    return { event, own, section, depth, closed }
  })
}

export const readRows = (open: OpenReport, onFault?: OnFault): AsyncGenerator<readonly ReadRow[]> =>
  batchesOf(open, (event, own): ReadRow => ({ event, own }), onFault)

/** What `make` makes of each row. Nothing else is made, as objects that live as long as a batch cost the garbage collector most. */
async function* batchesOf<Made>(
  open: OpenReport,
  make: (event: RowEvent, own: Cells) => Made,
  onFault?: OnFault,
): AsyncGenerator<readonly Made[]> {
  const { layout } = open
  const reader = new RowReader(layout, layout.marks === null ? null : markedRow(layout, layout.marks))
  const plain = layout.plainRows?.(layout) ?? null
  const grouped = layout.marks === null ? null : groupedRows(layout, layout.marks)
  for await (const all of rowsOf(open, onFault)) {
    const rows: Made[] = []
    for (const { row, cells } of all) {
      const event = reader.event(row, plain === null || row <= layout.headerRow ? cells : plain(cells))
      if (event === null) continue
      if (grouped === null) rows.push(make(event, cells))
      else for (const each of grouped(event)) rows.push(make(each, cells))
    }
    yield rows
  }
}

/** Says of each row where it stands, in the order of the rows. */
export function follow(
  { kind, isFlat }: Layout,
  sections: Sections,
): (event: RowEvent) => Pick<Step, 'section' | 'depth' | 'closed'> {
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
    return { section, depth: sections.depth, closed }
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

/** Remembers what was made of the account that the row above names: in a ledger, most rows name the same. */
export class AccountAbove<Made> {
  readonly #at: Layout['at']
  #last: {
    readonly section: number | null
    readonly own: string
    readonly code: string
    readonly made: Made
  } | null = null

  constructor({ at }: Layout) {
    this.#at = at
  }

  of(cells: Cells, section: number | null, make: (cells: Cells, section: number | null) => Made): Made {
    const own = cellOf(cells, this.#at.account)
    const code = cellOf(cells, this.#at.code)
    const last = this.#last
    if (last !== null && last.section === section && last.own === own && last.code === code) return last.made
    const made = make(cells, section)
    this.#last = { section, own, code, made }
    return made
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
