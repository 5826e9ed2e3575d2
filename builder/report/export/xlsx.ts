/**
 * Writes a workbook row by row (ECMA-376). Figures are written as exact decimal text and never pass through a
 * double; texts are written as inline strings, so that none of them is a formula.
 */
import { Readable } from 'node:stream'
import { NoRoomError } from '../../system/refusals.ts'
import { writeZipFile } from '../../system/zip-file.ts'
import { cellXml, escaped, type Losses, lettersOfColumn, type SheetCell } from './xlsx-cells.ts'
import { chartXml, drawingXml, type SheetChart } from './xlsx-charts.ts'
import { Styles } from './xlsx-styles.ts'
import { themeXml } from './xlsx-theme.ts'

export interface Sheet {
  readonly name: string
  /** Widths of the columns, in characters. */
  readonly widths: readonly number[]
  /** How many rows and columns stay visible when a reader scrolls. */
  readonly frozen: { readonly rows: number; readonly columns: number }
  /** All rows, headers included; read once. */
  readonly rows: AsyncIterable<readonly (readonly SheetCell[])[]>
  /** How it is laid out to be read and printed; without it, rows and columns as they are. */
  readonly layout?: SheetLayout
  /** Drawn above its cells. */
  readonly charts?: readonly SheetChart[]
}

/** A sheet for people: on landscape pages as wide as the sheet, without lines between cells. Ranges are written like `A1:B2`. */
export interface SheetLayout {
  /** Rows that each printed page repeats, counted from 1. */
  readonly repeated: { readonly from: number; readonly through: number } | null
  readonly merged: readonly string[]
  readonly links: readonly SheetLink[]
  /** By row number: how deep the row lies in groups that can be folded. The default is 0. */
  readonly levels: ReadonlyMap<number, number>
  /** Heights of rows that are not {@link ROW_HEIGHT}, in points, by their number. */
  readonly heights: ReadonlyMap<number, number>
  /** Rows after which a page ends, beside those where it is full. */
  readonly breaks: readonly number[]
  /** At the foot of each page, from left to right; the page number stands right of them. */
  readonly footer: readonly [left: string, middle: string]
}

/** A way from a cell to the first one of another sheet. */
interface SheetLink {
  readonly at: string
  readonly sheet: string
}

