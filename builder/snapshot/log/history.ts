/** Derives from the publication log the state of a company's snapshots, and compares the pointer with it. */
import { present } from '../../contract/present.ts'
import type { Approver } from '../approval/approval.ts'
import { companyFolder, parseSnapshotId } from '../files/layout.ts'
import type { Pointer } from '../files/manifest.ts'
import { type Log, readLog } from './log.ts'
import { doneAt, type EventDetails, type LogRecord } from './log-record.ts'

export interface History {
  /** The snapshot that was published last, current or not. The next one follows it. */
  readonly head: Pointer | null
  readonly current: LogRecord | null
  /** If the last line not about keys is a "use": the snapshot that was current before it. Else null. */
  readonly leftBy: Pointer | null
  /** Snapshots that a "use" left for another one, and that were not made current again. */
  readonly withdrawn: ReadonlySet<string>
  /** By snapshot: the record of its publication, or of its restoration if it was published in another workspace. */
  readonly published: ReadonlyMap<string, LogRecord>
  /** Publication times. A time before that of an earlier line is replaced by that one, because the clock was set back. */
  readonly publishedAt: ReadonlyMap<string, string>
  readonly pruned: ReadonlyMap<string, LogRecord>
  /** Snapshots under a legal hold. */
  readonly held: ReadonlyMap<string, LogRecord>
  /** The hold over all past and future snapshots of the company; null where there is none. */
  readonly allHeld: LogRecord | null
  /** SHA-256 of the manifests that an adoption in the log vouches for. */
  readonly adopted: ReadonlySet<string>
  /** The snapshot that the last adoption names as the current one. */
  readonly adoptedAs: Pointer | null
  /** The line that closed the books through its `ClosedThrough`; null where no line did. */
  readonly closed: ClosingRecord | null
  /** One of these must approve what needs approval; if there are none, no approval is required. */
  readonly approvers: readonly Approver[]
  /** SHA-256 of the manifests that an approved line publishes or adopts. */
  readonly approved: ReadonlySet<string>
}

type ClosingRecord = LogRecord & { readonly ClosedThrough: string }

/** The history for reading only: up to the first damaged line, with any signing key. */
export const readHistory = async (root: string, company: string): Promise<History> =>
  historyOf((await readLog(companyFolder(root, company))).records)

/** A history to which lines are being added. */
type Growing = { -readonly [member in keyof History]: Writable<History[member]> }
type Writable<T> =
  T extends ReadonlyMap<infer K, infer V> ? Map<K, V> : T extends ReadonlySet<infer V> ? Set<V> : T

const emptyHistory = (): Growing => ({
  head: null,
  current: null,
  leftBy: null,
  withdrawn: new Set(),
  published: new Map(),
  publishedAt: new Map(),
  pruned: new Map(),
  held: new Map(),
  allHeld: null,
  adopted: new Set(),
  adoptedAs: null,
  closed: null,
  approvers: [],
  approved: new Set(),
})

/** The history after all these lines of a log. `judge` is called for each line with the history before it. */
export function historyOf(
  records: readonly LogRecord[],
  judge: (record: LogRecord, before: History) => void = () => {},
): History {
  const history = emptyHistory()
  let latest = ''
  for (const record of records) {
    judge(record, history)
    if (doneAt(record) > latest) latest = doneAt(record)
    if (isClosing(record, history.closed)) history.closed = record
    history.approvers = record.Approvers ?? history.approvers
    if (record.Approval)
      for (const { ManifestSha256 } of [record, ...(record.Adopted ?? [])])
        history.approved.add(ManifestSha256)
    if (record.KeyChange) continue
    const { current } = history
    history.leftBy = record.Event === 'use' ? current && pointerOf(current) : null
    enter(history, record, latest)
  }
  return history
}

