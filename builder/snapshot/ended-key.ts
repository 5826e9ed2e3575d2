/** Whether the key that signed a manifest counted when that was published, as the log has it. */
import type { Damage } from './damage.ts'
import type { CheckedSnapshot } from './files.ts'
import type { History } from './history.ts'
import type { KeyRing } from './key-ring.ts'
import { SIGNATURE } from './layout.ts'

/**
 * What was published here was signed by a key that counted then; what came from elsewhere, or is in no log yet, by one that
 * still counts. A line of adoption vouches for a manifest by its hash.
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
