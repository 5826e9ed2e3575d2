/**
 * The publication log: what was done to a company's snapshots, when, by whom and why. One line per record, only ever
 * added to. Each names the hash of the line before it and is signed like a manifest, so that no line can be changed,
 * taken away or put in between without that being seen. The end alone can be cut; manifests name the line before them.
 */
import { hostname, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { isCalendarDate } from '../contract/calendar.ts'
import { disk, type Effects, isAbsent, MODES } from '../workspace/effects.ts'
import { sha256 } from '../workspace/hash.ts'
import { readFile } from '../workspace/plain-file.ts'
import { ChangeRefusedError } from '../workspace/refusals.ts'
import {
  type Approval,
  ApprovalRule,
  type Approver,
  approvedLine,
  areApprovers,
  proposedPart,
} from './approval.ts'
import type { Signer } from './key-file.ts'
import { KEY_EVENTS, type KeyChange, KeyRing, keyChange } from './key-ring.ts'
import { LOG } from './layout.ts'
import type { Pointer, RestatementFacts } from './manifest.ts'
import { detailsSchema } from './manifest-schema.ts'
import { checkSignature, type IdentifiedKey, type KnownKeys, keyOf } from './sign.ts'

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

/** The format of the lines that are written; those before there was a number have none. */
export const LOG_FORMAT = 2

/**
 * The members stand in this order; a signed line ends with `"Signature"`, over all of the line without it. One that somebody
 * approved goes on with `"Approval"` and ends with `"Countersignature"`, over all of the line without that.
 */
export interface LogRecord {
  /** Absent on lines of format 1. */
  readonly Format?: number
  /** From 1. */
  readonly Seq: number
  /** ISO 8601, UTC. */
  readonly At: string
  /** `user@host` */
  readonly By: string
  readonly Event: LogEvent
  /** Empty, with its hash, on a line of keys that was written before there was a snapshot. */
  readonly SnapshotId: string
  readonly ManifestSha256: string
  readonly Reason: string | null
  /** SHA-256 of the line before, without its end; null on the first. */
  readonly Before: string | null
  /** Null where it was written without a key. */
  readonly KeyId: string | null
  /** Only of `adopt`: the manifests that were published under format 1. `Before` vouches for the lines before this one. */
  readonly Adopted?: readonly Pointer[]
  /**
   * From this line on the books are closed through this day. Every `close` and `reopen` has it; other lines where they bring
   * a later lock date than the log knew: a publication that of `company.yaml`, `adopt` and `restore` that of a snapshot.
   */
  readonly ClosedThrough?: string
  /** Only of a `use` by which closed months are stated differently than before; `Labels`: how many names are others. */
  readonly Restatement?: RestatementFacts & { readonly Labels?: number }
  /** Of `rotate` and `revoke`: what was decided about the keys of the workspace. */
  readonly KeyChange?: KeyChange
  /** From this line on, one of these approves what needs approval; none of them: nobody has to. */
  readonly Approvers?: readonly Approver[]
  /** Only of `prune`: what was removed by the same decision. */
  readonly Also?: readonly Pointer[]
  /** Only of `reject`: what was proposed. */
  readonly Rejected?: LogEvent
  /** Who approved the line; its countersignature was checked. */
  readonly Approval?: Approval
}

/** What one kind of event says beside the members that all have. */
export type EventDetails = Pick<
  LogRecord,
  'Adopted' | 'ClosedThrough' | 'Restatement' | 'KeyChange' | 'Approvers' | 'Also' | 'Rejected'
>

/** When it was done: a line that was proposed counts from its approval. */
export const doneAt = ({ At, Approval }: LogRecord): string => Approval?.At ?? At

export interface Log {
  readonly records: readonly LogRecord[]
  /** SHA-256 of each line, as the next line or a manifest names it. */
  readonly hashes: readonly string[]
  /** Of whole lines; what follows is a line that was never finished. */
  readonly bytes: number
  readonly torn: boolean
  /** As they stand behind the last line. */
  readonly keys: KeyRing
  /** The first line that is not as it was written, and why; the records before it are given. */
  readonly damage: { readonly line: number; readonly message: string } | null
}

/** The log in a company's folder, as far as it holds; a company without one has an empty one. */
export async function readLog(folder: string, known: KnownKeys = null): Promise<Log> {
  const text = await readFile(join(folder, LOG), 'utf8').catch((problem) => {
    if (isAbsent(problem)) return ''
    throw problem
  })
  return parseLog(text, known)
}

/**
 * A power failure leaves the last line unfinished, or zeros in its place: that is no damage, since nobody was told yet
 * that it was written.
 */
export async function parseLog(text: string, known: KnownKeys = null): Promise<Log> {
  const lines = text.split('\n')
  const rest = lines.pop()!
  if (rest === '' && /^\0+$/.test(lines.at(-1) ?? '')) lines.pop()
  const records: LogRecord[] = []
  const hashes: string[] = []
  const keys = new KeyRing(known)
  let damage: Log['damage'] = null
  const rule = new ApprovalRule()
  for (const [i, line] of lines.entries()) {
    const read = await readLine(line, i, hashes.at(-1) ?? null, keys, rule)
    if (read.wrong !== undefined) {
      damage = damageAt(i, read.wrong)
      break
    }
    records.push(read.record)
    hashes.push(sha256(line))
  }
  const unsigned = known === null ? -1 : firstUnsigned(records)
  if (unsigned >= 0) {
    damage = damageAt(unsigned, 'is not signed, although the keys that may have signed it are known')
    records.length = unsigned
    hashes.length = unsigned
  }
  const bytes = lines.slice(0, records.length).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  return { records, hashes, bytes, torn: damage === null && bytes < Buffer.byteLength(text), keys, damage }
}

const damageAt = (index: number, what: string) => ({
  line: index + 1,
  message: `line ${index + 1} of ${LOG} ${what}`,
})

/** Of the lines that no signed line has adopted; -1 where all of them are signed. */
function firstUnsigned(records: readonly LogRecord[]): number {
  const adopted = records.findLastIndex(({ Event, KeyId }) => Event === 'adopt' && KeyId !== null)
  return records.findIndex(({ KeyId }, i) => i > adopted && KeyId === null)
}

type ReadLine =
  | { readonly record: LogRecord; readonly wrong?: never }
  | { readonly record?: never; readonly wrong: string }

async function readLine(
  line: string,
  index: number,
  before: string | null,
  keys: KeyRing,
  rule: ApprovalRule,
): Promise<ReadLine> {
  const { proposed, approval, problem } = await approvedLine(line)
  const found = parseRecord(proposed)
  if (found === null) return { wrong: 'is not a record' }
  const record = approval ? { ...found, Approval: approval } : found
  const wrong =
    problem ?? (await wrongIn(proposed, record, index, before, keys)) ?? (await rule.wrongIn(record))
  return wrong === null ? { record } : { wrong }
}

async function wrongIn(
  line: string,
  record: LogRecord,
  index: number,
  before: string | null,
  keys: KeyRing,
): Promise<string | null> {
  if (record.Seq !== index + 1 || record.Before !== before)
    return index === 0
      ? 'is not the first one: what was before it was taken away'
      : 'does not follow the line before it: one of both was changed, or a line was taken away or put in'
  if (!(LOG_EVENTS as readonly string[]).includes(record.Event))
    return `is a "${record.Event}", an event that this version of Tieout does not know: use the version that wrote it, or a later one`
  const [, body, signature] = SIGNED.exec(line) ?? []
  if (body === undefined || signature === undefined)
    return record.KeyId !== null
      ? `lost its signature, of key ${record.KeyId}`
      : record.KeyChange
        ? 'changes the keys, and is not signed'
        : null
  const checked = await checkSignature(Buffer.from(`${body}}`, 'utf8'), `${signature}\n`, keys.met)
  if (checked.problem !== undefined)
    return checked.missingKey === undefined
      ? 'was changed: its signature is over another text'
      : `is signed with key ${checked.missingKey}, which no line before it carries`
  const { keyId, publicKey } = checked
  if (keyId !== record.KeyId)
    return `is signed with key ${keyId}, although it names ${record.KeyId ?? 'none'}`
  // Before the signature is judged: a new key signs the line that names it, a revoked one does not sign its own.
  const change = record.KeyChange ? await keys.enter(record.KeyChange, record) : null
  if (change !== null) return change
  const ended = keys.problemWith(keyId)
  if (ended !== null) return `is signed with key ${keyId}, ${ended}`
  keys.meet(keyId, publicKey)
  return null
}

const SIGNED = /^(.*),"Signature":"([\w-]+\.\.[\w-]+)"\}$/

