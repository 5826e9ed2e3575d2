/**
 * Writes a workbook row by row (ECMA-376). Figures are written as exact decimal text and never pass through a
 * double; texts are written as inline strings, so that none of them is a formula.
 */
import { Readable } from 'node:stream'
import { NoRoomError } from '../workspace/refusals.ts'
import { writeZipFile } from '../workspace/zip-file.ts'

export type Cell =
  | null
  | { readonly text: string; readonly bold?: boolean }
  | { readonly money: string; readonly bold?: boolean }
  | { readonly integer: string }
  /** `YYYY-MM-DD` */
  | { readonly date: string }

export interface Sheet {
  readonly name: string
  /** Widths of the columns, in characters. */
  readonly widths: readonly number[]
  /** How many rows and columns stay visible when a reader scrolls. */
  readonly frozen: { readonly rows: number; readonly columns: number }
  /** All rows, headers included; read once. */
  readonly rows: AsyncIterable<readonly (readonly Cell[])[]>
}

/** Counts what was changed because the format cannot hold it; the provenance sheet states it. */
export interface Losses {
  /** Figures of more than 15 digits, which are written as text, since spreadsheets would round them. */
  longFigures: number
  /** Texts of more than 32,767 characters, which are cut. */
  longTexts: number
}

const MOST_ROWS = 1_048_576
const MOST_CHARACTERS = 32_767
const MOST_DIGITS = 15
const LONGEST_NAME = 31

const STYLE = { plain: 0, bold: 1, money: 2, boldMoney: 3, date: 4 } as const
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/**
 * Writes the sheets in order, so that the last one can report what was changed in the others. Throws {@link
 * NoRoomError}.
 */
export async function writeWorkbook(
  path: string,
  sheets: readonly Sheet[],
  decimals: number,
  losses: Losses,
): Promise<void> {
  const text = (name: string, content: string) => ({
    name,
    open: () => Readable.from([Buffer.from(XML + content, 'utf8')]),
  })
  await writeZipFile(path, [
    text('[Content_Types].xml', contentTypes(sheets)),
    text('_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']])),
    text('xl/workbook.xml', workbook(sheets)),
    text(
      'xl/_rels/workbook.xml.rels',
      relations([
        ...sheets.map((_, i): [string, string] => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ),
    text('xl/styles.xml', styles(decimals)),
    ...sheets.map((sheet, i) => ({
      name: `xl/worksheets/sheet${i + 1}.xml`,
      open: () => Readable.from(sheetXml(sheet, losses), { objectMode: false }),
    })),
  ])
}

async function* sheetXml({ name, widths, frozen, rows }: Sheet, losses: Losses): AsyncGenerator<Buffer> {
  const pane =
    frozen.rows + frozen.columns === 0
      ? ''
      : `<pane${frozen.columns > 0 ? ` xSplit="${frozen.columns}"` : ''}${frozen.rows > 0 ? ` ySplit="${frozen.rows}"` : ''} topLeftCell="${columnName(frozen.columns)}${frozen.rows + 1}" activePane="${frozen.columns > 0 ? (frozen.rows > 0 ? 'bottomRight' : 'topRight') : 'bottomLeft'}" state="frozen"/>`
  const cols = widths
    .map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`)
    .join('')
  yield Buffer.from(
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${cols}</cols><sheetData>`,
  )
  let number = 0
  for await (const batch of rows) {
    const parts: string[] = []
    for (const row of batch) {
      if (++number > MOST_ROWS)
        throw new NoRoomError(
          `the sheet "${name}" needs more than the ${MOST_ROWS} rows that a workbook can have; narrow it down, or choose another format`,
        )
      parts.push(
        `<row r="${number}">${row.map((cell, i) => cellXml(cell, `${columnName(i)}${number}`, losses)).join('')}</row>`,
      )
    }
    yield Buffer.from(parts.join(''), 'utf8')
  }
  yield Buffer.from('</sheetData></worksheet>')
}

function cellXml(cell: Cell, at: string, losses: Losses): string {
  if (cell === null) return ''
  if ('text' in cell) return textCell(cell.text, at, cell.bold ? STYLE.bold : STYLE.plain, losses)
  if ('integer' in cell) return `<c r="${at}"><v>${cell.integer}</v></c>`
  if ('date' in cell) {
    const serial = serialOf(cell.date)
    if (serial === null) return textCell(cell.date, at, STYLE.plain, losses)
    return `<c r="${at}" s="${STYLE.date}"><v>${serial}</v></c>`
  }
  if (cell.money.replace(/^-?0*|\./g, '').length > MOST_DIGITS) {
    losses.longFigures++
    return textCell(cell.money, at, cell.bold ? STYLE.bold : STYLE.plain, losses)
  }
  return `<c r="${at}" s="${cell.bold ? STYLE.boldMoney : STYLE.money}"><v>${cell.money}</v></c>`
}

function textCell(text: string, at: string, style: number, losses: Losses): string {
  let shown = text
  if (text.length > MOST_CHARACTERS) {
    losses.longTexts++
    // A surrogate pair is not cut in half.
    shown = `${text.slice(0, MOST_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`
  }
  return `<c r="${at}" t="inlineStr"${style === 0 ? '' : ` s="${style}"`}><is><t xml:space="preserve">${escaped(shown)}</t></is></c>`
}

/**
 * The serial day of a spreadsheet. Excel counts a 29 February 1900 that never was, so that days before March 1900
 * have no right number: null.
 */
function serialOf(date: string): number | null {
  const serial = Date.parse(`${date}T00:00:00Z`) / 86_400_000 + 25_569
  return serial >= 61 ? serial : null
}

/** 0 → A, 26 → AA. */
export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last
}

/**
 * XML cannot hold control characters. ECMA-376 §22.9.2.19 writes them as `_x000B_`, and escapes a text that looks
 * like that.
 */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000d-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const contentTypes = (sheets: readonly Sheet[]): string => {
  const type = (part: string, kind: string) =>
    `<Override PartName="/xl/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  return `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('workbook.xml', 'sheet.main')}${type('styles.xml', 'styles')}${sheets.map((_, i) => type(`worksheets/sheet${i + 1}.xml`, 'worksheet')).join('')}</Types>`
}

const relations = (targets: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([type, target], i) =>
        `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

const workbook = (sheets: readonly Sheet[]): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets
    .map(({ name }, i) => `<sheet name="${escaped(sheetName(name))}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
    .join('')}</sheets></workbook>`

/** Excel forbids some characters in names of sheets, and more than 31 characters. */
const sheetName = (name: string): string => name.replace(/[\\/*?:[\]]/g, ' ').slice(0, LONGEST_NAME)

function styles(decimals: number): string {
  const format = decimals === 0 ? '#,##0' : `#,##0.${'0'.repeat(decimals)}`
  const cell = (number: number, font: number) =>
    `<xf numFmtId="${number}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
  return `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="${format}"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5">${cell(0, 0)}${cell(0, 1)}${cell(164, 0)}${cell(164, 1)}${cell(165, 0)}</cellXfs></styleSheet>`
}
