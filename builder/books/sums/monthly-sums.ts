/** Adds up the postings by month, account and kind. The cube and ad-hoc ranges are both computed from these sums. */

import { monthOf } from '../../contract/calendar.ts'
import type { Period } from '../../contract/document.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import type { Column, Database } from '../../database/database.ts'
import { monthSql } from '../../database/date-sql.ts'
import type { Rows } from '../../ingest/format/column-rows.ts'
import type { BudgetFigure } from '../post/budget-figures.ts'
import type { OpeningCell } from '../post/openings.ts'
import { KIND, KINDS } from '../post/postings.ts'
import { BASIS_CODE } from '../read/codes.ts'
import type { LedgerFacts } from '../read/engine/engine.ts'
import { codeCount, type Frame } from '../reference/frame.ts'
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
 * Creates the table `leaf` with the monthly sums per class and department. Its rows are unordered; `readMonthlySums` orders them. `facts` are
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
  const ofBasis = `FROM ${sums} WHERE basis = ${BASIS_CODE[basis]}`
  const { count } = await db.row<{ count: string }>(`SELECT count(*)::VARCHAR AS count ${ofBasis}`)
  const opened = openings.filter((cell) => cell.basis === basis)
  const cells = new OrderedCells(places, openingCells(frame, opened, departments), Number(count))
  await eachSum(db, frame, departments, ofBasis, (place, account, period, kind, amount) =>
    cells.add(place, account, period, kind, amount),
  )
  return { ...cells.whole(), departments }
}

/**
 * Calls `visit` with each monthly sum, ordered by place, account, month and kind. One number holds place and account, another one month
 * and kind: DuckDB sorts and hands over two columns in half of the time of four. A DOUBLE is exact for whole numbers below 2^53.
 */
async function eachSum(
  db: Database,
  frame: Frame,
  departments: number,
  from: string,
  visit: (place: number, account: number, period: number, kind: number, amount: number) => void,
): Promise<void> {
  const accounts = codeCount(frame)
  const kinds = KINDS.length
  const parts = db.columnParts(
    `SELECT ((class * ${departments} + department)::BIGINT * ${accounts} + account)::DOUBLE AS place_and_account,
       ((month - ${monthOf(frame.coverage.startDate)}) * ${kinds} + kind)::INTEGER AS month_and_kind, amount::DOUBLE
     ${from} ORDER BY place_and_account, month_and_kind`,
    3,
  )
  for await (const [places = EMPTY, months = EMPTY, amounts = EMPTY] of parts)
    for (let i = 0; i < places.length; i++) {
      const placeAndAccount = places[i] ?? NONE
      const place = Math.floor(placeAndAccount / accounts)
      const monthAndKind = months[i] ?? NONE
      const period = Math.floor(monthAndKind / kinds)
      visit(
        place,
        placeAndAccount - place * accounts,
        period,
        monthAndKind - period * kinds,
        amounts[i] ?? NONE,
      )
    }
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
  const placeOf = (figure: BudgetFigure) => figure.class * departments + figure.department
  // How many figures each place has, and then where its next one goes: what is in one place keeps its order.
  const next = new Map(budgets.map(({ id }) => [id, new Int32Array(shared(places + 1, Int32Array))]))
  for (const figure of figures) {
    const counts = next.get(figure.budget)
    if (counts !== undefined) counts[placeOf(figure)] = (counts[placeOf(figure)] ?? 0) + 1
  }
  const all = new Map([...next].map(([id, counts]) => [id, emptyCells(toStarts(counts))]))
  for (const figure of figures) {
    const at = next.get(figure.budget)
    const cells = all.get(figure.budget)
    if (at === undefined || cells === undefined) continue
    const place = placeOf(figure)
    const cell = at[place] ?? NONE
    at[place] = cell + 1
    cells.account[cell] = figure.account
    cells.period[cell] = figure.month
    cells.amount[cell] = figure.amount
  }
  return new Map(
    [...all].map(([id, cells]) => {
      const starts = next.get(id) ?? new Int32Array(0)
      // Each place is filled, so that the next one stands where it ends.
      starts.copyWithin(1, 0)
      starts[0] = 0
      return [id, { ...cells, starts, departments }]
    }),
  )
}

