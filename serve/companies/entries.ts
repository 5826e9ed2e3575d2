/**
 * Who sees the entries of a snapshot. Those of a group are the lines of its members: they are seen with the right to the
 * entries of every company that they come from, also of members of members.
 */
import { membersNamed } from '../../builder/snapshot/files/input-state.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'
import type { Companies } from './companies.ts'

/**
 * `mayRead`: whether the reader has the right to the entries of a company. False where a snapshot of a member that the
 * group was made from cannot be read any more, since nobody knows then whose lines it holds.
 */
export async function seesEntries(
  companies: Pick<Companies, 'named'>,
  { company, manifest }: Snapshot,
  mayRead: (company: string) => boolean,
): Promise<boolean> {
  if (!mayRead(company)) return false
  for (const member of membersNamed(manifest)) {
    if (!mayRead(member.company)) return false
    const named = await companies.named(member.company, member.snapshotId).catch(() => null)
    if (named === null || named.snapshot.manifestHash !== member.manifestHash) return false
    if (!(await seesEntries(companies, named.snapshot, mayRead))) return false
  }
  return true
}
