/** Writes sheets as one page of HTML that needs nothing beside it: the cells of a workbook, for whoever reads in a browser or prints. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { displayDecimal } from '../../contract/currency.ts'
import { html, standaloneHead } from '../../contract/html.ts'
import { REPORT_STYLE } from '../pages/style.ts'
import type { Sheet } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'

type Row = readonly SheetCell[]

export const writePage = (path: string, sheets: readonly Sheet[]): Promise<void> =>
  pipeline(Readable.from(pageOf(sheets)), createWriteStream(path))

const STYLE = `${REPORT_STYLE}
.text th, .text td { width: auto; min-width: 0; max-width: 42rem; padding: 0.15rem 1.2rem 0.15rem 0; text-indent: 0; vertical-align: top; }
.text th { font-weight: 600; text-align: left; white-space: nowrap; }
.text th.amount { text-align: right; }
`

async function* pageOf(sheets: readonly Sheet[]): AsyncGenerator<string> {
  yield standaloneHead(sheets[0]?.name ?? 'Nothing found', STYLE).text
  for (const sheet of sheets) yield* sectionOf(sheet)
  yield '</main>\n</body>\n</html>\n'
}

/** A row of one cell is a paragraph; the rows between such rows, or empty ones, are a table. */
async function* sectionOf({ name, rows }: Sheet): AsyncGenerator<string> {
  yield html`<h2>${name}</h2>\n`.text
  let isOpen = false
  // Names of columns wait for the row below them, since those of figures stand on the right.
  let head: Row | null = null
  for await (const some of rows)
    for (const row of some) {
      const isTable = row.length > 1
      if (head !== null) yield rowText(head, isTable ? row : head)
      head = null
      if (isOpen && !isTable) yield TABLE_END
      if (isTable && !isOpen)
        yield html`<div class="wide" tabindex="0" role="region" aria-label="${name}"><table class="text">\n`
          .text
      isOpen = isTable
      if (isTable && row.every(isName)) head = row
      else if (isTable) yield rowText(row, row)
      else if (row[0]) yield html`<p>${shown(row[0])}</p>\n`.text
    }
  if (head !== null) yield rowText(head, head)
  if (isOpen) yield TABLE_END
}

const TABLE_END = '</table></div>\n'
const isName = (cell: SheetCell): boolean => cell !== null && 'text' in cell && cell.style?.bold === true

/** A row whose cells stand as those of `like` do: figures on the right, but for facts, which have a name and a value. */
function rowText(row: Row, like: Row): string {
  const cells = row.map((cell, i) => {
    const below = like[i] ?? null
    const place = like.length > 2 && below !== null && 'number' in below ? html` class="amount"` : null
    const text = cell && shown(cell)
    return isName(cell) ? html`<th scope="col"${place}>${text}</th>` : html`<td${place}>${text}</td>`
  })
  return html`<tr>${cells}</tr>\n`.text
}

function shown(cell: NonNullable<SheetCell>): string {
  if ('text' in cell) return cell.text
  if ('date' in cell) return cell.date
  if ('blank' in cell) return ''
  const number = 'number' in cell ? cell.number : cell.value
  // Only amounts have a format: the row of a file is no amount.
  return cell.style?.format === undefined ? number : displayDecimal(number)
}
