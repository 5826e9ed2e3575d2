/** The first reading of all reports: large texts in parts by others, whose pieces this thread puts together; else as a whole by this thread. */
import { stat } from 'node:fs/promises'
import { share } from '../../../workspace/threads.ts'
import { joinedParts, partsInOrder, type TakenPart } from '../../format/parts-in-order.ts'
import { isWide } from '../../text/decode.ts'
import { recordsIn } from '../../text/delimited.ts'
import { type CutIn, textParts } from '../../text/text-parts.ts'
import { type DigestedPart, type PartToDigest, plainOpen, type ReportHands } from './parts.ts'
import { cellOf } from './rows/cells.ts'
import type { Layout, ReportFamily } from './rows/layout.ts'
import { DATE } from './rows/rows.ts'
import { type ReportScan, Scanner, scanReport } from './rows/scan.ts'
import type { OpenReport } from './rows/walk.ts'

/** In the order of the reports. What is found does not depend on `hands`, but for the places where a report can be divided. */
export async function* scanReports(
  reports: readonly OpenReport[],
  family: ReportFamily,
  hands: ReportHands | null,
): AsyncGenerator<ReportScan> {
  const parts =
    hands &&
    partsInOrder(
      reports,
      (open) => ordersOf(open, family, hands.partBytes),
      hands.atOnce,
      (order) => hands.make('digestPart', order),
    )
  const partBytes = hands?.partBytes ?? null
  for (const open of reports)
    yield (parts && (await scanParts(new Scanner(open, partBytes), family, parts))) ??
      (await scanReport(open, family, partBytes))
}

/** Null where the report must be read from its beginning on. */
async function ordersOf(
  open: OpenReport,
  family: ReportFamily,
  partBytes: number,
): Promise<readonly PartToDigest[] | null> {
  const { rowSource, layout } = open
  const fillsFromAbove = family.fillsFromAbove ?? layout.marks?.isGrouped ?? false
  if (fillsFromAbove || 'sheet' in rowSource || isWide(rowSource.encoding)) return null
  const { path, delimiter } = rowSource
  const { size } = await stat(path)
  const parts = await textParts({ path, size }, partBytes, beforeLine(layout, delimiter))
  const shared = share({ family: family.id, open: plainOpen(open), partBytes })
  return parts.map((part) => ({ part, shared }))
}

/** Null where the parts do not join: a line end inside of quotes was taken for that of a row, or quotes are wrong. */
async function scanParts(
  scanner: Scanner,
  family: ReportFamily,
  parts: AsyncIterator<TakenPart<DigestedPart>>,
): Promise<ReportScan | null> {
  const joining = { isWhole: true }
  let above = 0
  const goesOn = ({ isSound, rows }: DigestedPart) => isSound && above + rows >= scanner.headerRow
  for await (const { pieces, facts, rows } of joinedParts(parts, joining, goesOn)) {
    // Rows of the first part count from the beginning of the report; those of others as if they stood below its header.
    const shift = above === 0 ? 0 : above - scanner.headerRow
    scanner.take(pieces, shift)
    scanner.join(facts, shift)
    above += rows
  }
  return joining.isWhole ? scanner.result(family) : null
}

/** So many places are tried in what is looked at, each by so many rows and letters. */
const PLACES = 64
const ROWS = 4
const LETTERS = 1 << 14

/**
 * Cuts in front of a row with a date where other rows can be read below it. That is a guess, as a cell may hold lines that look so: it
 * holds if the part above can be read to its end without a fault.
 */
const beforeLine =
  ({ at, header }: Layout, delimiter: string): CutIn =>
  (bytes) => {
    // One letter for each byte: what is looked for is ASCII.
    const text = bytes.toString('latin1')
    let place = 0
    for (let start = text.indexOf('\n') + 1; start > 0 && place < PLACES; place++) {
      let isSound = true
      const onFault = () => {
        isSound = false
      }
      const below = text.slice(start, start + LETTERS)
      const [first] = recordsIn(below, delimiter, onFault, ROWS)
      const isRow = first !== undefined && first.end < below.length && first.cells.length >= header.length
      if (isSound && isRow && DATE.test(cellOf(first.cells, at.date).trim())) return start
      start = text.indexOf('\n', start) + 1
    }
    return -1
  }
