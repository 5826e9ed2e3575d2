/** Monthly sums of postings by account and kind: what both the cube and ad-hoc ranges are made from. */
import { monthOf } from '../contract/calendar.ts'
import type { Basis } from '../contract/vocabulary.ts'
import { BASIS_CODE } from './codes.ts'
import type { Column, Database } from './database.ts'
import type { Frame } from './frame.ts'
import type { OpeningCell } from './openings.ts'
import { KIND } from './postings.ts'
import type { Span } from './tree.ts'
import { withMovedResults } from './year-cuts.ts'

/** Parallel columns. `period` counts from 0; amounts are minor units, debit positive. */
export interface Cells {
  readonly account: Column
  readonly period: Column
  /** Index into KINDS. */
  readonly kind: Column
  readonly amount: Column
}

/** Periods before the range: earlier fiscal years, and the part of the current one. */
export const BEFORE_YEAR = -2
export const YEAR_TO_DATE = -1

/** All months of one basis, openings too, ordered by class and department. */
export interface LeafCells extends Cells {
  /** Where the cells of class `c` and department `d` begin: at `c × departments + d`; those of the next place end them. */
  readonly starts: Int32Array
  /** How many departments there are, *unassigned* among them. */
  readonly departments: number
}

/** Monthly sums per leaf of both dimensions: what the cube rolls up. In no order: `leafCells` puts them in place. */
export async function createLeaves(db: Database, frame: Frame): Promise<void> {
  await db.run(`
    CREATE TABLE leaf AS SELECT basis, class, department, account, month, kind, sum(amount)::BIGINT AS amount
    FROM ${withMovedResults(frame)} GROUP BY ALL`)
}

/** Reads `leaf`; the openings stand before the first period. Equal sums are equal arrays: see composed-before.ts. */
export async function leafCells(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  basis: Basis,
): Promise<LeafCells> {
  const departments = frame.departments.members.length + 1
  const places = departments * (frame.classes.members.length + 1)
  const read = await db.columns(
    `SELECT (class * ${departments} + department)::INTEGER, account, (month - ${monthOf(frame.coverage.startDate)})::SMALLINT, kind, amount::DOUBLE
     FROM leaf WHERE basis = ${BASIS_CODE[basis]} ORDER BY class, department, account, month, kind`,
    5,
  )
  const own = openings.filter((cell) => cell.basis === basis)
  const opened = openingColumns(frame, own)
  const parts = [
    { place: own.map((cell) => cell.class * departments + cell.department), ...opened },
    { place: read[0]!, account: read[1]!, period: read[2]!, kind: read[3]!, amount: read[4]! },
  ]
  // A counting sort: one pass tells how many cells each place has, another puts them there.
  const starts = new Int32Array(places + 1)
  for (const { place } of parts) for (let i = 0; i < place.length; i++) starts[place[i]! + 1]!++
  for (let place = 0; place < places; place++) starts[place + 1] = starts[place + 1]! + starts[place]!
  const count = starts[places]!
  const cells = {
    account: new Int32Array(count),
    period: new Int16Array(count),
    kind: new Int8Array(count),
    amount: new Float64Array(count),
  }
  const next = starts.slice()
  for (const { place, account, period, kind, amount } of parts)
    for (let i = 0; i < place.length; i++) {
      const at = next[place[i]!]!++
      cells.account[at] = account[i]!
      cells.period[at] = period[i]!
      cells.kind[at] = kind[i]!
      cells.amount[at] = amount[i]!
    }
  return { ...cells, starts, departments }
}

/** Pairs from, to: the stretches of cells inside two filters. Empty ones are left out. */
export function stretchesIn(cells: LeafCells, classes: Span, departments: Span): number[] {
  const stretches: number[] = []
  for (let member = classes.from; member <= classes.to; member++) {
    const row = member * cells.departments
    const from = cells.starts[row + departments.from]!
    const to = cells.starts[row + departments.to + 1]!
    if (from < to) stretches.push(from, to)
  }
  return stretches
}

/** Openings as cells before the first period of the books. */
function openingColumns(frame: Frame, openings: readonly OpeningCell[]): Cells {
  const current = openingPeriod(frame, frame.coverage.startDate)
  return {
    account: Int32Array.from(openings, (cell) => cell.account),
    period: Int16Array.from(openings, (cell) => (cell.current ? current : BEFORE_YEAR)),
    kind: new Int8Array(openings.length).fill(KIND.activity),
    amount: Float64Array.from(openings, (cell) => cell.amount),
  }
}

/** A balance taken inside a year belongs to the first year's earnings so far: where a range of that year puts it. */
export const openingPeriod = (frame: Frame, startDate: string): number =>
  frame.fiscalYears.slice(1).some((year) => year.start <= startDate) ? BEFORE_YEAR : YEAR_TO_DATE
