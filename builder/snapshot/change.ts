/**
 * One change to a company's snapshots at a time: under the lock, from a tidy folder, entered in the log. Publication,
 * rollback, holds, pruning and restoring all begin here.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isUnfinished, removeIfThere, removeTree, replaceFile } from '../workspace/durable.ts'
import { disk, type Effects } from '../workspace/effects.ts'
import { error, FindingsError } from '../workspace/finding.ts'
import { UnloggedError } from '../workspace/refusals.ts'
import { checkSnapshot } from './files.ts'
import { type History, historyOf, isSamePointer, type Standing, standingOf } from './history.ts'
import {
  companyFolder,
  LOG,
  lockPath,
  POINTER,
  parseSnapshotId,
  pointerPath,
  snapshotFolder,
} from './layout.ts'
import { type Lock, takeLock } from './lock.ts'
import { appendRecord, type Log, type LogEvent, readLog } from './log.ts'
import type { Manifest, Pointer } from './manifest.ts'
import { openSnapshot, readPointer, type Snapshot, SnapshotDamagedError } from './open.ts'
import type { Signer } from './sign.ts'

export interface ChangeOptions {
  /** Signs the log, and says whose records in it count; null: any, and none is signed. */
  readonly signer?: Signer | null
  readonly effects?: Effects
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
  record(event: LogEvent, pointer: Pointer, reason: string | null): Promise<void>
  /** The last steps of a publication, with the snapshot in its place: from here on readers get it. */
  publish(pointer: Pointer, reason: string | null): Promise<void>
  /** Throws where the lock was lost: the last look before what cannot be undone. */
  confirm(): void
  release(): void
}

/** Takes the lock, removes what killed processes left, and reads the log. Throws where the log is damaged. */
export async function beginChange(
  root: string,
  company: string,
  { signer = null, effects = disk }: ChangeOptions = {},
): Promise<Change> {
  const lock = takeLock(lockPath(root, company), effects)
  try {
    const folder = companyFolder(root, company)
    sweep(folder, effects)
    const log = await readLog(folder, signer?.known)
    if (log.damage) throw damagedLog(company, log.damage.message)
    return new LockedChange(root, company, effects, signer, lock, log)
  } catch (problem) {
    lock.release()
    throw problem
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
      remedy: `restore ${LOG} from a backup of the snapshots; "tieout verify ${company}" says what else is not as it was`,
    }),
  ])

class LockedChange implements Change {
  readonly root: string
  readonly company: string
  readonly folder: string
  readonly effects: Effects
  readonly signer: Signer | null
  readonly #lock: Lock
  #log: Log

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

  get logHead(): string | null {
    return this.#log.hashes.at(-1) ?? null
  }

  async record(event: LogEvent, pointer: Pointer, reason: string | null): Promise<void> {
    this.#log = await appendRecord(this.folder, this.#log, event, pointer, reason, this.signer, this.effects)
  }

  async publish(pointer: Pointer, reason: string | null): Promise<void> {
    movePointer(this.root, this.company, pointer, this.effects)
    try {
      // Not before: a log that is ahead of the pointer says that the pointer was rolled back.
      await this.record('publish', pointer, reason)
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

  release(): void {
    this.#lock.release()
  }
}

export function movePointer(
  root: string,
  company: string,
  { SnapshotId, ManifestSha256 }: Pointer,
  effects: Effects = disk,
): void {
  const text = `${JSON.stringify({ SnapshotId, ManifestSha256 })}\n`
  replaceFile(pointerPath(root, company), text, 0o644, effects)
}

/**
 * Brings pointer and log together before a change: a publication that was interrupted in its last steps is finished,
 * and a log is begun where there was none. Says "differs" where only a person can decide what is current.
 */
export async function settle(change: Change): Promise<Standing> {
  const { root, company } = change
  const pointer = await readPointer(root, company).catch((problem) => {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })
  // Opened only where the log does not say the same: its manifest lists every file.
  const named =
    pointer && !isSamePointer(change.history.current, pointer) ? await opened(change, pointer) : null
  const standing = standingOf(change.history, pointer, () => named?.manifest.Previous)
  if (standing === 'differs') return standing
  if (named && (standing === 'unlogged' || change.history.current === null))
    await change.record(
      'publish',
      pointer!,
      [reasonIn(named.manifest), `entered afterwards; built ${named.manifest.Build.At}`]
        .filter((text) => text !== null)
        .join('; '),
    )
  await finishPublication(change)
  return 'agrees'
}

/** For what must not be done on a pointer that somebody moved by hand. */
export async function settled(change: Change): Promise<void> {
  if ((await settle(change)) === 'agrees') return
  const { company } = change
  const { SnapshotId, Event, At, By } = change.history.current!
  throw new FindingsError([
    error(
      'pointer-differs',
      `${LOG} says that ${SnapshotId} is current (${Event}, ${At}, ${By}), but ${POINTER} does not: it was changed by hand, or a rollback was interrupted`,
      {
        file: POINTER,
        remedy: `say which snapshot is to be current: tieout use ${company} ${SnapshotId}`,
      },
    ),
  ])
}

const opened = (change: Change, pointer: Pointer): Promise<Snapshot | null> =>
  openSnapshot(change.root, change.company, pointer.SnapshotId, pointer.ManifestSha256).catch(
    (problem: unknown) => {
      if (problem instanceof SnapshotDamagedError) return null
      throw problem
    },
  )

/** Why it was published although it restates closed months. */
export const reasonIn = ({ Restatement }: Pick<Manifest, 'Restatement'>): string | null =>
  Restatement?.Reason ?? null

/** A whole snapshot that follows the last one and was never current: its builder died between two steps. */
async function finishPublication(change: Change): Promise<void> {
  const { head, published } = change.history
  const ids = readdirSync(change.folder).filter((name) => parseSnapshotId(name) && !published.has(name))
  for (const id of ids) {
    const folder = snapshotFolder(change.root, change.company, id)
    const found = await checkSnapshot(folder, change.signer?.known ?? null)
    const { manifest, manifestHash, damages } = found
    if (!manifest || damages.length > 0 || found.id !== id || manifest.CompanyId !== change.company) continue
    if (!isSamePointer(manifest.Previous, head)) continue
    await change.publish({ SnapshotId: id, ManifestSha256: manifestHash! }, reasonIn(manifest))
    return
  }
}
