/** Owns what a line of the publication log says. Parses lines, and holds each to the format that it is of. Their hashes and signatures are checked in log.ts. */
import { isCalendarDate } from '../../contract/calendar.ts'
import { parseJson } from '../../contract/json.ts'
import { type Approval, type Approver, areApprovers } from '../approval/approval.ts'
import type { Pointer, RestatementFacts } from '../files/manifest.ts'
import { detailsSchema } from '../files/manifest-schema.ts'
import { KEY_EVENTS, type KeyChange, keyChange } from '../keys/key-ring.ts'

export const LOG_EVENTS = [
  'publish',
  'use',
  'prune',
  'restore',
  'hold',
  'release',
  'hold-all',
  'release-all',
  'adopt',
  'close',
  'reopen',
  'approval',
  'reject',
  'rotate',
  'revoke',
] as const
export type LogEvent = (typeof LOG_EVENTS)[number]

/**
 * The members are written in this order. A signed line ends with `"Signature"`, which covers the rest of the line. An
 * approved line continues with `"Approval"` and ends with `"Countersignature"`, which covers everything before it.
 */
export interface LogRecord {
  /** Absent on lines of format 1. */
  readonly Format?: number
  /** Number of the line, from 1. */
  readonly Seq: number
  /** ISO 8601, UTC. */
  readonly At: string
  /** `user@host` */
  readonly By: string
  readonly Event: LogEvent
  /** Empty, like the hash, on a line about keys that was written before there was a snapshot. */
  readonly SnapshotId: string
  readonly ManifestSha256: string
  readonly Reason: string | null
  /** SHA-256 of the line before, without its line end; null on the first line. */
  readonly Before: string | null
  /** Id of the key that signed the line; null if it is unsigned. */
  readonly KeyId: string | null
  /** Only on `adopt`: the adopted manifests. `Before` vouches for the earlier lines. */
  readonly Adopted?: readonly Pointer[]
  /**
   * From this line on the books are closed through this day. Every `close` and `reopen` has it. Other lines have it if they
   * bring a later lock date: a publication that of company.yaml, `adopt` and `restore` that of a snapshot.
   */
  readonly ClosedThrough?: string
  /** Only on a `use` that restates closed months. `Labels` is the number of changed names. */
  readonly Restatement?: RestatementFacts & { readonly Labels?: number }
  /** Only on `rotate` and `revoke`: the change of the workspace's keys. */
  readonly KeyChange?: KeyChange
  /** From this line on, one of these must approve what needs approval. An empty list ends that. */
  readonly Approvers?: readonly Approver[]
  /** Only on `prune`: other snapshots that the same decision removed. */
  readonly Also?: readonly Pointer[]
  /** Only on `reject`: the event that was proposed. */
  readonly Rejected?: LogEvent
  /** Who approved the line. The countersignature was checked. */
  readonly Approval?: Approval
}

/** The members that only some events have. */
export type EventDetails = Pick<
  LogRecord,
  'Adopted' | 'ClosedThrough' | 'Restatement' | 'KeyChange' | 'Approvers' | 'Also' | 'Rejected'
>

/** The time at which a line took effect: that of its approval, or else its own. */
export const doneAt = ({ At, Approval }: LogRecord): string => Approval?.At ?? At

/** The formats that can be read. Lines of format 1 have no format number. */
const LOG_FORMATS: readonly number[] = [1, 2]

/** Members that only lines about one event have. On another one nobody who reads it would expect what they do. */
const ONLY_ON = { Adopted: 'adopt', Also: 'prune', Restatement: 'use', Rejected: 'reject' }
/** Which lines may say through when the books are closed. */
const CLOSING: readonly string[] = ['publish', 'adopt', 'restore', 'close', 'reopen']

const TEXTS = ['At', 'By', 'Event', 'SnapshotId', 'ManifestSha256'] as const

