/**
 * Checks whether a bag is complete and valid (RFC 8493 §3): every file that a manifest lists is there with its
 * checksum, and every payload file is listed. Names each damaged file; a harmless deviation is a note.
 */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Damage, DamageKind } from '../../snapshot/files/damage.ts'
import { inQuotes } from '../../system/zip-headers.ts'
import type { Container } from './container.ts'
import {
  ALGORITHMS,
  type Algorithm,
  BAG_INFO,
  type BagVersion,
  DECLARATION,
  dangerOf,
  decodeTags,
  FETCH,
  foldedPath,
  manifestKind,
  PAYLOAD,
  parseBagInfo,
  parseBagManifest,
  parseDeclaration,
  payloadOxum,
} from './tags.ts'

export interface CheckedBag {
  /** Null where the declaration cannot be read. */
  readonly version: BagVersion | null
  readonly payload: { readonly files: number; readonly bytes: number }
  /** The contents of bag-info.txt; labels in lower case. */
  readonly info: ReadonlyMap<string, readonly string[]>
  /** Payload files that are listed with a valid SHA-256. */
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/** Larger tag files are refused. The manifest of a snapshot with a million documents has about 150 MB. */
const LARGEST_TAG_FILE = 256 * 1024 ** 2

/** Progress: `done` of `total` bytes were hashed. */
export type Hashed = (done: number, total: number) => void

/** Checks the bag in a container. Where the container has problems, these alone are reported. */
export async function checkBag(container: Container, progress: Hashed = () => {}): Promise<CheckedBag> {
  const bag = new Bag(container)
  await bag.check(progress)
  return bag
}

/** Path → checksum by algorithm, as the manifests list it. */
type Listed = Map<string, Map<Algorithm, string>>

class Bag implements CheckedBag {
  version: BagVersion | null = null
  info: ReadonlyMap<string, readonly string[]> = new Map()
  readonly payload: { files: number; bytes: number }
  readonly damages: Damage[] = []
  readonly #notes = new Set<string>()
  readonly #container: Container
  readonly #payload: readonly string[]

  constructor(container: Container) {
    this.#container = container
    const files = [...container.files.values()].filter(({ path }) => path.startsWith(`${PAYLOAD}/`))
    this.#payload = files.map(({ path }) => path)
    this.payload = { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
  }

  get notes(): readonly string[] {
    return [...this.#notes]
  }

  async check(progress: Hashed): Promise<void> {
    const declaration = await this.#declaration()
    if (!declaration) return
    this.version = declaration.version
    const [payload, tags] = await this.#manifests(declaration.version)
    await this.#metadata()
    this.#unlisted(payload)
    await this.#compare(merged([...payload.values(), ...tags.values()]), progress)
    this.#oxum()
  }

  #damage(kind: DamageKind, path: string | null, message: string): void {
    this.damages.push({ kind, snapshotId: null, path, message })
  }

  async #bytes(path: string): Promise<Buffer | null> {
    const file = this.#container.files.get(path)
    if (!file) return null
    if (file.size <= LARGEST_TAG_FILE) return buffer(await this.#container.read(path))
    this.#damage('bag-manifest', path, `${path} has ${file.size} bytes; up to ${LARGEST_TAG_FILE} are read`)
    return null
  }

  async #text(path: string): Promise<string | null> {
    const bytes = await this.#bytes(path)
    if (!bytes) return null
    const text = decodeTags(bytes)
    if (text === null)
      this.#damage('bag-manifest', path, `${path} is not text in UTF-8, which ${DECLARATION} declares`)
    return text
  }

  async #declaration(): Promise<{ readonly version: BagVersion } | null> {
    const bytes = await this.#bytes(DECLARATION)
    const found = bytes
      ? parseDeclaration(bytes)
      : `${DECLARATION} is missing: this is not a bag, or not all of it`
    if (typeof found !== 'string') return found
    this.#damage('bag-declaration', DECLARATION, found)
    return null
  }