/** The public keys that the lines of a log carry, each once; the first line that a key signed has it. */
export async function keysInLog(text: string): Promise<IdentifiedKey[]> {
  const signatures = text.split('\n').flatMap((line) => SIGNED.exec(proposedPart(line))?.[2] ?? [])
  const headers = new Map(signatures.map((signature) => [signature.split('.')[0], signature]))
  const keys = await Promise.all([...headers.values()].map(keyOf))
  return keys.filter((key) => key !== null)
}

const TEXTS = ['At', 'By', 'Event', 'SnapshotId', 'ManifestSha256'] as const

/** A line without its signatures, whether they hold or not; null where it is none. */
export function parseRecord(line: string): LogRecord | null {
  try {
    const found = JSON.parse(line) as Partial<LogRecord> | null
    if (typeof found?.Seq !== 'number' || TEXTS.some((key) => typeof found[key] !== 'string')) return null
    if (![found.Reason, found.Before, found.KeyId].every((text) => text === null || typeof text === 'string'))
      return null
    if (!saysWhatIsClosed(found) || !saysWhichKey(found) || !detailsSchema.safeParse(found).success)
      return null
    if (found.Approvers !== undefined && !areApprovers(found.Approvers)) return null
    // An approval is what a countersignature is over, and nothing else.
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
    ? !KEY_EVENTS.includes(Event!)
    : KeyChange.Event === Event && keyChange.safeParse(KeyChange).success

/**
 * A publication that was approved, on a line by itself, as it lies beside a manifest: both signatures are checked. `signature`
 * is that of the manifest, whose key signed the line too.
 */
export async function approvedRecord(
  text: string,
  signature: string,
  known: KnownKeys,
): Promise<
  | { readonly record: LogRecord & { readonly Approval: Approval }; readonly wrong?: never }
  | { readonly record?: never; readonly wrong: string }
> {
  const { proposed, approval, problem } = await approvedLine(text.trimEnd())
  const record = parseRecord(proposed)
  if (record === null || approval === null || record.Event !== 'publish')
    return { wrong: 'is not the line of a publication that somebody approved' }
  const keys = new KeyRing(known)
  const key = await keyOf(signature)
  if (key) keys.meet(key.kid!, key)
  const wrong = problem ?? (await wrongIn(proposed, record, record.Seq - 1, record.Before, keys))
  if (wrong !== null) return { wrong }
  return record.KeyId === approval.KeyId
    ? { wrong: 'is not signed by two' }
    : { record: { ...record, Approval: approval } }
}

/** Adds one record, and the log with the first. Only under the company's lock; gives the log with it. */
export async function appendRecord(
  folder: string,
  log: Log,
  event: LogEvent,
  pointer: Pointer,
  reason: string | null,
  signer: Signer | null,
  effects: Effects = disk,
  details: EventDetails = {},
): Promise<Log> {
  const line = await composeLine(log, event, pointer, reason, signer, details)
  return appendLine(folder, log, line, effects)
}

/** The next line of a log, signed, as {@link appendLine} adds it. */
export async function composeLine(
  log: Log,
  event: LogEvent,
  { SnapshotId, ManifestSha256 }: Pointer,
  reason: string | null,
  signer: Signer | null,
  details: EventDetails = {},
): Promise<string> {
  const record: LogRecord = {
    Format: LOG_FORMAT,
    Seq: log.records.length + 1,
    At: new Date().toISOString(),
    By: operator(),
    Event: event,
    SnapshotId,
    ManifestSha256,
    Reason: reason,
    Before: log.hashes.at(-1) ?? null,
    KeyId: signer?.keyId ?? null,
    ...details,
  }
  return signed(JSON.stringify(record), signer, log.keys)
}

/** Adds a line that was composed before. Throws as {@link nextRecord} does. */
export async function appendLine(
  folder: string,
  log: Log,
  line: string,
  effects: Effects = disk,
): Promise<Log> {
  return withLine(folder, log, line, await nextRecord(log, line), effects)
}

async function withLine(
  folder: string,
  log: Log,
  line: string,
  record: LogRecord,
  effects: Effects,
): Promise<Log> {
  const path = join(folder, LOG)
  if (log.torn) effects.truncate(path, log.bytes)
  effects.append(path, `${line}\n`, MODES.file)
  effects.syncFile(path)
  if (record.Seq === 1) effects.syncFolder(dirname(path))
  if (record.KeyChange) await log.keys.enter(record.KeyChange, record)
  for (const key of await keysInLog(line)) log.keys.meet(key.kid!, key)
  return {
    records: [...log.records, record],
    hashes: [...log.hashes, sha256(line)],
    bytes: log.bytes + Buffer.byteLength(line) + 1,
    torn: false,
    keys: log.keys,
    damage: null,
  }
}

/** A line that would be the next one. Throws {@link ChangeRefusedError} where it cannot be. */
export async function nextRecord({ records, hashes, keys }: Log, line: string): Promise<LogRecord> {
  const rule = new ApprovalRule()
  for (const record of records) await rule.wrongIn(record)
  const { record, wrong } = await readLine(line, records.length, hashes.at(-1) ?? null, keys.copy(), rule)
  if (wrong !== undefined)
    throw new ChangeRefusedError(
      `the line that would be entered in ${LOG} as its line ${records.length + 1} ${wrong}`,
    )
  return record
}

async function signed(text: string, signer: Signer | null, { met }: KeyRing): Promise<string> {
  if (signer === null) return text
  const signature = (await signer.sign(Buffer.from(text, 'utf8'), !met.has(signer.keyId))).trimEnd()
  return `${text.slice(0, -1)},"Signature":"${signature}"}`
}

/** `user@host`, of whoever runs the program. */
export function operator(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // A container may run under a number that no user has.
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