/** What a line of format 1 could be about, and its members. */
const EVENTS_OF_FORMAT_1: readonly string[] = ['publish', 'use', 'prune', 'restore', 'hold', 'release']
const MEMBERS_OF_FORMAT_1: readonly string[] = [...TEXTS, 'Seq', 'Reason', 'Before', 'KeyId']
const LATER_MEMBERS = [
  ...Object.keys(ONLY_ON),
  'Format',
  'ClosedThrough',
  'KeyChange',
  'Approvers',
  'Approval',
]
const MEMBERS: ReadonlySet<string> = new Set([...MEMBERS_OF_FORMAT_1, ...LATER_MEMBERS])

export const lineFormatOf = ({ Format = 1 }: Pick<LogRecord, 'Format'>): number => Format

/**
 * What is wrong with the format of a line, in words that follow "line 3 of the log"; null if nothing is. Format 1 says less than
 * format 2, so that a line of it cannot follow one of format 2. `last` is the line before.
 */
export function formatProblem(line: LogRecord, last: LogRecord | undefined): string | null {
  const format = lineFormatOf(line)
  if (!LOG_FORMATS.includes(format))
    return `is of format ${format}, which this version of Tieout does not know: use the version that wrote it, or a later one`
  const strange = Object.entries(ONLY_ON).find(([member, event]) => member in line && line.Event !== event)
  if (strange) return `is a "${line.Event}" with "${strange[0]}", a member of "${strange[1]}" alone`
  if ('ClosedThrough' in line && !CLOSING.includes(line.Event))
    return `is a "${line.Event}" with "ClosedThrough", which only "${CLOSING.join('", "')}" may have`
  if (line.KeyChange && line.KeyChange.Reason !== line.Reason)
    return `is a "${line.Event}" of a key with another reason than that of the change`
  const unknown = Object.keys(line).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) return `has a member that its format has not: ${unknown}`
  if (format > 1) return null
  if (last && lineFormatOf(last) > 1)
    return 'is of format 1, although the line before it is of format 2: it was written later, to say less'
  const later = EVENTS_OF_FORMAT_1.includes(line.Event)
    ? Object.keys(line).find((member) => !MEMBERS_OF_FORMAT_1.includes(member))
    : line.Event
  return later === undefined ? null : `is of format 1, although no line of format 1 had "${later}"`
}

/** Parses a line and drops its signatures without checking them. Null if it is not a valid record. */
export function parseRecord(line: string): LogRecord | null {
  try {
    const found = parseJson(line) as Partial<LogRecord> | null
    if (typeof found?.Seq !== 'number' || TEXTS.some((key) => typeof found[key] !== 'string')) return null
    if (Number.isNaN(Date.parse(found.At ?? ''))) return null
    if (![found.Reason, found.Before, found.KeyId].every((text) => text === null || typeof text === 'string'))
      return null
    if (!saysWhatIsClosed(found) || !saysWhichKey(found) || !detailsSchema.safeParse(found).success)
      return null
    if (found.Approvers !== undefined && !areApprovers(found.Approvers)) return null
    // An approval counts only if its countersignature was checked, so it is not read here.
    const {
      Signature: _,
      Approval: __,
      Countersignature: ___,
      ...record
    } = found as LogRecord & { Signature?: string; Countersignature?: string }
    return record
  } catch {
    return null
  }
}

const saysWhatIsClosed = ({ Event, ClosedThrough, Reason }: Partial<LogRecord>): boolean =>
  ClosedThrough === undefined
    ? Event !== 'close' && Event !== 'reopen'
    : typeof ClosedThrough === 'string' &&
      isCalendarDate(ClosedThrough) &&
      (Event !== 'reopen' || typeof Reason === 'string')

const saysWhichKey = ({ Event, KeyChange }: Partial<LogRecord>): boolean =>
  KeyChange === undefined
    ? Event === undefined || !KEY_EVENTS.includes(Event)
    : KeyChange.Event === Event && keyChange.safeParse(KeyChange).success
