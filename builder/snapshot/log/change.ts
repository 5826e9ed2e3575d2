/**
 * Owns changes to a company's snapshots: one at a time, under the lock, in a clean folder, entered in the log. Publication,
 * rollback, holds, pruning and restoring all begin here.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isUnfinished, namesIn, removeIfThere, removeTree, replaceFile } from '../../system/durable.ts'
import { disk, type Effects, isAbsent, MODES } from '../../system/effects.ts'
import { finishFirst } from '../../system/interrupt.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { ChangeRefusedError, UnloggedError } from '../../system/refusals.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import { type Approver, areSame, needsApproval } from '../approval/approval.ts'
import { APPROVAL, companyFolder, LOG, lockPath, pointerPath, STAMPS } from '../files/layout.ts'
import { type Pointer, reasonIn, type Unpublished } from '../files/manifest.ts'
import type { Signer } from '../keys/key-file.ts'
import { type KeyRing, nameOfChange } from '../keys/key-ring.ts'
import { keyIdOf } from '../keys/sign.ts'
import { damagedLog, refuseLostLog } from './damaged-log.ts'
import { closingBy, type History, historyOf, isSamePointer, pointerOf } from './history.ts'
import { type Lock, takeLock } from './lock.ts'
import { appendLine, appendRecord, composeLine, type Log, nextRecord, readLog } from './log.ts'
import { type EventDetails, type LogEvent, parseRecord } from './log-record.ts'

export interface ChangeOptions {
  /** Signs the lines of the log and knows whose signatures count. Null: new lines are not signed, and any signature counts. */
  readonly signer?: Signer | null
  readonly effects?: Effects
  /** Whether unsigned lines and a missing log are accepted, as for an adoption. */
  readonly adopts?: boolean
  /** Id of the snapshot that is restored from an archive. */
  readonly restoring?: string
  /** The approvers of tieout.yaml. If the log names none, they count from the first approved line on. */
  readonly approvers?: readonly Approver[]
  /** A proposed line with the countersignature of an approver, which is entered instead of a new line. */
  readonly approved?: string
}

export interface Change {
  readonly root: string
  readonly company: string
  readonly folder: string
  readonly effects: Effects
  readonly signer: Signer | null
  readonly history: History
  /** SHA-256 of the last line of the log; null where it has none. */
  readonly logHead: string | null
  /** The keys that count after the last line of the log. */
  readonly keys: KeyRing
  /** Whether there is a log and all its lines are of format 1. */
  readonly isOfFormat1: boolean
  /** Those who may approve the next event; if there are none, no approval is required. */
  readonly approvers: readonly Approver[]
  /** Whether a countersigned line was given, which is carried out now. */
  readonly isApproved: boolean
  /** Enters a line in the log. Throws {@link ChangeRefusedError} if the line needs an approval that it does not have. */
  record(event: LogEvent, pointer: Pointer, reason: string | null, details?: EventDetails): Promise<void>
  /** The signed line that {@link record} would enter, for an approver to countersign. */
  propose(event: LogEvent, pointer: Pointer, reason: string | null, details?: EventDetails): Promise<string>
  /** Enters the changes of the workspace's keys that the log lacks. Every {@link record} does this first. */
  enterKeyChanges(): Promise<void>
  /** Moves the pointer to a snapshot that is in its place, and enters it in the log. From here on readers get it. */
  publish(pointer: Pointer, manifest: Unpublished): Promise<void>
  /** Throws {@link LockedError} if the lock was lost. It is called right before steps that cannot be undone. */
  confirm(): void
  /** Runs steps that belong together. If one fails the lock stays, as after a kill, so that verification knows of the interruption. */
  together(steps: () => Promise<void>): Promise<void>
  release(): void
}

/** Takes the lock, removes what killed processes left, and reads the log. Throws {@link FindingsError} if the log is damaged. */
export async function beginChange(
  root: string,
  company: string,
  options: ChangeOptions = {},
): Promise<Change> {
  const { signer = null, effects = disk, adopts = false } = options
  const lock = takeTidy(root, company, effects)
  try {
    const folder = companyFolder(root, company)
    const log = await readLog(folder, adopts ? null : signer?.known)
    if (log.damage) throw damagedLog(folder, company, log.damage.message)
    if (signer) refuseEndedKey(folder, company, signer, log)
    if (!adopts && log.records.length === 0) await refuseLostLog(folder, company, options.restoring ?? null)
    const { approvers } = historyOf(log.records)
    const wanted = options.approvers ?? []
    await refuseOneKey([...approvers, ...wanted], signer)
    if (!areSame(approvers, wanted)) refuseOneName(wanted)
    return new LockedChange(root, company, options, lock, log)
  } catch (problem) {
    lock.release()
    throw problem
  }
}

