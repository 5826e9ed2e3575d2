/** Adds up the postings by month, account and kind. The cube and ad-hoc ranges are both computed from these sums. */

import { monthOf } from '../../contract/calendar.ts'
import type { Period } from '../../contract/document.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import type { Column, Database } from '../../database/database.ts'
import { monthSql } from '../../database/date-sql.ts'
import type { Rows } from '../../ingest/format/column-rows.ts'
import type { BudgetFigure } from '../post/budget-figures.ts'
import type { OpeningCell } from '../post/openings.ts'
import { KIND } from '../post/postings.ts'
import { BASIS_CODE } from '../read/codes.ts'
import type { LedgerFacts } from '../read/engine/engine.ts'
import type { Frame } from '../reference/frame.ts'
import type { Span } from '../reference/tree.ts'
import { withMovedResults } from './year-cuts.ts'

/** Parallel columns, one entry per sum. `period` counts months from 0; amounts are minor units, debit positive. */
export interface Cells {
  readonly account: Column
  readonly period: Column
  /** Index into KINDS. */
  readonly kind: Column
  readonly amount: Column
}

/** Calls `visit` with each cell of a stretch. It is a plain loop, because there are many cells. */
export function eachCell(
  { account, period, kind, amount }: Cells,
  { from, to }: Stretch,
  visit: (account: number, period: number, kind: number, amount: number) => void,
): void {
  for (let i = from; i < to; i++)
    visit(account[i] ?? NONE, period[i] ?? NONE, kind[i] ?? NONE, amount[i] ?? NONE)
}

/** Stands for a value missing from a column that is too short. A sum with it is NaN, so the mistake cannot go unnoticed. */
const NONE = Number.NaN

/** A run of cells by index: `from` is included, `to` is not. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

export const allOf = ({ account }: Cells): Stretch => ({ from: 0, to: account.length })

/** Two periods before the range: earlier fiscal years, and the current fiscal year up to the range. */
export const BEFORE_YEAR = -2
export const YEAR_TO_DATE = -1

/** The cells of all months of one basis, openings included, ordered by class and department. */
export interface MonthlySums extends Cells {
  /**
   * Entry `c × departments + d` is the index of the first cell of class `c` and department `d`; the next entry is where
   * these cells end.
   */
  readonly starts: Int32Array
  /** The number of departments, including *unassigned*. */
  readonly departments: number
}

/**
 * Creates the table `leaf` with the monthly sums per class and department. Its rows are unordered; {@link readMonthlySums} orders them. `facts` are
 * given where an engine has summed up the lines by day already.
 */
export async function createLeaves(
  db: Database,
  frame: Frame,
  facts: LedgerFacts | null = null,
): Promise<void> {
  if (facts !== null) await checkSums(db)
  const sums =
    facts === null
      ? `${withMovedResults(frame)} GROUP BY ALL`
      : `${withMovedResults(frame, POSTED_BY_DAY, ['lines'])} GROUP BY ALL HAVING sum(lines) > 0`
  await db.run(`
    CREATE TABLE leaf AS SELECT basis, class, department, account, month, kind, sum(amount)::BIGINT AS amount FROM ${sums}`)
}

/** Every posting is behind exactly one sum; else a figure would be wrong, and nothing may be published. */
async function checkSums(db: Database): Promise<void> {
  const { summed, posted } = await db.row<{ summed: string; posted: string }>(
    `SELECT (SELECT coalesce(sum(lines), 0)::VARCHAR FROM ${POSTED_BY_DAY}) AS summed, (SELECT count(*)::VARCHAR FROM posting) AS posted`,
  )
  if (summed !== posted)
    throw new Error(`the sums of the engine are of ${summed} lines, the books hold ${posted}`)
}

/**
 * The sums of an engine, in which all lines are activity, with what the books made of some of them since: another kind, or a posting of
 * the program's own. A sum without a line is none.
 */
const POSTED_BY_DAY = `(
  SELECT basis, class, department, account, day, ${monthSql('day')} AS month, ${KIND.activity}::TINYINT AS kind, amount, lines
  FROM day_sum
  UNION ALL
  SELECT basis, class, department, account, day, month, kind, amount, 1
  FROM posting WHERE kind <> ${KIND.activity} OR rowid > (FROM last_read)
  UNION ALL
  SELECT basis, class, department, account, day, month, ${KIND.activity}, -amount, -1
  FROM posting WHERE kind <> ${KIND.activity} AND rowid <= (FROM last_read))`

/** SQL for the sums of stretches of days, which `readMonthlySums` reads as those of months: each counts as one month from the first one on. */
export const stretchSums = ({ coverage }: Frame, stretches: readonly Period[]): string => `(
  SELECT basis, class, department, account, kind, sum(amount)::BIGINT AS amount, (${monthOf(coverage.startDate)} + CASE ${stretches
    .map(({ endDate }, i) => `WHEN day <= DATE '${endDate}' THEN ${i}`)
    .join(' ')} END)::INTEGER AS month
  FROM posting GROUP BY ALL)`

