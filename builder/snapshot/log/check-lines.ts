/**
 * Says what a line of the log claims that the lines before it contradict. Whoever writes a line through the program has that checked first;
 * somebody who has the key could otherwise take into use, prune or close what was never published, to escape a comparison of closed months.
 */
import { lastDay, monthOf } from '../../contract/calendar.ts'
import { areSame } from '../approval/approval.ts'
import { LOG } from '../files/layout.ts'
import type { Manifest, Pointer } from '../files/manifest.ts'
import { type History, isSamePointer, logLinesOf } from './history.ts'
import type { Log } from './log.ts'
import type { LogRecord } from './log-record.ts'

/** A snapshot whose manifest is here, whole or not. */
interface Lying {
  readonly manifest: Manifest | null
}

/** Finds the snapshot to which a pointer leads, or the manifest that is left of it. */
export type Find = (pointer: Pointer) => Lying | undefined

/** What is wrong with a line that concerns snapshots, in words that follow "line 3 of the log"; null if nothing is. */
export function contradiction(record: LogRecord, before: History, find: Find): string | null {
  const { Event, SnapshotId: id, Also = [] } = record
  const isPublished = (each: Pointer) =>
    find(each) !== undefined || isSamePointer(before.published.get(each.SnapshotId) ?? null, each)
  const says = (what: string) => `is a "${Event}" of ${what}`
  if (record.KeyChange || ['publish', 'reject'].includes(Event)) return null
  if (Event === 'adopt') return broughtProblem(record, find(record)?.manifest ?? null)
  if (Event === 'restore') {
    const was = before.published.get(id)
    return was && !isSamePointer(was, record)
      ? says(`another ${id} than was published`)
      : broughtProblem(record, find(record)?.manifest ?? null)
  }
  const absent = [record, ...Also].find((each) => !isPublished(each))
  if (absent) return says(`${absent.SnapshotId || 'nothing'}, which was not published`)
  switch (Event) {
    case 'use':
      return before.pruned.has(id) ? says(`${id}, which had been pruned`) : null
    case 'prune':
      for (const each of [record, ...Also]) {
        if (isSamePointer(before.current, each)) return says(`${each.SnapshotId}, which was current`)
        if (before.allHeld || before.held.has(each.SnapshotId))
          return says(`${each.SnapshotId}, which was held`)
      }
      return null
    case 'release':
      return before.held.has(id) ? null : says(`${id}, which was not held`)
    case 'release-all':
      return before.allHeld ? null : says('snapshots that were not held')
    case 'approval':
      return record.Approvers ? null : says('no approvers')
    case 'close':
    case 'reopen':
      return closingProblem(record, before, find(record)?.manifest ?? null)
  }
  return null
}

/**
 * A snapshot that comes from elsewhere closes the books here through its own lock date, and no further; an adoption of a history
 * whose log was lost through all that is published. Manifests of format 1 do not say.
 */
function broughtProblem(
  { Event, ClosedThrough, SnapshotId }: LogRecord,
  manifest: Manifest | null,
): string | null {
  if (ClosedThrough === undefined || manifest === null || manifest.Format === 1) return null
  const { LockedThrough = null, Coverage } = manifest
  if (ClosedThrough === LockedThrough || (Event === 'adopt' && ClosedThrough === Coverage.EndDate))
    return null
  return `is a "${Event}" that closes the books through ${ClosedThrough}, although those of ${SnapshotId} were closed through ${LockedThrough ?? 'no day'}`
}

function closingProblem(
  { Event, ClosedThrough = '' }: LogRecord,
  { closed }: History,
  manifest: Manifest | null,
): string | null {
  const was = closed?.ClosedThrough ?? null
  if (ClosedThrough !== lastDay(monthOf(ClosedThrough)))
    return `is a "${Event}" through ${ClosedThrough}, which ends no month`
  if (was !== null && (Event === 'close' ? ClosedThrough < was : ClosedThrough >= was))
    return `is a "${Event}" through ${ClosedThrough}, although the books were closed through ${was}`
  if (Event === 'reopen' && was === null && manifest && manifest.Format > 1 && manifest.LockedThrough == null)
    return `is a "reopen" through ${ClosedThrough}, although no month was closed`
  // Books may end inside the month that is closed, with their fiscal year.
  return Event === 'close' && manifest && ClosedThrough > lastDay(monthOf(manifest.Coverage.EndDate))
    ? `is a "${Event}" through ${ClosedThrough}, although ${manifest.SnapshotId} ends on ${manifest.Coverage.EndDate}`
    : null
}

/** What a person decides of closed months and of the current snapshot: a build after it has to know it. */
const DECIDED: readonly string[] = ['publish', 'use', 'close', 'reopen']

/**
 * What is wrong with the state of the log that a manifest names, in words that follow its name: lines that it passes over stand between
 * that state and its own line; or it names other approvers than there were. Null if nothing is.
 */
export function stateProblem(
  { Build, ComparedWith = null }: Manifest,
  record: LogRecord,
  before: History,
  log: Pick<Log, 'records' | 'hashes'>,
): string | null {
  const named = Build.LogSha256 ?? null
  const at = named === null ? -1 : log.hashes.indexOf(named)
  // An adopted snapshot may name a line of a log that was lost: then it was published before all that is not adopted.
  const isOfLost = named !== null && at < 0
  const adopted = new Set<string>()
  for (const { record: line } of logLinesOf(log).slice(0, record.Seq - 1)) {
    for (const { ManifestSha256 } of line.Adopted ?? []) adopted.add(ManifestSha256)
    const isBefore = line.Seq <= at + 1 || (isOfLost && adopted.has(line.ManifestSha256))
    if (!isBefore && DECIDED.includes(line.Event))
      return `passes over line ${line.Seq} of ${LOG}, a "${line.Event}" before its publication`
  }
  if (isOfLost && before.current && !isSamePointer(before.current, ComparedWith))
    return `says that closed months were compared with ${ComparedWith?.SnapshotId ?? 'none'}, although ${before.current.SnapshotId} was current`
  if (before.current === null && before.adoptedAs && !isSamePointer(before.adoptedAs, record))
    return `is the first to be published after an adoption that names ${before.adoptedAs.SnapshotId} as the current one`
  const approvers = before.approvers.length > 0 ? before.approvers : (record.Approvers ?? [])
  return areSame(approvers, Build.Approvers ?? [])
    ? null
    : `says that ${namesOf(Build.Approvers)} had to approve it, although ${LOG} names ${namesOf(approvers)}`
}

const namesOf = (approvers: History['approvers'] = []): string =>
  approvers.map(({ Name }) => Name).join(' or ') || 'nobody'
