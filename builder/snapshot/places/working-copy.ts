/**
 * The working copy of a bucket: a folder that holds of each company what the bucket said last, or the beginning of its log. Nothing is changed
 * there but by following the bucket, so that readers of the folder never see what is not published.
 */

import { randomBytes } from 'node:crypto'
import { existsSync, statSync, utimesSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeFolders, namesIn, removeTree, replaceFile, syncTree } from '../../system/durable.ts'
import { disk, isAbsent, MODES } from '../../system/effects.ts'
import { sha256, sha256OfFile } from '../../system/hash.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import {
  companyFolder,
  LOG,
  MANIFEST,
  parseSnapshotId,
  snapshotFolder,
  stageFolder,
} from '../files/layout.ts'
import type { FileEntry, Pointer } from '../files/manifest.ts'
import { measure } from '../files/measure.ts'
import { readPointer } from '../files/open.ts'
import { movePointer, takeTidy } from '../log/change.ts'
import { type Lock, LockedError } from '../log/lock.ts'
import type { Bucket, ObjectTag } from './bucket/bucket.ts'
import {
  type CompanyObject,
  decodeCompany,
  encodeCompany,
  getObjectTo,
  type HeldCompany,
  isCompanyId,
  readHeld,
} from './bucket/company-object.ts'
import { type Bringing, bring } from './bucket/fetch.ts'
import { listedIn, manifestIn } from './bucket/folder.ts'

/** How long to wait for another process that follows the same company, since it brings what is needed here, too. */
const LONGEST_WAIT_MS = 15 * 60 * 1000
const LOOK_MS = 50

type Follow = Omit<Bringing, 'isCopy'> & {
  /** The tag of the company's object, if it was just read from a list; else the bucket is asked. */
  readonly tag?: ObjectTag
}

export class WorkingCopy {
  readonly root: string
  readonly #bucket: Bucket
  /** The folder beside the copy with the object of each company, as it was when the copy was last brought up to date. */
  readonly #records: string
  /** By company: what was read of its file in {@link #records}, and the state of that file. */
  readonly #read = new Map<string, { readonly stamp: string; readonly held: HeldCompany | null }>()

  constructor(bucket: Bucket, root: string) {
    this.#bucket = bucket
    this.root = root
    this.#records = join(dirname(root), 'companies')
  }

