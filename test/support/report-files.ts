/** Reports of accounting programs as files: the same rows as CSV, or as a workbook like those that programs write themselves. */
import { storedZip } from './stored-zip.ts'

/** A text that begins with `=` is a formula that nothing has calculated yet. */
export type ReportRow = readonly (string | number | null)[]

/** An amount in a CSV: `1,234.50`. */
export function grouped(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${minor < 0 ? '-' : ''}${whole}.${digits.slice(-2)}`
}

/** `01/31/2025`, as programs of the United States write it. */
export const usDate = (date: string): string => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`

export const csvOf = (rows: readonly ReportRow[], end = '\r\n'): string =>
  rows
    .map((row) =>
      row
        .map((cell) => {
          const text = cell === null ? '' : String(cell)
          return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
        })
        .join(','),
    )
    .join(end) + end

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!)
const letters = (column: number): string =>
  (column < 26 ? '' : letters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

function sheetXml(rows: readonly ReportRow[]): string {
  const body = rows.map((row, r) => {
    const cells = row.map((cell, c) => {
      const at = `r="${letters(c)}${r + 1}"`
      if (cell === null || cell === '') return ''
      if (typeof cell === 'number') return `<c ${at}><v>${cell}</v></c>`
      if (cell.startsWith('=')) return `<c ${at}><f>${escaped(cell.slice(1))}</f></c>`
      return `<c ${at} t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
    })
    return `<row r="${r + 1}">${cells.join('')}</row>`
  })
  return `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${body.join('')}</sheetData></worksheet>`
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export function workbookOf(sheets: Readonly<Record<string, readonly ReportRow[]>>): Buffer {
  const names = Object.keys(sheets)
  return storedZip({
    '[Content_Types].xml': `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}"><sheets>${names
      .map((name, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${names
      .map(
        (_, i) =>
          `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
      )
      .join('')}</Relationships>`,
    ...Object.fromEntries(
      names.map((name, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheets[name]!)]),
    ),
  })
}