/** Runs `work` as one change and releases the lock. Throws {@link ChangeRefusedError} if the company has no folder. */
export async function changing<T>(
  root: string,
  company: string,
  options: ChangeOptions,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  // Taking the lock would create the folder.
  if (!existsSync(companyFolder(root, company)))
    throw new ChangeRefusedError(`nothing is published of company "${company}"`)
  const change = await beginChange(root, company, options)
  try {
    return await work(change)
  } finally {
    change.release()
  }
}

/** Takes the lock of a company and removes what killed processes left. Throws {@link LockedError} while another process holds it. */
export function takeTidy(root: string, company: string, effects: Effects): Lock {
  const lock = takeLock(lockPath(root, company), effects)
  try {
    sweep(companyFolder(root, company), effects)
    return lock
  } catch (problem) {
    lock.release()
    throw problem
  }
}

/** Removes stages and unfinished files. It needs the lock, which proves that no other process is using them. */
function sweep(folder: string, effects: Effects): void {
  for (const name of readdirSync(folder))
    if (name.startsWith('.stage-')) removeTree(join(folder, name), effects)
    else if (isUnfinished(name)) removeIfThere(join(folder, name), effects)
  for (const name of namesIn(join(folder, STAMPS)).filter(isUnfinished))
    removeIfThere(join(folder, STAMPS, name), effects)
}

/** Refuses a signing key that the log says has ended, as after restoring an old backup of the keys. */
function refuseEndedKey(folder: string, company: string, { keyId, changes }: Signer, { keys }: Log): void {
  // The line that enters the revocation would be signed by the key that it revokes.
  if (changes.some((change) => change.Event === 'revoke' && change.KeyId === keyId))
    throw new FindingsError([
      error(
        'signing-key-ended',
        `${company}: .tieout/manifest-keys.json revokes ${keyId}, the key that signs`,
        {
          remedy:
            'restore .tieout/manifest-keys.json from a backup; a key is replaced before it is revoked: tieout keys signing rotate --reason "…"',
        },
      ),
    ])
  const problem = keys.endOf(keyId)
  if (problem !== null)
    throw new FindingsError([
      error('signing-key-ended', `${company}: the key that would sign is ${keyId}, ${problem} of ${LOG}`, {
        file: join(folder, LOG),
        remedy:
          'if the keys were changed this moment, run the command again; else restore the latest .tieout/manifest-keys.json from a backup',
      }),
    ])
}

/** Refuses an approver whose key also signs: whoever has it could approve their own publications. */
async function refuseOneKey(approvers: readonly Approver[], signer: Signer | null): Promise<void> {
  for (const { Name, Key } of approvers)
    if (signer?.known.has(await keyIdOf(Key)))
      throw new FindingsError([
        error('one-key', `the key of the approver ${Name} signs snapshots in this workspace, too`, {
          text: Key,
          remedy: 'make a key that only the approver has: tieout approvers key --to FILE',
        }),
      ])
}

/** Refuses two approvers whom the log and a review could not tell apart. Those that the log names already stay. */
function refuseOneName(approvers: readonly Approver[]): void {
  const folded = approvers.map(({ Name }) => Name.normalize('NFKC').toLowerCase())
  const twin = approvers.find((_, i) => folded.indexOf(folded[i] ?? '') !== i)
  if (twin)
    throw new FindingsError([
      error('one-name', `two approvers have the name ${twin.Name}`, {
        text: twin.Name,
        remedy: 'give each of the approvers in tieout.yaml a name of their own',
      }),
    ])
}

/** A line about keys names this pointer if no snapshot was published yet. */
const NO_SNAPSHOT: Pointer = { SnapshotId: '', ManifestSha256: '' }

class LockedChange implements Change {
  readonly root: string
  readonly company: string
  readonly folder: string
  readonly effects: Effects
  readonly signer: Signer | null
  readonly #lock: Lock
  readonly #options: ChangeOptions
  #log: Log
  #isInterrupted = false

  constructor(root: string, company: string, options: ChangeOptions, lock: Lock, log: Log) {
    this.root = root
    this.company = company
    this.folder = companyFolder(root, company)
    this.effects = options.effects ?? disk
    this.signer = options.signer ?? null
    this.#options = options
    this.#lock = lock
    this.#log = log
  }

