/** Maps the accounts of members to the chart of their group: by the member's own table, else by id, number or name. */
import { accountLabel } from '../../books/reference/frame.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { AccountRow, SourceRecord } from '../../ingest/format/intake.ts'
import { accountKeys, type Keys, writtenAccountKeys } from '../../ingest/format/keys.ts'
import { error, type Finding, hasErrors } from '../../workspace/findings/finding.ts'
import type { Group } from '../../workspace/group.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { Member } from './members.ts'
import { type GroupTable, noAccount, readGroupTable, setOnce } from './tables.ts'

/** Account of a member → account of the group. */
export type AccountMap = ReadonlyMap<string, string>

interface Mapped {
  /** By the place of the member. */
  readonly maps: readonly AccountMap[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** Finds the account of a group with this chart that an account of a member is, where no table says it. */
export function accountFinder(
  chart: readonly Pick<AccountRow, 'id' | 'number' | 'name'>[],
): (account: Pick<AccountRow, 'id' | 'number' | 'name'>) => string | undefined {
  const keys = keysOf(chart)
  return ({ id, number, name }) => [id, number, name].flatMap((text) => (text && keys.get(text)) || []).at(0)
}

const keysOf = (chart: readonly Pick<AccountRow, 'id' | 'number' | 'name'>[]): Keys =>
  writtenAccountKeys(chart.map((account) => ({ ...account, means: account.id })))

/** `used` are the ids of the accounts of each member that have a figure: each of them needs one of the group. */
export async function mapAccounts(
  folder: string,
  group: Group,
  members: readonly Member[],
  used: readonly ReadonlySet<string>[],
  chart: readonly AccountRow[],
): Promise<Mapped> {
  const keys = keysOf(chart)
  const found = accountFinder(chart)
  const maps: AccountMap[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  for (const [i, member] of members.entries()) {
    const files = group.members[member.at]?.accounts
    const key = `group.members.${member.at}.accounts`
    const table = files === undefined ? null : await readGroupTable(folder, { key, files }, 'mapping')
    const stated = table === null ? new Map<string, string>() : statedMap(table, member, keys, findings)
    sources.push(...(table?.sources ?? []))
    findings.push(...(table?.findings ?? []))
    const map = new Map<string, string>()
    const missing: Finding[] = []
    for (const account of member.frame.accounts) {
      const { id, classification } = account
      const to = stated.get(id) ?? found(account)
      const own = chart.find((each) => each.id === to)
      if (own !== undefined) map.set(id, own.id)
      if (!used[i]?.has(id)) continue
      if (own === undefined) missing.push(unmapped(member, accountLabel(account), id, files))
      else if (isProfitAndLoss(own.classification) !== isProfitAndLoss(classification))
        findings.push(
          error(
            'group-account-kind',
            `${member.id}: ${accountLabel(account)} (${classification}) stands for ${accountLabel(own)} (${own.classification}): one is in profit and loss, the other on the balance sheet`,
            { file: files ?? COMPANY_FILE, text: id, remedy: 'map it to an account of its own kind' },
          ),
        )
    }
    // A table that could not be read would leave every account without one.
    if (!hasErrors(table?.findings ?? [])) findings.push(...missing)
    maps.push(map)
  }
  return { maps, sources, findings }
}

function statedMap(
  { rows }: GroupTable<'mapping'>,
  { id: company, frame }: Member,
  keys: Keys,
  findings: Finding[],
): Map<string, string> {
  const own = accountKeys(frame.accounts)
  const map = new Map<string, string>()
  for (const { account, group_account } of rows) {
    // A row without an account of the group is one that is still to be decided.
    if (group_account.text === '') continue
    const [from, to] = [own.get(account.text), keys.get(group_account.text)]
    if (from == null) findings.push(noAccount(account, company))
    if (to == null) findings.push(noAccount(group_account, 'the group'))
    if (from != null && to != null) setOnce(map, [from, to], account, findings)
  }
  return map
}

const unmapped = (member: Member, label: string, id: string, files: string | undefined): Finding =>
  error('group-account-unmapped', `${member.id}: ${label} has figures and no account of the group`, {
    file: files ?? COMPANY_FILE,
    column: files === undefined ? `group.members.${member.at}` : 'account',
    text: id,
    remedy:
      files === undefined
        ? `name a table as "accounts" of the member, with the columns account and group_account, and give it a row: ${id},…`
        : `add a row with its account of the group: ${id},…`,
  })
