/** The accounts that only a group has, and what its accounts are to it. An account of the chart with such an id stands for it. */
import { cashFlowCategory, NOT_CLOSED } from '../../books/reference/frame.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { AccountRow } from '../../ingest/format/intake.ts'
import { type Group, hasInterests } from '../../workspace/group.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { Member } from './members.ts'

/** Equity: what changed rates make of the books of members. */
export const DIFFERENCE = 'translation-difference'
/** Equity: the part of the net assets of members that others hold. */
export const INTERESTS = 'non-controlling-interests'
/** Their part of the results. Only entries that attribute it stand here, which are on no profit and loss. */
export const INTERESTS_RESULT = 'non-controlling-results'

const account = (
  id: string,
  name: string,
  own: Pick<AccountRow, 'classification' | 'cashFlow'>,
): AccountRow => ({
  ...{ id, number: '', name, type: '', parentId: null, isActive: true, file: COMPANY_FILE, row: 1 },
  ...own,
})
const EQUITY = { classification: 'Equity', cashFlow: 'Operating' } as const
const DIFFERENCES = [account(DIFFERENCE, 'Translation difference', EQUITY)]
const OF_INTERESTS = [
  account(INTERESTS, 'Non-controlling interests', EQUITY),
  account(INTERESTS_RESULT, 'Results of non-controlling interests', {
    ...{ classification: 'OtherExpense', cashFlow: null },
  }),
]

/** The chart, with the accounts that the figures of these members need and that it does not have. */
export function withOwnAccounts(
  chart: readonly AccountRow[],
  group: Group,
  members: readonly Member[],
  currency: string,
): readonly AccountRow[] {
  const isIn = (id: string) => members.some(({ frame }) => frame.accounts.some((each) => each.id === id))
  const isTranslated = members.some(({ frame }) => frame.currency !== currency)
  const needed = [
    ...(isTranslated || isIn(DIFFERENCE) ? DIFFERENCES : []),
    ...(group.members.some(hasInterests) || isIn(INTERESTS) ? OF_INTERESTS : []),
  ]
  return [...chart, ...needed.filter(({ id }) => !chart.some((each) => each.id === id))]
}

/** The account of the group that balances of a member stand on which are on no account of its chart. */
export function standIns(chart: readonly AccountRow[]): [own: string, account: string][] {
  // Results of earlier years that no entry has closed are the same in the opening of any income account.
  const result = chart.find(({ classification }) => isProfitAndLoss(classification))
  return [
    ...(result === undefined ? [] : [[NOT_CLOSED, result.id] as [string, string]]),
    [DIFFERENCE, DIFFERENCE],
  ]
}

/** Creates the table `account_kind` (account, kind). The kinds are result, equity, interests, cash and balance. */
export async function createKinds(db: Database, chart: readonly AccountRow[]): Promise<void> {
  await db.run('CREATE TABLE account_kind (account VARCHAR, kind VARCHAR)')
  await db.append(
    'account_kind',
    chart.map((each) => [each.id, kindOf(each)]),
  )
}

function kindOf(each: AccountRow): string {
  if (each.id === INTERESTS) return 'interests'
  if (isProfitAndLoss(each.classification)) return 'result'
  if (each.classification === 'Equity') return 'equity'
  return cashFlowCategory(each) === 'Cash' ? 'cash' : 'balance'
}
