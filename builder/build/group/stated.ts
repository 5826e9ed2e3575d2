/**
 * States the postings of a member in the currency of the group, one after another in their order: the lines at one rate have a
 * running total, and a posting is by how much the rounded product of that total changes. The lines of an entry at one rate bring
 * the total back to where it was, so that they balance as translated.
 */

import { dateOf, dayOf, monthOf } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import { type Column, copySql, type Database, quoted } from '../../database/database.ts'
import type { Scratch } from '../../ingest/text/scan.ts'
import type { Stated } from './lines.ts'
import type { DatedMember } from './members.ts'
import { type MemberRates, openingDay, type Rate } from './rates.ts'

/**
 * Which lines share what rounding leaves: those of an entry, or those of an account and month, as under earlier rules (`roundsByEntry`).
 */
export type Rounding = 'by entry' | 'by account'

/** An account of the member. Its code is its place. */
interface Account extends Record<string, unknown> {
  readonly own: string
  readonly equity: boolean
}

/**
 * Creates the table `stated_<i>` (row, amount, rate), with a record for each posting of `own_<i>` in its order; `own_rate` (rate, num,
 * den, of_day), its rates, and whether they are those of days; and `opening_rate` (own, num, den).
 */
export async function statePostings(
  db: Database,
  i: number,
  { days: { from, until } }: DatedMember,
  { months, days }: MemberRates,
  rounding: Rounding,
  scratch: Scratch,
): Promise<Stated> {
  const accounts = await db.rows<Account>(
    `SELECT own, kind = 'equity' AS equity FROM map_${i} JOIN account_kind USING (account) ORDER BY own`,
  )
  const [first, start] = [monthOf(from), dayOf(from)]
  const averages = Array.from({ length: monthOf(until) - first + 1 }, (_, n) =>
    present(months.get(first + n), 'rates of the month'),
  )
  const rates = averages.map(({ average }) => average)
  const monthAt = Int32Array.from(
    { length: dayOf(until) - start + 1 },
    (_, n) => monthOf(dateOf(start + n)) - first,
  )
  // By day and account: the place of a rate that equity has in the place of the average.
  const ofDays = new Map<number, number>()
  for (const day of new Set(days.map((each) => each.day)))
    for (const [code, account] of accounts.entries()) {
      const rate = rateOn(day, account, days)
      if (rate !== undefined && day >= from && day <= until)
        ofDays.set((dayOf(day) - start) * accounts.length + code, rates.push(rate) - 1)
    }
  const openings = accounts.map((account) => {
    const { closing } = present(months.get(first - 1), 'rates before the first month')
    return { ...account, ...(rateOn(openingDay({ from, until }), account, days) ?? closing) }
  })
  await db.run(`
    CREATE OR REPLACE TABLE own_rate AS FROM (VALUES ${rates
      .map(({ num, den }, rate) => `(${rate}, ${num}::HUGEINT, ${den}::HUGEINT, ${rate >= averages.length})`)
      .join(', ')}) AS rates(rate, num, den, of_day);
    CREATE OR REPLACE TABLE opening_rate AS FROM (VALUES ${openings
      .map(({ own, num, den }) => `(${quoted(own)}, ${num}::HUGEINT, ${den}::HUGEINT)`)
      .join(', ')}) AS rates(own, num, den);
    CREATE TYPE own_code_${i} AS ENUM (${accounts.map(({ own }) => quoted(own)).join(', ')});
    CREATE TABLE stated_${i} (row INTEGER, amount DOUBLE, rate INTEGER)`)
  const reading = `SELECT row::INTEGER, enum_code(own::own_code_${i})::INTEGER, (day - DATE '${from}')::INTEGER, amount::DOUBLE FROM own_${i}`
  const totals = new RunningTotals(rates)
  async function* stated(): AsyncGenerator<Column[]> {
    for await (const [rows, codes, at, amounts] of db.columnParts(reading, 4) as AsyncIterable<Four>) {
      const [own, places] = [new Float64Array(rows.length), new Int32Array(rows.length)]
      for (let n = 0; n < rows.length; n++) {
        const [code, day, amount] = [codes[n] ?? 0, at[n] ?? 0, amounts[n] ?? 0]
        const month = monthAt[day] ?? 0
        const rate = ofDays.get(day * accounts.length + code) ?? month
        own[n] = totals.change(rounding === 'by entry' ? 0 : code * averages.length + month, rate, amount)
        places[n] = rate
      }
      yield [rows, own, places]
    }
  }
  const writer = await db.connect()
  try {
    await writer.appendColumns(`stated_${i}`, stated())
  } finally {
    writer.close()
  }
  const path = await scratch.file()
  await db.run(copySql(`SELECT row, amount::BIGINT AS amount, rate FROM stated_${i}`, path, 'FORMAT parquet'))
  return { path, rates: rates.map(({ text }) => text), isExact: totals.areExact }
}

type Four = readonly [Column, Column, Column, Column]

/** The rate that equity has on a day: that of its account, or of all. */
const rateOn = (day: string, { own, equity }: Account, days: MemberRates['days']): Rate | undefined =>
  equity
    ? [own, null].flatMap((of) => days.find((each) => each.day === day && each.account === of)?.rate ?? [])[0]
    : undefined

/** Totals at some rates, of all lines or for each account and month, with their rounded products. */
class RunningTotals {
  /** For each rate the place of the first that is the same number: lines at one rate are rounded together, however it is written. */
  readonly #same: readonly number[]
  readonly #rates: readonly Rate[]
  readonly #totals = new Map<number, { total: number; product: number }>()
  /** Whether every product is a whole number of a double. */
  areExact = true

  constructor(rates: readonly Rate[]) {
    this.#rates = rates
    this.#same = rates.map(({ num, den }) => rates.findIndex((each) => each.num === num && each.den === den))
  }

  /** Adds an amount to a total, and returns by how much its product changes. */
  change(of: number, rate: number, amount: number): number {
    const key = of * this.#rates.length + (this.#same[rate] ?? 0)
    const known = this.#totals.get(key)
    const total = (known?.total ?? 0) + amount
    const product = productOf(total, present(this.#rates[rate], 'rate'))
    if (!Number.isSafeInteger(product)) this.areExact = false
    if (known === undefined) this.#totals.set(key, { total, product })
    else {
      const before = known.product
      known.total = total
      known.product = product
      return product - before
    }
    return product
  }
}

/** The product of minor units and a rate, rounded half away from zero. Doubles are several times as fast where all of it is exact in them. */
function productOf(amount: number, rate: Rate): number {
  const [num, den, size] = [Number(rate.num), Number(rate.den), Math.abs(amount)]
  const [over, under] = [2 * size * num + den, 2 * den]
  const product =
    over + under < Number.MAX_SAFE_INTEGER
      ? (over - (over % under)) / under
      : Number((2n * BigInt(size) * rate.num + rate.den) / (2n * rate.den))
  return amount < 0 ? -product : product
}
