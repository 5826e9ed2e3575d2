/** The published totals that a chart draws: the last months up to a given one. */
import type { SummaryName } from '../../contract/vocabulary.ts'
import type { PublishedStatement } from '../../snapshot/documents.ts'

/** Figures by month, oldest first. */
export interface Series {
  /** `YYYY-MM` */
  readonly months: readonly string[]
  /** Minor units. */
  readonly values: readonly number[]
}

/** The sum of these totals in each of at most `count` months through `month`. */
export function monthsThrough(
  document: PublishedStatement,
  names: readonly SummaryName[],
  month: string,
  count: number,
): Series {
  const end = document.months.indexOf(month) + 1
  const begin = Math.max(0, end - count)
  const months = document.months.slice(begin, end)
  const sumAt = (at: number) => names.reduce((sum, name) => sum + (document.totals.get(name)?.[at] ?? 0), 0)
  return { months, values: months.map((_, i) => sumAt(begin + i)) }
}
