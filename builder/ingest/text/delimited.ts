/**
 * The records of delimited text of any size, in batches, as csv.ts reads small files: a quote opens a cell at its start
 * only, elsewhere it is an inch mark; blanks around cells are none of them; CR LF, LF and CR all end a record.
 */

/** Cells, trimmed. A record of blank cells counts as a row, as it does in a spreadsheet. */
export type Cells = readonly string[]

/** A quote that never closes would collect the rest of the file. */
const LONGEST_RECORD = 1 << 24

/**
 * Most lines hold no quote: those are split, others read letter by letter. `unclosed` is told the record (from 1) in which a
 * quote opens that never closes: all that follows it is in that record.
 */
export async function* recordsOf(
  parts: AsyncIterable<string>,
  delimiter: string,
  unclosed: (record: number) => void = () => {},
): AsyncGenerator<Cells[]> {
  let open = ''
  let isFirst = true
  let count = 0
  for await (const part of parts) {
    const text: string = open + (isFirst ? part.replace(/^\ufeff/, '') : part)
    isFirst = false
    const { records, end } = complete(text, delimiter, false)
    count += records.length
    if (records.length > 0) yield records
    open = text.slice(end)
    if (open.length > LONGEST_RECORD) break
  }
  const { records, isUnclosed } = complete(open, delimiter, true)
  if (isUnclosed) unclosed(count + records.length)
  if (records.length > 0) yield records
}

/** The whole records at the beginning of a text, and where the first incomplete one begins. */
function complete(
  text: string,
  delimiter: string,
  isLast: boolean,
): { records: Cells[]; end: number; isUnclosed: boolean } {
  const records: Cells[] = []
  let isUnclosed = false
  const nextLf = nextOf(text, '\n')
  const nextCr = nextOf(text, '\r')
  let at = 0
  while (at < text.length) {
    const first = Math.min(nextLf(at), nextCr(at))
    const end = first === text.length ? -1 : first
    // The CR at the end of a part may be half of a line end.
    if (!isLast && (end === -1 || (text[end] === '\r' && end === text.length - 1))) break
    const line = end === -1 ? text.slice(at) : text.slice(at, end)
    if (!line.includes('"')) {
      records.push(cellsOf(line, delimiter))
      at = end === -1 ? text.length : after(text, end)
      continue
    }
    const record = quotedRecord(text, at, delimiter)
    if (record.end === -1 && !isLast) break
    if (!isLast && text[record.end] === '\r' && record.end === text.length - 1) break
    records.push(record.cells)
    isUnclosed = record.isUnclosed
    at = record.end === -1 ? text.length : after(text, record.end)
  }
  return { records, end: at, isUnclosed }
}

/** Of a line without quotes. */
export function cellsOf(line: string, delimiter: string): string[] {
  const cells = line.split(delimiter)
  for (let i = 0; i < cells.length; i++) cells[i] = cells[i]!.trim()
  return cells
}

/** Where a letter stands next, at or after a place that only moves on; the text's length where it is no more. */
function nextOf(text: string, letter: string): (from: number) => number {
  let found = -1
  return (from) => {
    if (found >= from) return found
    const next = text.indexOf(letter, from)
    found = next === -1 ? text.length : next
    return found
  }
}

const after = (text: string, end: number): number =>
  end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1)

/** One record that holds quotes; `end` is where its line end stands, -1 where the text ends before it. */
function quotedRecord(
  text: string,
  from: number,
  delimiter: string,
): { cells: string[]; end: number; isUnclosed: boolean } {
  const cells: string[] = []
  let at = from
  for (;;) {
    while (text[at] === ' ' || (text[at] === '\t' && delimiter !== '\t')) at++
    let cell = ''
    if (text[at] === '"') {
      at++
      for (;;) {
        const quote = text.indexOf('"', at)
        if (quote === -1)
          return { cells: [...cells, (cell + text.slice(at)).trim()], end: -1, isUnclosed: true }
        cell += text.slice(at, quote)
        at = quote + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
    }
    let end = at
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++
    cells.push((cell + text.slice(at, end)).trim())
    if (text[end] !== delimiter) return { cells, end: end < text.length ? end : -1, isUnclosed: false }
    at = end + 1
  }
}
