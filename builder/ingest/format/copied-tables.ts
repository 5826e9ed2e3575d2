/**
 * Copies tables of records as canonical CSV, a row for each record so that rows keep their numbers: large texts in parts, by others, or
 * as a whole by this thread. What is found is the same. Knows no file format.
 */
import { type Shared, share, sharedValue } from '../../workspace/threads.ts'
import type { Scratch } from '../text/scan.ts'
import { type Range, WHOLE_TEXT } from '../text/text-parts.ts'
import type { SourceFile } from './format.ts'
import { bufferOf, type PartHands } from './part-hands.ts'
import { joinedParts, partsInOrder, type TakenPart, writtenParts } from './parts-in-order.ts'
import { recordParts } from './record-parts.ts'
import {
  type FileRecord,
  joinedNotes,
  NO_RECORDS,
  type RecordNotes,
  type RecordShape,
  type RecordText,
  recordsOfPart,
  recordText,
} from './records.ts'

/** Records in batches, and what there is to say of all when the last one was taken. */
export interface ReadRecords {
  readonly batches: AsyncIterable<readonly FileRecord[]>
  readonly notes: () => RecordNotes
}

export type HeadedShape = RecordShape & { readonly headerRow: number }

export interface RecordTable {
  readonly source: SourceFile
  /** Of a text file; null where the table is a sheet. */
  readonly shape: HeadedShape | null
  /** Those below the header. */
  readonly records: () => ReadRecords
}

export const recordsOfText = (source: SourceFile, shape: HeadedShape): ReadRecords =>
  recordsOfPart(recordText(source), shape, WHOLE_TEXT)

export const recordsOfSheet = (rows: readonly FileRecord[]): ReadRecords => ({
  batches: inOneBatch(rows),
  notes: () => NO_RECORDS,
})

async function* inOneBatch(rows: readonly FileRecord[]): AsyncGenerator<readonly FileRecord[]> {
  yield rows
}

/** Makes the rows of a table, or of a part of it. */
export interface RowWriter<Facts> {
  readonly header: string
  /** A row in place of a record that is not read. */
  readonly blank: string
  rowOf(record: FileRecord): string
  /** What the records say beside; their rows are those of the part. */
  readonly facts: Facts
}

/** A table whose parts are joined in their order. `Form` is what must be known to read any of its records, as plain data. */
export interface TableCopy<Form, Facts> {
  readonly table: RecordTable
  readonly form: Form
  /** What there is to say of the records of all parts that were joined: kept by who joins them. */
  notes: RecordNotes
  writer(): RowWriter<Facts>
  /** Rows of the facts are those of the part, above which there are so many records. */
  join(facts: Facts, above: number): void
}

export interface PartToRead<Form> {
  readonly part: Range
  readonly shared: Shared<{ readonly text: RecordText; readonly shape: HeadedShape; readonly form: Form }>
}

export interface ReadPart<Facts> {
  readonly csv: Uint8Array
  readonly facts: Facts
  readonly notes: RecordNotes
}

export type CopyWork<Form, Facts> = {
  readonly readPart: (given: PartToRead<Form>) => Promise<ReadPart<Facts>>
}

/** Reads a part, here or in a thread. */
export const partReader =
  <Form, Facts>(writerOf: (form: Form) => RowWriter<Facts>): CopyWork<Form, Facts>['readPart'] =>
  async ({ part, shared }) => {
    const { text, shape, form } = sharedValue(shared)
    const writer = writerOf(form)
    const { batches, notes } = recordsOfPart(text, shape, part)
    // Each batch becomes bytes at once: the text of a whole part would be taken for old by the garbage collector.
    const csv = [Buffer.from(part.start === 0 ? headOf(writer, shape.headerRow) : '')]
    for await (const batch of batches)
      csv.push(Buffer.from(batch.map((record) => writer.rowOf(record)).join('')))
    return { csv: Buffer.concat(csv), facts: writer.facts, notes: notes() }
  }

/** The header in the first row, and those of a title. */
const headOf = ({ header, blank }: RowWriter<unknown>, headerRow: number): string =>
  header + blank.repeat(headerRow - 1)

export interface WrittenCopy<Copy> {
  readonly copy: Copy
  readonly path: string
}

/** Each table when its last part was joined. A copy is begun anew where parts do not join. */
export async function* copyTables<Table, Form, Facts, Copy extends TableCopy<Form, Facts>>(
  tables: readonly Table[],
  begin: (table: Table) => Copy & TableCopy<Form, Facts>,
  scratch: Scratch,
  hands: PartHands<CopyWork<Form, Facts>> | null,
): AsyncGenerator<WrittenCopy<Copy>> {
  const parts =
    hands &&
    partsInOrder(
      tables,
      (table) => ordersOf(begin(table), hands.partBytes),
      hands.atOnce,
      (order) => hands.make('readPart', order),
    )
  for (const table of tables)
    yield (parts && (await writeParts(begin(table), parts, scratch))) ??
      (await writeWhole(begin(table), scratch))
}

/** Null where the table is a sheet, or where no place to cut is found. */
async function ordersOf<Form, Facts>({ table, form }: TableCopy<Form, Facts>, bytes: number) {
  const { shape, source } = table
  if (shape === null) return null
  const text = recordText(source)
  const parts = await recordParts(text, source.scan.bytes, shape, bytes)
  const shared = parts && share({ text, shape, form })
  return shared && parts.map((part) => ({ part, shared }))
}

/** Null where parts do not join: a line end inside of quotes was taken for the end of a record, or the file is broken. */
async function writeParts<Facts, Copy extends TableCopy<unknown, Facts>>(
  copy: Copy,
  parts: AsyncIterator<TakenPart<ReadPart<Facts>>>,
  scratch: Scratch,
): Promise<WrittenCopy<Copy> | null> {
  const path = await writtenParts(scratch, (joining) => joinedRows(copy, parts, joining))
  return path === null ? null : { copy, path }
}

async function* joinedRows<Facts>(
  copy: TableCopy<unknown, Facts>,
  parts: AsyncIterator<TakenPart<ReadPart<Facts>>>,
  joining: { isWhole: boolean },
): AsyncGenerator<Buffer> {
  // A part begins with a record where all above it could be read to its end.
  for await (const { csv, facts, notes } of joinedParts(parts, joining, () => copy.notes.fault === null)) {
    yield bufferOf(csv)
    join(copy, facts, notes)
  }
}

function join<Facts>(copy: TableCopy<unknown, Facts>, facts: Facts, notes: RecordNotes): void {
  copy.join(facts, copy.notes.records)
  copy.notes = joinedNotes(copy.notes, notes)
}

const writeWhole = async <Copy extends TableCopy<unknown, unknown>>(
  copy: Copy,
  scratch: Scratch,
): Promise<WrittenCopy<Copy>> => ({ copy, path: await scratch.written(wholeRows(copy)) })

async function* wholeRows<Facts>(copy: TableCopy<unknown, Facts>): AsyncGenerator<string> {
  const writer = copy.writer()
  const { batches, notes } = copy.table.records()
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
  join(copy, writer.facts, notes())
}

/** Reads the whole table without writing it. */
export async function readWhole<Copy extends TableCopy<unknown, unknown>>(copy: Copy): Promise<Copy> {
  for await (const _ of wholeRows(copy));
  return copy
}
