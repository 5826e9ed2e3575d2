/**
 * Snapshots in a bucket: it alone is the truth. A change is made in a scratch folder and published by swapping the company's object, so that
 * nothing has to be taken back where another writer was first.
 */

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { byCodePoint } from '../../contract/vocabulary.ts'
import { makeFolders, replaceFile } from '../../system/durable.ts'
import { finishFirst } from '../../system/interrupt.ts'
import { ChangeRefusedError, UnloggedError } from '../../system/refusals.ts'
import type { BucketSettings } from '../../workspace/snapshots-setting.ts'
import { companyFolder } from '../files/layout.ts'
import type { FileEntry } from '../files/manifest.ts'
import type { Bucket, Requests } from './bucket/bucket.ts'
import {
  type CompanyObject,
  companiesHeld,
  encodeCompany,
  type HeldCompany,
  swapHeld,
} from './bucket/company-object.ts'
import type { PublishedFolder } from './bucket/folder.ts'
import { requireClock, requireConditions } from './bucket/probe.ts'
import { openS3, type S3Options } from './bucket/s3.ts'
import { sendFiles, without } from './bucket/send.ts'
import { planSweep, type Swept, sweep } from './bucket/sweep.ts'
import type { LocationOptions, Needed, SnapshotLocation } from './location.ts'
import { ScratchCopy } from './scratch.ts'
import { trim } from './trim.ts'
import { WorkingCopy } from './working-copy.ts'

/** How often a change is tried, which begins again where another writer was first. */
const ATTEMPTS = 10
/** A store that obeyed conditional writes is not tested again for a day. */
const TRIED_MS = 24 * 60 * 60 * 1000

/** How long a store that does not answer is asked again. */
type Patience = Pick<S3Options, 'attempts' | 'seconds'>

/** Clients of a server wait for it. */
export const SERVER_PATIENCE: Patience = { attempts: 3, seconds: 5 }

export class BucketLocation implements SnapshotLocation {
  readonly name: string
  readonly bucket: Bucket
  readonly copy: WorkingCopy
  readonly #cacheBytes: number
  readonly #options: LocationOptions

  static async open(
    copy: string,
    settings: BucketSettings,
    options: LocationOptions & Patience = {},
  ): Promise<BucketLocation> {
    const { attempts, seconds } = options
    const patience = attempts === undefined || seconds === undefined ? {} : { attempts, seconds }
    return new BucketLocation(await openS3({ ...settings, ...patience }), copy, options, settings.cacheBytes)
  }

  constructor(
    bucket: Bucket,
    copy: string,
    options: LocationOptions = {},
    cacheBytes = Number.POSITIVE_INFINITY,
  ) {
    this.name = bucket.name
    this.bucket = bucket
    this.copy = new WorkingCopy(bucket, copy)
    this.#options = options
    this.#cacheBytes = cacheBytes
  }

  get requests(): Requests {
    return this.bucket.requests
  }

