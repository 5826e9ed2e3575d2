/** Reads postings by the day, one month at a time, for ranges that begin or end inside a month. */
import { firstDay, lastDay } from '../../contract/calendar.ts'
import type { DateRange } from '../../contract/document.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import type { Column, Database } from '../../database/database.ts'
import type { Span } from '../reference/tree.ts'
import { BASIS_CODE } from './codes.ts'

/** Parallel columns, one entry per posting or sum. Amounts are minor units, debit positive. */
export interface DayPostings {
  /** Day of the month, from 1. */
  readonly day: Column
  readonly account: Column
  readonly class: Column
  readonly department: Column
  readonly kind: Column
  readonly amount: Column
}

export interface Members {
  readonly classes: Span
  readonly departments: Span
}

/**
 * The range and filters for which a month is read. `yearStart` is the start of the fiscal year that holds the range's first day;
 * `laterStart` is the start of a fiscal year that begins inside both the month and the range. Days are `YYYY-MM-DD`.
 */
export interface Question {
  readonly members: Members
  readonly isUnfiltered: boolean
  readonly range: DateRange
  readonly yearStart: string
  readonly laterStart: string | undefined
}

/** Up to this number of postings, each of 22 bytes, all days may be kept in memory while the books are loaded. */
const MOST_KEPT = 2_000_000

export class Days {
  readonly #kept = new Map<string, DayPostings>()
  /** If true, only sums over all members are kept. */
  readonly #areLarge: boolean

  constructor(postings: number) {
    this.#areLarge = postings > MOST_KEPT
  }

  static async open(db: Database): Promise<Days> {
    const posting = await db.row<{ count: string }>('SELECT count(*) AS count FROM posting')
    const days = new Days(Number(posting.count))
    if (days.#areLarge) await createTotals(db)
    return days
  }

  /** The number of months in memory. */
  get kept(): number {
    return this.#kept.size
  }

  /**
   * The postings of a month, counted from year 0. They are kept, because requests made together often end on the same
   * day. Of large books it returns the sums of each day over all members, or, under filters, the sums by account, kind and part of
   * the month: DuckDB adds up a hundred thousand postings faster than it hands them over. `db` is the connection that can be
   * interrupted.
   */
  async of(db: Database, basis: Basis, month: number, question: Question): Promise<DayPostings> {
    if (this.#areLarge && !question.isUnfiltered) return sums(db, basis, month, question)
    const key = `${basis} ${month}`
    const postings = this.#kept.get(key) ?? (await all(db, basis, month, this.#areLarge))
    this.#kept.set(key, postings)
    return postings
  }
}

/** Creates the table `day_total` with the sums of each day over all members, for ranges without filters. */
export const createTotals = (db: Database): Promise<void> =>
  db.run(`
    CREATE TABLE day_total AS SELECT basis, day, account, 0 AS class, 0 AS department, kind, sum(amount)::BIGINT AS amount
    FROM posting GROUP BY ALL ORDER BY basis, day`)

async function all(db: Database, basis: Basis, month: number, summed: boolean): Promise<DayPostings> {
  const columns = await db.columns(
    `SELECT day(day)::TINYINT, account, class, department, kind, amount::DOUBLE FROM ${summed ? 'day_total' : 'posting'}
     WHERE basis = ${BASIS_CODE[basis]} AND day BETWEEN DATE '${firstDay(month)}' AND DATE '${lastDay(month)}'`,
    6,
  )
  // The copies free the unused part of the buffers.
  return postingsOf(columns.map((column) => column.slice()))
}

/** Sums by account, kind and part of the month. Each one carries the first of its days and the least of its members. */
async function sums(db: Database, basis: Basis, month: number, question: Question): Promise<DayPostings> {
  const { members, range, yearStart, laterStart } = question
  const { classes, departments } = members
  const until = range.endDate < lastDay(month) ? range.endDate : lastDay(month)
  const columns = await db.columns(
    `SELECT min(day(day))::TINYINT, account, min(class), min(department), kind, sum(amount)::DOUBLE FROM posting
     WHERE class BETWEEN ${classes.from} AND ${classes.to} AND department BETWEEN ${departments.from} AND ${departments.to}
       AND basis = ${BASIS_CODE[basis]} AND day BETWEEN DATE '${firstDay(month)}' AND DATE '${until}'
     GROUP BY account, kind, day < DATE '${yearStart}', day < DATE '${range.startDate}'${laterStart === undefined ? '' : `, day < DATE '${laterStart}'`}`,
    6,
  )
  return postingsOf(columns)
}

function postingsOf([day = EMPTY, account = EMPTY, cls = EMPTY, ...rest]: readonly Column[]): DayPostings {
  const [department = EMPTY, kind = EMPTY, amount = EMPTY] = rest
  return { day, account, class: cls, department, kind, amount }
}

const EMPTY = new Float64Array(0)

/** Calls `visit` with each posting that both filters select. It is a plain loop, because there are many postings. */
export function eachPosting(
  { day, account, class: classOf, department, kind, amount }: DayPostings,
  { classes, departments }: Members,
  visit: (day: number, account: number, kind: number, amount: number) => void,
): void {
  for (let i = 0; i < day.length; i++)
    if (isIn(classOf[i] ?? NONE, classes) && isIn(department[i] ?? NONE, departments))
      visit(day[i] ?? NONE, account[i] ?? NONE, kind[i] ?? NONE, amount[i] ?? NONE)
}

/** Stands for a value missing from a column that is too short. A sum with it is NaN, so the mistake cannot go unnoticed. */
const NONE = Number.NaN

const isIn = (member: number, { from, to }: Span): boolean => member >= from && member <= to
