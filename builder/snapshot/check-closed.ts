/** Holds the lock dates that snapshots state against what the log says was closed when they were published. */
import type { Damage } from './damage.ts'
import type { CheckedSnapshot } from './files.ts'
import { closedAfterLines, type History } from './history.ts'
import { LOG, MANIFEST } from './layout.ts'
import type { Log } from './log.ts'

/** What a manifest of format 1 states is in its `info.json`, and its log says nothing of closing. */
export function checkClosed(
  log: Log,
  snapshots: readonly CheckedSnapshot[],
  { published }: History,
): Damage[] {
  const closedAfter = closedAfterLines(log)
  return snapshots.flatMap(({ id, manifest }) => {
    const record = published.get(id)
    const line = manifest?.Build?.LogSha256 ?? null
    // What was published elsewhere names a line of the log there.
    if (!manifest || manifest.Format === 1 || record?.Event !== 'publish' || !closedAfter.has(line)) return []
    const { LockedThrough: stated = null } = manifest
    const closed = closedAfter.get(line)!
    const damage = (path: string, message: string): Damage[] => [
      { kind: 'restatement', snapshotId: id, path, message },
    ]
    if (closed !== null && (stated === null || stated < closed))
      return damage(
        MANIFEST,
        `${MANIFEST} of ${id} says that the books were closed through ${stated ?? 'no day'}, although ${LOG} had closed them through ${closed}`,
      )
    const brings = stated === closed ? undefined : (stated ?? undefined)
    return record.ClosedThrough === brings
      ? []
      : damage(
          LOG,
          `line ${record.Seq} of ${LOG} says that ${id} closes the books through ${record.ClosedThrough ?? 'no day'}, but ${MANIFEST} says ${brings ?? 'nothing new'}`,
        )
  })
}
