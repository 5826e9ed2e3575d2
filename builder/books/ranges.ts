/**
 * Cells of any range of days. Whole months are summed from arrays in memory; only the days of the months that a range cuts
 * are asked of DuckDB.
 */

import { dayOf, firstDay, lastDay, monthOf } from '../contract/calendar.ts'
import type { DateRange } from '../contract/document.ts'
import { present } from '../contract/present.ts'
import type { Basis } from '../contract/vocabulary.ts'
import type { Books } from './books.ts'
import {
  allOf,
  BEFORE_YEAR,
  type Cells,
  eachCell,
  type LeafCells,
  leafCells,
  openingPeriod,
  type Stretch,
  stretchesIn,
  YEAR_TO_DATE,
} from './cells.ts'
import { type DayPostings, Days, eachPosting, type Members } from './days.ts'
import { startInside } from './fiscal.ts'
import { type Frame, notClosedCode } from './frame.ts'
import { LEFT_OUT, Sums } from './sums.ts'
import type { Span, Tree } from './tree.ts'
import { isOfCurrentYear, MOVES } from './year-cuts.ts'

/** Books of which any range can be asked. */
export interface RangeBooks extends Books {
  readonly months: ReadonlyMap<Basis, MonthSums>
  readonly days: Days
}

/** Monthly sums of a basis, openings too; periods count from the start of the coverage. */
interface MonthSums {
  readonly leaves: LeafCells
  /** Over all members: what a range without filters is summed from. */
  readonly totals: Cells
}

/** Takes the monthly sums into memory. The table that they come from takes more of it, and is not asked again. */
export async function rangeBooks(books: Books): Promise<RangeBooks> {
  const { db, frame, openings } = books
  const months = new Map<Basis, MonthSums>()
  for (const basis of frame.bases) {
    const leaves = await leafCells(db, frame, openings, basis)
    months.set(basis, { leaves, totals: totalsOf(frame, leaves) })
  }
  await db.run('DROP TABLE leaf')
  return { ...books, months, days: await Days.open(db) }
}

function totalsOf(frame: Frame, cells: LeafCells): Cells {
  const sums = new Sums(frame, monthsOf(frame.coverage))
  eachCell(cells, allOf(cells), (account, period, kind, amount) => sums.add(account, period, kind, amount))
  return sums.cells()
}

/**
 * A range inside the coverage, by month or part of one, with everything before it: {@link BEFORE_YEAR} for what lies
 * before `yearStart` (the fiscal year of the range's first day), {@link YEAR_TO_DATE} from there.
 */
export async function rangeCells(
  { frame, db, months, days }: RangeBooks,
  basis: Basis,
  members: Members,
  range: DateRange,
  yearStart: string,
): Promise<Cells> {
  const { leaves, totals } = present(months.get(basis), `months of the basis ${basis}`)
  const sums = new Sums(frame, monthsOf(range))
  const cut = monthsCutBy(range, yearStart)
  const places = placesOfMonths(frame, range, yearStart, cut)
  const isUnfiltered = isAll(members, frame)
  if (isUnfiltered) addMonths(sums, totals, [allOf(totals)], places)
  else addMonths(sums, leaves, stretchesIn(leaves, members.classes, members.departments), places)
  for (const month of cut) {
    const laterStart = startInside(frame.fiscalYears, periodOf(range, month))
    const postings = await days.of(db, basis, month, { members, isUnfiltered, range, yearStart, laterStart })
    const places = placesOfDays(month, range, yearStart)
    addDays(sums, postings, members, places)
    if (laterStart !== undefined)
      moveResults(sums, frame, postings, members, places, Number(laterStart.slice(8)))
  }
  return sums.cells()
}

const monthsOf = ({ startDate, endDate }: DateRange): number => monthOf(endDate) - monthOf(startDate) + 1

const isAll = ({ classes, departments }: Members, frame: Frame): boolean =>
  isAllOf(frame.classes, classes) && isAllOf(frame.departments, departments)
