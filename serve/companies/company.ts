/**
 * One published company: its current snapshot, and others that are still read. A changed pointer file announces a
 * new snapshot, which is served once it was verified; a damaged one is reported, and the old one stays in use.
 */
import { readdir, stat } from 'node:fs/promises'
import { SnapshotDamagedError } from '../../builder/snapshot/files/damage.ts'
import {
  companyFolder,
  parseSnapshotId,
  pointerPath,
  snapshotFolder,
} from '../../builder/snapshot/files/layout.ts'
import type { Pointer } from '../../builder/snapshot/files/manifest.ts'
import { openSnapshot, readManifestHash, readPointer } from '../../builder/snapshot/files/open.ts'
import { type Published, readPublished } from './published.ts'
import type { Mending, Source } from './source.ts'

/**
 * What a company has published cannot be read (damage, EACCES, EIO, too many open files); a later attempt may
 * succeed.
 */
export class CompanyUnreadableError extends Error {
  readonly code = 'company-unreadable'
}

export interface Version {
  readonly id: string
  readonly month: string
  readonly manifestHash: string
  readonly current: boolean
}

export interface CompanyEvent {
  readonly event:
    | 'snapshot-current'
    | 'snapshot-refused'
    | 'company-gone'
    | 'company-unreadable'
    | 'company-failing'
    | 'snapshot-mended'
  /** Null for the folder of all companies. */
  readonly company: string | null
  readonly snapshotId?: string
  readonly reason?: string
}

export interface CompanySettings {
  readonly snapshots: string
  /** Brings snapshots that do not lie in the folder. */
  readonly source: Source
  readonly log: (event: CompanyEvent) => void
  readonly now: () => number
  /** Milliseconds after which the pointer is checked again. */
  readonly recheckMs: number
}

/** How many snapshots are kept open besides the current one; each may be as large as the lists of a company. */
const MOST_RETAINED = 4
/** After a repair that mended nothing, the next one waits this long, because it reads all files. */
const FRUITLESS_MS = 3000
/** How long after a failure a company counts as unavailable in the metrics. */
const FAILING_MS = 60_000

export class ServedCompany {
  readonly id: string
  readonly #settings: CompanySettings
  current: Published | null = null
  /** The pointer no longer exists. */
  isGone = false
  /** Why the snapshot that the pointer names is not served. */
  #refusal: Error | null = null
  /** Why the pointer cannot be read, so that the current snapshot is unknown. */
  #unreadable: CompanyUnreadableError | null = null
  #mending: Promise<boolean> | null = null
  /** When the last repair that mended nothing ended. */
  #fruitlessAt = Number.NEGATIVE_INFINITY
  /** When a reader last met damage. */
  #failedAt = Number.NEGATIVE_INFINITY
  /** Identity of the pointer file to which `current` or `#refusal` belongs. */
  #stamp = ''
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | null = null
  /** Other snapshots that a request named or a sync is pinned to, least recently used first. */
  readonly #retained = new Map<string, Promise<Published>>()
  /** Manifest hashes of snapshots that were read before; a published snapshot never changes. */
  readonly #hashes = new Map<string, string>()

  constructor(id: string, settings: CompanySettings) {
    this.id = id
    this.#settings = settings
  }

  get isAvailable(): boolean {
    const isFailing = this.#settings.now() - this.#failedAt <= FAILING_MS
    return this.current !== null && this.#refusal === null && this.#unreadable === null && !isFailing
  }

