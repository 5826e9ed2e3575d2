/** Workbooks as other programs write them: made of their XML parts, with what the writer of our tests cannot do. */
import { storedZip } from '../../support/stored-zip.ts'

export interface SheetParts {
  readonly name: string
  /** `<row>` elements. */
  readonly rows: string
  /** What stands before `sheetData`: `<cols>`. */
  readonly before?: string
  /** What stands after it: `<mergeCells>`. */
  readonly after?: string
  readonly state?: 'visible' | 'hidden' | 'veryHidden'
}

interface BookParts {
  /** `<si>` elements. */
  readonly texts?: string
  /** Number formats of the cell styles 0, 1, …: a number of a format, or its code. */
  readonly formats?: readonly (number | string)[]
  readonly is1904?: boolean
  /** Formulas are calculated when it is opened, and hold a zero until then. */
  readonly isToBeCalculated?: boolean
  /** Parts beside these, or in their place. */
  readonly parts?: Readonly<Record<string, string>>
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export function bookOf(
  sheets: readonly SheetParts[],
  { texts, formats = [], is1904, isToBeCalculated, parts }: BookParts = {},
): Buffer {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
  const custom = formats.flatMap((format, i) =>
    typeof format === 'number' ? [] : [`<numFmt numFmtId="${200 + i}" formatCode="${escaped(format)}"/>`],
  )
  const styles = formats.map(
    (format, i) => `<xf numFmtId="${typeof format === 'number' ? format : 200 + i}"/>`,
  )
  return storedZip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships>${relation('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<?xml version="1.0" encoding="UTF-8"?><workbook ${MAIN} xmlns:r="${OFFICE}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${sheets
      .map(
        ({ name, state }, i) =>
          `<sheet name="${escaped(name)}" sheetId="${i + 1}"${state ? ` state="${state}"` : ''} r:id="s${i}"/>`,
      )
      .join(
        '',
      )}</sheets>${isToBeCalculated ? '<calcPr calcId="124519" fullCalcOnLoad="1"/>' : ''}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets
      .map((_, i) => relation(`s${i}`, 'worksheet', `worksheets/sheet${i + 1}.xml`))
      .join(
        '',
      )}${relation('t', 'sharedStrings', '/xl/sharedStrings.xml')}${relation('f', 'styles', 'styles.xml')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst ${MAIN}>${texts ?? ''}</sst>`,
    'xl/styles.xml': `<styleSheet ${MAIN}><numFmts>${custom.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ rows, before = '', after = '' }, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `<worksheet ${MAIN}><dimension ref="A1:XFD1048576"/>${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
      ]),
    ),
    ...parts,
  })
}

/** A cell of text, or a number (in the style that is given); `at` is its address. */
export const cell = (at: string, value: string | number, style = 0): string =>
  typeof value === 'number'
    ? `<c r="${at}" s="${style}"><v>${value}</v></c>`
    : `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`

/** Rows of plain cells from A1 on; null leaves a cell away. */
export const rowsOf = (table: readonly (readonly (string | number | null)[])[], from = 1): string =>
  table
    .map(
      (values, i) =>
        `<row r="${from + i}">${values
          .map((value, column) =>
            value === null ? '' : cell(`${String.fromCharCode(65 + column)}${from + i}`, value),
          )
          .join('')}</row>`,
    )
    .join('')

export const merged = (...ranges: string[]): string =>
  `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`
