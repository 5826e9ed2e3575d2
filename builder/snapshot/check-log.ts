/** Holds the publication log against itself, the snapshots that lie there, and what stays of pruned ones. */
import { join } from 'node:path'
import { namesIn } from '../workspace/durable.ts'
import { readFile } from '../workspace/plain-file.ts'
import { checkClosed } from './check-closed.ts'
import { downgraded } from './check-format.ts'
import type { Damage, DamageKind } from './damage.ts'
import { LOG_REMEDY, lostLog } from './damaged-log.ts'
import { endedKey } from './ended-key.ts'
import { type CheckedSnapshot, checkManifest, withoutAdopted } from './files.ts'
import { type History, historyOf, isSamePointer, pointerOf } from './history.ts'
import { APPROVAL, LEFT_OUT, LOG, MANIFEST, PRUNED, parseSnapshotId } from './layout.ts'
import { doneAt, type Log, type LogRecord, nextRecord } from './log.ts'
import { enteredReason, type Pointer, reasonIn } from './manifest.ts'

export interface CheckedLog {
  readonly history: History
  /** Manifests of snapshots that are not here, since they were pruned or left out: links of the chain like any other. */
  readonly absent: readonly CheckedSnapshot[]
  /** Snapshots that no line of the log names yet, although it requires an approval, which they do not have. */
  readonly unapproved: ReadonlySet<string>
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

export async function checkLog(
  folder: string,
  log: Log,
  snapshots: readonly CheckedSnapshot[],
  /** Ids of snapshots whose manifests alone are here, since the folder is of an evidence bag. */
  leftOut: readonly string[] = [],
): Promise<CheckedLog> {
  const history = historyOf(log.records)
  const damages: Damage[] = []
  const damage = (kind: DamageKind, snapshotId: string | null, path: string, message: string) =>
    damages.push({ kind, snapshotId, path, message })
  if (log.damage) damage('log', null, LOG, `${log.damage.message}; ${LOG_REMEDY}`)
  const absent: CheckedSnapshot[] = []
  const rests = [
    ...[...history.pruned.keys()].map((id) => [PRUNED, id] as const),
    ...leftOut.map((id) => [LEFT_OUT, id] as const),
  ]
  for (const [kind, id] of rests) {
    const found = withoutAdopted(await checkManifest(join(folder, kind, id), log.keys.known), history.adopted)
    absent.push(found)
    const path = `${kind}/${id}/${MANIFEST}`
    const logged = history.published.get(id) ?? history.pruned.get(id)
    if (found.manifestHash !== null && logged && found.manifestHash !== logged.ManifestSha256)
      damage(
        'manifest-exchanged',
        null,
        path,
        `${path} is not the manifest of the snapshot that was published`,
      )
    for (const each of found.damages) damage(each.kind, null, path, `${kind}/${id}: ${each.message}`)
  }
  const isThere = log.records.length > 0 || log.torn
  const lost = isThere || log.damage ? null : (snapshots.map(lostLog).find((told) => told !== null) ?? null)
  if (lost !== null) damage('log-missing', null, LOG, `${lost}: restore it from a backup`)
  if (!log.damage)
    for (const { id, manifest, manifestHash } of [...snapshots, ...absent]) {
      // What was published elsewhere names a line of the log there.
      if (history.published.get(id)?.Event === 'restore') continue
      // What was adopted may name a log that was lost: the line that adopted it says so.
      if (manifestHash !== null && history.adopted.has(manifestHash)) continue
      const named = manifest?.Build?.LogSha256
      if (isThere && typeof named === 'string' && !log.hashes.includes(named))
        damage(
          'log-cut',
          id,
          LOG,
          `${LOG} lacks the line that was its last when ${id} was published: it was cut`,
        )
    }
  damages.push(
    ...unapproved([...snapshots, ...absent], history),
    ...otherReasons([...snapshots, ...absent], history),
    ...wronglyCompared(log, [...snapshots, ...absent], history),
    ...downgraded(log, [...snapshots, ...absent], history),
    ...checkClosed(log, [...snapshots, ...absent], history),
    ...[...snapshots, ...absent].flatMap((each) => endedKey(log.keys, history, each)),
  )
  return {
    history,
    absent,
    unapproved: await unapprovedAmong(snapshots, log, history),
    damages,
    notes: [...(lost === null ? notesOf(log, history, snapshots) : []), ...strays(folder, history)],
  }
}

/** An approval that lies beside a manifest counts where its line could be the next one: then a publication was interrupted. */
async function unapprovedAmong(
  snapshots: readonly CheckedSnapshot[],
  log: Log,
  { approvers, published }: History,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (approvers.length === 0) return found
  for (const { id, folder } of snapshots.filter((each) => !published.has(each.id))) {
    const line = await readFile(join(folder, APPROVAL), 'utf8').catch(() => '')
    await nextRecord(log, line.trimEnd()).catch(() => found.add(id))
  }
  return found
}

/** Why closed months were published otherwise stands in the manifest and in the line; one entered afterwards says that too. */
function otherReasons(snapshots: readonly CheckedSnapshot[], { published }: History): Damage[] {
  return snapshots.flatMap(({ id, manifest }) => {
    const record = published.get(id)
    if (!manifest || record?.Event !== 'publish') return []
    if (!manifest.Restatement) return []
    const reason = reasonIn(manifest)
    if (reason !== null && (record.Reason === reason || record.Reason === enteredReason(manifest))) return []
    const message = `${LOG} gives ${said(record.Reason)} for the publication of ${id}, its ${MANIFEST} ${said(reason)}`
    return [{ kind: 'log', snapshotId: id, path: LOG, message }]
  })
}

const said = (reason: string | null): string => (reason === null ? 'no reason' : `the reason "${reason}"`)

/** A manifest that names approvers was to be approved: the line that publishes it, or vouches for it later, says by whom. */
function unapproved(snapshots: readonly CheckedSnapshot[], history: History): Damage[] {
  const { published, adopted, approved } = history
  return snapshots.flatMap(({ id, manifest, manifestHash }) => {
    const record = published.get(id)
    const isHere = record ? record.Event !== 'restore' : adopted.has(manifestHash ?? '')
    if (!manifest?.Build?.Approvers || !isHere || approved.has(manifestHash ?? '')) return []
    const message = `${MANIFEST} of ${id} says that it had to be approved, but no line of ${LOG} says by whom it was`
    return [{ kind: 'unapproved', snapshotId: id, path: LOG, message }]
  })
}

/** A build compares closed months with the snapshot that is current then; the line that its manifest names says which. */
function wronglyCompared(log: Log, snapshots: readonly CheckedSnapshot[], { published }: History): Damage[] {
  const currentAt = new Map<string | null, Pointer | null>([[null, null]])
  let current: Pointer | null = null
  for (const [i, record] of log.records.entries()) {
    if (record.Event === 'publish' || record.Event === 'use') current = pointerOf(record)
    currentAt.set(log.hashes[i]!, current)
  }
  return snapshots.flatMap(({ id, manifest }) => {
    const { Format = 1, ComparedWith = null, Build } = manifest ?? {}
    const line = Build?.LogSha256 ?? null
    if (Format === 1 || published.get(id)?.Event === 'restore' || !currentAt.has(line)) return []
    const was = currentAt.get(line)!
    if (isSamePointer(was, ComparedWith)) return []
    const message = `${MANIFEST} of ${id} says that closed months were compared with ${ComparedWith?.SnapshotId ?? 'none'}, although ${LOG} says that ${was?.SnapshotId ?? 'none'} was current`
    return [{ kind: 'restatement', snapshotId: id, path: MANIFEST, message }]
  })
}

const day = ({ At }: LogRecord): string => At.slice(0, 10)
const because = ({ Reason }: LogRecord): string => (Reason === null ? '' : `: ${Reason}`)

/** How many of a list are named. */
const NAMED = 5

function notesOf(log: Log, { pruned }: History, snapshots: readonly CheckedSnapshot[]): string[] {
  const notes: string[] = []
  if (log.records.length === 0 && !log.damage && snapshots.length > 0)
    notes.push(`there is no ${LOG}: nothing says who published what, and when`)
  if (log.torn) notes.push(`the last line of ${LOG} was never finished; the next change takes it away`)
  const unsigned = log.records.filter(({ KeyId }) => KeyId === null).length
  if (unsigned > 0) notes.push(`${unsigned} of ${log.records.length} lines of ${LOG} are not signed`)
  const backwards = log.records.flatMap((record, i) =>
    record.At < (i > 0 ? doneAt(log.records[i - 1]!) : '') || doneAt(record) < record.At ? [i + 1] : [],
  )
  if (backwards.length > 0)
    notes.push(
      `${backwards.length === 1 ? `line ${backwards[0]} of ${LOG} is` : `lines ${backwards.join(', ')} of ${LOG} are`} dated before the line before: the clock was set back, or the time is not the true one`,
    )
  const here = new Set(snapshots.map(({ id }) => id))
  const gone = [...pruned.values()].filter(({ SnapshotId }) => !here.has(SnapshotId))
  for (const { SnapshotId } of pruned.values())
    if (here.has(SnapshotId))
      notes.push(
        `${SnapshotId} is being pruned, or that was interrupted; the next "tieout prune" removes the rest`,
      )
  if (gone.length > 0) {
    const last = gone.at(-1)!
    const ids = gone.slice(-NAMED).map(({ SnapshotId }) => SnapshotId)
    const more = gone.length > NAMED ? `, and ${gone.length - NAMED} more` : ''
    const what = `on ${day(last)} by ${last.By}${because(last)}`
    notes.push(
      gone.length === 1
        ? `${ids[0]} was pruned ${what}; its manifest is kept`
        : `${gone.length} snapshots were pruned, the last ${what}; their manifests are kept (${ids.join(', ')}${more})`,
    )
  }
  return notes
}

/** What lies among the manifests of pruned snapshots, and is none. */
function strays(folder: string, { pruned }: History): string[] {
  const names = namesIn(join(folder, PRUNED))
  return names
    .filter((name) => !pruned.has(name))
    .map((name) =>
      parseSnapshotId(name)
        ? `${PRUNED}/${name} is of a pruning that was interrupted; the next one removes it`
        : `${PRUNED}/${name} is not a manifest of a pruned snapshot; it was not looked at`,
    )
}