  /** The manifests of the payload and those of the tag files, by name, with the paths that each lists. */
  async #manifests(version: BagVersion): Promise<[Map<string, Listed>, Map<string, Listed>]> {
    const payload = new Map<string, Listed>()
    const tags = new Map<string, Listed>()
    for (const name of this.#container.files.keys()) {
      const kind = manifestKind(name)
      if (!kind) continue
      if (!kind.algorithm) {
        this.#notes.add(`${name} was not looked at: ${ALGORITHMS.join(' and ')} are read`)
        continue
      }
      const text = await this.#text(name)
      if (text === null) continue
      const lines = this.#listed(name, text, version, kind.algorithm, kind.tags)
      ;(kind.tags ? tags : payload).set(name, lines)
    }
    if (payload.size === 0)
      this.#damage(
        'bag-manifest',
        null,
        `no manifest of the payload can be read: the checksums that are read are ${ALGORITHMS.join(' and ')}`,
      )
    if (tags.size === 0) this.#notes.add('no tag manifest vouches for the files beside the payload')
    return [payload, tags]
  }

  #listed(name: string, text: string, version: BagVersion, algorithm: Algorithm, tags: boolean): Listed {
    const parsed = parseBagManifest(name, text, version, algorithm)
    for (const problem of parsed.problems) this.#damage('bag-manifest', name, problem)
    for (const note of parsed.notes) this.#notes.add(note)
    const listed: Listed = new Map()
    for (const { written, hash, ...line } of parsed.lines) {
      const path = this.#pathOf(name, line.path, written)
      const danger = dangerOf(path) ?? misplaced(path, tags)
      const before = listed.get(path)?.get(algorithm)
      if (danger) this.#damage('bag-path', name, `${name} lists ${inQuotes(path)}, which ${danger}`)
      else if (before === undefined) listed.set(path, new Map([[algorithm, hash]]))
      else if (before === hash) this.#notes.add(`${name} lists ${inQuotes(path)} twice`)
      else this.#damage('bag-manifest', name, `${name} lists ${inQuotes(path)} with two checksums`)
    }
    return listed
  }

  /**
   * Most tools declare version 1.0 and do not encode "%" (bagit-python #157). Where only the name as written
   * exists, it is taken as it stands.
   */
  #pathOf(name: string, path: string, written: string): string {
    const { files } = this.#container
    if (files.has(path) || !files.has(written)) return path
    this.#notes.add(`${name} does not write "%" as "%25"; its names were taken as they are`)
    return written
  }

  #unlisted(payload: ReadonlyMap<string, Listed>): void {
    const manifests = [...payload]
    // A bag without manifests was reported before.
    if (manifests.length === 0) return
    const known = foldersOf(manifests.flatMap(([, lines]) => [...lines.keys()]))
    const strange = new Map<string, number>()
    for (const path of this.#payload) {
      const folder = payloadFolder(path)
      if (folder !== null && !known.has(folder)) {
        strange.set(folder, (strange.get(folder) ?? 0) + 1)
        continue
      }
      const without = manifests.filter(([, lines]) => !lines.has(path)).map(([name]) => name)
      if (without.length > 0)
        this.#damage('bag-extra', path, `${path} is in the payload, but not listed in ${without.join(', ')}`)
    }
    for (const [folder, count] of strange)
      this.#damage(
        'bag-extra',
        folder,
        `${folder} is in the payload with ${count} files, of which none is listed`,
      )
  }

  async #metadata(): Promise<void> {
    if (this.#container.files.has(FETCH))
      this.#damage(
        'bag-extra',
        FETCH,
        `${FETCH} names files that lie elsewhere: a bag is read where all of it is here, and nothing is fetched`,
      )
    const text = await this.#text(BAG_INFO)
    if (text === null) return
    const info = parseBagInfo(text)
    if (!info) {
      this.#damage('bag-info', BAG_INFO, `${BAG_INFO} has a line that is not "label: value"`)
      return
    }
    this.info = info
  }

  /** Compares Payload-Oxum with the payload, unless a reported damage of the payload already explains a difference. */
  #oxum(): void {
    const { problems } = this.#container
    const explained = [...problems, ...this.damages].some(({ path }) => path?.startsWith(`${PAYLOAD}/`))
    const found = payloadOxum(this.payload.bytes, this.payload.files)
    for (const stated of explained ? [] : (this.info.get('payload-oxum') ?? []))
      if (stated !== found)
        this.#damage(
          'bag-info',
          BAG_INFO,
          `${BAG_INFO} states a payload of ${stated} (bytes.files), there is ${found}`,
        )
  }

  async #compare(listed: Listed, progress: Hashed): Promise<void> {
    const { files } = this.#container
    const folded = new Map([...files.keys()].map((path) => [foldedPath(path), path]))
    const total = [...listed.keys()].reduce((sum, path) => sum + (files.get(path)?.size ?? 0), 0)
    const present = foldersOf(files.keys())
    const gone = new Map<string, number>()
    let done = 0
    for (const [path, hashes] of [...listed].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const file = files.get(path)
      const twin = folded.get(foldedPath(path))
      const folder = payloadFolder(path)
      if (folder !== null && !present.has(folder)) {
        gone.set(folder, (gone.get(folder) ?? 0) + 1)
        continue
      }
      if (!file) {
        const like = twin === undefined ? '' : `; there is "${twin}", which is written differently`
        this.#damage('bag-missing', path, `${path} is missing${like}`)
        continue
      }
      const found = await this.#hashes(path, [...hashes.keys()])
      for (const [algorithm, hash] of hashes)
        if (found.get(algorithm) !== hash)
          this.#damage(
            'bag-changed',
            path,
            `${path} was changed: ${algorithm} ${found.get(algorithm)} instead of ${hash}`,
          )
      done += file.size
      progress(done, total)
    }
    for (const [folder, count] of gone)
      this.#damage('bag-missing', folder, `${folder} is missing, with all its ${count} files`)
  }

  async #hashes(path: string, algorithms: readonly Algorithm[]): Promise<Map<Algorithm, string>> {
    const hashes = new Map(algorithms.map((algorithm) => [algorithm, createHash(algorithm)]))
    for await (const chunk of await this.#container.read(path))
      for (const hash of hashes.values()) hash.update(chunk as Buffer)
    return new Map([...hashes].map(([algorithm, hash]) => [algorithm, hash.digest('hex')]))
  }
}

/**
 * RFC 8493 §2.1.3, §2.2.1: a payload manifest lists files of the payload alone; a tag manifest lists the other
 * files, except tag manifests.
 */
function misplaced(path: string, tags: boolean): string | null {
  const inPayload = path.startsWith(`${PAYLOAD}/`)
  if (tags) return inPayload || manifestKind(path)?.tags ? 'is none of the tag files that it may list' : null
  return inPayload ? null : `lies outside of ${PAYLOAD}/`
}

/**
 * The folder of a payload path, such as `data/2025-12-r1-3f9c2a`. A folder that is missing as a whole is reported
 * once.
 */
const payloadFolder = (path: string): string | null =>
  path.startsWith(`${PAYLOAD}/`) && path.split('/').length > 2 ? path.split('/', 2).join('/') : null

const foldersOf = (paths: Iterable<string>): ReadonlySet<string | null> =>
  new Set([...paths].map(payloadFolder))

function merged(all: readonly Listed[]): Listed {
  const together: Listed = new Map()
  for (const listed of all)
    for (const [path, hashes] of listed)
      together.set(path, new Map([...(together.get(path) ?? []), ...hashes]))
  return together
}
