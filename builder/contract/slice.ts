/**
 * A full-history statement cut to a range of whole months, as the bytes that it is: the encoder gives every row and every
 * total a line of its own, whose figures stand last and are written the same in every range.
 */
import { ByteWriter } from './bytes.ts'
import { firstDay, lastDay, monthOf } from './calendar.ts'
import type { DateRange } from './document.ts'
import { lines } from './encode.ts'

const DATA = Buffer.from(',\n"Data":[')
const SUMMARY = Buffer.from('],\n"Summary":[')
const VALUES = Buffer.from('"Values":[')
const COMMA = 0x2c
const END = 0x5d
const [ONE, NINE] = [0x31, 0x39]
/** Between two lines, from the end of the figures on. */
const BETWEEN = Buffer.from(']},\n')

interface PeriodJson {
  readonly Month: string
  readonly StartDate: string
  readonly EndDate: string
}
type Head = { readonly Periods: readonly PeriodJson[] } & Readonly<Record<string, string | null>>

const out = new ByteWriter()

/**
 * `range` is echoed; its part inside the document's coverage must be month-aligned ({@link isMonthAligned}), other ranges
 * are the ad-hoc engine's. Rows that are zero throughout the range are left out.
 */
export function sliceStatement(document: Buffer, { startDate, endDate }: DateRange): Buffer {
  const data = document.indexOf(DATA)
  const summary = document.indexOf(SUMMARY, data)
  const { Periods, ...head } = JSON.parse(`${document.toString('utf8', 0, data)}}`) as Head
  const months = monthsInside(Periods, startDate, endDate)
  const cut = { ...head, StartDate: startDate, EndDate: endDate }
  const periods = lines(Periods.slice(months.from, months.to).map((period) => JSON.stringify(period)))
  out.clear()
  out.text(`${JSON.stringify(cut).slice(0, -1)},\n"Periods":${periods}`)
  out.bytes(DATA)
  writeLines(document, data + DATA.length, summary, months, hasFigure)
  out.bytes(SUMMARY)
  writeLines(document, summary + SUMMARY.length, document.length, months, () => true)
  out.text(']}\n')
  return Buffer.from(out.written)
}

interface Months {
  readonly from: number
  readonly to: number
}

function monthsInside(all: readonly PeriodJson[], startDate: string, endDate: string): Months {
  const first = firstDay(monthOf(startDate))
  const last = lastDay(monthOf(endDate))
  const from = all.findIndex((period) => period.StartDate >= first)
  const to = all.findLastIndex((period) => period.EndDate <= last) + 1
  return from === -1 || to <= from ? { from: 0, to: 0 } : { from, to }
}

/** The lines of a list that begins at `from`, each with its figures of these months alone. */
function writeLines(
  document: Buffer,
  from: number,
  to: number,
  months: Months,
  isWanted: (document: Buffer, from: number, to: number) => boolean,
): void {
  let written = 0
  let line = from + 1
  for (;;) {
    const values = document.indexOf(VALUES, line)
    if (values === -1 || values >= to) break
    const begin = skip(document, values + VALUES.length, months.from)
    const end = skip(document, begin, months.to - months.from)
    const last = document[end - 1] === COMMA ? end - 1 : end
    if (isWanted(document, begin, last)) {
      if (written++ === 0) out.text('\n')
      else out.bytes(BETWEEN)
      out.bytes(document.subarray(line, values + VALUES.length))
      out.bytes(document.subarray(begin, last))
    }
    line = document.indexOf(END, end) + BETWEEN.length
  }
  if (written > 0) out.text(']}\n')
}

/** Behind the next `count` figures and the commas that follow them, or at the end of the list. */
function skip(document: Buffer, from: number, count: number): number {
  let at = from
  for (let left = count; left > 0; at++) {
    if (document[at] === END) return at
    if (document[at] === COMMA) left--
  }
  return at
}

/** A figure other than zero has a digit other than zero. */
function hasFigure(document: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (document[at]! >= ONE && document[at]! <= NINE) return true
  return false
}