/** Reads the cells of one basis from `sums` and adds the openings before the first period. */
export async function readMonthlySums(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  basis: Basis,
  sums = 'leaf',
): Promise<MonthlySums> {
  const departments = frame.departments.members.length + 1
  const places = departments * (frame.classes.members.length + 1)
  const opened = openingPeriod(frame, frame.coverage.startDate)
  const ofBasis = openings.filter((cell) => cell.basis === basis)
  const [at, account, period, kind, amount] = (await db.columns(
    `SELECT (class * ${departments} + department)::INTEGER, account::INTEGER,
       (month - ${monthOf(frame.coverage.startDate)})::INTEGER, kind::TINYINT, amount::DOUBLE
     FROM ${sums} WHERE basis = ${BASIS_CODE[basis]}`,
    5,
  )) as [Column, Column, Column, Column, Column]
  const sorted = inPlaces(places, (visit) => {
    for (const cell of ofBasis)
      visit(
        cell.class * departments + cell.department,
        cell.account,
        cell.current ? opened : BEFORE_YEAR,
        KIND.activity,
        cell.amount,
      )
    for (let i = 0; i < at.length; i++)
      visit(at[i] ?? NONE, account[i] ?? NONE, period[i] ?? NONE, kind[i] ?? NONE, amount[i] ?? NONE)
  })
  return { ...sorted, departments }
}

/**
 * The figures of each budget, ordered as {@link MonthlySums}; amounts are in the natural sign of the account, and `period` counts months
 * since year 0.
 */
export function budgetCells(
  { budgets, classes, departments: tree }: Pick<Frame, 'budgets' | 'classes' | 'departments'>,
  figures: Rows<BudgetFigure>,
): ReadonlyMap<string, MonthlySums> {
  const departments = tree.members.length + 1
  const places = departments * (classes.members.length + 1)
  const sorted = (budget: string) =>
    inPlaces(places, (visit) => {
      for (const { budget: id, class: inClass, department, account, month, amount } of figures)
        if (id === budget) visit(inClass * departments + department, account, month, KIND.activity, amount)
    })
  return new Map(budgets.map(({ id }) => [id, { ...sorted(id), departments }]))
}

/** Memory that threads have in common: statements are composed by several of them, of one copy of the cells. */
const shared = (
  length: number,
  { BYTES_PER_ELEMENT }: { readonly BYTES_PER_ELEMENT: number },
): SharedArrayBuffer => new SharedArrayBuffer(length * BYTES_PER_ELEMENT)

type Visit = (place: number, account: number, period: number, kind: number, amount: number) => void

/** Puts cells in the order of their places. `each` visits them all, in any order, and is called twice. */
function inPlaces(places: number, each: (visit: Visit) => void): Omit<MonthlySums, 'departments'> {
  // First how many cells each place has, then where its next one goes, and at last where it ends.
  const next = new Int32Array(shared(places + 1, Int32Array))
  each((place) => {
    next[place] = (next[place] ?? NONE) + 1
  })
  let count = 0
  for (const [place, cells] of next.entries()) {
    next[place] = count
    count += cells
  }
  const account = new Int32Array(shared(count, Int32Array))
  const period = new Int32Array(shared(count, Int32Array))
  const kind = new Int8Array(shared(count, Int8Array))
  const amount = new Float64Array(shared(count, Float64Array))
  each((place, ofAccount, ofPeriod, ofKind, sum) => {
    const at = next[place] ?? NONE
    next[place] = at + 1
    account[at] = ofAccount
    period[at] = ofPeriod
    kind[at] = ofKind
    amount[at] = sum
  })
  next.copyWithin(1, 0)
  next[0] = 0
  return { account, period, kind, amount, starts: next }
}

/** The stretches of cells that both filters select, without empty ones. */
export function stretchesIn(cells: MonthlySums, classes: Span, departments: Span): Stretch[] {
  const stretches: Stretch[] = []
  for (let member = classes.from; member <= classes.to; member++) {
    const row = member * cells.departments
    const from = cells.starts[row + departments.from] ?? NONE
    const to = cells.starts[row + departments.to + 1] ?? NONE
    if (from < to) stretches.push({ from, to })
  }
  return stretches
}

/**
 * The period of an opening that was taken inside the first fiscal year: year-to-date for a range in that year, because it holds the
 * year's earnings so far; before the year for later ranges.
 */
export const openingPeriod = (frame: Frame, startDate: string): number =>
  frame.fiscalYears.slice(1).some((year) => year.start <= startDate) ? BEFORE_YEAR : YEAR_TO_DATE
