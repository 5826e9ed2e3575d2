/** What can be read of a workbook's part alone, by a thread: rows of a sheet, and shared texts. */
import { type Shared, sharedValue } from '../../workspace/threads.ts'
import { type PackedRows, type PackedTexts, packTexts, RowPacker } from './packed-cells.ts'
import { type SheetContext, SheetReader } from './sheet.ts'
import { textsReader } from './texts.ts'
import { readItems, type XmlList } from './xml-list.ts'

export const ROWS: XmlList = { path: ['worksheet', 'sheetData'], item: 'row' }
export const TEXTS: XmlList = { path: ['sst'], item: 'si' }

/** Items of one of these lists. */
export interface PartOrder {
  readonly bytes: Uint8Array
  /** Of rows; null for texts. */
  readonly context: Shared<SheetContext> | null
}

/** Null where they cannot be read alone, or not at all: why, the reading of the whole says. */
export type PartReading = PackedRows | PackedTexts | null

export async function readPart({ bytes, context }: PartOrder): Promise<PartReading> {
  try {
    return context === null ? textsIn(bytes) : rowsIn(bytes, sharedValue(context))
  } catch {
    return null
  }
}

function rowsIn(bytes: Uint8Array, context: SheetContext): PackedRows {
  const rows = new RowPacker()
  const sheet = new SheetReader(context, rows)
  readItems(bytes, ROWS, sheet, () => {
    if (!sheet.isInRows()) throw new Error('there is more than rows')
  })
  return rows.packed()
}

function textsIn(bytes: Uint8Array): PackedTexts {
  const texts: string[] = []
  readItems(bytes, TEXTS, textsReader(texts), () => {})
  return packTexts(texts)
}
