/**
 * Checks the published snapshots of members that the snapshot of a group was made from: each file of them, beside it or in the same archive, and
 * of members of members too. Their figures are proven where they are verified themselves.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { COMPANY_ID } from '../../workspace/setting-types.ts'
import type { KnownKeys } from '../keys/sign.ts'
import type { Damage } from './damage.ts'
import { type CheckedSnapshot, checkSnapshot } from './files.ts'
import { memberOf, type NamedMember } from './input-state.ts'
import { MANIFEST, MEMBERS, PRUNED, parseSnapshotId } from './layout.ts'

interface CheckedMembers {
  readonly damages: readonly Damage[]
  /** The snapshots that are not here. */
  readonly unproven: readonly string[]
}

export async function checkMemberSnapshots(
  { id, folder, manifest }: Pick<CheckedSnapshot, 'id' | 'folder' | 'manifest'>,
  known: KnownKeys,
  /** The folders that were checked already: several members may be made from one. */
  seen = new Set<string>(),
): Promise<CheckedMembers> {
  const damages: Damage[] = []
  const unproven: string[] = []
  for (const input of manifest?.Inputs ?? []) {
    const member = memberOf(input)
    if (member === null) continue
    const name = `${member.company}/${member.snapshotId}`
    const damaged = (message: string, kind: Damage['kind'] = 'sources') =>
      damages.push({ kind, snapshotId: id, path: MANIFEST, message: `member ${name}: ${message}` })
    const place = memberFolder(folder, member)
    if (place === null) {
      damaged('is no name of a snapshot')
      continue
    }
    if (!existsSync(join(place, MANIFEST))) {
      const wasPruned = existsSync(join(dirname(place), PRUNED, member.snapshotId))
      unproven.push(`it is made from ${name}, which ${wasPruned ? 'was pruned' : 'does not lie beside it'}`)
      continue
    }
    if (seen.has(place)) continue
    seen.add(place)
    const checked = await checkSnapshot(place, known)
    if (checked.manifestHash !== member.manifestHash)
      damaged(`its ${MANIFEST} is not the one that ${id} was made from`)
    for (const { kind, message } of checked.damages) damaged(message, kind)
    const own = await checkMemberSnapshots(checked, known, seen)
    damages.push(...own.damages.map((each) => ({ ...each, snapshotId: id, path: MANIFEST })))
    unproven.push(...own.unproven)
  }
  return { damages, unproven }
}

/**
 * The folder of a member's snapshot, for the folder of a snapshot that was made from it: beside its company, or in the same archive. Null
 * where its name is none, since a manifest is not trusted with a path.
 */
export function memberFolder(folder: string, { company, snapshotId }: NamedMember): string | null {
  if (!COMPANY_ID.test(company) || parseSnapshotId(snapshotId) === null) return null
  const archived = join(dirname(folder), MEMBERS, company, snapshotId)
  return existsSync(archived) ? archived : join(dirname(dirname(folder)), company, snapshotId)
}
