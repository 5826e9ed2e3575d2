/**
 * Owns the publication log: what was done to a company's snapshots, when, by whom and why. Lines are only ever added. Each
 * line names the hash of the line before it and is signed like a manifest, so that no line can be changed, removed or
 * inserted without detection. Only the end could be cut off; manifests therefore name the last line before them.
 */
import { dirname, join } from 'node:path'
import { disk, type Effects, isAbsent, MODES } from '../../system/effects.ts'
import { sha256 } from '../../system/hash.ts'
import { operator } from '../../system/operator.ts'
import { readFile } from '../../system/plain-file.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { type Approval, ApprovalRule, approvedLine, proposedPart } from '../approval/approval.ts'
import { LOG } from '../files/layout.ts'
import type { Pointer } from '../files/manifest.ts'
import type { Signer } from '../keys/key-file.ts'
import { KeyRing } from '../keys/key-ring.ts'
import { checkSignature, type IdentifiedKey, type KnownKeys, keyCarriedBy, keyIdOf } from '../keys/sign.ts'
import {
  type EventDetails,
  formatProblem,
  LOG_EVENTS,
  type LogEvent,
  type LogRecord,
  parseRecord,
} from './log-record.ts'

/** The format of new lines. Lines of format 1 have no format number. */
const LOG_FORMAT = 2

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
    const read = await readLine(line, records.at(-1), hashes.at(-1) ?? null, keys, rule)
    if (read.wrong !== undefined) {
      damage = damageAt(i, read.wrong)
      break
    }
    records.push(read.record)
    hashes.push(sha256(line))
  }
  const strange = unsignedLine(records, known) ?? (await strangerAmong(records))
  if (strange !== null) {
    damage = damageAt(strange.index, strange.what)
    records.length = strange.index
    hashes.length = strange.index
  }
  const bytes = lines.slice(0, records.length).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  return { records, hashes, bytes, torn: damage === null && bytes < Buffer.byteLength(text), keys, damage }
}

const damageAt = (index: number, what: string) => ({
  line: index + 1,
  message: `line ${index + 1} of ${LOG} ${what}`,
})

interface StrangeLine {
  readonly index: number
  readonly what: string
}

/**
 * The first unsigned line after the last signed adoption. Without known keys, lines before the first signed one may be from before
 * lines were signed.
 */
function unsignedLine(records: readonly LogRecord[], known: KnownKeys): StrangeLine | null {
  const signed = records.findIndex(({ KeyId }) => KeyId !== null)
  const adopted = records.findLastIndex(({ Event, KeyId }) => Event === 'adopt' && KeyId !== null)
  if (known === null && signed < 0) return null
  const from = known === null ? Math.max(signed, adopted) : adopted
  const index = records.findIndex(({ KeyId }, i) => i > from && KeyId === null)
  const why = known === null ? 'lines before it are' : 'the keys that may have signed it are known'
  return index < 0 ? null : { index, what: `is not signed, although ${why}` }
}

/** The first line of a key that did not sign the first signed line, and that no line puts in the place of another key. */
async function strangerAmong(records: readonly LogRecord[]): Promise<StrangeLine | null> {
  const first = records.find(({ KeyId }) => KeyId !== null)?.KeyId
  const changes = records.flatMap(({ KeyChange }) => (KeyChange?.Event === 'rotate' ? KeyChange : []))
  const named = new Set(await Promise.all(changes.map(({ PublicKey }) => keyIdOf(PublicKey))))
  const index = records.findIndex(({ KeyId }) => KeyId !== null && KeyId !== first && !named.has(KeyId))
  const what = `is signed with key ${records[index]?.KeyId}, which no line puts in the place of ${first}`
  return index < 0 ? null : { index, what }
}

type ReadLine =
  | { readonly record: LogRecord; readonly wrong?: never }
  | { readonly record?: never; readonly wrong: string }

/** Reads and checks a line. `last` is the line before it, `before` the hash of that one. */
async function readLine(
  line: string,
  last: LogRecord | undefined,
  before: string | null,
  keys: KeyRing,
  rule: ApprovalRule,
): Promise<ReadLine> {
  const { proposed, approval, problem } = await approvedLine(line)
  // The whole line is read as well: a member of the proposal must not stand again behind it.
  const found = parseRecord(line) && parseRecord(proposed)
  if (found === null) return { wrong: 'is not a record' }
  const record = approval ? { ...found, Approval: approval } : found
  const wrong =
    problem ??
    formatProblem(record, last) ??
    (await wrongIn(proposed, record, last?.Seq ?? 0, before, keys)) ??
    (await rule.wrongIn(record))
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
  const keys = await Promise.all([...headers.values()].map(keyCarriedBy))
  return keys.filter((key) => key !== null)
}

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
  const key = await keyCarriedBy(signature)
  if (key) keys.meet(key.kid, key)
  const wrong =
    problem ??
    formatProblem({ ...record, Approval: approval }, undefined) ??
    (await wrongIn(proposed, record, record.Seq - 1, record.Before, keys))
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
  const last = { record: records.at(-1), hash: hashes.at(-1) ?? null }
  const { record, wrong } = await readLine(line, last.record, last.hash, keys.copy(), rule)
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
