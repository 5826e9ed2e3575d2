/** Writes the lines of every GL_Detail as canonical CSV: in parts by others, or as a whole by this thread. What is found is the same. */
import type { Company } from '../../../workspace/company.ts'
import { share } from '../../../workspace/threads.ts'
import { bufferOf } from '../../format/part-hands.ts'
import { joinedParts, partsInOrder, type TakenPart, writtenParts } from '../../format/parts-in-order.ts'
import { recordParts } from '../../format/record-parts.ts'
import { recordText } from '../../format/records.ts'
import type { Scratch } from '../../text/scan.ts'
import { AdsDetail } from './detail.ts'
import { lineForm } from './lines.ts'
import type { AdsHands, ReadPart } from './parts.ts'
import type { AdsTable } from './tables.ts'

export interface WrittenDetail {
  readonly detail: AdsDetail
  readonly path: string
}

type Stated = Company['dimensions']

/** Each table when its last part was joined. */
export async function* writeDetails(
  tables: readonly AdsTable[],
  stated: Stated,
  scratch: Scratch,
  hands: AdsHands | null,
): AsyncGenerator<WrittenDetail> {
  const parts =
    hands &&
    partsInOrder(
      tables,
      (table) => ordersOf(table, stated, hands.partBytes),
      hands.atOnce,
      (order) => hands.make('readPart', order),
    )
  for (const table of tables) {
    const inParts = parts && (await writeParts(new AdsDetail(table, stated), parts, scratch))
    yield inParts ?? (await writeWhole(new AdsDetail(table, stated), scratch))
  }
}

const writeWhole = async (detail: AdsDetail, scratch: Scratch): Promise<WrittenDetail> => ({
  detail,
  path: await scratch.written(detail.canonical()),
})

/** Null where the table is a sheet, or where no place to cut is found. */
async function ordersOf(table: AdsTable, stated: Stated, bytes: number) {
  const { shape, source } = table
  if (shape === null) return null
  const text = recordText(source)
  const parts = await recordParts(text, source.scan.bytes, shape, bytes)
  const shared = parts && share({ text, shape, form: lineForm(table, stated) })
  return shared && parts.map((part) => ({ part, shared }))
}

/** Null where parts do not join: a line end inside of quotes was taken for the end of a record, or the file is broken. */
async function writeParts(
  detail: AdsDetail,
  parts: AsyncIterator<TakenPart<ReadPart>>,
  scratch: Scratch,
): Promise<WrittenDetail | null> {
  const path = await writtenParts(scratch, (joining) => joinedRows(detail, parts, joining))
  return path === null ? null : { detail, path }
}

async function* joinedRows(
  detail: AdsDetail,
  parts: AsyncIterator<TakenPart<ReadPart>>,
  joining: { isWhole: boolean },
): AsyncGenerator<Buffer> {
  for await (const { csv, facts, notes } of joinedParts(parts, joining, () => detail.isSound)) {
    yield bufferOf(csv)
    detail.join(facts, notes)
  }
}
