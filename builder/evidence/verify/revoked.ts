/**
 * Reports signatures by keys that the verifier knows to be revoked, where the log does not have the
 * revocation. Either the copy is older than the revocation, or a thief of the key left it out. The signer
 * dates the lines, so only a hash noted beforehand can tell these apart.
 */

import type { Damage } from '../../snapshot/files/damage.ts'
import { LOG } from '../../snapshot/files/layout.ts'
import type { KnownKeys } from '../../snapshot/keys/sign.ts'
import type { CheckedCompany } from '../../snapshot/log/chain.ts'

/** What the verifier knows about keys; see `VerifyOptions`. */
interface Verifier {
  readonly known: KnownKeys
  readonly revoked?: ReadonlyMap<string, string>
  readonly expect?: string
  readonly isOurs?: boolean
}

interface Found {
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/**
 * Reports what a revoked key may have signed after its revocation. Lines up to the one with the hash
 * `expect`, and up to the last one signed by a known key that was not revoked, are beyond doubt: each line
 * carries the hash of the one before.
 */
export function revokedUnlogged(
  { log, snapshots }: Pick<CheckedCompany, 'log' | 'snapshots'>,
  { revoked = new Map(), known, expect, isOurs = false }: Verifier,
): Found {
  const damages: Damage[] = []
  const notes: string[] = []
  const vouched = Math.max(
    expect === undefined ? -1 : log.hashes.indexOf(expect),
    log.records.findLastIndex(({ KeyId }) => KeyId !== null && known?.has(KeyId) && !revoked.has(KeyId)),
  )
  for (const [keyId, at] of revoked) {
    if (log.keys.has(`revoke ${keyId}`)) continue
    const rest = log.records.slice(vouched + 1).filter(({ KeyId }) => KeyId === keyId)
    const published = new Map(
      log.records.slice(0, vouched + 1).map((record) => [record.ManifestSha256, record]),
    )
    const unlogged = snapshots.filter(
      (each) =>
        each.keyId === keyId && !published.has(each.manifestHash ?? '') && each.manifestHash !== expect,
    )
    const [line] = rest
    const [snapshot] = unlogged
    const since = rest.find(({ At }) => At > at)
    const what = since
      ? `line ${since.Seq} of ${LOG}, of ${since.At.slice(0, 10)}, is`
      : line
        ? `line ${line.Seq} of ${LOG} and what follows it are`
        : snapshot && `${snapshot.id} is`
    if (what === undefined) continue
    const end = `signed with key ${keyId}, which was revoked on ${at.slice(0, 10)}`
    if (isOurs && since === undefined)
      notes.push(`${what} ${end}; ${LOG} does not say so yet: the next change enters it`)
    else
      damages.push({
        kind: 'ended-key',
        snapshotId: null,
        path: LOG,
        message: `${what} ${end}, and ${LOG} lacks the revocation: ${
          since
            ? 'that was signed afterwards'
            : 'nothing here says that it was signed before. Name the SHA-256 of the last line that was noted before, with --expect; or ask the publisher for a copy whose log has the revocation'
        }`,
      })
  }
  return { damages, notes }
}
