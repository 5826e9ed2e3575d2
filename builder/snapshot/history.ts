/** What the publication log says of a company's snapshots, and whether the pointer agrees with it. */

import type { Approver } from './approval.ts'
import { companyFolder, parseSnapshotId } from './layout.ts'
import { doneAt, type EventDetails, type Log, type LogRecord, readLog } from './log.ts'
import type { Pointer } from './manifest.ts'

export interface History {
  /** The snapshot that was published last, current or not: the next one follows it. */
  readonly head: Pointer | null
  readonly current: LogRecord | null
  /** Current before the last line that is not about keys, where that one takes another snapshot into use; else null. */
  readonly leftBy: Pointer | null
  /** By snapshot: the record of its publication (or of its restoration, where that was elsewhere). */
  readonly published: ReadonlyMap<string, LogRecord>
  /** When each was published, as the log has it; a clock that was set back makes nothing older than the lines before. */
  readonly publishedAt: ReadonlyMap<string, string>
  readonly pruned: ReadonlyMap<string, LogRecord>
  /** Under a legal hold. */
  readonly held: ReadonlyMap<string, LogRecord>
  /** The hold over all snapshots of the company, past and to come; null where there is none. */
  readonly allHeld: LogRecord | null
  /** SHA-256 of the manifests of format 1 that a line of the log vouches for. */
  readonly adopted: ReadonlySet<string>
  /** The snapshot that the last adoption names as the current one. */
  readonly adoptedAs: Pointer | null
  /** The line by which the books are closed through its `ClosedThrough`; null where none says so. */
  readonly closed: ClosingRecord | null
  /** One of them approves what needs approval; none: nobody has to. */
  readonly approvers: readonly Approver[]
  /** SHA-256 of the manifests that an approved line publishes, or vouches for. */
  readonly approved: ReadonlySet<string>
}

export type ClosingRecord = LogRecord & { readonly ClosedThrough: string }

/** For whoever only looks: as far as the log can be read, whoever signed it. */
export const readHistory = async (root: string, company: string): Promise<History> =>
  historyOf((await readLog(companyFolder(root, company))).records)

export function historyOf(records: readonly LogRecord[]): History {
  let head: Pointer | null = null
  let current: LogRecord | null = null
  let leftBy: Pointer | null = null
  let latest = ''
  const published = new Map<string, LogRecord>()
  const publishedAt = new Map<string, string>()
  const pruned = new Map<string, LogRecord>()
  const held = new Map<string, LogRecord>()
  let allHeld: LogRecord | null = null
  const adopted = new Set<string>()
  let adoptedAs: Pointer | null = null
  let closed: ClosingRecord | null = null
  let approvers: readonly Approver[] = []
  const approved = new Set<string>()
  for (const record of records) {
    const id = record.SnapshotId
    if (doneAt(record) > latest) latest = doneAt(record)
    if (isClosing(record, closed)) closed = record
    approvers = record.Approvers ?? approvers
    if (record.Approval)
      for (const { ManifestSha256 } of [record, ...(record.Adopted ?? [])]) approved.add(ManifestSha256)
    if (record.KeyChange) continue
    leftBy = record.Event === 'use' ? current && pointerOf(current) : null
    switch (record.Event) {
      case 'publish':
        published.set(id, record)
        publishedAt.set(id, latest)
        head = pointerOf(record)
        current = record
        break
      case 'use':
        current = record
        break
      case 'restore':
        // Published in another workspace, perhaps long ago: the next one follows the newest, whatever came back last.
        if (!published.has(id) && (head === null || isAfter(id, head.SnapshotId))) head = pointerOf(record)
        published.set(id, published.get(id) ?? record)
        publishedAt.set(id, publishedAt.get(id) ?? latest)
        pruned.delete(id)
        break
      case 'prune':
        pruned.set(id, record)
        for (const also of record.Also ?? []) pruned.set(also.SnapshotId, { ...record, ...also })
        break
      case 'hold':
        held.set(id, record)
        break
      case 'release':
        held.delete(id)
        break
      case 'hold-all':
        allHeld = record
        break
      case 'release-all':
        allHeld = null
        break
      case 'adopt':
        adoptedAs = pointerOf(record)
        for (const { ManifestSha256 } of record.Adopted ?? []) adopted.add(ManifestSha256)
        break
    }
  }
  return {
    head,
    current,
    leftBy,
    published,
    publishedAt,
    pruned,
    held,
    allHeld,
    adopted,
    adoptedAs,
    closed,
    approvers,
    approved,
  }
}

/** Only a reopening takes back what was closed. A person may close once more what a setting has closed. */
const isClosing = (record: LogRecord, before: ClosingRecord | null): record is ClosingRecord =>
  record.ClosedThrough !== undefined &&
  (before === null ||
    record.Event === 'reopen' ||
    record.ClosedThrough > before.ClosedThrough ||
    (record.Event === 'close' && record.ClosedThrough === before.ClosedThrough))

/** Whether a person said through when the books are closed, and not a setting: then there need not be one. */
export const isClosedByPerson = ({ closed }: History): boolean =>
  closed?.Event === 'close' || closed?.Event === 'reopen'

/** Through which day the books were closed after each line, by its hash; before the first one through none. */
export function closedAfterLines({ records, hashes }: Pick<Log, 'records' | 'hashes'>) {
  const after = new Map<string | null, string | null>([[null, null]])
  let closed: ClosingRecord | null = null
  for (const [i, record] of records.entries()) {
    if (isClosing(record, closed)) closed = record
    after.set(hashes[i]!, closed?.ClosedThrough ?? null)
  }
  return after
}

/** What a line says that brings a snapshot with this lock date: nothing, where the log has closed as much already. */
export const closingBy = ({ closed }: History, lockDate: string | null | undefined): EventDetails =>
  lockDate != null && (closed === null || lockDate > closed.ClosedThrough) ? { ClosedThrough: lockDate } : {}

/** By month, then revision. */
export function isAfter(id: string, other: string): boolean {
  const [a, b] = [parseSnapshotId(id), parseSnapshotId(other)]
  if (!a || !b) return false
  return a.month > b.month || (a.month === b.month && a.revision > b.revision)
}

export const pointerOf = ({ SnapshotId, ManifestSha256 }: Pointer): Pointer => ({
  SnapshotId,
  ManifestSha256,
})

export const isSamePointer = (a: Pointer | null, b: Pointer | null): boolean =>
  a?.SnapshotId === b?.SnapshotId && a?.ManifestSha256 === b?.ManifestSha256

/**
 * agrees: also where there is no log yet. unlogged: the pointer is one publication ahead, which was interrupted before
 * it was logged. unmoved: the last line takes another snapshot into use, and the pointer is where it was before: that was
 * interrupted. differs: somebody moved the pointer by hand.
 */
export type Standing = 'agrees' | 'unlogged' | 'unmoved' | 'differs'

/** `previousOf`: what the manifest of the pointer's snapshot names as the one before it. */
export function standingOf(
  history: History,
  pointer: Pointer | null,
  previousOf: (pointer: Pointer) => Pointer | null | undefined,
): Standing {
  if (history.current === null || isSamePointer(history.current, pointer)) return 'agrees'
  if (pointer !== null && isSamePointer(history.leftBy, pointer)) return 'unmoved'
  if (pointer === null || history.published.has(pointer.SnapshotId)) return 'differs'
  const previous = previousOf(pointer)
  return previous && isSamePointer(previous, history.head) ? 'unlogged' : 'differs'
}
