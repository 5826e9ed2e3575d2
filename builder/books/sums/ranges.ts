/**
 * Computes the cells of any range of days. Whole months are added up from arrays in memory; only months that the range cuts are
 * queried by the day.
 */

import { dayOf, firstDay, lastDay, monthOf } from '../../contract/calendar.ts'
import type { DateRange } from '../../contract/document.ts'
import { figureAt } from '../../contract/figures.ts'
import { present } from '../../contract/present.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import type { Books } from '../books.ts'
import { KINDS } from '../post/postings.ts'
import { type DayPostings, Days, eachPosting, type Members } from '../read/days.ts'
import { startInside } from '../reference/fiscal.ts'
import { codeCount, type Frame, notClosedCode } from '../reference/frame.ts'
import type { Span, Tree } from '../reference/tree.ts'
import {
  allOf,
  BEFORE_YEAR,
  type Cells,
  eachCell,
  type MonthlySums,
  openingPeriod,
  readMonthlySums,
  type Stretch,
  stretchesIn,
  YEAR_TO_DATE,
} from './monthly-sums.ts'
import { isOfCurrentYear, MOVES } from './year-cuts.ts'
/** Books that answer any range of days. */
export interface RangeBooks extends Books {
  readonly months: ReadonlyMap<Basis, MonthSums>
  readonly days: Days
}

/** The monthly sums of one basis, openings included. Periods count from the start of the coverage. */
interface MonthSums {
  readonly leaves: MonthlySums
  /** The sums over all members, for ranges without filters. */
  readonly totals: Cells
}

/** Reads the monthly sums into memory, and drops the table `leaf`, which needs more memory and is not queried again. */
export async function rangeBooks(books: Books): Promise<RangeBooks> {
  const { db, frame, openings } = books
  const months = new Map<Basis, MonthSums>()
  for (const basis of frame.bases) {
    const leaves = await readMonthlySums(db, frame, openings, basis)
    months.set(basis, { leaves, totals: totalsOf(frame, leaves) })
  }
  await db.run('DROP TABLE leaf')
  return { ...books, months, days: await Days.open(db) }
}

function totalsOf(frame: Frame, cells: MonthlySums): Cells {
  const sums = new Sums(frame, monthsOf(frame.coverage))
  eachCell(cells, allOf(cells), (account, period, kind, amount) => sums.add(account, period, kind, amount))
  return sums.cells()
}

/**
 * The cells of a range inside the coverage, one period for each month or part of one, and two periods before it:
 * {@link BEFORE_YEAR} holds everything before `yearStart` (the start of the fiscal year of the range's first day), and
 * {@link YEAR_TO_DATE} what lies between `yearStart` and the range.
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

/** The months that a boundary of the range or the start of its year divides; their monthly sums cannot be used. */
function monthsCutBy(range: DateRange, yearStart: string): number[] {
  const starts = [yearStart, range.startDate].filter((day) => day !== firstDay(monthOf(day)))
  const isCutAtEnd = range.endDate !== lastDay(monthOf(range.endDate))
  return [...new Set([...starts, ...(isCutAtEnd ? [range.endDate] : [])].map(monthOf))]
}

/** The start of the fiscal year, and the first and last day of the range; all counted in months or all in days. */
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

/** The period of a month or day: `period` if it lies inside the range, a period before it, or LEFT_OUT after it. */
function placeOf(at: number, { yearStart, start, end }: Bounds, period: number): number {
  if (at > end) return LEFT_OUT
  return at < yearStart ? BEFORE_YEAR : at < start ? YEAR_TO_DATE : period
}

/** For each period of the books, the two before the books included, the period of the answer to which its sums belong. */
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

/** For each day of a month, by its number from 1 on, the period of the answer. */
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

/** Moves results before a fiscal year start inside the month to prior years: see year-cuts.ts. */
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

/** Stands in place of a period for amounts that do not belong to the answer. */
const LEFT_OUT = BEFORE_YEAR - 1

class Sums {
  readonly #accounts: number
  readonly #periods: number
  /** Sums by kind, then by period from {@link BEFORE_YEAR} on, then by account. Arrays are made for kinds that occur only. */
  readonly #sums: (Float64Array | undefined)[] = KINDS.map(() => undefined)

  /** `periods` is the number of periods in the range, without the two before it. */
  constructor(frame: Frame, periods: number) {
    this.#accounts = codeCount(frame)
    this.#periods = periods - BEFORE_YEAR
  }

  /** Adds an amount in minor units; one in the period {@link LEFT_OUT} is ignored. */
  add(account: number, period: number, kind: number, amount: number): void {
    if (period === LEFT_OUT) return
    const sums = this.#sums[kind] ?? this.#begin(kind)
    const at = (period - BEFORE_YEAR) * this.#accounts + account
    sums[at] = figureAt(sums, at) + amount
  }

  /** The sums that are not zero; a sum of zero changes no statement. */
  cells(): Cells {
    let count = 0
    for (const sums of this.#sums) if (sums) for (let i = 0; i < sums.length; i++) if (sums[i] !== 0) count++
    const cells = {
      account: new Int32Array(count),
      period: new Int16Array(count),
      kind: new Int8Array(count),
      amount: new Float64Array(count),
    }
    let at = 0
    for (const [kind, sums] of this.#sums.entries())
      for (let i = 0; sums && i < sums.length; i++) {
        const amount = figureAt(sums, i)
        if (amount === 0) continue
        const period = Math.floor(i / this.#accounts)
        cells.account[at] = i - period * this.#accounts
        cells.period[at] = period + BEFORE_YEAR
        cells.kind[at] = kind
        cells.amount[at++] = amount
      }
    return cells
  }

  #begin(kind: number): Float64Array {
    const sums = new Float64Array(this.#accounts * this.#periods)
    this.#sums[kind] = sums
    return sums
  }
}