  /** Throws where the current snapshot is unknown, or where the only one is damaged. */
  requireCurrent(): Published | null {
    if (this.#unreadable) throw this.#unreadable
    if (this.current === null && this.#refusal) throw this.#refusal
    return this.current
  }

  /** Checks the pointer. While a new snapshot is being verified, requests are answered from the old one. */
  check(): Promise<void> {
    if (this.#checking) return this.current ? Promise.resolve() : this.#checking
    if (this.#isFresh) return Promise.resolve()
    this.#checking = this.#lookAtPointer().finally(() => {
      this.#checkedAt = this.#settings.now()
      this.#checking = null
    })
    return this.#checking
  }

  /** A snapshot by id; null where it does not exist. Throws where it is damaged. */
  async named(snapshotId: string): Promise<Published | null> {
    // Only a well-formed id becomes part of a path.
    if (parseSnapshotId(snapshotId) === null) return null
    if (this.current?.snapshot.id === snapshotId) return this.current
    const { snapshots, source } = this.#settings
    // Checked for open snapshots too, since one may have been pruned meanwhile.
    const folder = await stat(snapshotFolder(snapshots, this.id, snapshotId)).catch(orAbsent)
    if (!folder?.isDirectory() && !(await this.#brought(snapshotId))) return null
    source.used(this.id, snapshotId)
    const opening =
      this.#retained.get(snapshotId) ?? openSnapshot(snapshots, this.id, snapshotId).then(readPublished)
    return this.#retain(snapshotId, opening)
  }

  async #brought(snapshotId: string): Promise<boolean> {
    try {
      return await this.#settings.source.bring(this.id, snapshotId)
    } catch (problem) {
      throw new CompanyUnreadableError((problem as Error).message, { cause: problem })
    }
  }

  /** All snapshots, newest first; one that cannot be read is reported and left out. */
  async versions(): Promise<Version[]> {
    const { snapshots, source } = this.#settings
    const elsewhere = source.manifests(this.id)
    const versions: (Version & { readonly revision: number })[] = []
    for (const id of elsewhere?.keys() ?? (await readdir(companyFolder(snapshots, this.id)))) {
      const parsed = parseSnapshotId(id)
      const manifestHash = parsed && (elsewhere?.get(id) ?? (await this.#manifestHashOf(id)))
      if (!manifestHash) continue
      const { month, revision } = parsed
      versions.push({ id, month, revision, manifestHash, current: id === this.current?.snapshot.id })
    }
    return versions.sort((a, b) =>
      a.month === b.month ? b.revision - a.revision : a.month < b.month ? 1 : -1,
    )
  }

  /** Notes that a reader met damage or a failing disk. */
  failed(problem: Error): void {
    const { now, log } = this.#settings
    if (now() - this.#failedAt > FAILING_MS)
      log({ event: 'company-failing', company: this.id, reason: problem.message })
    this.#failedAt = now()
  }

  /**
   * Brings damaged files of the served snapshots from the bucket again, where there is one. Resolves to whether reading
   * again may succeed.
   */
  mended(): Promise<boolean> {
    const { source, now } = this.#settings
    const isSoon = Math.abs(now() - this.#fruitlessAt) < FRUITLESS_MS
    if (this.#mending === null && isSoon) return Promise.resolve(false)
    this.#mending ??= this.#mend(source)
      .then((done) => {
        if (!done.includes('mended')) this.#fruitlessAt = now()
        // Another process that has the same folder may have mended them meanwhile.
        return done.includes('mended') || (done.length > 0 && done.every((each) => each === 'whole'))
      })
      .finally(() => {
        this.#mending = null
      })
    return this.#mending
  }

  /** What was done for each snapshot. */
  async #mend(source: Source): Promise<Mending[]> {
    const ids = new Set([...this.#retained.keys(), ...(await this.#currentIds())])
    const done: Mending[] = []
    for (const id of ids)
      try {
        const mending = await source.mend(this.id, id)
        done.push(mending)
        if (mending === 'mended')
          this.#settings.log({ event: 'snapshot-mended', company: this.id, snapshotId: id })
      } catch (problem) {
        done.push('unknown')
        this.#settings.log({
          event: 'snapshot-refused',
          company: this.id,
          snapshotId: id,
          reason: (problem as Error).message,
        })
      }
    return done
  }

  /** The ids of the snapshot that is served and of the one that the pointer names. */
  async #currentIds(): Promise<string[]> {
    const { snapshots, source } = this.#settings
    const pointer = await readPointer(snapshots, this.id).catch(() => null)
    const ids = [this.current?.snapshot.id, pointer?.SnapshotId ?? source.current(this.id)]
    return ids.flatMap((id) => id ?? [])
  }

  get #isFresh(): boolean {
    // The distance is absolute, so that a clock that was set back does not stop the checks.
    return Math.abs(this.#settings.now() - this.#checkedAt) < this.#settings.recheckMs
  }

  async #lookAtPointer(): Promise<void> {
    const { snapshots } = this.#settings
    try {
      const file = await stat(pointerPath(snapshots, this.id)).catch(orAbsent)
      if (file === null) return this.#onPointerGone()
      const stamp = `${file.ino} ${file.mtimeMs} ${file.size}`
      if (stamp === this.#stamp && this.#refusal === null && this.#unreadable === null) return
      const pointer = await readPointer(snapshots, this.id).catch(orDamaged)
      this.#unreadable = null
      await this.#consider(pointer, stamp)
      if (this.#refusal instanceof SnapshotDamagedError && (await this.mended()))
        await this.#consider(await readPointer(snapshots, this.id).catch(orDamaged), '')
    } catch (problem) {
      this.#onPointerUnreadable(problem)
    }
  }

  #onPointerGone(): void {
    this.isGone = true
    this.current = null
    this.#settings.log({ event: 'company-gone', company: this.id })
  }

  #onPointerUnreadable(problem: unknown): void {
    const reason = (problem as Error).message
    if (this.#unreadable?.message !== reason)
      this.#settings.log({ event: 'company-unreadable', company: this.id, reason })
    this.#unreadable = new CompanyUnreadableError(reason, { cause: problem })
  }

  /** Serves the snapshot that the pointer names, or records why not. */
  async #consider(pointer: Pointer | SnapshotDamagedError | null, stamp: string): Promise<void> {
    try {
      if (pointer instanceof SnapshotDamagedError) throw pointer
      await this.#adopt(pointer)
      this.#refusal = null
    } catch (problem) {
      // Every check tries again, since the cause may pass (too many open files), but the same cause is logged
      // once.
      const refusal = problem as Error
      if (stamp !== this.#stamp || refusal.message !== this.#refusal?.message)
        this.#settings.log({ event: 'snapshot-refused', company: this.id, reason: refusal.message })
      this.#refusal = refusal
    }
    this.#stamp = stamp
  }

  async #adopt(pointer: Pointer | null): Promise<void> {
    if (pointer === null || this.current?.snapshot.manifestHash === pointer.ManifestSha256) return
    const { snapshots, log } = this.#settings
    const { SnapshotId, ManifestSha256 } = pointer
    const next = await readPublished(await openSnapshot(snapshots, this.id, SnapshotId, ManifestSha256))
    if (this.current) this.#retain(this.current.snapshot.id, Promise.resolve(this.current))
    this.#retained.delete(SnapshotId)
    this.current = next
    log({ event: 'snapshot-current', company: this.id, snapshotId: SnapshotId })
  }

  /** Keeps the snapshots used most recently; one that cannot be opened is not kept. */
  #retain(id: string, opening: Promise<Published>): Promise<Published> {
    this.#retained.delete(id)
    this.#retained.set(id, opening)
    opening.catch(() => {
      if (this.#retained.get(id) === opening) this.#retained.delete(id)
    })
    const [oldest] = this.#retained.keys()
    if (oldest !== undefined && this.#retained.size > MOST_RETAINED) this.#retained.delete(oldest)
    return opening
  }

  async #manifestHashOf(snapshotId: string): Promise<string | null> {
    const held = this.#hashes.get(snapshotId)
    if (held) return held
    const { snapshots, log } = this.#settings
    try {
      const manifestHash = await readManifestHash(snapshots, this.id, snapshotId)
      this.#hashes.set(snapshotId, manifestHash)
      return manifestHash
    } catch (problem) {
      log({ event: 'snapshot-refused', company: this.id, snapshotId, reason: (problem as Error).message })
      return null
    }
  }
}

/** Null for a path that does not exist; throws any other problem. */
function orAbsent(problem: NodeJS.ErrnoException): null {
  if (problem.code === 'ENOENT' || problem.code === 'ENOTDIR') return null
  throw problem
}

function orDamaged(problem: unknown): SnapshotDamagedError {
  if (problem instanceof SnapshotDamagedError) return problem
  throw problem
}