const isAllOf = (tree: Tree, span: Span): boolean => span.from === 0 && span.to === tree.members.length

/** The part of a month that lies inside a range. */
const periodOf = ({ startDate, endDate }: DateRange, month: number): DateRange => ({
  startDate: startDate > firstDay(month) ? startDate : firstDay(month),
  endDate: endDate < lastDay(month) ? endDate : lastDay(month),
})

/** Months of which one part lies before a boundary and another behind it: their sums answer nothing. */
function monthsCutBy(range: DateRange, yearStart: string): number[] {
  const starts = [yearStart, range.startDate].filter((day) => day !== firstDay(monthOf(day)))
  const isCutAtEnd = range.endDate !== lastDay(monthOf(range.endDate))
  return [...new Set([...starts, ...(isCutAtEnd ? [range.endDate] : [])].map(monthOf))]
}

/** Where what lies before a range ends, and the range itself, all in months or all in days. */
interface Bounds {
  readonly yearStart: number
  readonly start: number
  readonly end: number
}

const boundsOf = (number: (date: string) => number, range: DateRange, yearStart: string): Bounds => ({
  yearStart: number(yearStart),
  start: number(range.startDate),
  end: number(range.endDate),
})

/** `period`: where it belongs if inside the range. */
function placeOf(at: number, { yearStart, start, end }: Bounds, period: number): number {
  if (at > end) return LEFT_OUT
  return at < yearStart ? BEFORE_YEAR : at < start ? YEAR_TO_DATE : period
}

/** In which period of the answer the monthly sums of each period of the books belong; those before the books come first. */
function placesOfMonths(
  frame: Frame,
  range: DateRange,
  yearStart: string,
  cut: readonly number[],
): Int16Array {
  const first = monthOf(frame.coverage.startDate)
  const bounds = boundsOf(monthOf, range, yearStart)
  const places = new Int16Array(monthsOf(frame.coverage) - BEFORE_YEAR)
  places[0] = BEFORE_YEAR
  places[YEAR_TO_DATE - BEFORE_YEAR] = openingPeriod(frame, range.startDate)
  for (let month = first; month <= monthOf(frame.coverage.endDate); month++)
    places[month - first - BEFORE_YEAR] = cut.includes(month)
      ? LEFT_OUT
      : placeOf(month, bounds, month - bounds.start)
  return places
}

/** The same of each day of a month, by its number from 1 on. */
function placesOfDays(month: number, range: DateRange, yearStart: string): Int16Array {
  const before = dayOf(firstDay(month)) - 1
  const bounds = boundsOf(dayOf, range, yearStart)
  const period = month - monthOf(range.startDate)
  return Int16Array.from({ length: 32 }, (_, day) => placeOf(before + day, bounds, period))
}

function addMonths(sums: Sums, cells: Cells, stretches: readonly Stretch[], places: Int16Array): void {
  for (const stretch of stretches)
    eachCell(cells, stretch, (account, period, kind, amount) =>
      sums.add(account, places[period - BEFORE_YEAR] ?? LEFT_OUT, kind, amount),
    )
}

function addDays(sums: Sums, postings: DayPostings, members: Members, places: Int16Array): void {
  eachPosting(postings, members, (day, account, kind, amount) =>
    sums.add(account, places[day] ?? LEFT_OUT, kind, amount),
  )
}

/** Results of the range before a start inside the month are of years before: see year-cuts.ts. */
function moveResults(
  sums: Sums,
  frame: Frame,
  postings: DayPostings,
  members: Members,
  places: Int16Array,
  startDay: number,
): void {
  eachPosting(postings, members, (day, account, kind, amount) => {
    const place = places[day] ?? LEFT_OUT
    if (day < startDay && place >= 0 && isOfCurrentYear(frame, account, kind))
      for (const move of MOVES) sums.add(notClosedCode(frame), place, move.kind, move.sign * amount)
  })
}
