/**
 * Detects manifests of format 1 that were written later. Format 1 states less than format 2, so whoever has the signing key
 * could drop statements by writing the older format. It is accepted only after lines and snapshots of format 1.
 */
import type { Damage } from '../files/damage.ts'
import { LOG, MANIFEST } from '../files/layout.ts'
import type { Manifest } from '../files/manifest.ts'
import { type History, logLinesOf } from './history.ts'
import type { Log } from './log.ts'
import { lineFormatOf } from './log-record.ts'

/** What a program of format 1 could not have written in such a manifest, in words that follow its name; null if there is nothing. */
export function laterMember({ Format, ComparedWith, LockedThrough, Build }: Manifest): string | null {
  if (Format !== 1) return null
  // A program of format 1 never wrote this member, so that its presence counts, whatever its value.
  if (ComparedWith !== undefined) return 'names what closed months were compared with (ComparedWith)'
  if (LockedThrough !== undefined) return 'states a lock date (LockedThrough)'
  if (Build.Approvers !== undefined) return 'names approvers (Build.Approvers)'
  return Build.Host === undefined ? 'does not name the computer (Build.Host)' : null
}

/** Whether a snapshot of format 1 follows one of format 2. */
export const isDowngrade = (
  { Format, Previous }: Pick<Manifest, 'Format' | 'Previous'>,
  others: Iterable<Manifest>,
): boolean =>
  Format === 1 &&
  [...others].some(({ SnapshotId, Format: before }) => before > 1 && SnapshotId === Previous?.SnapshotId)

interface Judged {
  readonly id: string
  /** Null where it cannot be read. */
  readonly manifest: Manifest | null
  readonly manifestHash: string | null
}

/** One damage for each snapshot of format 1 that follows a line or a snapshot of format 2. */
export function downgraded(
  log: Log,
  snapshots: readonly Judged[],
  { published }: Pick<History, 'published'>,
): Damage[] {
  const manifests = snapshots.flatMap(({ manifest }) => manifest ?? [])
  const later = new Set(
    logLinesOf(log).flatMap(({ record, hash }) => (lineFormatOf(record) > 1 ? [hash] : [])),
  )
  const earlier = adoptedBefore(log)
  return snapshots.flatMap(({ id, manifest, manifestHash }) => {
    if (manifest?.Format !== 1) return []
    const line = published.get(id)
    const isLate = line?.Event === 'publish' && lineFormatOf(line) > 1 && !earlier(line.Seq, manifestHash)
    const behind = isDowngrade(manifest, manifests)
      ? `it follows ${manifest.Previous?.SnapshotId}, which is of format 2`
      : later.has(manifest.Build.LogSha256 ?? '')
        ? `a line of format 2 was the last one of ${LOG} when it was made`
        : isLate
          ? `line ${line.Seq} of ${LOG}, which publishes it, is of format 2`
          : null
    if (behind === null) return []
    const message = `${MANIFEST} of ${id} is of format 1, although ${behind}: it was written anew, to say less than it did`
    return [{ kind: 'format', snapshotId: id, path: MANIFEST, message }]
  })
}

/**
 * Whether a line of format 2 may publish a manifest of format 1. That is so for a publication that an upgrade found
 * unfinished and an earlier line adopted, and for a snapshot from before there was a log, which its first line enters.
 */
function adoptedBefore({ records }: Log): (seq: number, manifestHash: string | null) => boolean {
  const isFirst = (seq: number) => records.slice(0, seq - 1).every(({ KeyChange }) => KeyChange !== undefined)
  const adopts = (seq: number, hash: string | null) =>
    records
      .slice(0, seq - 1)
      .some(({ Adopted = [] }) => Adopted.some(({ ManifestSha256 }) => ManifestSha256 === hash))
  return (seq, hash) => isFirst(seq) || adopts(seq, hash)
}