  /** What the bucket last said about a company; null if nothing, or nothing readable. */
  held(company: string): HeldCompany | null {
    try {
      // A follower asks for all companies every few seconds, so that unchanged files are not read again.
      const { ino, mtimeMs, size } = statSync(this.#record(company))
      const stamp = `${ino} ${mtimeMs} ${size}`
      const known = this.#read.get(company)
      if (known?.stamp === stamp) return known.held
      const bytes = readFileSync(this.#record(company))
      const end = bytes.indexOf('\n')
      const object = decodeCompany(bytes.subarray(end + 1), company)
      const held = object && { object, tag: bytes.toString('utf8', 0, end) }
      this.#read.set(company, { stamp, held })
      return held
    } catch (problem) {
      if (isAbsent(problem)) return null
      throw problem
    }
  }

  /** SHA-256 of the manifests of the snapshots that the bucket held of a company when it was asked last, by their ids. */
  manifests(company: string): ReadonlyMap<string, string> {
    return manifestsOf(this.held(company))
  }

  /** The id of the current snapshot, as the bucket said when it was asked last; null if it has none. */
  current(company: string): string | null {
    return this.held(company)?.object.Current?.SnapshotId ?? null
  }

  /** The bytes of a manifest with this hash; null if they do not lie here. */
  manifest(company: string, id: string, hash: string): Buffer | null {
    try {
      const bytes = readFileSync(join(snapshotFolder(this.root, company, id), MANIFEST))
      return sha256(bytes) === hash ? bytes : null
    } catch (problem) {
      if (isAbsent(problem)) return null
      throw problem
    }
  }

  /**
   * Asks the bucket of a company and brings what it lacks here. Returns what the bucket holds; null if nothing. `use` gets the files that
   * were brought, now or before, while the copy cannot change. Throws {@link ChangeRefusedError} if the bucket does not hold any more what
   * it held: nothing here is removed for that.
   */
  async follow(
    company: string,
    { tag, ...bringing }: Follow,
    use: (present: readonly FileEntry[], object: CompanyObject) => void = () => {},
  ): Promise<HeldCompany | null> {
    if (!isCompanyId(company)) return null
    const lock = await this.#locked(company)
    try {
      const known = this.held(company)
      const isKnown = tag !== undefined && known?.tag === tag
      const held = isKnown ? known : await readHeld(this.#bucket, company, known)
      if (held === null) {
        if (known !== null) throw this.#lost(company)
        return null
      }
      removeDamagedLog(companyFolder(this.root, company), known)
      const { present: files } = await bring(this.#bucket, this.root, held, lock, {
        ...bringing,
        isCopy: true,
      })
      if (held !== known) this.#note(held)
      const present = manifestsOf(held)
      for (const id of manifestsOf(known).keys()) if (!present.has(id)) this.used(company, id)
      for (const { Path } of files) if (Path.endsWith(`/${MANIFEST}`)) this.used(company, dirname(Path))
      use(files, held.object)
      return held
    } finally {
      lock.release()
      this.#removeEmpty(company)
    }
  }

  /** Throws {@link ChangeRefusedError} where a copy that was just made lacks lines of a company's log that the bucket had before. */
  requireLater(company: string, now: WorkingCopy): void {
    const known = logIn(this.held(company))
    if (known === undefined) return
    if (logIn(now.held(company)) === undefined) throw this.#lost(company)
    const log = readFileSync(join(companyFolder(now.root, company), LOG))
    if (sha256(log.subarray(0, known.Bytes)) !== known.Sha256)
      throw this.#lost(company, `lacks lines of the log of ${company} that it had`)
  }

  /** Brings the files of a snapshot again that are damaged here; `unknown` if the bucket is not known to hold it. */
  async mend(company: string, id: string): Promise<'mended' | 'whole' | 'unknown'> {
    const lock = await this.#locked(company)
    try {
      const held = this.held(company)
      if (held === null || !existsSync(snapshotFolder(this.root, company, id))) return 'unknown'
      const mended = await mend(this.#bucket, this.root, held.object, id)
      const { Current } = held.object
      const isMoved = Current !== null && !(await pointsTo(this.root, company, Current))
      if (isMoved) movePointer(this.root, company, Current)
      if (isMoved || (mended !== null && mended.length > 0)) return 'mended'
      return mended === null ? 'unknown' : 'whole'
    } finally {
      lock.release()
    }
  }

  /** Whether the current snapshot of a company lies here, as far as the bucket was asked. */
  isServed(company: string): boolean {
    const current = this.held(company)?.object.Current ?? null
    return current === null || existsSync(snapshotFolder(this.root, company, current.SnapshotId))
  }

  /** Notes that a snapshot is read, or may still be read although it was pruned, so that it is not removed soon. */
  used(company: string, id: string): void {
    const now = new Date()
    try {
      utimesSync(snapshotFolder(this.root, company, id), now, now)
    } catch (problem) {
      if (!isAbsent(problem)) throw problem
    }
  }

  /** The companies that the bucket held when it was asked last. */
  companies(): string[] {
    return namesIn(this.#records).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? [])
  }

  async #locked(company: string): Promise<Lock> {
    const until = Date.now() + LONGEST_WAIT_MS
    for (;;)
      try {
        return takeTidy(this.root, company, disk)
      } catch (problem) {
        if (!(problem instanceof LockedError) || Date.now() > until) throw problem
        await pause(LOOK_MS)
      }
  }

  #record(company: string): string {
    return join(this.#records, `${company}.json`)
  }

  #note({ object, tag }: HeldCompany): void {
    makeFolders(this.#records)
    const bytes = Buffer.concat([Buffer.from(`${tag}\n`), encodeCompany(object)])
    replaceFile(this.#record(object.CompanyId), bytes, MODES.file)
  }

  #lost(company: string, what = `has nothing of ${company} any more, although it had`): ChangeRefusedError {
    return new ChangeRefusedError(
      `${this.#bucket.name} ${what}; if it was removed there on purpose, remove ${companyFolder(this.root, company)} and ${this.#record(company)}, too`,
    )
  }

  /** Removes the empty folder that taking the lock of an unknown company has made. */
  #removeEmpty(company: string): void {
    const folder = companyFolder(this.root, company)
    if (existsSync(folder) && namesIn(folder).length === 0) disk.removeFolder(folder)
  }
}

/** Removes a log that differs from what the bucket last said: it is damaged, and not ahead of the bucket. */
function removeDamagedLog(folder: string, known: HeldCompany | null): void {
  const entry = logIn(known)
  const log = join(folder, LOG)
  if (entry !== undefined && existsSync(log) && measure(log).Sha256 !== entry.Sha256) disk.unlink(log)
}

const logIn = (held: HeldCompany | null): FileEntry | undefined =>
  held?.object.Files.find(({ Path }) => Path === LOG)

const pointsTo = async (root: string, company: string, { ManifestSha256 }: Pointer): Promise<boolean> =>
  (await readPointer(root, company).catch(() => null))?.ManifestSha256 === ManifestSha256

const manifestsOf = (held: HeldCompany | null): ReadonlyMap<string, string> =>
  new Map(
    held?.object.Files.flatMap(({ Path, Sha256 }) => {
      const [id = '', name, ...deeper] = Path.split('/')
      return name === MANIFEST && parseSnapshotId(id) !== null && deeper.length === 0
        ? [[id, Sha256] as const]
        : []
    }),
  )

/**
 * Replaces the damaged files of one snapshot; the caller has the lock of the folder. Returns their paths; null if it is
 * unknown whether the bucket holds the snapshot. Throws {@link BucketError} where the bucket does not give them.
 */
async function mend(
  bucket: Bucket,
  root: string,
  { CompanyId: company, Files }: CompanyObject,
  id: string,
): Promise<readonly string[] | null> {
  const folder = join(root, company)
  const own = Files.filter(({ Path }) => Path.startsWith(`${id}/`))
  if (!own.some(({ Path }) => Path === `${id}/${MANIFEST}`)) return null
  const stage = stageFolder(root, company, randomBytes(6).toString('hex'))
  const mended: string[] = []
  try {
    for (const files of [() => own, () => listedIn(id, manifestIn(folder, id))])
      for (const file of files()) {
        if (await isIntact(join(folder, file.Path), file)) continue
        const staged = join(stage, file.Path)
        makeFolders(dirname(staged))
        await getObjectTo(bucket, file.Sha256, staged)
        await syncTree(stage, [file.Path], [dirname(staged)])
        makeFolders(dirname(join(folder, file.Path)))
        disk.rename(staged, join(folder, file.Path))
        mended.push(file.Path)
      }
  } finally {
    removeTree(stage)
  }
  return mended
}

async function isIntact(path: string, { Bytes, Sha256 }: FileEntry): Promise<boolean> {
  const found = await lstat(path).catch((problem) => {
    if (isAbsent(problem)) return null
    throw problem
  })
  if (!found?.isFile() || found.size !== Bytes) return false
  return (await sha256OfFile(path)) === Sha256
}
