/** Which assets and liabilities are current, where the chart of accounts of a company says so by the types of its accounts. */
import { accountLabel } from '../books/reference/frame.ts'
import { listed } from '../contract/listed.ts'
import type { AccountType } from '../contract/vocabulary.ts'
import type { PublishedRow } from '../snapshot/files/documents.ts'
import type { FigureSource } from './source.ts'

const CURRENT: ReadonlySet<string> = new Set<AccountType>([
  ...(['Bank', 'CashEquivalent', 'AccountsReceivable', 'Inventory', 'OtherCurrentAsset'] as const),
  ...(['AccountsPayable', 'CreditCard', 'SalesTax', 'OtherCurrentLiability'] as const),
])
const NOT_CURRENT: ReadonlySet<string> = new Set<AccountType>([
  ...(['FixedAsset', 'AccumulatedDepreciation', 'OtherAsset', 'LongTermLiability'] as const),
])

export interface Terms {
  /** Ids of accounts. */
  readonly assets: readonly string[]
  readonly liabilities: readonly string[]
}

/**
 * The current ones among the rows of a balance sheet, or a clause that says why nobody can tell. Types that a program gave by the numbers
 * of a national chart tell financing from operating, not what is due within a year.
 */
export function termsOf(
  rows: readonly PublishedRow[],
  { frame, hasChart }: Pick<FigureSource, 'frame' | 'hasChart'>,
): Terms | string {
  if (!hasChart) return 'no chart of accounts says which accounts are due within a year'
  const types = new Map(frame.accounts.map(({ id, type }) => [id, type]))
  const own = rows.filter(({ section }) => section === 'Asset' || section === 'Liability')
  const typeOf = ({ accountId }: PublishedRow): string => types.get(accountId) ?? ''
  const unknown = own.filter((row) => !CURRENT.has(typeOf(row)) && !NOT_CURRENT.has(typeOf(row)))
  if (unknown.length > 0)
    return `the chart has no type for ${listed(
      unknown.map(({ accountId, ...row }) => accountLabel({ id: accountId, ...row })),
      3,
    )}`
  const current = (section: PublishedRow['section']): string[] =>
    own.filter((row) => row.section === section && CURRENT.has(typeOf(row))).map(({ accountId }) => accountId)
  return { assets: current('Asset'), liabilities: current('Liability') }
}
