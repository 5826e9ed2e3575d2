/** Postings by the day, for ranges that cut a month: asked of DuckDB a month at a time, those used last kept. */
import { firstDay, lastDay } from '../contract/calendar.ts'
import type { Basis } from '../contract/vocabulary.ts'
import { BASIS_CODE } from './codes.ts'
import type { Column, Database } from './database.ts'

/** Parallel columns, by day. */
export interface DayPostings {
  /** Of the month, from 1. */
  readonly day: Column
  readonly account: Column
  readonly class: Column
  readonly department: Column
  readonly kind: Column
  readonly amount: Column
}

/** Of 22 bytes each. Ranges that are asked for together end on the same days: a few months are most of what is asked. */
const MOST_POSTINGS = 2_000_000

export class Days {
  /** In order of use: the first was not used for the longest time. */
  readonly #kept = new Map<string, DayPostings>()
  readonly #most: number
  #count = 0

  constructor(most = MOST_POSTINGS) {
    this.#most = most
  }

  /** How many postings are kept. */
  get count(): number {
    return this.#count
  }

  /** All of one month. `db` is the connection of the query that asks, so that it can be interrupted. */
  async of(db: Database, basis: Basis, month: number): Promise<DayPostings> {
    const key = `${basis} ${month}`
    const postings = this.#kept.get(key) ?? (await read(db, basis, month))
    this.#keep(key, postings)
    return postings
  }

  #keep(key: string, postings: DayPostings): void {
    // Two queries may have read the same month at once.
    if (!this.#kept.delete(key)) this.#count += postings.day.length
    this.#kept.set(key, postings)
    for (const [oldest, { day }] of this.#kept) {
      if (this.#count <= this.#most) return
      this.#kept.delete(oldest)
      this.#count -= day.length
    }
  }
}

async function read(db: Database, basis: Basis, month: number): Promise<DayPostings> {
  const columns = await db.columns(
    `SELECT day(day)::TINYINT, account, class, department, kind, amount::DOUBLE FROM posting
     WHERE basis = ${BASIS_CODE[basis]} AND day BETWEEN DATE '${firstDay(month)}' AND DATE '${lastDay(month)}'`,
    6,
  )
  // Copies: the columns lie in more memory than they fill.
  const [day, account, cls, department, kind, amount] = columns.map((column) => column.slice())
  return {
    day: day!,
    account: account!,
    class: cls!,
    department: department!,
    kind: kind!,
    amount: amount!,
  }
}
