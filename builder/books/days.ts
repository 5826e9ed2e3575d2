/** Postings by the day, for ranges that cut a month: asked of DuckDB a month at a time. */
import { firstDay, lastDay } from '../contract/calendar.ts'
import type { DateRange } from '../contract/document.ts'
import type { Basis } from '../contract/vocabulary.ts'
import { BASIS_CODE } from './codes.ts'
import type { Column, Database } from './database.ts'
import type { Span } from './tree.ts'

/** Parallel columns. */
export interface DayPostings {
  /** Of the month, from 1. */
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
 * What is asked of a month; `yearStart` is that of the fiscal year of the range's first day, `laterStart` of one that begins
 * inside the month and the range.
 */
export interface Question {
  readonly members: Members
  readonly isUnfiltered: boolean
  readonly range: DateRange
  readonly yearStart: string
  readonly laterStart: string | undefined
}

/** Postings of 22 bytes each, for as long as the books are loaded. */
const MOST_KEPT = 2_000_000

export class Days {
  readonly #kept = new Map<string, DayPostings>()
  /** Of large books only the sums over all members are kept. */
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

  /** How many months are kept. */
  get kept(): number {
    return this.#kept.size
  }

  /**
   * The postings of a month, kept for the next range that cuts it: what is asked for together ends on the same days. Of large
   * books the sums of each day over all members; under filters, by account, kind and part of the month: DuckDB adds up a
   * hundred thousand postings in less time than it takes to hand them over. `db` is the connection that can be interrupted.
   */
  async of(db: Database, basis: Basis, month: number, question: Question): Promise<DayPostings> {
    if (this.#areLarge && !question.isUnfiltered) return sums(db, basis, month, question)
    const key = `${basis} ${month}`
    const postings = this.#kept.get(key) ?? (await all(db, basis, month, this.#areLarge))
    this.#kept.set(key, postings)
    return postings
  }
}

/** The sums of each day over all members, for ranges without filters. */
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
  // Copies: the columns lie in more memory than they fill.
  return postingsOf(columns.map((column) => column.slice()))
}

/** Each sum stands under one of the days and members that it is made of. */
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

/** Calls `visit` with the postings inside two filters, one by one: a plain loop, since they are many. */
export function eachPosting(
  { day, account, class: classOf, department, kind, amount }: DayPostings,
  { classes, departments }: Members,
  visit: (day: number, account: number, kind: number, amount: number) => void,
): void {
  for (let i = 0; i < day.length; i++)
    if (isIn(classOf[i] ?? NONE, classes) && isIn(department[i] ?? NONE, departments))
      visit(day[i] ?? NONE, account[i] ?? NONE, kind[i] ?? NONE, amount[i] ?? NONE)
}

/** A column that is too short has no number there, which no sum hides. */
const NONE = Number.NaN

const isIn = (member: number, { from, to }: Span): boolean => member >= from && member <= to
