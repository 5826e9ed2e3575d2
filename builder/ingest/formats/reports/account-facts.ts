/** What is asked about accounts and years when the lines of reports are read. */
import { firstDay, monthOf } from '../../../contract/calendar.ts'
import { type Classification, isOnCreditSide, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import type { AccountRow, FiscalYear } from '../../format/intake.ts'
import type { ReportAccounts } from './accounts.ts'
import type { MeasureContext } from './measure/measured.ts'

/** For the reports of one basis: sums that they share begin with nothing. `unclassified` are the accounts of an unknown kind. */
export function measureContext(
  company: Pick<Company, 'currency' | 'fiscalMonthEnd' | 'fiscalYears'>,
  { used, ids }: ReportAccounts,
  unclassified: readonly AccountRow[],
): MeasureContext {
  const unknown = new Set(unclassified.map(({ id }) => id))
  const isKind = (is: (classification: Classification) => boolean) => (id: string) => {
    const kind = used.get(id)?.kind
    return kind != null && is(kind.classification)
  }
  return {
    currency: company.currency,
    idOf: (key) => ids.get(key) ?? null,
    isUnknown: (id) => unknown.has(id),
    isCredit: isKind(isOnCreditSide),
    isResult: isKind(isProfitAndLoss),
    isEquity: isKind((kind) => kind === 'Equity'),
    startsYear: (date) => yearStartOf(company, date) === date,
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