  get history(): History {
    return historyOf(this.#log.records)
  }

  get isOfFormat1(): boolean {
    const { records } = this.#log
    return records.length > 0 && records.every(({ Format = 1 }) => Format === 1)
  }

  get keys(): KeyRing {
    return this.#log.keys
  }

  get logHead(): string | null {
    return this.#log.hashes.at(-1) ?? null
  }

  async record(
    event: LogEvent,
    pointer: Pointer,
    reason: string | null,
    details: EventDetails = {},
  ): Promise<void> {
    const approved = this.#approvedLine(event, pointer)
    // An approved line must follow the present last line, so nothing may be entered before it.
    if (approved === null) await this.enterKeyChanges()
    await this.#append(event, pointer, reason, details, approved)
  }

  async enterKeyChanges(): Promise<void> {
    for (const change of this.signer?.changes ?? [])
      if (!this.keys.has(await nameOfChange(change)))
        await this.#append(change.Event, this.history.current ?? NO_SNAPSHOT, change.Reason, {
          KeyChange: change,
        })
  }

  async #append(
    event: LogEvent,
    pointer: Pointer,
    reason: string | null,
    details: EventDetails,
    approved: string | null = null,
  ): Promise<void> {
    const { folder, signer, effects } = this
    this.#log =
      approved === null
        ? await appendRecord(folder, this.#log, event, pointer, reason, signer, effects, details)
        : await appendLine(folder, this.#log, approved, effects)
  }

  get approvers(): readonly Approver[] {
    const { approvers } = this.history
    return approvers.length > 0 ? approvers : (this.#options.approvers ?? [])
  }

  get isApproved(): boolean {
    return this.#options.approved !== undefined
  }

  async propose(
    event: LogEvent,
    pointer: Pointer,
    reason: string | null,
    details: EventDetails = {},
  ): Promise<string> {
    await this.enterKeyChanges()
    const introduced = this.history.approvers.length > 0 ? {} : { Approvers: this.approvers }
    return composeLine(this.#log, event, pointer, reason, this.signer, { ...introduced, ...details })
  }

  /**
   * The countersigned line of this event: the one that was given, or, for an interrupted publication, the one in the file beside
   * its manifest. Null where none is needed.
   */
  #approvedLine(event: LogEvent, pointer: Pointer): string | null {
    const given = [this.#options.approved, approvalBeside(this.folder, pointer)]
    const line = given.find((each) => each != null && isOf(each, event, pointer, this.logHead))
    if (line != null) return line
    const before = this.#log.records.at(-1) ?? null
    const { ManifestSha256 } = pointer
    if (this.history.approvers.length === 0 || !needsApproval({ Event: event, ManifestSha256 }, before))
      return null
    throw new ChangeRefusedError(
      `${this.company}: "${event}" needs the approval of somebody else, since ${LOG} names approvers; "tieout review ${this.company}" shows what waits`,
    )
  }

  async publish(pointer: Pointer, manifest: Unpublished): Promise<void> {
    const closing = closingBy(this.history, manifest.LockedThrough)
    const approved = this.#approvedLine('publish', pointer)
    if (approved === null) await this.enterKeyChanges()
    const line =
      approved ?? (await composeLine(this.#log, 'publish', pointer, reasonIn(manifest), this.signer, closing))
    // A line that the log could not accept must be found before readers get the snapshot.
    await nextRecord(this.#log, line)
    movePointer(this.root, this.company, pointer, this.effects)
    try {
      // The log follows the pointer, because a log that is ahead would mean that the pointer was rolled back.
      this.#log = await appendLine(this.folder, this.#log, line, this.effects)
    } catch (problem) {
      throw new UnloggedError(
        `${pointer.SnapshotId} is published and current, but could not be entered in ${LOG}: ${(problem as Error).message}; the next build enters it`,
        { cause: problem },
      )
    }
  }

  confirm(): void {
    this.#lock.confirm()
  }

  async together(steps: () => Promise<void>): Promise<void> {
    this.#isInterrupted = true
    await finishFirst(steps)
    this.#isInterrupted = false
  }

  release(): void {
    if (!this.#isInterrupted) this.#lock.release()
  }
}

/** The approved line in the file beside a snapshot's manifest, or null. */
function approvalBeside(folder: string, { SnapshotId }: Pointer): string | null {
  try {
    return readFileSync(join(folder, SnapshotId, APPROVAL), 'utf8').trimEnd()
  } catch (problem) {
    if (isAbsent(problem)) return null
    throw problem
  }
}

/** Whether a proposed line is about this event and snapshot, and follows the last line of the log. */
function isOf(line: string, event: LogEvent, pointer: Pointer, head: string | null): boolean {
  const record = parseRecord(line)
  return record?.Event === event && record.Before === head && isSamePointer(pointerOf(record), pointer)
}

/** Replaces the pointer in one step; from then on readers get that snapshot. */
export function movePointer(
  root: string,
  company: string,
  { SnapshotId, ManifestSha256 }: Pointer,
  effects: Effects = disk,
): void {
  const text = `${JSON.stringify({ SnapshotId, ManifestSha256 })}\n`
  replaceFile(pointerPath(root, company), text, MODES.file, effects)
}
