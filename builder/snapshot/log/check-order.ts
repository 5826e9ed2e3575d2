/**
 * Compares the lines of a log with the manifests that they publish and adopt. A contradiction is found without any key
 * and without a hash that was noted elsewhere.
 */
import type { Damage } from '../files/damage.ts'
import type { CheckedSnapshot } from '../files/files.ts'
import { LOG, MANIFEST, parseSnapshotId } from '../files/layout.ts'
import type { Manifest, Pointer } from '../files/manifest.ts'
import { historyOf, isSamePointer, logLinesOf } from './history.ts'
import type { Log } from './log.ts'
import type { LogRecord } from './log-record.ts'

/** How far the clocks of a workspace may differ: one hour, in milliseconds. */
const CLOCKS = 3_600_000

/** `snapshots` are those in the folder, and those that have only their manifest here. */
export function checkOrder(log: Log, snapshots: readonly CheckedSnapshot[]): Damage[] {
  const damages: Damage[] = []
  const differs = (snapshotId: string | null, path: string, message: string): unknown =>
    damages.push({ kind: 'log', snapshotId, path, message })
  const lines = new Map(logLinesOf(log).map(({ record, hash }) => [hash, record]))
  const lying = (pointer: Pointer) =>
    snapshots.find(
      ({ id, manifestHash }) => id === pointer.SnapshotId && manifestHash === pointer.ManifestSha256,
    )
  historyOf(log.records, (record, { head, published }) => {
    const { Seq, Event, SnapshotId: id, Adopted = [] } = record
    for (const each of Adopted)
      if (!lying(each))
        differs(null, LOG, `line ${Seq} of ${LOG} adopts ${each.SnapshotId}, which is nowhere here`)
    if (Event !== 'publish') return
    const earlier = published.get(id)
    if (earlier?.Event === 'publish')
      differs(id, LOG, `line ${Seq} of ${LOG} publishes ${id}, as line ${earlier.Seq} did before`)
    const manifest = lying(record)?.manifest
    if (!manifest) return
    const time = timeProblem(manifest, record, lines.get(manifest.Build.LogSha256 ?? ''))
    if (time !== null) differs(id, MANIFEST, `${MANIFEST} of ${id} ${time}`)
    // Snapshots from before the log began have no line in it.
    if (head === null || earlier) return
    if (!isSamePointer(manifest.Previous, head))
      differs(
        id,
        MANIFEST,
        `${MANIFEST} of ${id} says that it follows ${manifest.Previous?.SnapshotId ?? 'none'}, although ${LOG} published ${head.SnapshotId} before`,
      )
    const isRevisionBefore = (other: string): boolean => {
      const found = other === id ? null : parseSnapshotId(other)
      return found?.month === manifest.Month && found.revision === manifest.Revision - 1
    }
    const isKnown =
      snapshots.some((each) => isRevisionBefore(each.id)) || [...published.keys()].some(isRevisionBefore)
    if (manifest.Revision > 1 && !isKnown)
      differs(
        id,
        MANIFEST,
        `${MANIFEST} of ${id} skips a revision: there never was a revision ${manifest.Revision - 1} of ${manifest.Month}`,
      )
  })
  return damages
}

/** What is wrong with the time of a build, in words that follow its name: it is after the line that it names, and before its own. */
function timeProblem({ Build }: Manifest, line: LogRecord, last: LogRecord | undefined): string | null {
  const [begun, published] = [Date.parse(Build.At), Date.parse(line.At)]
  if (!(begun - CLOCKS <= published))
    return `says that it was built at ${Build.At}, although line ${line.Seq} of ${LOG} published it at ${line.At}`
  return last && begun + Build.Seconds * 1000 + CLOCKS < Date.parse(last.At)
    ? `says that it was built at ${Build.At}, although it names line ${last.Seq} of ${LOG}, of ${last.At}`
    : null
}
