/** The published totals that a chart draws: the last months up to a given one. */
import type { SummaryName } from '../../contract/vocabulary.ts'
import type { PublishedStatement } from '../../snapshot/files/documents.ts'

/** Figures by month, oldest first. */
export interface Series {
  /** `YYYY-MM` */
  readonly months: readonly string[]
  /** Minor units. */
  readonly values: readonly number[]
}

/** The last months of a document through `month`, at most `count`. */
export function lastMonthsOf(
  { months }: Pick<PublishedStatement, 'months'>,
  month: string,
  count: number,
): readonly string[] {
  const end = months.indexOf(month) + 1
  return months.slice(Math.max(0, end - count), end)
}

/** The sum of these totals in each of at most `count` months through `month`. */
export function monthsThrough(
  document: PublishedStatement,
  names: readonly SummaryName[],
  month: string,
  count: number,
): Series {
  const months = lastMonthsOf(document, month, count)
  const begin = document.months.indexOf(month) + 1 - months.length
  const sumAt = (at: number) => names.reduce((sum, name) => sum + (document.totals.get(name)?.[at] ?? 0), 0)
  return { months, values: months.map((_, i) => sumAt(begin + i)) }
}
