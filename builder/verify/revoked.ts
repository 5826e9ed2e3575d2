/**
 * Keys that were revoked, by the word of whoever verifies, in a log that lacks the revocation: the copy is older than that, or
 * whoever stole the key left it out. Lines are dated by whoever signs them, so that only what was noted before tells these apart.
 */
import type { CheckedCompany } from '../snapshot/chain.ts'
import type { Damage } from '../snapshot/damage.ts'
import { LOG } from '../snapshot/layout.ts'
import type { KnownKeys } from '../snapshot/sign.ts'

/** What whoever verifies knows of keys; see `VerifyOptions`. */
interface Told {
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
 * `expect` vouches for the line of that hash and all before it; a later line that a given key signed, which was not revoked, too.
 */
export function revokedUnlogged(
  { log, snapshots }: Pick<CheckedCompany, 'log' | 'snapshots'>,
  { revoked = new Map(), known, expect, isOurs = false }: Told,
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
    if (line === undefined && unlogged.length === 0) continue
    const since = rest.find(({ At }) => At > at)
    const what = since
      ? `line ${since.Seq} of ${LOG}, of ${since.At.slice(0, 10)}, is`
      : line
        ? `line ${line.Seq} of ${LOG} and what follows it are`
        : `${unlogged[0]!.id} is`
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