  /** Removes old snapshots of the working copy where it has grown too large. */
  trim(): void {
    trim(this.copy, this.#cacheBytes)
  }

  async companies(): Promise<readonly string[]> {
    return [...(await companiesHeld(this.bucket)).keys()]
  }

  async read(companies: readonly string[] | null, extent: Needed = 'all'): Promise<string> {
    if (companies?.length === 0) return this.copy.root
    this.trim()
    const [only, ...others] = companies ?? []
    // One list has as many companies as a thousand requests, so that only a single company is asked for by itself.
    if (only !== undefined && others.length === 0) await this.#follow(only, { extent })
    else {
      const tags = await companiesHeld(this.bucket)
      // Companies that the bucket has lost are followed too, which is refused.
      for (const company of companies ?? new Set([...tags.keys(), ...this.copy.companies()])) {
        const tag = tags.get(company)
        await this.#follow(company, { extent, ...(tag === undefined ? {} : { tag }) })
      }
    }
    return this.copy.root
  }

  async whole<T>(companies: readonly string[] | null, work: (root: string) => Promise<T>): Promise<T> {
    const scratch = new ScratchCopy(this.#changes)
    try {
      const copy = new WorkingCopy(this.bucket, join(scratch.root, 'copy'))
      for (const company of companies ?? new Set([...(await this.companies()), ...this.copy.companies()])) {
        await copy.follow(company, { extent: 'all', progress: this.#progressOf(company) })
        this.copy.requireLater(company, copy)
      }
      return await work(copy.root)
    } finally {
      scratch.remove()
    }
  }

  async change<T>(company: string, needed: Needed, work: (root: string) => Promise<T>): Promise<T> {
    await this.requireConditions()
    this.trim()
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const done = await this.#attempt(company, needed, work)
      if (done !== null) return done.result
    }
    throw new ChangeRefusedError(
      `other writers changed ${company} in ${this.name} ${ATTEMPTS} times while this one was at work; nothing was published. Run it again`,
    )
  }

  async sweep({ dry }: { readonly dry: boolean }): Promise<Swept> {
    if (dry) return planSweep(this.bucket, this.copy)
    await this.requireConditions()
    await requireClock(this.bucket)
    return sweep(this.bucket, this.copy)
  }

  /** Throws {@link BucketError} if two writers could overwrite each other there. */
  async requireConditions(): Promise<void> {
    const tried = join(dirname(this.copy.root), 'conditions')
    const at = statSync(tried, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Math.abs(Date.now() - at) < TRIED_MS) return
    await requireConditions(this.bucket)
    makeFolders(dirname(tried))
    replaceFile(tried, 'This store kept the conditions of writes when this file was written.\n')
  }

  /** Null if another writer was first. */
  async #attempt<T>(
    company: string,
    needed: Needed,
    work: (root: string) => Promise<T>,
  ): Promise<{ readonly result: T } | null> {
    const scratch = new ScratchCopy(this.#changes)
    try {
      let present: readonly FileEntry[] = []
      const held = await this.#follow(company, { extent: needed }, (files, { Current }) => {
        present = files
        scratch.take(this.copy.root, company, Current, files)
      })
      const result = await work(scratch.root).catch(refuseUnlogged)
      const published = await scratch.published(company)
      if (published === null) return { result }
      const object = merged(held, published, scratch.taken)
      if (held !== null && encodeCompany(held.object).equals(encodeCompany(object))) return { result }
      const known = [...(held?.object.Files ?? []), ...present]
      const lacking = without(known, [...object.Files, ...published.listed])
      const folder = companyFolder(scratch.root, company)
      const { by } = await sendFiles(this.bucket, folder, lacking, this.#progressOf(company))
      const near = new Map(lacking.map(({ Path, Sha256 }) => [Sha256, join(folder, Path)]))
      return await finishFirst(async () => {
        if (!(await swapHeld(this.bucket, object, held, by))) return null
        // The change is published. Where the bucket fails now, the working copy follows the next time.
        await this.#follow(company, { extent: needed, near }).catch(() => {})
        return { result }
      })
    } finally {
      scratch.remove()
    }
  }

  get #changes(): string {
    return join(dirname(this.copy.root), 'changes')
  }

  #follow(
    company: string,
    how: Parameters<WorkingCopy['follow']>[1],
    use?: Parameters<WorkingCopy['follow']>[2],
  ): Promise<HeldCompany | null> {
    return this.copy.follow(company, { ...how, progress: this.#progressOf(company) }, use)
  }

  #progressOf(company: string): (done: number, total: number) => void {
    return (done, total) => this.#options.progress?.(company, done, total)
  }
}

/** The new object of the company: the files of the scratch folder, and those of the bucket that were not brought there. */
function merged(
  held: HeldCompany | null,
  { object }: PublishedFolder,
  taken: ReadonlySet<string>,
): CompanyObject {
  const Files = new Map(
    held?.object.Files.filter(({ Path }) => !taken.has(Path)).map((entry) => [entry.Path, entry]),
  )
  for (const entry of object.Files) Files.set(entry.Path, entry)
  return { ...object, Files: [...Files.values()].sort((a, b) => byCodePoint(a.Path, b.Path)) }
}

/** A change that could not be entered in the log of the scratch folder is not published. */
function refuseUnlogged(problem: unknown): never {
  if (problem instanceof UnloggedError)
    throw new ChangeRefusedError(
      `the log could not be written, so that nothing was published: ${(problem.cause as Error).message}`,
      { cause: problem },
    )
  throw problem
}
