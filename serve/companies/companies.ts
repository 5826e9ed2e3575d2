/**
 * The published companies and their snapshots (`company.ts`). Distinguishes a company that cannot be read, which is
 * unavailable for a while, from one that does not exist.
 */
import { readdir, stat } from 'node:fs/promises'
import { pointerPath } from '../../builder/snapshot/files/layout.ts'
import { type CompanySettings, CompanyUnreadableError, ServedCompany, type Version } from './company.ts'
import type { Published } from './published.ts'
import { FOLDER } from './source.ts'

export interface Companies {
  /** Companies that can be served, as of the last look at the disk; in code point order. */
  list(): readonly {
    readonly id: string
    readonly name: string
    readonly snapshotId: string
    readonly booksThrough: string
    /** When its snapshot was built, ISO 8601. */
    readonly builtAt: string
  }[]
  /** Looks for new companies and snapshots, unless that was done within `recheckMs`. */
  refresh(): Promise<void>
  /** Null where the company does not exist. Throws where its only snapshot is damaged. */
  current(company: string): Promise<Published | null>
  /** A retained snapshot by id; null where it does not exist. Throws where it is damaged. */
  named(company: string, snapshotId: string): Promise<Published | null>
  /** All retained snapshots, newest first; one that cannot be read is reported and left out. */
  versions(company: string): Promise<readonly Version[]>
  /** For each published company, whether it can be served, as of the last look; in code point order. */
  health(): readonly { readonly id: string; readonly available: boolean }[]
  /** Called where reading a snapshot showed damage or a failing disk. */
  failed(company: string, problem: Error): void
  /**
   * Brings damaged files of a company from the bucket again, where there is one. Resolves to whether reading again may
   * succeed.
   */
  mended(company: string): Promise<boolean>
}

type CompaniesOptions = Pick<CompanySettings, 'snapshots'> & Partial<CompanySettings>

export function createCompanies(options: CompaniesOptions): Companies {
  const settings = { log: () => {}, now: Date.now, recheckMs: 250, source: FOLDER, ...options }
  const folder = createFolder(settings)
  const { known } = folder

  async function find(id: string): Promise<ServedCompany | null> {
    const company = known.get(id) ?? (await folder.look(id))
    if (company === null) return null
    await company.check()
    if (company.isGone && known.get(id) === company) known.delete(id)
    return known.get(id) ?? null
  }

  return {
    list: () => inOrder(known).flatMap(listed),
    refresh: async () => {
      await folder.refresh()
      await Promise.all([...known.keys()].map(find))
    },
    current: async (id) => (await find(id))?.requireCurrent() ?? null,
    named: async (id, snapshotId) => (await find(id))?.named(snapshotId) ?? null,
    versions: async (id) => (await find(id))?.versions() ?? [],
    health: () => inOrder(known).map(({ id, isAvailable }) => ({ id, available: isAvailable })),
    failed: (id, problem) => known.get(id)?.failed(problem),
    mended: async (id) => (await known.get(id)?.mended()) ?? false,
  }
}

const inOrder = (known: ReadonlyMap<string, ServedCompany>): ServedCompany[] =>
  [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

function listed({ id, current }: ServedCompany): ReturnType<Companies['list']> {
  if (current === null) return []
  const { snapshot, info } = current
  return [
    {
      id,
      name: info.Name,
      snapshotId: snapshot.id,
      booksThrough: info.BooksThrough,
      builtAt: snapshot.manifest.Build.At,
    },
  ]
}

/** The companies found in the folder of snapshots, as of the last look. */
interface Folder {
  /**
   * Company ids of requests are looked up in this map. Only its keys, which are names of folders, become part of a
   * path.
   */
  readonly known: Map<string, ServedCompany>
  /**
   * Looks for new companies, unless that was done within `recheckMs`. Known companies stay where the folder cannot
   * be read.
   */
  refresh(): Promise<void>
  /**
   * The company; looks for new ones where it is not known. Null where it does not exist, throws where the folder
   * cannot be read.
   */
  look(id: string): Promise<ServedCompany | null>
}

function createFolder(settings: CompanySettings): Folder {
  const { snapshots, log, now, recheckMs } = settings
  const known = new Map<string, ServedCompany>()
  let listedAt = Number.NEGATIVE_INFINITY
  let listing: Promise<void> | null = null
  let unreadable: CompanyUnreadableError | null = null

  async function list(): Promise<void> {
    // Only the existence of a pointer is checked; a damaged one is reported where it is read.
    for (const id of await foldersIn(snapshots))
      if (!known.has(id) && (await mayExist(pointerPath(snapshots, id))))
        known.set(id, new ServedCompany(id, settings))
    if (unreadable) log({ event: 'company-unreadable', company: null, reason: 'can be read again' })
    unreadable = null
    listedAt = now()
  }

  function onUnreadable(problem: Error): void {
    if (unreadable === null) log({ event: 'company-unreadable', company: null, reason: problem.message })
    unreadable = new CompanyUnreadableError(problem.message, { cause: problem })
  }

  function refresh(): Promise<void> {
    if (listing) return listing
    // The distance is absolute, so that a clock that was set back does not stop the checks.
    if (Math.abs(now() - listedAt) < recheckMs) return Promise.resolve()
    listing = list()
      .catch(onUnreadable)
      .finally(() => {
        listing = null
      })
    return listing
  }

  return {
    known,
    refresh,
    look: async (id) => {
      await refresh()
      const company = known.get(id)
      if (company === undefined && unreadable !== null) throw unreadable
      return company ?? null
    },
  }
}

/** The names of the folders in `path`; none where it does not exist, since nothing was published yet. */
async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ENOENT') return []
    throw problem
  })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** True also where it cannot be determined; reading the file will show it. */
const mayExist = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT' && code !== 'ENOTDIR',
  )
