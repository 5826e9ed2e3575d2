/**
 * The published companies: which there are and which snapshot of each is current. A new snapshot is noticed by its
 * pointer file and swapped in once it has been verified; a damaged one is reported, and the old one keeps serving.
 */
import { readdir, stat } from 'node:fs/promises'
import { companyFolder, parseSnapshotId, pointerPath, snapshotFolder } from '../../builder/snapshot/layout.ts'
import { openSnapshot, readPointer } from '../../builder/snapshot/open.ts'
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
  /** Every published company can be served. */
  ready(): boolean
}

export interface Version {
  readonly id: string
  readonly month: string
  readonly manifestHash: string
  readonly current: boolean
}

export interface CompanyEvent {
  readonly event: 'snapshot-current' | 'snapshot-refused' | 'company-gone'
  readonly company: string
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

export function createCompanies(options: CompaniesOptions): Companies {
  const { snapshots, log = () => {}, now = Date.now, recheckMs = 250 } = options
  /** User text is looked up in this map; only its keys, which are names of folders, ever reach a path. */
  const known = new Map<string, Company>()
  let listedAt = Number.NEGATIVE_INFINITY
  let listing: Promise<void> | null = null

  function listAgain(): Promise<void> {
    if (listing) return listing
    // A clock that is set back must not stop the looks.
    if (Math.abs(now() - listedAt) < recheckMs) return Promise.resolve()
    listing = (async () => {
      // Only that there is a pointer: a broken one is its own company's affair, and reported where it is read.
      for (const id of await foldersIn(snapshots))
        if (!known.has(id) && (await exists(pointerPath(snapshots, id)))) known.set(id, newcomer(id))
      listedAt = now()
    })().finally(() => {
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
    const file = await stat(pointerPath(snapshots, company.id)).catch(() => null)
    if (file === null) {
      known.delete(company.id)
      company.current = null
      log({ event: 'company-gone', company: company.id })
      return
    }
    const stamp = `${file.ino} ${file.mtimeMs} ${file.size}`
    if (stamp === company.stamp && company.refusal === null) return
    try {
      await adopt(company)
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

  async function adopt(company: Company): Promise<void> {
    const pointer = await readPointer(snapshots, company.id)
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
      const { manifestHash } = await openSnapshot(snapshots, company.id, snapshotId)
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
    if (company === undefined) return null
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
      if (company.current === null && company.refusal) throw company.refusal
      return company.current
    },
    now: (id) => {
      const company = known.get(id)
      return company !== undefined && (company.checking !== null || isFresh(company)) ? company.current : null
    },
    named: async (id, snapshotId) => {
      const company = await find(id)
      // Only a well-formed id becomes part of a path.
      if (company === null || parseSnapshotId(snapshotId) === null) return null
      if (company.current?.snapshot.id === snapshotId) return company.current
      // Also of one that was read before: it may have been pruned since.
      const folder = await stat(snapshotFolder(snapshots, company.id, snapshotId)).catch(() => null)
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
    ready: () => [...known.values()].every((company) => company.current !== null),
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

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const newestFirst = (a: Version, b: Version): number =>
  a.month === b.month ? revisionOf(b) - revisionOf(a) : a.month < b.month ? 1 : -1
const revisionOf = ({ id }: Version): number => parseSnapshotId(id)!.revision

const newcomer = (id: string): Company => ({
  id,
  current: null,
  refusal: null,
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
