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
import { membersNamed, type NamedMember } from './input-state.ts'
import { MANIFEST, MEMBERS, PRUNED, parseSnapshotId } from './layout.ts'

export interface CheckedMembers {
  readonly damages: readonly Damage[]
  /** The snapshots that are not here. */
  readonly unproven: readonly string[]
}

/** Checks the files of the snapshot in a folder once, however many snapshots were made from it. */
export function checkedOnce(known: KnownKeys): (folder: string) => Promise<CheckedSnapshot> {
  const checked = new Map<string, Promise<CheckedSnapshot>>()
  return (folder) => {
    const found = checked.get(folder) ?? checkSnapshot(folder, known)
    checked.set(folder, found)
    return found
  }
}

export async function checkMemberSnapshots(
  { id, folder, manifest }: Pick<CheckedSnapshot, 'id' | 'folder' | 'manifest'>,
  check: (folder: string) => Promise<CheckedSnapshot>,
  /** The folders whose damages were reported already: several members may be made from one. */
  reported = new Set<string>(),
): Promise<CheckedMembers> {
  const damages: Damage[] = []
  const unproven: string[] = []
  for (const member of membersNamed(manifest)) {
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
    const checked = await check(place)
    if (checked.manifestHash !== member.manifestHash)
      damaged(`its ${MANIFEST} is not the one that ${id} was made from`)
    if (reported.has(place)) continue
    reported.add(place)
    for (const { kind, message } of checked.damages) damaged(message, kind)
    const own = await checkMemberSnapshots(checked, check, reported)
    damages.push(...own.damages.map((each) => ({ ...each, snapshotId: id, path: MANIFEST })))
    unproven.push(...own.unproven)
  }
  return { damages, unproven }
}

/** Whether these are names of a company and of a snapshot: a manifest or an archive is not trusted with a path. */
export const namesSnapshot = (company: string, snapshotId: string): boolean =>
  COMPANY_ID.test(company) && parseSnapshotId(snapshotId) !== null

/**
 * The folder of a member's snapshot, for the folder of a snapshot that was made from it: beside its company, or in the same archive. Null
 * where its name is none, since a manifest is not trusted with a path.
 */
export function memberFolder(folder: string, { company, snapshotId }: NamedMember): string | null {
  if (!namesSnapshot(company, snapshotId)) return null
  const archived = join(dirname(folder), MEMBERS, company, snapshotId)
  return existsSync(archived) ? archived : join(dirname(dirname(folder)), company, snapshotId)
}
