/** Copies tables of records as canonical CSV, a row for each record so that rows keep their numbers. Knows no file format. */
import type { Scratch } from '../text/scan.ts'
import type { SourceFile } from './format.ts'
import { type FileRecord, NO_RECORDS, type RecordNotes, type RecordShape, recordsOfFile } from './records.ts'

/** Records in batches, and what there is to say of all when the last one was taken. */
export interface ReadRecords {
  readonly batches: AsyncIterable<readonly FileRecord[]>
  readonly notes: () => RecordNotes
}

type HeadedShape = RecordShape & { readonly headerRow: number }

export interface RecordTable {
  readonly source: SourceFile
  /** Of a text file; null where the table is a sheet. */
  readonly shape: HeadedShape | null
  /** Those below the header. */
  readonly records: () => ReadRecords
}

export const recordsOfText = (source: SourceFile, shape: HeadedShape): ReadRecords =>
  recordsOfFile(source, shape)

export const recordsOfSheet = (rows: readonly FileRecord[]): ReadRecords => ({
  batches: inOneBatch(rows),
  notes: () => NO_RECORDS,
})

async function* inOneBatch(rows: readonly FileRecord[]): AsyncGenerator<readonly FileRecord[]> {
  yield rows
}

/** Makes the rows of a table. */
export interface RowWriter {
  readonly header: string
  /** A row in place of a record that is not read. */
  readonly blank: string
  rowOf(record: FileRecord): string
}

export interface CopiedTable {
  readonly path: string
  /** What there is to say of the records. */
  readonly notes: RecordNotes
}

/** The writer also keeps what the records say beside. */
export async function copyTable(
  table: RecordTable,
  writer: RowWriter,
  scratch: Scratch,
): Promise<CopiedTable> {
  const { batches, notes } = table.records()
  return { path: await scratch.written(rowsOf(batches, writer)), notes: notes() }
}

/** Reads the whole table without writing it. */
export async function readTable(table: RecordTable, writer: RowWriter): Promise<RecordNotes> {
  const { batches, notes } = table.records()
  for await (const _ of rowsOf(batches, writer));
  return notes()
}

async function* rowsOf(batches: ReadRecords['batches'], writer: RowWriter): AsyncGenerator<string> {
  let part = writer.header
  let next = 2
  for await (const batch of batches) {
    for (const record of batch) {
      // Rows of a title are above the first one, and a workbook leaves blank rows out.
      part += writer.blank.repeat(record.row - next) + writer.rowOf(record)
      next = record.row + 1
    }
    if (part.length < 1 << 16) continue
    yield part
    part = ''
  }
  yield part
}
