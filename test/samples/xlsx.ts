/** Workbooks whose bytes depend on their cells alone. */
import writeXlsxFile, { type SheetData } from 'write-excel-file/node'

export type Cell = string | number | Date | null
export interface Sheet {
  readonly name: string
  readonly rows: readonly (readonly Cell[])[]
}

export async function xlsx(sheets: readonly Sheet[]): Promise<Uint8Array> {
  const book = sheets.map(({ name, rows }) => ({
    sheet: name,
    data: rows.map((row) => [...row]) satisfies SheetData,
    dateFormat: 'yyyy-mm-dd',
    stickyRowsCount: 1,
  }))
  return withFixedTimes(await writeXlsxFile(book).toBuffer())
}

/** Midnight of 1 January 1980, the first moment that a zip archive can name. */
const DOS_EPOCH = 0x0021_0000

/** The writer stamps each zip entry with the clock; nothing else in its output varies (APPNOTE 4.3.7, 4.3.12). */
function withFixedTimes(archive: Buffer): Uint8Array {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const entries = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  for (let i = 0; i < entries; i++) {
    archive.writeUInt32LE(DOS_EPOCH, at + 12)
    archive.writeUInt32LE(DOS_EPOCH, archive.readUInt32LE(at + 42) + 10)
    at += 46 + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return archive
}
