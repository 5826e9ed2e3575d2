/**
 * A manifest of format 1 claims less than one of format 2, so that whoever has the key could take claims back by writing the older
 * format. It counts only where format 1 was written: by a program of then, behind lines and snapshots of then.
 */
import type { Damage } from './damage.ts'
import type { History } from './history.ts'
import { LOG, MANIFEST } from './layout.ts'
import type { Log } from './log.ts'
import type { Manifest } from './manifest.ts'

/** What in a manifest of format 1 no program wrote that knew format 1 alone, in words that follow its name; null: nothing. */
export function laterMember({ Format, ComparedWith, LockedThrough, Build }: Manifest): string | null {
  if (Format !== 1) return null
  // That a member is there counts, not what it says.
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

/** Snapshots of format 1 behind a line or a snapshot of format 2. */
export function downgraded(
  log: Log,
  snapshots: readonly Judged[],
  { published }: Pick<History, 'published'>,
): Damage[] {
  const manifests = snapshots.flatMap(({ manifest }) => manifest ?? [])
  const later = new Set(log.hashes.filter((_, i) => (log.records[i]!.Format ?? 1) > 1))
  const earlier = adoptedBefore(log)
  return snapshots.flatMap(({ id, manifest, manifestHash }) => {
    if (manifest?.Format !== 1) return []
    const line = published.get(id)
    const isLate = line?.Event === 'publish' && (line.Format ?? 1) > 1 && !earlier(line.Seq, manifestHash)
    const behind = isDowngrade(manifest, manifests)
      ? `it follows ${manifest.Previous!.SnapshotId}, which is of format 2`
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
 * Whether a line may publish a manifest of format 1 although it is of format 2 itself: what an upgrade found unfinished, which
 * lines before it adopted; and what was published before there was a log, with which the log begins.
 */
function adoptedBefore({ records }: Log): (seq: number, manifestHash: string | null) => boolean {
  const isFirst = (seq: number) => records.slice(0, seq - 1).every(({ KeyChange }) => KeyChange !== undefined)
  const adopts = (seq: number, hash: string | null) =>
    records
      .slice(0, seq - 1)
      .some(({ Adopted = [] }) => Adopted.some(({ ManifestSha256 }) => ManifestSha256 === hash))
  return (seq, hash) => isFirst(seq) || adopts(seq, hash)
}
