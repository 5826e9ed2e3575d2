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

/** Calls `visit` with the cells of a stretch, one by one: a plain loop, since cells are many. */
export function eachCell(
  { account, period, kind, amount }: Cells,
  { from, to }: Stretch,
  visit: (account: number, period: number, kind: number, amount: number) => void,
): void {
  for (let i = from; i < to; i++)
    visit(account[i] ?? NONE, period[i] ?? NONE, kind[i] ?? NONE, amount[i] ?? NONE)
}

/** A column that is too short has no number there, which no sum hides. */
const NONE = Number.NaN

/** Numbers of cells: from the first one up to, but not including, the last. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

export const allOf = ({ account }: Cells): Stretch => ({ from: 0, to: account.length })

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

/** Reads `leaf`; the openings stand before the first period. Equal sums are equal arrays: see build/statement-reuse.ts. */
export async function leafCells(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  basis: Basis,
): Promise<LeafCells> {
  const departments = frame.departments.members.length + 1
  const places = departments * (frame.classes.members.length + 1)
  const [place = EMPTY, account = EMPTY, period = EMPTY, kind = EMPTY, amount = EMPTY] = await db.columns(
    `SELECT (class * ${departments} + department)::INTEGER, account, (month - ${monthOf(frame.coverage.startDate)})::SMALLINT, kind, amount::DOUBLE
     FROM leaf WHERE basis = ${BASIS_CODE[basis]} ORDER BY class, department, account, month, kind`,
    5,
  )
  const own = openings.filter((cell) => cell.basis === basis)
  const opened = openingColumns(frame, own)
  const parts = [
    { place: Int32Array.from(own, (cell) => cell.class * departments + cell.department), ...opened },
    { place, account, period, kind, amount },
  ]
  return { ...inPlaces(parts, places), departments }
}

const EMPTY = new Float64Array(0)

/** A counting sort: one pass counts the cells of each place, another puts them there. */
function inPlaces(
  parts: readonly (Cells & { readonly place: Column })[],
  places: number,
): Pick<LeafCells, 'starts' | keyof Cells> {
  const starts = new Int32Array(places + 1)
  for (const { place } of parts) for (const each of place) starts[each] = (starts[each] ?? 0) + 1
  let count = 0
  for (const [place, size] of starts.entries()) {
    starts[place] = count
    count += size
  }
  const cells = {
    account: new Int32Array(count),
    period: new Int16Array(count),
    kind: new Int8Array(count),
    amount: new Float64Array(count),
  }
  const next = starts.slice()
  for (const { place, ...part } of parts) {
    let i = 0
    eachCell(part, allOf(part), (account, period, kind, amount) => {
      const where = place[i++] ?? NONE
      const at = next[where] ?? NONE
      next[where] = at + 1
      cells.account[at] = account
      cells.period[at] = period
      cells.kind[at] = kind
      cells.amount[at] = amount
    })
  }
  return { ...cells, starts }
}

/** The stretches of cells inside two filters. Empty ones are left out. */
export function stretchesIn(cells: LeafCells, classes: Span, departments: Span): Stretch[] {
  const stretches: Stretch[] = []
  for (let member = classes.from; member <= classes.to; member++) {
    const row = member * cells.departments
    const from = cells.starts[row + departments.from] ?? NONE
    const to = cells.starts[row + departments.to + 1] ?? NONE
    if (from < to) stretches.push({ from, to })
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
