/** The accounts that only a group has, and what its accounts are to it. An account of the chart with such an id stands for it. */
import { cashFlowCategory, NOT_CLOSED } from '../../books/reference/frame.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { AccountRow } from '../../ingest/format/intake.ts'
import { DIFFERENCE, type Group, hasInterests } from '../../workspace/group.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { Member } from './members.ts'

/** Equity: the part of the net assets of members that others hold. */
export const INTERESTS = 'non-controlling-interests'
/** Their part of the results. Only entries that attribute it stand here, which are on no profit and loss. */
export const INTERESTS_RESULT = 'non-controlling-results'

/** An asset: what cash members bring and take, against the price where the account of investments is mapped to it. */
export const INVESTMENTS = 'investments-in-members'
/** Equity: results that a member had before it joined, and that no entry had closed. */
export const BEFORE_JOINING = 'results-before-joining'
/** Income: what is not in the results of those who sold a member, since the group had it before. */
export const LEFT = 'results-of-leaving'

/** SQL for the `own` of lines that stand on no account of the member. */
export const NO_ACCOUNT = "''"

type Need = Pick<Group['members'][number], 'share' | 'from' | 'to'>
const added = (
  id: string,
  name: string,
  classification: AccountRow['classification'],
  cashFlow: AccountRow['cashFlow'],
  isNeeded: (member: Need) => unknown,
) => ({
  account: {
    ...{ id, number: '', name, type: '', classification, cashFlow, parentId: null, isActive: true },
    ...{ file: COMPANY_FILE, row: 1 },
  },
  isNeeded,
})
const joinsOrLeaves = ({ from, to }: Need) => from ?? to
const ADDED = [
  added(DIFFERENCE, 'Translation difference', 'Equity', 'Operating', () => false),
  added(INTERESTS, 'Non-controlling interests', 'Equity', 'Operating', hasInterests),
  added(INTERESTS_RESULT, 'Results of non-controlling interests', 'OtherExpense', null, hasInterests),
  added(INVESTMENTS, 'Investments in members', 'Asset', 'Investing', joinsOrLeaves),
  added(BEFORE_JOINING, 'Results before joining', 'Equity', 'Financing', ({ from }) => from),
  added(LEFT, 'Results of members that left', 'OtherIncome', null, ({ to }) => to),
]

/** The chart, with the accounts that the figures of these members need and that it does not have. */
export function withOwnAccounts(
  chart: readonly AccountRow[],
  group: Group,
  members: readonly Member[],
  currency: string,
): readonly AccountRow[] {
  const isTranslated = members.some(({ frame }) => frame.currency !== currency)
  const needed = ADDED.filter(
    ({ account: { id }, isNeeded }) =>
      (id === DIFFERENCE && isTranslated) ||
      group.members.some(isNeeded) ||
      members.some(({ frame }) => frame.accounts.some((each) => each.id === id)),
  ).map(({ account }) => account)
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