const MOST_ROWS = 1_048_576
const LONGEST_NAME = 31
const DEEPEST_LEVEL = 7

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/** Sheets are written in their order: the last one can say what happened to the others. Throws {@link NoRoomError}. */
export async function writeWorkbook(path: string, sheets: readonly Sheet[], losses: Losses): Promise<void> {
  const styles = new Styles()
  const text = (name: string, content: () => string) => ({
    name,
    open: () => Readable.from([Buffer.from(XML + content(), 'utf8')]),
  })
  await writeZipFile(path, [
    text('[Content_Types].xml', () => contentTypes(sheets)),
    text('_rels/.rels', () => relations([['officeDocument', 'xl/workbook.xml']])),
    text('xl/workbook.xml', () => workbook(sheets)),
    text('xl/_rels/workbook.xml.rels', () =>
      relations([
        ...sheets.map((_, i): [string, string] => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
        ['styles', 'styles.xml'],
        ['theme', 'theme/theme1.xml'],
      ]),
    ),
    ...sheets.map((sheet, i) => ({
      name: `xl/worksheets/sheet${i + 1}.xml`,
      open: () => Readable.from(sheetXml(sheet, styles, losses), { objectMode: false }),
    })),
    ...drawingParts(sheets).map(([name, content]) => text(name, content)),
    text('xl/theme/theme1.xml', themeXml),
    // Last, as it lists the looks that the cells turned out to have.
    text('xl/styles.xml', () => styles.xml(MAIN)),
  ])
}

/** The charts of sheets: a drawing for each such sheet, and its charts, with the relationships between them. */
function drawingParts(sheets: readonly Sheet[]): [name: string, content: () => string][] {
  return sheets.flatMap(({ name, charts = [] }, i): [string, () => string][] => {
    if (charts.length === 0) return []
    const sheet = i + 1
    return [
      [
        `xl/worksheets/_rels/sheet${sheet}.xml.rels`,
        () => relations([['drawing', `../drawings/drawing${sheet}.xml`]]),
      ],
      [`xl/drawings/drawing${sheet}.xml`, () => drawingXml(charts)],
      [
        `xl/drawings/_rels/drawing${sheet}.xml.rels`,
        () => relations(charts.map((_, c) => ['chart', `../charts/chart${sheet}-${c + 1}.xml`])),
      ],
      ...charts.map((chart, c): [string, () => string] => [
        `xl/charts/chart${sheet}-${c + 1}.xml`,
        () => chartXml(chart, quotedName(name)),
      ]),
    ]
  })
}

async function* sheetXml(sheet: Sheet, styles: Styles, losses: Losses): AsyncGenerator<Buffer> {
  const { name, rows, layout, charts = [] } = sheet
  yield Buffer.from(`${XML}<worksheet xmlns="${MAIN}">${beforeRows(sheet)}<sheetData>`)
  let number = 0
  for await (const batch of rows) {
    const parts: string[] = []
    for (const row of batch) {
      if (++number > MOST_ROWS)
        throw new NoRoomError(
          `the sheet "${name}" needs more than the ${MOST_ROWS} rows that a workbook can have; narrow it down, or choose another format`,
        )
      parts.push(
        `<row r="${number}"${rowLooks(number, layout)}>${row.map((cell, i) => cellXml(cell, `${lettersOfColumn(i)}${number}`, styles, losses)).join('')}</row>`,
      )
    }
    yield Buffer.from(parts.join(''), 'utf8')
  }
  yield Buffer.from(
    `</sheetData>${layout ? afterRows(layout, number) : ''}${charts.length === 0 ? '' : `<drawing xmlns:r="${RELATIONS}" r:id="rId1"/>`}</worksheet>`,
  )
}

function rowLooks(number: number, layout: SheetLayout | undefined): string {
  const level = Math.min(layout?.levels.get(number) ?? 0, DEEPEST_LEVEL)
  const height = layout?.heights.get(number)
  return [
    height === undefined ? '' : ` ht="${height}" customHeight="1"`,
    level === 0 ? '' : ` outlineLevel="${level}"`,
  ].join('')
}

/** The elements before the rows, in the order of the schema (§18.3.1.99); those behind them are in {@link afterRows}. */
function beforeRows({ widths, frozen, layout }: Sheet): string {
  const pane =
    frozen.rows + frozen.columns === 0
      ? ''
      : `<pane${frozen.columns > 0 ? ` xSplit="${frozen.columns}"` : ''}${frozen.rows > 0 ? ` ySplit="${frozen.rows}"` : ''} topLeftCell="${lettersOfColumn(frozen.columns)}${frozen.rows + 1}" activePane="${frozen.columns > 0 ? (frozen.rows > 0 ? 'bottomRight' : 'topRight') : 'bottomLeft'}" state="frozen"/>`
  const cols = widths
    .map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`)
    .join('')
  const deepest = Math.min(Math.max(0, ...(layout?.levels.values() ?? [])), DEEPEST_LEVEL)
  return [
    layout ? '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' : '',
    `<sheetViews><sheetView${layout ? ' showGridLines="0"' : ''} workbookViewId="0">${pane}</sheetView></sheetViews>`,
    layout
      ? `<sheetFormatPr defaultRowHeight="${ROW_HEIGHT}"${deepest === 0 ? '' : ` outlineLevelRow="${deepest}"`}/>`
      : '',
    `<cols>${cols}</cols>`,
  ].join('')
}

function afterRows({ merged, links, breaks, footer }: SheetLayout, rows: number): string {
  const merges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('')
  const ways = links.map(
    ({ at, sheet }) => `<hyperlink ref="${at}" location="${escaped(quotedName(sheet))}!A1"/>`,
  )
  return [
    merges === '' ? '' : `<mergeCells count="${merged.length}">${merges}</mergeCells>`,
    ways.length === 0 ? '' : `<hyperlinks>${ways.join('')}</hyperlinks>`,
    `<pageMargins left="${MARGINS.side}" right="${MARGINS.side}" top="${MARGINS.top}" bottom="${MARGINS.bottom}" header="0.3" footer="0.3"/>`,
    `<pageSetup paperSize="${A4}" orientation="landscape" fitToHeight="0"/>`,
    `<headerFooter><oddFooter>${escaped(footerText(footer))}</oddFooter></headerFooter>`,
    breaks.length === 0
      ? ''
      : `<rowBreaks count="${breaks.length}" manualBreakCount="${breaks.length}">${breaks.map((row) => `<brk id="${row}" max="${MOST_COLUMNS - 1}" man="1"/>`).join('')}</rowBreaks>`,
    // Numbers of accounts are text, and a total beside which there are other figures is meant so.
    `<ignoredErrors><ignoredError sqref="A1:${lettersOfColumn(MOST_COLUMNS - 1)}${Math.max(rows, 1)}" numberStoredAsText="1" formula="1" formulaRange="1"/></ignoredErrors>`,
  ].join('')
}

const A4 = 9
/** Margins in inches, as everything about paper here. */
const MARGINS = { side: 0.5, top: 0.6, bottom: 0.7 }
/** What a landscape page holds inside its margins. */
export const PAPER_WIDTH = 11.69 - 2 * MARGINS.side
export const PAPER_HEIGHT = 8.27 - MARGINS.top - MARGINS.bottom
/** The height of an ordinary row, in points. */
export const ROW_HEIGHT = 15
const MOST_COLUMNS = 16_384
/** The most characters of a header or footer, its codes included. */
const LONGEST_FOOTER = 255

/** A footer. `&` begins a code (§18.3.1.46), so that an `&` of a name is written twice. */
function footerText([left, middle]: SheetLayout['footer']): string {
  const plain = (text: string, most: number) => {
    const characters = [...text]
    return (characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text).replaceAll(
      '&',
      '&&',
    )
  }
  const text = `&L${plain(left, 60)}&C${plain(middle, 40)}&RPage &P of &N`
  return text.length > LONGEST_FOOTER ? '&RPage &P of &N' : text
}

/** The name of a sheet as formulas write it. */
const quotedName = (sheet: string): string => `'${sheetName(sheet).replaceAll("'", "''")}'`

const contentTypes = (sheets: readonly Sheet[]): string => {
  const type = (part: string, kind: string) =>
    `<Override PartName="/xl/${part}" ContentType="application/vnd.openxmlformats-officedocument.${kind}+xml"/>`
  const parts = [
    type('workbook.xml', 'spreadsheetml.sheet.main'),
    type('styles.xml', 'spreadsheetml.styles'),
    type('theme/theme1.xml', 'theme'),
    ...sheets.map((_, i) => type(`worksheets/sheet${i + 1}.xml`, 'spreadsheetml.worksheet')),
    ...drawingParts(sheets).flatMap(([name]) => {
      const [, kind] = /^xl\/(drawing|chart)s\/[^/]+$/.exec(name) ?? []
      return kind === undefined ? [] : [type(name.slice(3), kind === 'chart' ? 'drawingml.chart' : 'drawing')]
    }),
  ]
  return `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${parts.join('')}</Types>`
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
    .join('')}</sheets>${printTitles(sheets)}</workbook>`

/** Rows and columns that each page repeats: names that every program knows, one for each sheet (§18.2.5). */
function printTitles(sheets: readonly Sheet[]): string {
  const names = sheets.flatMap(({ name, frozen, layout }, i) => {
    if (!layout?.repeated) return []
    const { from, through } = layout.repeated
    const sheet = quotedName(name)
    const parts = [
      ...(frozen.columns > 0 ? [`${sheet}!$A:$${lettersOfColumn(frozen.columns - 1)}`] : []),
      `${sheet}!$${from}:$${through}`,
    ]
    return [
      `<definedName name="_xlnm.Print_Titles" localSheetId="${i}">${escaped(parts.join(','))}</definedName>`,
    ]
  })
  return names.length === 0 ? '' : `<definedNames>${names.join('')}</definedNames>`
}

/** Excel forbids some characters in names of sheets, and more than 31 characters. */
const sheetName = (name: string): string => name.replace(/[\\/*?:[\]]/g, ' ').slice(0, LONGEST_NAME)
