/** Checks, by the log, whether the key that signed a manifest was valid when the snapshot was published. */
import type { Damage } from '../files/damage.ts'
import type { CheckedSnapshot } from '../files/files.ts'
import { SIGNATURE } from '../files/layout.ts'
import type { History } from '../log/history.ts'
import type { KeyRing } from './key-ring.ts'

/**
 * A damage if the key had ended. A snapshot published here needs a key that was valid at that time; a restored one needs
 * a key that was not revoked before, and one that is not in the log a key that is still valid. Adopted manifests are left
 * out, because the adoption vouches for them by their hash.
 */
export function endedKey(
  keys: KeyRing,
  { published, adopted }: Pick<History, 'published' | 'adopted'>,
  { id, keyId, manifestHash }: CheckedSnapshot,
): Damage[] {
  if (keyId === null || (manifestHash !== null && adopted.has(manifestHash))) return []
  const line = published.get(id)
  const problem =
    line?.Event === 'restore' ? keys.revocationOf(keyId, line.Seq) : keys.endOf(keyId, line?.Seq)
  return problem === null
    ? []
    : [
        {
          kind: 'ended-key',
          snapshotId: id,
          path: SIGNATURE,
          message: `${SIGNATURE} of ${id} is of key ${keyId}, ${problem}`,
        },
      ]
}
