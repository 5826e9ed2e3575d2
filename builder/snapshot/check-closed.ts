/** Compares the lock dates that snapshots state with what the log had closed when they were published. */
import type { Damage } from './damage.ts'
import type { CheckedSnapshot } from './files.ts'
import { closedAfterLines, type History } from './history.ts'
import { LOG, MANIFEST } from './layout.ts'
import type { Log } from './log.ts'

/** One damage for each lock date that contradicts the log. Snapshots of format 1 are left out: their log says nothing of closing. */
export function checkClosed(
  log: Log,
  snapshots: readonly CheckedSnapshot[],
  { published }: History,
): Damage[] {
  const closedAfter = closedAfterLines(log)
  return snapshots.flatMap(({ id, manifest }) => {
    const record = published.get(id)
    const line = manifest?.Build?.LogSha256 ?? null
    const closed = closedAfter.get(line)
    // A restored snapshot names a line of the log of another workspace.
    if (!manifest || manifest.Format === 1 || record?.Event !== 'publish' || closed === undefined) return []
    const { LockedThrough: stated = null } = manifest
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
