/** What is known of the accounts of reports when their lines are read: as plain data, and as the questions that are asked. */
import { firstDay, monthOf } from '../../../contract/calendar.ts'
import { type Classification, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import type { FiscalYear } from '../../format/intake.ts'
import type { MeasureContext } from './measure/measured.ts'

export interface AccountFacts {
  readonly currency: string
  /** Account id by the key of an account's text. */
  readonly ids: ReadonlyMap<string, string>
  /** Kinds of the accounts that lines use, where they are known. */
  readonly kinds: ReadonlyMap<string, Classification>
  /** Accounts of an unknown kind. */
  readonly unknown: ReadonlySet<string>
  readonly years: Pick<Company, 'fiscalMonthEnd' | 'fiscalYears'>
}

const CREDIT: ReadonlySet<Classification> = new Set(['Liability', 'Equity', 'Income', 'OtherIncome'])

/** For reading lines: sums that several reports share begin with nothing. */
export function measureContext({ currency, ids, kinds, unknown, years }: AccountFacts): MeasureContext {
  const isKind = (is: (classification: Classification) => boolean) => (id: string) => {
    const kind = kinds.get(id)
    return kind !== undefined && is(kind)
  }
  return {
    currency,
    idOf: (key) => ids.get(key) ?? null,
    isUnknown: (id) => unknown.has(id),
    isCredit: isKind((kind) => CREDIT.has(kind)),
    isResult: isKind(isProfitAndLoss),
    isEquity: isKind((kind) => kind === 'Equity'),
    startsYear: (date) => yearStartOf(years, date) === date,
    days: new Map(),
    doubtful: new Set(),
  }
}

/** The fiscal year that a date lies in, as company.yaml states it or by its last month. */
export function yearStartOf(
  { fiscalMonthEnd, fiscalYears }: Pick<Company, 'fiscalMonthEnd' | 'fiscalYears'>,
  date: string,
): string {
  const stated: FiscalYear | undefined = fiscalYears?.find(({ start, end }) => start <= date && date <= end)
  if (stated !== undefined) return stated.start
  const month = monthOf(date)
  return firstDay(month - ((((month - fiscalMonthEnd) % 12) + 12) % 12))
}
