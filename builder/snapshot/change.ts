/**
 * One change to a company's snapshots at a time: under the lock, from a tidy folder, entered in the log. Publication,
 * rollback, holds, pruning and restoring all begin here.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isUnfinished, removeIfThere, removeTree, replaceFile } from '../workspace/durable.ts'
import { disk, type Effects, MODES } from '../workspace/effects.ts'
import { error, FindingsError } from '../workspace/finding.ts'
import { ChangeRefusedError, UnloggedError } from '../workspace/refusals.ts'
import { lostLog } from './check-log.ts'
import { checkManifest } from './files.ts'
import { closingBy, type History, historyOf } from './history.ts'
import { companyFolder, LOG, lockPath, POINTER, parseSnapshotId, pointerPath } from './layout.ts'
import { type Lock, takeLock } from './lock.ts'
import { appendRecord, type EventDetails, type Log, type LogEvent, readLog } from './log.ts'
import { type Pointer, reasonIn, type Unpublished } from './manifest.ts'
import type { Signer } from './sign.ts'

export interface ChangeOptions {
  /** Signs the log, and says whose records in it count; null: any, and none is signed. */
  readonly signer?: Signer | null
  readonly effects?: Effects
  /** For an adoption: lines without a signature, and a log that is missing, are no obstacle. */
  readonly adopts?: boolean
}

export interface Change {
  readonly root: string
  readonly company: string
  /** Of the company. */
  readonly folder: string
  readonly effects: Effects
  readonly signer: Signer | null
  readonly history: History
  /** SHA-256 of the last line of the log. */
  readonly logHead: string | null
  /** There is a log, and all its lines are of format 1. */
  readonly isOfFormat1: boolean
  record(event: LogEvent, pointer: Pointer, reason: string | null, details?: EventDetails): Promise<void>
  /** The last steps of a publication, with the snapshot in its place: from here on readers get it. */
  publish(pointer: Pointer, manifest: Unpublished): Promise<void>
  /** Throws where the lock was lost: the last look before what cannot be undone. */
  confirm(): void
  /** Steps that belong together: where one of them fails the lock stays, as after a kill, so that verification knows of it. */
  together(steps: () => Promise<void>): Promise<void>
  release(): void
}

/** Takes the lock, removes what killed processes left, and reads the log. Throws where the log is damaged. */
export async function beginChange(
  root: string,
  company: string,
  { signer = null, effects = disk, adopts = false }: ChangeOptions = {},
): Promise<Change> {
  const lock = takeLock(lockPath(root, company), effects)
  try {
    const folder = companyFolder(root, company)
    sweep(folder, effects)
    const log = await readLog(folder, adopts ? null : signer?.known)
    if (log.damage) throw damagedLog(company, log.damage.message)
    if (!adopts && log.records.length === 0) await refuseLostLog(folder, company)
    return new LockedChange(root, company, effects, signer, lock, log)
  } catch (problem) {
    lock.release()
    throw problem
  }
}

/** One change to what is published of a company; throws where nothing is. */
export async function changing<T>(
  root: string,
  company: string,
  options: ChangeOptions,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  // The lock makes the folder that it lies in.
  if (!existsSync(companyFolder(root, company)))
    throw new ChangeRefusedError(`nothing is published of company "${company}"`)
  const change = await beginChange(root, company, options)
  try {
    return await work(change)
  } finally {
    change.release()
  }
}

/** Only while the lock is held: nobody else is at work here. */
function sweep(folder: string, effects: Effects): void {
  for (const name of readdirSync(folder))
    if (name.startsWith('.stage-')) removeTree(join(folder, name), effects)
    else if (isUnfinished(name)) removeIfThere(join(folder, name), effects)
}

const damagedLog = (company: string, message: string): FindingsError =>
  new FindingsError([
    error('log-damaged', `${message} (${company})`, {
      file: LOG,
      remedy: `restore ${LOG} from a backup of the snapshots; "tieout verify ${company}" says what else is not as it was. ${ADOPT} tieout snapshots adopt ${company} --reason "…"`,
    }),
  ])

const ADOPT =
  'Where there is no backup, or the snapshots were published before they were signed, vouch for what is there:'

/** A log that manifests name, and that is gone: a new one would hide what was done to the snapshots. */
async function refuseLostLog(folder: string, company: string): Promise<void> {
  // A restoration that was interrupted has neither: its snapshot names a line of the log where it was published.
  if (!existsSync(join(folder, POINTER))) return
  for (const id of readdirSync(folder).filter((name) => parseSnapshotId(name))) {
    const lost = lostLog(await checkManifest(join(folder, id), null))
    if (lost !== null) throw damagedLog(company, lost)
  }
}

class LockedChange implements Change {
  readonly root: string
  readonly company: string
  readonly folder: string
  readonly effects: Effects
  readonly signer: Signer | null
  readonly #lock: Lock
  #log: Log
  #isInterrupted = false

  constructor(root: string, company: string, effects: Effects, signer: Signer | null, lock: Lock, log: Log) {
    this.root = root
    this.company = company
    this.folder = companyFolder(root, company)
    this.effects = effects
    this.signer = signer
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

  get logHead(): string | null {
    return this.#log.hashes.at(-1) ?? null
  }

  async record(
    event: LogEvent,
    pointer: Pointer,
    reason: string | null,
    details: EventDetails = {},
  ): Promise<void> {
    const { folder, signer, effects } = this
    this.#log = await appendRecord(folder, this.#log, event, pointer, reason, signer, effects, details)
  }

  async publish(pointer: Pointer, manifest: Unpublished): Promise<void> {
    movePointer(this.root, this.company, pointer, this.effects)
    try {
      // Not before: a log that is ahead of the pointer says that the pointer was rolled back.
      await this.record(
        'publish',
        pointer,
        reasonIn(manifest),
        closingBy(this.history, manifest.LockedThrough),
      )
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
    await steps()
    this.#isInterrupted = false
  }

  release(): void {
    if (!this.#isInterrupted) this.#lock.release()
  }
}

export function movePointer(
  root: string,
  company: string,
  { SnapshotId, ManifestSha256 }: Pointer,
  effects: Effects = disk,
): void {
  const text = `${JSON.stringify({ SnapshotId, ManifestSha256 })}\n`
  replaceFile(pointerPath(root, company), text, MODES.file, effects)
}
