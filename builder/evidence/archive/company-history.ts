/**
 * What a company published in a period, read from its folder or from the payload of an evidence bag, which is laid
 * out in the same way.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkManifest } from '../../snapshot/files/files.ts'
import { LEFT_OUT_FOLDER, PRUNED, parseSnapshotId } from '../../snapshot/files/layout.ts'
import type { Manifest } from '../../snapshot/files/manifest.ts'
import { openSnapshotIn, type Snapshot } from '../../snapshot/files/open.ts'
import { type History, historyOf } from '../../snapshot/log/history.ts'
import type { Log } from '../../snapshot/log/log.ts'
import { namesIn } from '../../system/durable.ts'

/** First and last month, both included: `2025-01` to `2025-12`. */
export interface EvidencePeriod {
  readonly from: string
  readonly through: string
}

/** Whether a snapshot belongs to the period: its last month lies in it, or it restates a month of it. */
export function isOfPeriod({ Month, Restatement }: Manifest, { from, through }: EvidencePeriod): boolean {
  const months = [Month, ...(Restatement?.Months ?? []), ...(Restatement?.GoneMonths ?? [])]
  return months.some((month) => month >= from && month <= through)
}

/** Reads `2025-01 to 2025-12`; null where the text is something else. */
export function parseEvidencePeriod(stated = ''): EvidencePeriod | null {
  const [, from, through] = /^(\d{4}-\d{2}) to (\d{4}-\d{2})$/.exec(stated) ?? []
  return from === undefined || through === undefined ? null : { from, through }
}

export interface CompanyHistory {
  readonly log: Log
  readonly logged: History
  /** Snapshots of the period, in the order of publication. */
  readonly snapshots: readonly Snapshot[]
  /** Snapshots of other periods: only their manifests and signatures are read. `folder` is where they lie. */
  readonly leftOut: readonly {
    readonly id: string
    readonly folder: string
    readonly manifest: Manifest | null
  }[]
  /** Ids of pruned snapshots whose manifests were kept. */
  readonly pruned: readonly string[]
}

export async function historyIn(
  folder: string,
  company: string,
  period: EvidencePeriod,
  log: Log,
): Promise<CompanyHistory> {
  const logged = historyOf(log.records)
  const snapshots: Snapshot[] = []
  const leftOut: CompanyHistory['leftOut'][number][] = []
  // Snapshots older than the log have no line in it.
  const unlogged = namesIn(folder).filter((id) => parseSnapshotId(id) !== null && !logged.published.has(id))
  for (const id of [...unlogged.sort(), ...logged.published.keys()]) {
    if (logged.pruned.has(id)) continue
    const whole = join(folder, id)
    if (existsSync(whole)) {
      const snapshot = await openSnapshotIn(whole, company, id)
      if (isOfPeriod(snapshot.manifest, period)) snapshots.push(snapshot)
      else leftOut.push({ id, folder: whole, manifest: snapshot.manifest })
    } else {
      const rest = join(folder, LEFT_OUT_FOLDER, id)
      if (existsSync(rest))
        leftOut.push({ id, folder: rest, manifest: (await checkManifest(rest, null)).manifest })
    }
  }
  const pruned = namesIn(join(folder, PRUNED)).filter((id) => parseSnapshotId(id) !== null)
  return { log, logged, snapshots, leftOut, pruned }
}
