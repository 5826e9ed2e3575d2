/** Where a delimited file may be cut into parts that several threads can read. */
import { recordsIn } from '../text/delimited.ts'
import { type CutIn, type Range, textParts, WHOLE_TEXT } from '../text/text-parts.ts'
import { cellsOfLine, isBlank, isOfWidth, type RecordShape, type RecordText } from './records.ts'

/** Whether a part may begin between two records. */
type IsBetween = (above: readonly string[], below: readonly string[]) => boolean

/** A larger one is read as a whole: no cut was found, and a record as long as that ends the reading of a file. */
const LARGEST_PART = 16 * 1024 ** 2

/** The parts of a file of so many bytes; a small one is one part. Null where it must be read as a whole. */
export async function recordParts(
  { path, encoding, lineEnd }: RecordText,
  size: number,
  shape: RecordShape,
  bytes: number,
  isBetween: IsBetween = () => true,
): Promise<readonly Range[] | null> {
  if (size <= 2 * bytes) return [WHOLE_TEXT]
  if (lineEnd !== '\n' || encoding.startsWith('utf-16')) return null
  const parts = await textParts({ path, size }, bytes, betweenRecords(shape, isBetween))
  return parts.length > 1 && parts.every(({ start, end }) => end - start < LARGEST_PART) ? parts : null
}

/** So many places are tried in what is looked at, each by so many records and letters. */
const PLACES = 64
const RECORDS = 16
const LETTERS = 1 << 14
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

/**
 * Cuts between two records that `isBetween`, without reading all that stands above: where a line end may be inside quotes, a line is
 * taken for the beginning of a record if it and those below it have the width of records. That is a guess, which holds if the part
 * above can be read to its end without a fault.
 */
const betweenRecords =
  (shape: RecordShape, isBetween: IsBetween): CutIn =>
  (bytes) => {
    // One letter for each byte: what is looked for is ASCII.
    const text = bytes.toString('latin1')
    const isCut = (above: Found | undefined, below: Found): boolean =>
      above !== undefined &&
      !text.startsWith(BYTE_ORDER_MARK, below.start) &&
      isBetween(above.cells, below.cells)
    let at = text.indexOf('\n') + 1
    for (let place = 0; at > 0 && place < PLACES; place++) {
      const records = recordsFrom(text, at, shape)
      const cut = records.find((below, i) => isCut(records[i - 1], below))
      if (cut !== undefined) return cut.start
      const last = records.at(-1)
      at = last !== undefined && last.start > at ? last.start : text.indexOf('\n', at) + 1
    }
    return -1
  }

/** A record whose end was found. */
interface Found {
  readonly cells: readonly string[]
  readonly start: number
}

/** The records that begin there, without blank ones; none if not all of them are like those of the file. */
function recordsFrom(whole: string, at: number, { delimiter, width, isEscaped }: RecordShape): Found[] {
  const text = whole.slice(at, at + LETTERS)
  const faults: number[] = []
  const begun = isEscaped
    ? linesFrom(text)
    : recordsIn(text, delimiter, (record) => void faults.push(record), RECORDS)
  // The text ends anywhere, also inside of quotes.
  const ended = begun.filter(({ end }) => end < text.length)
  const records = ended
    .map(({ cells }, i): Found => ({ cells, start: at + (ended[i - 1]?.end ?? 0) }))
    .filter(({ cells }) => !isBlank(cells))
  const areSound = faults.every((record) => record > ended.length)
  return areSound && records.every(({ cells }) => isOfWidth(cells, width)) ? records : []
}

function linesFrom(text: string) {
  const lines: { cells: readonly string[]; end: number }[] = []
  for (let at = 0; at < text.length && lines.length < RECORDS; ) {
    const lineEnd = text.indexOf('\n', at)
    const end = lineEnd === -1 ? text.length : lineEnd + 1
    lines.push({ cells: cellsOfLine(text.slice(at, end)), end })
    at = end
  }
  return lines
}
