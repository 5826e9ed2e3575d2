/**
 * Cuts a statement of all months to a range of whole months, working on its bytes. The encoder writes every
 * row and total on a line of its own, with the figures last and the same in every range, so that nothing has
 * to be computed.
 */
import { ByteWriter } from './bytes.ts'
import { firstDay, lastDay, monthOf } from './calendar.ts'
import type { DateRange } from './document.ts'
import { lines } from './encode.ts'

const WITHOUT_CASH = Buffer.from(',\n"WithoutCash":[')
const DATA = Buffer.from(',\n"Data":[')
const SUMMARY = Buffer.from('],\n"Summary":[')
const VALUES = Buffer.from('"Values":[')
const NONE = Buffer.alloc(0)
const COMMA = 0x2c
const END = 0x5d
const [ONE, NINE] = [0x31, 0x39]
/** The bytes between the figures of one line and the next line. */
const BETWEEN = Buffer.from(']},\n')

interface PeriodJson {
  readonly Month: string
  readonly StartDate: string
  readonly EndDate: string
}
type Head = {
  readonly Periods: readonly PeriodJson[]
  readonly NotStated?: readonly { readonly Month: string }[]
} & Readonly<Record<string, unknown>>

const out = new ByteWriter()

/**
 * Cuts a document to `range`, which the answer repeats. The part of the range inside the coverage must
 * consist of whole months ({@link isMonthAligned}); other ranges are answered by the ad-hoc engine. Rows that
 * are zero in every month are left out.
 */
export function sliceStatement(document: Buffer, { startDate, endDate }: DateRange): Buffer {
  const data = document.indexOf(DATA)
  // Searched from the end, since only a few totals follow it.
  const summary = document.lastIndexOf(SUMMARY)
  const withoutCash = document.subarray(0, data).indexOf(WITHOUT_CASH)
  const headEnd = withoutCash === -1 ? data : withoutCash
  const { Periods, NotStated, ...head } = JSON.parse(`${document.toString('utf8', 0, headEnd)}}`) as Head
  const months = monthsInside(Periods, startDate, endDate)
  const cut = { ...head, StartDate: startDate, EndDate: endDate }
  const inside = Periods.slice(months.before, months.before + months.count)
  const periods = lines(inside.map((period) => JSON.stringify(period)))
  out.clear()
  out.text(`${JSON.stringify(cut).slice(0, -1)},\n"Periods":${periods}`)
  // Documents of actuals do not have the member; every answer of a cash flow has it.
  if (head.Statement === 'CashFlow') {
    const left = (NotStated ?? []).filter(({ Month }) => inside.some((period) => period.Month === Month))
    out.text(`,\n"NotStated":${lines(left.map((month) => JSON.stringify(month)))}`)
  }
  if (withoutCash !== -1) {
    // The member is left out where none of its lines has a figure in the range.
    const begin = `${WITHOUT_CASH}\n`
    if (writeLines(document, withoutCash + WITHOUT_CASH.length, data, months, hasFigure, begin) > 0)
      out.text(']')
  }
  out.bytes(DATA)
  writeLines(document, data + DATA.length, summary, months, hasFigure)
  out.bytes(SUMMARY)
  writeLines(document, summary + SUMMARY.length, document.length, months, () => true)
  out.text(']}\n')
  return Buffer.from(out.written)
}

/** How many months of the document lie before the range, inside it, and after it. */
interface Months {
  readonly before: number
  readonly count: number
  readonly after: number
}

function monthsInside(all: readonly PeriodJson[], startDate: string, endDate: string): Months {
  const first = firstDay(monthOf(startDate))
  const last = lastDay(monthOf(endDate))
  const from = all.findIndex((period) => period.StartDate >= first)
  const to = all.findLastIndex((period) => period.EndDate <= last) + 1
  if (from === -1 || to <= from) return { before: 0, count: 0, after: all.length }
  return { before: from, count: to - from, after: all.length - to }
}

/** Writes the lines of a list that begins at `from`, each with only its figures of these months; `begin` stands before the first. Returns how many. */
function writeLines(
  document: Buffer,
  from: number,
  to: number,
  months: Months,
  isWanted: (figures: Buffer) => boolean,
  begin = '\n',
): number {
  let written = 0
  let line = from + 1
  for (;;) {
    const values = document.indexOf(VALUES, line)
    if (values === -1 || values >= to) break
    const first = values + VALUES.length
    const end = document.indexOf(END, first)
    const figures = figuresOf(document, first, end, months)
    if (isWanted(figures)) {
      if (written++ === 0) out.text(begin)
      else out.bytes(BETWEEN)
      out.bytes(document.subarray(line, first))
      out.bytes(figures)
    }
    line = end + BETWEEN.length
  }
  if (written > 0) out.text(']}\n')
  return written
}

/** Finds the figures of the wanted months between `first` and `end`, counting commas from the nearer end. */
function figuresOf(document: Buffer, first: number, end: number, { before, count, after }: Months): Buffer {
  if (count === 0) return NONE
  if (before < after) {
    const from = behind(document, first, before)
    return document.subarray(from, behind(document, from, count) - 1)
  }
  const to = ahead(document, end, after)
  return document.subarray(before === 0 ? first : ahead(document, to, count) + 1, to)
}

/** The position behind the next `commas` commas from `from` on. */
function behind(document: Buffer, from: number, commas: number): number {
  let at = from
  for (let left = commas; left > 0; at++) if (document[at] === COMMA) left--
  return at
}

/** The position of the last of the `commas` commas that precede `from`, counted backwards. */
function ahead(document: Buffer, from: number, commas: number): number {
  let at = from
  for (let left = commas; left > 0; ) if (document[--at] === COMMA) left--
  return at
}

/** A figure other than zero contains a digit other than zero. */
function hasFigure(figures: Buffer): boolean {
  for (const digit of figures) if (digit >= ONE && digit <= NINE) return true
  return false
}
