/** Where a delimited file may be cut into parts that several threads can read. */
import { recordsIn } from '../text/delimited.ts'
import type { CutIn } from '../text/text-parts.ts'
import { cellsOfLine, isBlank, isOfWidth, type RecordShape } from './records.ts'

/** So many records are tried at a place that may be between two of them. */
const TRIED = 64
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

/**
 * Cuts between two records that `isBetween`, without reading all that stands above: where a line end may be inside quotes, a line is
 * taken for the beginning of a record if it and those below it have the width of records. That is a guess, which holds if the part
 * above can be read to its end without a fault.
 */
export const betweenRecords =
  (shape: RecordShape, isBetween: (above: readonly string[], below: readonly string[]) => boolean): CutIn =>
  (bytes) => {
    // One letter for each byte: what is looked for is ASCII.
    const text = bytes.toString('latin1')
    let at = text.indexOf('\n') + 1
    while (at > 0) {
      const { records, isWhole } = recordsFrom(text.slice(at), shape)
      const last = records.at(-1)
      const cut = isWhole ? records.find((below, i) => isCut(records[i - 1], below)) : undefined
      if (cut !== undefined) return at + cut.start
      at = isWhole && last && last.start > 0 ? at + last.start : text.indexOf('\n', at) + 1
    }
    return -1
    function isCut(above: Found | undefined, below: Found): boolean {
      // There it would be read as the mark of a file.
      const isMarked = text.startsWith(BYTE_ORDER_MARK, at + below.start)
      return above !== undefined && !isMarked && isBetween(above.cells, below.cells)
    }
  }

/** A record whose end was found. */
interface Found {
  readonly cells: readonly string[]
  readonly start: number
}

/** The records with which a text begins, without blank ones; they are whole where all of them are like those of the file. */
function recordsFrom(text: string, { delimiter, width, isEscaped }: RecordShape) {
  const faults: number[] = []
  const found = isEscaped
    ? linesFrom(text)
    : recordsIn(text, delimiter, (record) => void faults.push(record), TRIED)
  const ended = found.filter(({ end }) => end < text.length)
  const records = ended
    .map(({ cells }, i): Found => ({ cells, start: ended[i - 1]?.end ?? 0 }))
    .filter(({ cells }) => !isBlank(cells))
  // The text ends anywhere, also inside of quotes.
  const isSound = faults.every((record) => record > ended.length)
  return { records, isWhole: isSound && records.every(({ cells }) => isOfWidth(cells, width)) }
}

function linesFrom(text: string) {
  const lines: { cells: readonly string[]; end: number }[] = []
  for (let at = 0; at < text.length && lines.length < TRIED; ) {
    const lineEnd = text.indexOf('\n', at)
    const end = lineEnd === -1 ? text.length : lineEnd + 1
    lines.push({ cells: cellsOfLine(text.slice(at, end)), end })
    at = end
  }
  return lines
}
