/**
 * The end of the fiscal year, where no file states it but the days that exports cover suggest it; the owner has to
 * check it.
 */
import { firstDay, lastDay, monthOf, monthText } from '../../contract/calendar.ts'
import { type Classification, isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Assumed } from '../../workspace/company-edit.ts'
import type { FiscalYear } from './intake.ts'

/** Assumes that exports hold whole fiscal years: a range of twelve months, or a multiple, ends with one. */
export function wholeYears(ranges: readonly FiscalYear[]): Assumed<number> | null {
  const range = rangeOf(ranges)
  if (range === null) return null
  const [first, last] = [monthOf(range.start), monthOf(range.end)]
  if ((last - first + 1) % 12 !== 0) return null
  return { value: (last % 12) + 1, why: `what was added covers ${monthText(first)} to ${monthText(last)}` }
}

/** A balance that an export brings forward to its first day. */
export interface BroughtForward {
  /** Null where it is unknown. */
  readonly classification: Classification | null
}

/**
 * Income and expenses begin each fiscal year at zero, while other accounts continue. `isStated` says that a title
 * states the first day; otherwise only the first month of a quarter is taken for that of a year, since a month
 * before the first entry may have had none. Where nothing at all is brought forward, the books begin there, and
 * only January is taken.
 */
export function yearBeginning(
  { start, isStated }: { readonly start: string; readonly isStated: boolean },
  brought: readonly BroughtForward[],
): Assumed<number> | null {
  const month = monthOf(start)
  if (firstDay(month) !== start) return null
  if (brought.some(({ classification }) => classification === null || isProfitAndLoss(classification)))
    return null
  const isUsual = isStated || month % 3 === 0
  if (brought.length === 0 ? month % 12 !== 0 : !isUsual) return null
  const before = lastDay(month - 1)
  return {
    value: Number(before.slice(5, 7)),
    why: `no income or expense is brought forward into ${monthText(month)}`,
  }
}

export const rangeOf = (ranges: readonly FiscalYear[]): FiscalYear | null =>
  ranges.length === 0
    ? null
    : {
        start: ranges.map(({ start }) => start).reduce((a, b) => (a < b ? a : b)),
        end: ranges.map(({ end }) => end).reduce((a, b) => (a > b ? a : b)),
      }
