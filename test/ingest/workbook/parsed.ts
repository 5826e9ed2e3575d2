/** Reads workbooks as a whole and in parts, by this process in the place of threads; both must give the same. */
import * as assert from 'uvu/assert'
import { PartReaders, type ReaderPool } from '../../../builder/ingest/workbook/part-readers.ts'
import { type PartOrder, type PartReading, readPart } from '../../../builder/ingest/workbook/parts.ts'
import { parseXlsx, type Workbook } from '../../../builder/ingest/workbook/xlsx.ts'
import type { Hands } from '../../../builder/workspace/threads.ts'

export const poolOf = (hands: Hands<PartOrder, PartReading>, partBytes: number): ReaderPool => ({
  forBytes: () => new PartReaders(hands, { partBytes, atOnce: 3 }),
})

/** Does in this process what threads do, on copies as they get them. */
export class Copies implements Hands<PartOrder, PartReading> {
  /** Parts that could be read alone, and those that could not. */
  read = 0
  refused = 0

  async run(order: PartOrder): Promise<PartReading> {
    const reading = structuredClone(await readPart(structuredClone(order)))
    if (reading === null) this.refused++
    else this.read++
    return reading
  }
  async close(): Promise<void> {}
}

const SIZES = [60, 150, 700, 5000]

/** What is read of the workbook, and how it went in parts of several sizes, which gave the same. */
export async function readBoth(bytes: Buffer): Promise<{ readonly book: Workbook; readonly by: Copies }> {
  const book = await parseXlsx(bytes, '.', 'w.xlsx')
  const by = new Copies()
  for (const partBytes of SIZES)
    assert.equal(
      await parseXlsx(bytes, '.', 'w.xlsx', poolOf(by, partBytes)),
      book,
      `in parts of ${partBytes} bytes`,
    )
  return { book, by }
}

export const parsed = async (bytes: Buffer): Promise<Workbook> => (await readBoth(bytes)).book
