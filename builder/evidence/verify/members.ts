/**
 * Checks that the members of a group published the snapshots from which its own say they were made, where the folders of the members lie
 * beside that of the group. What is in those snapshots is checked with the members themselves.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listed } from '../../contract/listed.ts'
import type { Damage } from '../../snapshot/files/damage.ts'
import { membersNamed } from '../../snapshot/files/input-state.ts'
import { isHash, LOG, MANIFEST } from '../../snapshot/files/layout.ts'
import type { Pointer } from '../../snapshot/files/manifest.ts'
import { namesSnapshot } from '../../snapshot/files/member-snapshots.ts'
import type { CheckedCompany } from '../../snapshot/log/chain.ts'
import { readIfThere } from '../../snapshot/log/check-stamps.ts'
import { isSamePointer } from '../../snapshot/log/history.ts'
import { readLog } from '../../snapshot/log/log.ts'
import { sha256 } from '../../system/hash.ts'

/** A note names at most this number of members. */
const NOTED = 5

/** Checks what each snapshot of a company names as published by members; a company that is no group names none. */
export async function checkMembers({ folder, snapshots }: Pick<CheckedCompany, 'folder' | 'snapshots'>) {
  const damages: Damage[] = []
  const absent = new Set<string>()
  for (const { id, manifest } of snapshots)
    for (const { company, snapshotId: SnapshotId, manifestHash: ManifestSha256 } of membersNamed(manifest)) {
      const isNamed = namesSnapshot(company, SnapshotId) && isHash(ManifestSha256)
      const beside = join(dirname(folder), company)
      if (isNamed && !existsSync(join(beside, LOG))) absent.add(company)
      else if (!isNamed || !(await hasPublished(beside, { SnapshotId, ManifestSha256 })))
        damages.push({
          kind: 'inputs',
          snapshotId: id,
          path: MANIFEST,
          message: `${MANIFEST} of ${id} says that it was made from ${company}/${SnapshotId}, manifest ${ManifestSha256 || 'not named'}, which ${company} did not publish`,
        })
    }
  const notes =
    absent.size === 0
      ? []
      : [
          `its members are not here, so that nothing tells whether they published what it was made from: ${listed([...absent], NOTED)}`,
        ]
  return { damages, notes }
}

/** Whether a line of the member's log is about this snapshot, or it lies there: its publication may have been interrupted. */
async function hasPublished(folder: string, pointer: Pointer): Promise<boolean> {
  const { records } = await readLog(folder)
  const named = records.flatMap((record) => [record, ...(record.Adopted ?? [])])
  if (named.some((each) => isSamePointer(each, pointer))) return true
  const manifest = await readIfThere(join(folder, pointer.SnapshotId, MANIFEST))
  return manifest !== null && sha256(manifest) === pointer.ManifestSha256
}
