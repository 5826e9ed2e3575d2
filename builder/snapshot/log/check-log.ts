/** Checks the publication log against the snapshots in the folder and against the kept manifests of pruned ones. */

import { join } from 'node:path'
import { andMore } from '../../contract/listed.ts'
import { namesIn } from '../../system/durable.ts'
import { readFile } from '../../system/plain-file.ts'
import type { Damage, DamageKind } from '../files/damage.ts'
import { type CheckedSnapshot, checkManifest, withoutAdopted } from '../files/files.ts'
import { APPROVAL, LEFT_OUT_FOLDER, LOG, MANIFEST, PRUNED, parseSnapshotId } from '../files/layout.ts'
import { enteredReason, type Manifest, type Pointer, reasonIn } from '../files/manifest.ts'
import { endedKey } from '../keys/ended-key.ts'
import { downgraded } from './check-format.ts'
import { contradiction, stateProblem } from './check-lines.ts'
import { adoptedRests } from './check-stamps.ts'
import { LOG_REMEDY, lostLog } from './damaged-log.ts'
import { closedAfterLines, type History, historyOf, isSamePointer, logLinesOf, pointerOf } from './history.ts'
import { type Log, nextRecord } from './log.ts'
import { doneAt, type LogRecord, lineFormatOf } from './log-record.ts'
export interface CheckedLog {
  readonly history: History
  /** The manifests of snapshots that were pruned or left out; they are links of the chain like any other. */
  readonly absent: readonly CheckedSnapshot[]
  /** Snapshots that the log does not name yet and that lack the approval which it requires. */
  readonly unapproved: ReadonlySet<string>
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/** Checks the log of a company's folder. `log` is the part of it that could be read, `snapshots` are those in the folder. */
export async function checkLog(
  folder: string,
  log: Log,
  snapshots: readonly CheckedSnapshot[],
  /** Ids of the snapshots whose manifests alone are in an evidence bag. */
  leftOut: readonly string[] = [],
): Promise<CheckedLog> {
  const history = historyOf(log.records)
  const adopted = await adoptedRests(folder, history)
  const rests = await checkRests(folder, log, history, leftOut, adopted)
  const absent = rests.map(({ snapshot }) => snapshot)
  const all = [...snapshots, ...absent]
  const isThere = log.records.length > 0 || log.torn
  const lost = isThere || log.damage ? null : (snapshots.map(lostLog).find((why) => why !== null) ?? null)
  return {
    history,
    absent,
    unapproved: await unapprovedAmong(snapshots, log, history),
    damages: [
      ...(log.damage ? [ofLog('log', null, `${log.damage.message}; ${LOG_REMEDY}`)] : []),
      ...rests.flatMap(({ damages }) => damages),
      ...(lost === null ? [] : [ofLog('log-missing', null, `${lost}: restore it from a backup`)]),
      ...(isThere && !log.damage ? cutBefore(log, all, history) : []),
      ...unapproved(all, history),
      ...otherReasons(all, history),
      ...wronglyCompared(log, all, history),
      ...downgraded(log, all, history),
      ...checkClosed(log, all, history),
      ...checkOrder(log, all),
      ...all.flatMap((each) => endedKey(log.keys, history, each)),
    ],
    notes: [...(lost === null ? notesOf(log, history, snapshots) : []), ...strays(folder, history, adopted)],
  }
}

const ofLog = (kind: DamageKind, snapshotId: string | null, message: string): Damage => ({
  kind,
  snapshotId,
  path: LOG,
  message,
})

/** What remains of a pruned or left out snapshot: its manifest, with what is wrong with it. */
interface Rest {
  readonly snapshot: CheckedSnapshot
  readonly damages: readonly Damage[]
}

const checkRests = (
  folder: string,
  log: Log,
  { pruned, published, adopted }: History,
  leftOut: readonly string[],
  adoptedIds: readonly string[],
): Promise<Rest[]> => {
  const places = [
    ...[...pruned.keys(), ...adoptedIds].map((id) => [PRUNED, id] as const),
    ...leftOut.map((id) => [LEFT_OUT_FOLDER, id] as const),
  ]
  return Promise.all(
    places.map(async ([place, id]) => {
      const checked = await checkManifest(join(folder, place, id), log.keys.known)
      const snapshot = withoutAdopted(checked, adopted)
      const path = `${place}/${id}/${MANIFEST}`
      const damage = (kind: DamageKind, message: string): Damage => ({
        kind,
        snapshotId: null,
        path,
        message,
      })
      const logged = published.get(id) ?? pruned.get(id)
      const isExchanged =
        snapshot.manifestHash !== null && logged && snapshot.manifestHash !== logged.ManifestSha256
      const exchanged = `${path} is not the manifest of the snapshot that was published`
      return {
        snapshot,
        damages: [
          ...(isExchanged ? [damage('manifest-exchanged', exchanged)] : []),
          ...snapshot.damages.map(({ kind, message }) => damage(kind, `${place}/${id}: ${message}`)),
        ],
      }
    }),
  )
}

/** One damage for each snapshot whose manifest names a line that the log no longer has. */
const cutBefore = (log: Log, snapshots: readonly CheckedSnapshot[], history: History): Damage[] =>
  snapshots.flatMap(({ id, manifest, manifestHash }) => {
    // A restored snapshot names a line of the log of another workspace.
    if (history.published.get(id)?.Event === 'restore') return []
    // An adopted snapshot may name a line of a log that was lost; the adoption says so.
    if (manifestHash !== null && history.adopted.has(manifestHash)) return []
    const named = manifest?.Build?.LogSha256
    return typeof named === 'string' && !log.hashes.includes(named)
      ? [ofLog('log-cut', id, `${LOG} lacks the line that was its last when ${id} was published: it was cut`)]
      : []
  })

/**
 * Snapshots without a line in the log that lack an approval. An approval in the file beside the manifest counts if its line
 * could be the next one: then the publication was interrupted.
 */
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

/**
 * Damages for restatements whose reason differs between the manifest and the line of the log. The reason of a line that was entered
 * afterwards also says that. Version 0.1.0 gave the reason in the manifest alone: a line of format 1 need not repeat it.
 */
function otherReasons(snapshots: readonly CheckedSnapshot[], { published }: History): Damage[] {
  return snapshots.flatMap(({ id, manifest }) => {
    const record = published.get(id)
    if (!manifest || record?.Event !== 'publish') return []
    if (!manifest.Restatement) return []
    const reason = reasonIn(manifest)
    if (reason !== null && (record.Reason === reason || record.Reason === enteredReason(manifest))) return []
    if (reason !== null && record.Reason === null && lineFormatOf(record) === 1) return []
    const message = `${LOG} gives ${said(record.Reason)} for the publication of ${id}, its ${MANIFEST} ${said(reason)}`
    return [{ kind: 'log', snapshotId: id, path: LOG, message }]
  })
}

const said = (reason: string | null): string => (reason === null ? 'no reason' : `the reason "${reason}"`)

/** Damages for manifests that name approvers, if no line of the log that publishes or adopts them was approved. */
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

/** Damages for manifests that state another comparison of closed months than with the snapshot that was current at their build. */
function wronglyCompared(log: Log, snapshots: readonly CheckedSnapshot[], { published }: History): Damage[] {
  const currentAt = new Map<string | null, Pointer | null>([[null, null]])
  let current: Pointer | null = null
  for (const { record, hash } of logLinesOf(log)) {
    if (record.Event === 'publish' || record.Event === 'use') current = pointerOf(record)
    currentAt.set(hash, current)
  }
  return snapshots.flatMap(({ id, manifest }) => {
    const { Format = 1, ComparedWith = null, Build } = manifest ?? {}
    const line = Build?.LogSha256 ?? null
    const was = currentAt.get(line)
    if (Format === 1 || published.get(id)?.Event === 'restore' || was === undefined) return []
    if (isSamePointer(was, ComparedWith)) return []
    const message = `${MANIFEST} of ${id} says that closed months were compared with ${ComparedWith?.SnapshotId ?? 'none'}, although ${LOG} says that ${was?.SnapshotId ?? 'none'} was current`
    return [{ kind: 'restatement', snapshotId: id, path: MANIFEST, message }]
  })
}

const day = ({ At }: LogRecord): string => At.slice(0, 10)
const because = ({ Reason }: LogRecord): string => (Reason === null ? '' : `: ${Reason}`)

/** A note names at most this number of snapshots. */
const NAMED = 5

function notesOf(log: Log, { pruned }: History, snapshots: readonly CheckedSnapshot[]): string[] {
  const notes: string[] = []
  if (log.records.length === 0 && !log.damage && snapshots.length > 0)
    notes.push(`there is no ${LOG}: nothing says who published what, and when`)
  if (log.torn) notes.push(`the last line of ${LOG} was never finished; the next change takes it away`)
  const unsigned = log.records.filter(({ KeyId }) => KeyId === null).length
  if (unsigned > 0) notes.push(`${unsigned} of ${log.records.length} lines of ${LOG} are not signed`)
  const backwards = log.records.flatMap((record, i) => {
    const before = log.records[i - 1]
    return (before && record.At < doneAt(before)) || doneAt(record) < record.At ? [i + 1] : []
  })
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
  const last = gone.at(-1)
  if (last) {
    const ids = gone.slice(-NAMED).map(({ SnapshotId }) => SnapshotId)
    const what = `on ${day(last)} by ${last.By}${because(last)}`
    notes.push(
      gone.length === 1
        ? `${ids[0]} was pruned ${what}; its manifest is kept`
        : `${gone.length} snapshots were pruned, the last ${what}; their manifests are kept (${ids.join(', ')}${andMore(gone.length - NAMED)})`,
    )
  }
  return notes
}

/** Notes on folders in `pruned/` that are not manifests of pruned snapshots. */
function strays(folder: string, { pruned }: History, adopted: readonly string[]): string[] {
  const names = namesIn(join(folder, PRUNED))
  return names
    .filter((name) => !pruned.has(name) && !adopted.includes(name))
    .map((name) =>
      parseSnapshotId(name)
        ? `${PRUNED}/${name} is of a pruning that was interrupted; the next one removes it`
        : `${PRUNED}/${name} is not a manifest of a pruned snapshot; it was not looked at`,
    )
}

/**
 * Compares the lock dates that snapshots state with what the log had closed when they were published: one damage for
 * each contradiction. Snapshots of format 1 are left out, because their log says nothing of closing.
 */
function checkClosed(log: Log, snapshots: readonly CheckedSnapshot[], { published }: History): Damage[] {
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

/** How far the clocks of a workspace may differ: one hour, in milliseconds. */
const CLOCKS = 3_600_000

/** `snapshots` are those in the folder, and those that have only their manifest here. */
function checkOrder(log: Log, snapshots: readonly CheckedSnapshot[]): Damage[] {
  const damages: Damage[] = []
  const differs = (snapshotId: string | null, path: string, message: string): unknown =>
    damages.push({ kind: 'log', snapshotId, path, message })
  const lines = new Map(logLinesOf(log).map(({ record, hash }) => [hash, record]))
  const lying = (pointer: Pointer) =>
    snapshots.find(
      ({ id, manifestHash }) => id === pointer.SnapshotId && manifestHash === pointer.ManifestSha256,
    )
  historyOf(log.records, (record, before) => {
    const { head, published } = before
    const { Seq, Event, SnapshotId: id, Adopted = [] } = record
    const wrong = contradiction(record, before, lying)
    if (wrong !== null) differs(null, LOG, `line ${Seq} of ${LOG} ${wrong}`)
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
    const state = manifest.Format === 1 ? null : stateProblem(manifest, record, before, log)
    if (state !== null) differs(id, MANIFEST, `${MANIFEST} of ${id} ${state}`)
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