/** Adds one event. `latest` is the latest time in the log so far. */
function enter(history: Growing, record: LogRecord, latest: string): void {
  const { SnapshotId: id, Event, Also = [], Adopted = [] } = record
  const { head, current, published, publishedAt, pruned, held, adopted } = history
  switch (Event) {
    case 'publish':
      published.set(id, record)
      publishedAt.set(id, latest)
      history.head = pointerOf(record)
      history.current = record
      break
    case 'use':
      if (current !== null) history.withdrawn.add(current.SnapshotId)
      history.withdrawn.delete(id)
      history.current = record
      break
    case 'restore':
      // It was published in another workspace, perhaps long ago. The next snapshot follows the newest one, not the one restored last.
      if (!published.has(id) && (head === null || isAfter(id, head.SnapshotId)))
        history.head = pointerOf(record)
      published.set(id, published.get(id) ?? record)
      publishedAt.set(id, publishedAt.get(id) ?? latest)
      pruned.delete(id)
      break
    case 'prune':
      pruned.set(id, record)
      for (const also of Also) pruned.set(also.SnapshotId, { ...record, ...also })
      break
    case 'hold':
      held.set(id, record)
      break
    case 'release':
      held.delete(id)
      break
    case 'hold-all':
      history.allHeld = record
      break
    case 'release-all':
      history.allHeld = null
      break
    case 'adopt':
      history.adoptedAs = pointerOf(record)
      for (const { ManifestSha256 } of Adopted) adopted.add(ManifestSha256)
      break
  }
}

/**
 * Whether a line changes through when the books are closed. Only a reopening moves that day back. A person may close once more
 * what a setting has closed.
 */
const isClosing = (record: LogRecord, before: ClosingRecord | null): record is ClosingRecord =>
  record.ClosedThrough !== undefined &&
  (before === null ||
    record.Event === 'reopen' ||
    record.ClosedThrough > before.ClosedThrough ||
    (record.Event === 'close' && record.ClosedThrough === before.ClosedThrough))

/**
 * Whether a person closed or reopened the books last, or took closed months back from elsewhere, rather than `lockDate` in company.yaml,
 * which is not needed then.
 */
export const isClosedByPerson = ({ closed }: History): boolean =>
  closed?.Event === 'close' || closed?.Event === 'reopen' || closed?.Event === 'restore'

export const logLinesOf = ({
  records,
  hashes,
}: Pick<Log, 'records' | 'hashes'>): { readonly record: LogRecord; readonly hash: string }[] =>
  records.map((record, i) => ({ record, hash: present(hashes[i], `hash of line ${i + 1}`) }))

/** The day through which the books were closed after each line, by the line's hash; the key null stands for an empty log. */
export function closedAfterLines(log: Pick<Log, 'records' | 'hashes'>) {
  const after = new Map<string | null, string | null>([[null, null]])
  let closed: ClosingRecord | null = null
  for (const { record, hash } of logLinesOf(log)) {
    if (isClosing(record, closed)) closed = record
    after.set(hash, closed?.ClosedThrough ?? null)
  }
  return after
}

/** The details of a line that publishes a snapshot with this lock date; empty if the log has closed that day already. */
export const closingBy = ({ closed }: History, lockDate: string | null | undefined): EventDetails =>
  lockDate != null && (closed === null || lockDate > closed.ClosedThrough) ? { ClosedThrough: lockDate } : {}

/** Whether a snapshot id comes after another one, by month and then revision. False if one of them is not a snapshot id. */
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
 * How the pointer stands to the log. `agrees`: they name the same snapshot, or there is no log yet. `unlogged`: the pointer is one
 * publication ahead, which was interrupted before its line was written. `unmoved`: the last line takes another snapshot into
 * use, but was interrupted before the pointer moved. `differs`: somebody moved the pointer by hand.
 */
export type Standing = 'agrees' | 'unlogged' | 'unmoved' | 'differs'

/** Compares the pointer with the log. `previousOf` gives the snapshot that the manifest behind a pointer names as the one before it. */
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
