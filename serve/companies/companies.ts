/**
 * The published companies and their snapshots (`company.ts`). Distinguishes a company that cannot be read, which is
 * unavailable for a while, from one that does not exist.
 */
import { readdir, stat } from 'node:fs/promises'
import { pointerPath } from '../../builder/snapshot/files/layout.ts'
import { type CompanySettings, CompanyUnreadableError, ServedCompany, type Version } from './company.ts'
import type { Published } from './published.ts'
import { FOLDER } from './source.ts'

type CompaniesOptions = Pick<CompanySettings, 'snapshots'> & Partial<CompanySettings>

/** A company that can be served. */
interface Listed {
  readonly id: string
  readonly name: string
  readonly snapshotId: string
  readonly booksThrough: string
  /** When its snapshot was built, ISO 8601. */
  readonly builtAt: string
}

export class Companies {
  readonly #settings: CompanySettings
  /** Ids of requests are looked up here. Only its keys, which are names of folders, become part of a path. */
  readonly #known = new Map<string, ServedCompany>()
  #listedAt = Number.NEGATIVE_INFINITY
  #listing: Promise<void> | null = null
  #unreadable: CompanyUnreadableError | null = null

  constructor(options: CompaniesOptions) {
    this.#settings = { log: () => {}, now: Date.now, recheckMs: 250, source: FOLDER, ...options }
  }

  /** Companies that can be served, as of the last look at the disk; in code point order. */
  list(): readonly Listed[] {
    return this.#inOrder().flatMap(listed)
  }

  /** Looks for new companies and snapshots, unless that was done within `recheckMs`. */
  async refresh(): Promise<void> {
    await this.#look()
    await Promise.all([...this.#known.keys()].map((id) => this.#find(id)))
  }

  /** Null where the company does not exist. Throws where its only snapshot is damaged. */
  async current(company: string): Promise<Published | null> {
    return (await this.#find(company))?.requireCurrent() ?? null
  }

  /** A retained snapshot by id; null where it does not exist. Throws where it is damaged. */
  async named(company: string, snapshotId: string): Promise<Published | null> {
    return (await this.#find(company))?.named(snapshotId) ?? null
  }

  /** All retained snapshots, newest first; one that cannot be read is reported and left out. */
  async versions(company: string): Promise<readonly Version[]> {
    return (await this.#find(company))?.versions() ?? []
  }

  /** For each published company, whether it can be served, as of the last look; in code point order. */
  health(): readonly { readonly id: string; readonly available: boolean }[] {
    return this.#inOrder().map(({ id, isAvailable }) => ({ id, available: isAvailable }))
  }

  /** Called where reading a snapshot showed damage or a failing disk. */
  failed(company: string, problem: Error): void {
    this.#known.get(company)?.failed(problem)
  }

  /**
   * Brings damaged files of a company from the bucket again, where there is one. Resolves to whether reading again may
   * succeed.
   */
  async mended(company: string): Promise<boolean> {
    return (await this.#known.get(company)?.mended()) ?? false
  }

  #inOrder(): ServedCompany[] {
    return [...this.#known.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Looks for new companies where this one is not known. Throws where the folder cannot be read. */
  async #find(id: string): Promise<ServedCompany | null> {
    if (!this.#known.has(id)) await this.#look()
    const company = this.#known.get(id)
    if (company === undefined) {
      if (this.#unreadable !== null) throw this.#unreadable
      return null
    }
    await company.check()
    if (company.isGone && this.#known.get(id) === company) this.#known.delete(id)
    return this.#known.get(id) ?? null
  }

  /** Looks for new companies, unless that was done within `recheckMs`. Known ones stay where the folder cannot be read. */
  #look(): Promise<void> {
    const { now, recheckMs, log } = this.#settings
    if (this.#listing) return this.#listing
    // The distance is absolute, so that a clock that was set back does not stop the checks.
    if (Math.abs(now() - this.#listedAt) < recheckMs) return Promise.resolve()
    this.#listing = this.#list()
      .catch((problem: Error) => {
        if (this.#unreadable === null)
          log({ event: 'company-unreadable', company: null, reason: problem.message })
        this.#unreadable = new CompanyUnreadableError(problem.message, { cause: problem })
      })
      .finally(() => {
        this.#listing = null
      })
    return this.#listing
  }

  async #list(): Promise<void> {
    const { snapshots, log, now } = this.#settings
    // Only the existence of a pointer is checked; a damaged one is reported where it is read.
    for (const id of await foldersIn(snapshots))
      if (!this.#known.has(id) && (await mayExist(pointerPath(snapshots, id))))
        this.#known.set(id, new ServedCompany(id, this.#settings))
    if (this.#unreadable) log({ event: 'company-unreadable', company: null, reason: 'can be read again' })
    this.#unreadable = null
    this.#listedAt = now()
  }
}

function listed({ id, current }: ServedCompany): Listed[] {
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
