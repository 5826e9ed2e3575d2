/**
 * Owns the publication log: what was done to a company's snapshots, when, by whom and why. Lines are only ever added. Each
 * line names the hash of the line before it and is signed like a manifest, so that no line can be changed, removed or
 * inserted without detection. Only the end could be cut off; manifests therefore name the last line before them.
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

/** The format of new lines. Lines of format 1 have no format number. */
export const LOG_FORMAT = 2

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

export interface Log {
  readonly records: readonly LogRecord[]
  /** SHA-256 of each line, in the order of `records`; the next line and manifests name it. */
  readonly hashes: readonly string[]
  /** Length of the complete lines. Further bytes are an unfinished line. */
  readonly bytes: number
  /** Whether an unfinished line follows. */
  readonly torn: boolean
  /** The keys that count after the last line. */
  readonly keys: KeyRing
  /** The first damaged line, and what is wrong with it. `records` holds the lines before it. */
  readonly damage: { readonly line: number; readonly message: string } | null
}

/** Reads the log in a company's folder up to its first damaged line. A company without a log has an empty one. */
export async function readLog(folder: string, known: KnownKeys = null): Promise<Log> {
  const text = await readFile(join(folder, LOG), 'utf8').catch((problem) => {
    if (isAbsent(problem)) return ''
    throw problem
  })
  return parseLog(text, known)
}

/**
 * Parses a log and checks all its lines. A power failure may leave the last line unfinished, or zeros in its place. That is
 * not a damage, because the command that wrote it never reported success.
 */
export async function parseLog(text: string, known: KnownKeys = null): Promise<Log> {
  const lines = text.split('\n')
  const rest = lines.pop()
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

/** Index of the first unsigned line after the last signed adoption; -1 if there is none. */
function firstUnsigned(records: readonly LogRecord[]): number {
  const adopted = records.findLastIndex(({ Event, KeyId }) => Event === 'adopt' && KeyId !== null)
  return records.findIndex(({ KeyId }, i) => i > adopted && KeyId === null)
}

type ReadLine =
  | { readonly record: LogRecord; readonly wrong?: never }
  | { readonly record?: never; readonly wrong: string }

/** Reads and checks the line with the given index. `before` is the hash of the line before it. */
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

/** What is wrong with a line, in words that follow "line 3 of the log"; null if nothing is. */
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
  // The change is entered before the signature is judged: a new key signs the line that names it, and a revoked key cannot sign its revocation.
  const change = record.KeyChange ? await keys.enter(record.KeyChange, record) : null
  if (change !== null) return change
  const ended = keys.problemWith(keyId)
  if (ended !== null) return `is signed with key ${keyId}, ${ended}`
  keys.meet(keyId, publicKey)
  return null
}

const SIGNED = /^(.*),"Signature":"([\w-]+\.\.[\w-]+)"\}$/

/** The public keys that the lines of a log carry, each once. Only the first line that a key signs carries it. */
export async function keysInLog(text: string): Promise<IdentifiedKey[]> {
  const signatures = text.split('\n').flatMap((line) => SIGNED.exec(proposedPart(line))?.[2] ?? [])
  const headers = new Map(signatures.map((signature) => [signature.split('.')[0], signature]))
  const keys = await Promise.all([...headers.values()].map(keyOf))
  return keys.filter((key) => key !== null)
}

const TEXTS = ['At', 'By', 'Event', 'SnapshotId', 'ManifestSha256'] as const

/** Parses a line and drops its signatures without checking them. Null if it is not a valid record. */
export function parseRecord(line: string): LogRecord | null {
  try {
    const found = JSON.parse(line) as Partial<LogRecord> | null
    if (typeof found?.Seq !== 'number' || TEXTS.some((key) => typeof found[key] !== 'string')) return null
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

/**
 * Reads the approved line of a publication from the file beside a manifest, and checks both signatures. `signature` is that of
 * the manifest, whose key also signed the line.
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
  if (key) keys.meet(key.kid, key)
  const wrong = problem ?? (await wrongIn(proposed, record, record.Seq - 1, record.Before, keys))
  if (wrong !== null) return { wrong }
  return record.KeyId === approval.KeyId
    ? { wrong: 'is not signed by two' }
    : { record: { ...record, Approval: approval } }
}

/** Adds one record and returns the new log. The first record creates the file. The caller holds the company's lock. */
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

/** Composes and signs the next line of a log, for {@link appendLine}. */
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

/** Adds a composed line and returns the new log. Throws {@link ChangeRefusedError} if the line cannot be the next one. */
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
  for (const key of await keysInLog(line)) log.keys.meet(key.kid, key)
  return {
    records: [...log.records, record],
    hashes: [...log.hashes, sha256(line)],
    bytes: log.bytes + Buffer.byteLength(line) + 1,
    torn: false,
    keys: log.keys,
    damage: null,
  }
}

/** The record of a line that is to be the next one. Throws {@link ChangeRefusedError} if it cannot be. */
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

/** `user@host` of the person who runs the program. */
export function operator(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // A container may run under a user id without a name.
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
