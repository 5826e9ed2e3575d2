/** Workbooks: every cell as the text that a person typed; numbers exactly, dates as `YYYY-MM-DD`. */
import readWorkbook, { type CellValue, type Sheet } from 'read-excel-file/node'
import { error, type Finding } from '../workspace/finding.ts'
import { decimalTextOfDouble } from './amount.ts'
import type { TextRow } from './csv.ts'
import { type Unresolved, unresolvedCells } from './formulas.ts'
import { zipEntries } from './zip.ts'

export interface TextSheet {
  readonly name: string
  readonly rows: readonly TextRow[]
}

/** Of an unreadable one, only the findings say anything. */
export interface Workbook {
  readonly sheets: readonly TextSheet[]
  readonly findings: readonly Finding[]
}

/** PK\x03\x04: a zip archive, which an XLSX file is. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04

/** An OLE compound file: an old .xls, or an XLSX under a password. */
export const isCompoundFile = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0

/** Reads every sheet. `decimal` is how numbers are written out, so that they read like the text cells beside them. */
export async function parseXlsx(bytes: Buffer, decimal: '.' | ',', file: string): Promise<Workbook> {
  if (isCompoundFile(bytes))
    return { sheets: [], findings: [unreadable(file, 'it is protected by a password, or an old .xls file')] }
  try {
    const entries = zipEntries(bytes)
    const texts = new Map(
      entries.filter(({ name }) => /\.(xml|rels)$/.test(name)).map(({ name, text }) => [name, text()]),
    )
    const unresolved = unresolvedCells(texts)
    const sheets: Sheet<string>[] = await readWorkbook(bytes, {
      parseNumber: (text) => numberText(text).replace('.', decimal),
    })
    return {
      sheets: sheets.map(({ sheet, data }) => ({ name: sheet, rows: textRows(data, unresolved.get(sheet)) })),
      findings: [],
    }
  } catch (cause) {
    return { sheets: [], findings: [unreadable(file, (cause as Error).message)] }
  }
}

const unreadable = (file: string, why: string): Finding =>
  error('unreadable-xlsx', `cannot be read as a workbook: ${why}`, {
    file,
    remedy: 'open it in a spreadsheet program, save it as .xlsx without a password, and copy it here again',
  })

function textRows(data: Sheet<string>['data'], unresolved: Unresolved = new Map()): TextRow[] {
  // The reader drops rows at the end that it takes for empty.
  const height = [...unresolved.keys()].reduce((last, row) => Math.max(last, row + 1), data.length)
  return Array.from({ length: height }, (_, row) => {
    const cells = (data[row] ?? []).map(cellText)
    for (const [column, text] of unresolved.get(row) ?? []) {
      while (cells.length <= column) cells.push('')
      cells[column] = text
    }
    return { row: row + 1, cells }
  }).filter(({ cells }) => cells.some((cell) => cell !== ''))
}

function cellText(cell: CellValue<string> | null): string {
  const value: unknown = cell
  if (value === null) return ''
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value).trim()
}

/**
 * A number as the file holds it. Whole numbers are taken as they stand, since ids may be longer than a double is
 * exact; all else is a double, of which a person typed at most 15 digits.
 */
const numberText = (text: string): string => (/^-?\d+$/.test(text) ? text : decimalTextOfDouble(Number(text)))