/** Turns the number of cells of each place into the index of its first one, and returns how many there are. */
function toStarts(counts: Int32Array): number {
  let total = 0
  for (const [place, count] of counts.entries()) {
    counts[place] = total
    total += count
  }
  return total
}

const EMPTY = new Float64Array(0)

/** Memory that threads have in common: statements are composed by several of them, of one copy of the cells. */
const shared = (
  length: number,
  { BYTES_PER_ELEMENT }: { readonly BYTES_PER_ELEMENT: number },
): SharedArrayBuffer => new SharedArrayBuffer(length * BYTES_PER_ELEMENT)

type CellsInPlaces = Omit<MonthlySums, 'departments'>

const emptyCells = (count: number) => ({
  account: new Int32Array(shared(count, Int32Array)),
  period: new Int32Array(shared(count, Int32Array)),
  kind: new Int8Array(shared(count, Int8Array)),
  amount: new Float64Array(shared(count, Float64Array)),
})

interface PlacedCell {
  readonly place: number
  readonly account: number
  readonly period: number
  readonly kind: number
  readonly amount: number
}

/** Takes cells in the order of their places. */
class OrderedCells {
  readonly #cells: ReturnType<typeof emptyCells>
  readonly #starts: Int32Array
  readonly #first: readonly PlacedCell[]
  #count = 0
  /** How many of {@link #first} were taken. */
  #taken = 0
  /** The place of the last cell; the starts up to it are set. */
  #place = 0

  /** `first` are cells that stand before all others of their places, in the order of these; `count` others will be added. */
  constructor(places: number, first: readonly PlacedCell[], count: number) {
    this.#cells = emptyCells(first.length + count)
    this.#starts = new Int32Array(shared(places + 1, Int32Array))
    this.#first = first
  }

  add(place: number, account: number, period: number, kind: number, amount: number): void {
    if (this.#taken < this.#first.length) this.#takeFirst(place)
    this.#put(place, account, period, kind, amount)
  }

  /** All of them. Throws where there are not as many as were announced. */
  whole(): CellsInPlaces {
    this.#takeFirst(Number.POSITIVE_INFINITY)
    const starts = this.#starts.fill(this.#count, this.#place + 1)
    if (this.#count !== this.#cells.account.length)
      throw new Error(`${this.#count} cells came, and not ${this.#cells.account.length}`)
    return { ...this.#cells, starts }
  }

  #takeFirst(through: number): void {
    for (
      let cell = this.#first[this.#taken];
      cell !== undefined && cell.place <= through;
      cell = this.#first[++this.#taken]
    )
      this.#put(cell.place, cell.account, cell.period, cell.kind, cell.amount)
  }

  #put(place: number, account: number, period: number, kind: number, amount: number): void {
    while (this.#place < place) this.#starts[++this.#place] = this.#count
    const at = this.#count++
    this.#cells.account[at] = account
    this.#cells.period[at] = period
    this.#cells.kind[at] = kind
    this.#cells.amount[at] = amount
  }
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

/** The openings as cells before the first period of the books, in the order of their places; what is in one place keeps its order. */
function openingCells(frame: Frame, openings: readonly OpeningCell[], departments: number): PlacedCell[] {
  const opened = openingPeriod(frame, frame.coverage.startDate)
  return openings
    .map((opening) => ({
      place: opening.class * departments + opening.department,
      account: opening.account,
      period: opening.current ? opened : BEFORE_YEAR,
      kind: KIND.activity,
      amount: opening.amount,
    }))
    .sort((a, b) => a.place - b.place)
}

/**
 * The period of an opening that was taken inside the first fiscal year: year-to-date for a range in that year, because it holds the
 * year's earnings so far; before the year for later ranges.
 */
export const openingPeriod = (frame: Frame, startDate: string): number =>
  frame.fiscalYears.slice(1).some((year) => year.start <= startDate) ? BEFORE_YEAR : YEAR_TO_DATE
