/**
 * The published companies: which there are and which snapshot of each is current. A new snapshot is noticed by its
 * pointer file and swapped in once it has been verified; a damaged one is reported, and the old one keeps serving. What
 * cannot be read is told apart from what is not there: the first is unavailable for a while, the second is gone.
 */
import { readdir, stat } from 'node:fs/promises'
import { SnapshotDamagedError } from '../../builder/snapshot/damage.ts'
import { companyFolder, parseSnapshotId, pointerPath, snapshotFolder } from '../../builder/snapshot/layout.ts'
import type { Pointer } from '../../builder/snapshot/manifest.ts'
import { openSnapshot, readManifestHash, readPointer } from '../../builder/snapshot/open.ts'
import { type Published, readPublished } from './published.ts'

export interface Companies {
  /** Companies that can be served, as last looked at; in code point order. */
  list(): readonly {
    readonly id: string
    readonly name: string
    readonly snapshotId: string
    /** When its snapshot was built, ISO 8601. */
    readonly builtAt: string
  }[]
  /** Looks for new companies and new snapshots, unless that was done a moment ago. */
  refresh(): Promise<void>
  /** Null where there is no such company. Throws where its only snapshot is damaged. */
  current(company: string): Promise<Published | null>
  /** The same where nothing need be looked at for it, else null. */
  now(company: string): Published | null
  /** A retained snapshot by id; null where there is none. Throws where it is damaged. */
  named(company: string, snapshotId: string): Promise<Published | null>
  /** All retained snapshots, newest first; one that cannot be read is reported and left out. */
  versions(company: string): Promise<readonly Version[]>
  /** Of each company that is published, whether it can be served, as last looked at; in code point order. */
  health(): readonly { readonly id: string; readonly available: boolean }[]
  /** Hears that a snapshot of a company turned out to be damaged, or its disk to fail, while it was read. */
  failed(company: string, problem: Error): void
}

/** What is published of a company cannot be read (damage, EACCES, EIO, too many open files): it may again in a moment. */
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
  /** Null where it is the folder of all companies. */
  readonly company: string | null
  readonly snapshotId?: string
  readonly reason?: string
}

interface CompaniesOptions {
  readonly snapshots: string
  readonly log?: (event: CompanyEvent) => void
  readonly now?: () => number
  /** A pointer is looked at again after this time. */
  readonly recheckMs?: number
}

interface Company {
  readonly id: string
  current: Published | null
  /** Why the snapshot that the pointer names is not served. */
  refusal: Error | null
  /** Why the pointer cannot be read: nobody knows which snapshot is current. */
  unreadable: CompanyUnreadableError | null
  /** When a reader last met something damaged. */
  failedAt: number
  /** Identity of the pointer file that `current` or `refusal` belongs to. */
  stamp: string
  checkedAt: number
  checking: Promise<void> | null
  /** Snapshots other than the current one that a request named or a sync is pinned to. */
  readonly retained: Map<string, Promise<Published>>
  /** Manifest hashes of snapshots already looked at: what is published never changes. */
  readonly hashes: Map<string, string>
}

const MOST_RETAINED = 4
/** For so long after a failure a company counts as unavailable in the metrics. */
const FAILING_MS = 60_000

