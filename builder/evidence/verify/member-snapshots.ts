/**
 * Checks the published snapshots of members that the snapshot of a group was made from: each file of them, where they lie beside it, and
 * of members of members too. Their figures are proven where they are verified themselves.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Damage } from '../../snapshot/files/damage.ts'
import { type CheckedSnapshot, checkSnapshot } from '../../snapshot/files/files.ts'
import { memberOf } from '../../snapshot/files/input-state.ts'
import { MANIFEST, PRUNED, parseSnapshotId } from '../../snapshot/files/layout.ts'
import type { KnownKeys } from '../../snapshot/keys/sign.ts'
import { COMPANY_ID } from '../../workspace/setting-types.ts'

interface CheckedMembers {
  readonly damages: readonly Damage[]
  /** The snapshots that are not here. */
  readonly unproven: readonly string[]
}

export async function checkMemberSnapshots(
  { id, folder, manifest }: Pick<CheckedSnapshot, 'id' | 'folder' | 'manifest'>,
  known: KnownKeys,
): Promise<CheckedMembers> {
  const damages: Damage[] = []
  const unproven: string[] = []
  for (const input of manifest?.Inputs ?? []) {
    const member = memberOf(input)
    if (member === null) continue
    const name = `${member.company}/${member.snapshotId}`
    const damaged = (message: string, kind: Damage['kind'] = 'sources') =>
      damages.push({ kind, snapshotId: id, path: MANIFEST, message: `member ${name}: ${message}` })
    // A manifest is not trusted with a path.
    if (!COMPANY_ID.test(member.company) || parseSnapshotId(member.snapshotId) === null) {
      damaged('is no name of a snapshot')
      continue
    }
    const company = join(dirname(dirname(folder)), member.company)
    const place = join(company, member.snapshotId)
    if (!existsSync(join(place, MANIFEST))) {
      unproven.push(
        `it is made from ${name}, which ${existsSync(join(company, PRUNED, member.snapshotId)) ? 'was pruned' : 'does not lie beside it'}`,
      )
      continue
    }
    const checked = await checkSnapshot(place, known)
    if (checked.manifestHash !== member.manifestHash)
      damaged(`its ${MANIFEST} is not the one that ${id} was made from`)
    for (const { kind, message } of checked.damages) damaged(message, kind)
    const own = await checkMemberSnapshots(checked, known)
    damages.push(...own.damages.map((each) => ({ ...each, snapshotId: id, path: MANIFEST })))
    unproven.push(...own.unproven)
  }
  return { damages, unproven }
}