export function createCompanies(options: CompaniesOptions): Companies {
  const { snapshots, log = () => {}, now = Date.now, recheckMs = 250 } = options
  /** User text is looked up in this map; only its keys, which are names of folders, ever reach a path. */
  const known = new Map<string, Company>()
  let listedAt = Number.NEGATIVE_INFINITY
  let listing: Promise<void> | null = null
  /** Why the folder of all companies cannot be read: those that are known go on. */
  let unlisted: CompanyUnreadableError | null = null

  function listAgain(): Promise<void> {
    if (listing) return listing
    // A clock that is set back must not stop the looks.
    if (Math.abs(now() - listedAt) < recheckMs) return Promise.resolve()
    listing = (async () => {
      // Only that there is a pointer: a broken one is its own company's affair, and reported where it is read.
      for (const id of await foldersIn(snapshots))
        if (!known.has(id) && (await mayExist(pointerPath(snapshots, id)))) known.set(id, newcomer(id))
      if (unlisted) log({ event: 'company-unreadable', company: null, reason: 'can be read again' })
      unlisted = null
      listedAt = now()
    })()
      .catch((problem: Error) => {
        if (unlisted === null) log({ event: 'company-unreadable', company: null, reason: problem.message })
        unlisted = new CompanyUnreadableError(problem.message, { cause: problem })
      })
      .finally(() => {
        listing = null
      })
    return listing
  }

  const isFresh = ({ checkedAt }: Company): boolean => Math.abs(now() - checkedAt) < recheckMs

  /** Requests that come while a new snapshot is being verified are answered from the old one. */
  function check(company: Company): Promise<void> {
    if (company.checking) return company.current ? Promise.resolve() : company.checking
    if (isFresh(company)) return Promise.resolve()
    company.checking = lookAtPointer(company).finally(() => {
      company.checkedAt = now()
      company.checking = null
    })
    return company.checking
  }

  async function lookAtPointer(company: Company): Promise<void> {
    const path = pointerPath(snapshots, company.id)
    try {
      const file = await stat(path).catch(orAbsent)
      if (file === null) return forget(company)
      const stamp = `${file.ino} ${file.mtimeMs} ${file.size}`
      if (stamp === company.stamp && company.refusal === null && company.unreadable === null) return
      const pointer = await readPointer(snapshots, company.id).catch(orDamaged)
      company.unreadable = null
      await consider(company, pointer, stamp)
    } catch (problem) {
      const reason = (problem as Error).message
      if (company.unreadable?.message !== reason)
        log({ event: 'company-unreadable', company: company.id, reason })
      company.unreadable = new CompanyUnreadableError(reason, { cause: problem })
    }
  }

  function forget(company: Company): void {
    known.delete(company.id)
    company.current = null
    log({ event: 'company-gone', company: company.id })
  }

  /** Takes the snapshot that the pointer names into use, or says why not. */
  async function consider(
    company: Company,
    pointer: Pointer | SnapshotDamagedError | null,
    stamp: string,
  ): Promise<void> {
    try {
      if (pointer instanceof SnapshotDamagedError) throw pointer
      await adopt(company, pointer)
      company.refusal = null
    } catch (problem) {
      // Tried again at each look, since the cause may pass (too many open files); said once.
      const refusal = problem as Error
      if (stamp !== company.stamp || refusal.message !== company.refusal?.message)
        log({ event: 'snapshot-refused', company: company.id, reason: refusal.message })
      company.refusal = refusal
    }
    company.stamp = stamp
  }

  async function adopt(company: Company, pointer: Pointer | null): Promise<void> {
    if (pointer === null || company.current?.snapshot.manifestHash === pointer.ManifestSha256) return
    const { SnapshotId, ManifestSha256 } = pointer
    const next = await readPublished(await openSnapshot(snapshots, company.id, SnapshotId, ManifestSha256))
    const previous = company.current
    if (previous) retain(company, previous.snapshot.id, Promise.resolve(previous))
    company.retained.delete(SnapshotId)
    company.current = next
    log({ event: 'snapshot-current', company: company.id, snapshotId: SnapshotId })
  }

  async function manifestHashOf(company: Company, snapshotId: string): Promise<string | null> {
    const held = company.hashes.get(snapshotId)
    if (held) return held
    try {
      const manifestHash = await readManifestHash(snapshots, company.id, snapshotId)
      company.hashes.set(snapshotId, manifestHash)
      return manifestHash
    } catch (problem) {
      log({ event: 'snapshot-refused', company: company.id, snapshotId, reason: (problem as Error).message })
      return null
    }
  }

  async function find(id: string): Promise<Company | null> {
    if (!known.has(id)) await listAgain()
    const company = known.get(id)
    if (company === undefined) {
      if (unlisted !== null) throw unlisted
      return null
    }
    await check(company)
    return known.get(id) ?? null
  }

  return {
    list: () =>
      [...known.values()]
        .flatMap(({ id, current }) => {
          if (current === null) return []
          const { snapshot, info } = current
          return [{ id, name: info.Name, snapshotId: snapshot.id, builtAt: snapshot.manifest.Build.At }]
        })
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    refresh: async () => {
      await listAgain()
      await Promise.all([...known.values()].map(check))
    },
    current: async (id) => {
      const company = await find(id)
      if (company === null) return null
      if (company.unreadable) throw company.unreadable
      if (company.current === null && company.refusal) throw company.refusal
      return company.current
    },
    now: (id) => {
      const company = known.get(id)
      const isKnown = company !== undefined && (company.checking !== null || isFresh(company))
      return isKnown && company.unreadable === null ? company.current : null
    },
    named: async (id, snapshotId) => {
      const company = await find(id)
      // Only a well-formed id becomes part of a path.
      if (company === null || parseSnapshotId(snapshotId) === null) return null
      if (company.current?.snapshot.id === snapshotId) return company.current
      // Also of one that was read before: it may have been pruned since.
      const folder = await stat(snapshotFolder(snapshots, company.id, snapshotId)).catch(orAbsent)
      if (!folder?.isDirectory()) return null
      const held = company.retained.get(snapshotId)
      if (held) return retain(company, snapshotId, held)
      const opening = openSnapshot(snapshots, company.id, snapshotId).then(readPublished)
      return retain(company, snapshotId, opening)
    },
    versions: async (id) => {
      const company = await find(id)
      if (company === null) return []
      const names = await readdir(companyFolder(snapshots, company.id))
      const versions: Version[] = []
      for (const name of names) {
        const parsed = parseSnapshotId(name)
        const manifestHash = parsed && (await manifestHashOf(company, name))
        if (manifestHash)
          versions.push({
            id: name,
            month: parsed.month,
            manifestHash,
            current: name === company.current?.snapshot.id,
          })
      }
      return versions.sort(newestFirst)
    },
    health: () =>
      [...known.values()]
        .map(({ id, current, refusal, unreadable, failedAt }) => ({
          id,
          available:
            current !== null && refusal === null && unreadable === null && now() - failedAt > FAILING_MS,
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    failed: (id, problem) => {
      const company = known.get(id)
      if (company === undefined) return
      if (now() - company.failedAt > FAILING_MS)
        log({ event: 'company-failing', company: id, reason: problem.message })
      company.failedAt = now()
    },
  }
}

/** Nothing was published yet where there is no such folder. */
async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ENOENT') return []
    throw problem
  })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** A file that is not there, or whose folder is none. */
function orAbsent(problem: NodeJS.ErrnoException): null {
  if (problem.code === 'ENOENT' || problem.code === 'ENOTDIR') return null
  throw problem
}

function orDamaged(problem: unknown): SnapshotDamagedError {
  if (problem instanceof SnapshotDamagedError) return problem
  throw problem
}

/** Also where nobody can tell: whether it can be read is seen when it is. */
const mayExist = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT' && code !== 'ENOTDIR',
  )

const newestFirst = (a: Version, b: Version): number =>
  a.month === b.month ? revisionOf(b) - revisionOf(a) : a.month < b.month ? 1 : -1
const revisionOf = ({ id }: Version): number => parseSnapshotId(id)!.revision

const newcomer = (id: string): Company => ({
  id,
  current: null,
  refusal: null,
  unreadable: null,
  failedAt: Number.NEGATIVE_INFINITY,
  stamp: '',
  checkedAt: Number.NEGATIVE_INFINITY,
  checking: null,
  retained: new Map(),
  hashes: new Map(),
})

/** Keeps the few that were used last; one that cannot be opened is not kept. */
function retain(company: Company, id: string, opening: Promise<Published>): Promise<Published> {
  const { retained } = company
  retained.delete(id)
  retained.set(id, opening)
  opening.catch(() => {
    if (retained.get(id) === opening) retained.delete(id)
  })
  if (retained.size > MOST_RETAINED) retained.delete(retained.keys().next().value!)
  return opening
}
