/**
 * Owns the cache: computed results, kept under a hash of everything from which they were made. It may be deleted at any time
 * and is never trusted: a file counts only if its bytes have the hash in its name. An error here counts as a miss.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sha256 } from '../system/hash.ts'
import { readFileSync } from '../system/plain-file.ts'
import { fingerprint } from '../system/program.ts'
import { makeStateFolder, modesIn } from './state-folder.ts'

export class Cache {
  readonly #folder: string
  readonly #state: string
  /** Names of files by key, listed at the first look-up. */
  #names: Map<string, string> | undefined
  readonly #used = new Set<string>()

  /** `state` is the state folder in which `folder` lies. */
  constructor(folder: string, state = folder) {
    this.#folder = folder
    this.#state = state
  }

  /** The bytes kept under a key; null if there are none, or if they were changed. */
  find(key: string): Buffer | null {
    try {
      this.#names ??= new Map(readdirSync(this.#folder).map((name) => [name.split('.')[0] ?? '', name]))
      const name = this.#names.get(key)
      if (name === undefined) return null
      const bytes = readFileSync(join(this.#folder, name))
      if (name !== nameOf(key, bytes)) return null
      this.#used.add(name)
      return bytes
    } catch {
      return null
    }
  }

  keep(key: string, bytes: Buffer): void {
    const name = nameOf(key, bytes)
    const unfinished = this.#unfinished(name)
    try {
      this.#makeFolder()
      writeFileSync(unfinished, bytes, { mode: modesIn(this.#state).file })
      this.#place(unfinished, name)
    } catch {
      remove(unfinished)
    }
  }

  /** Removes all files that this object neither found nor kept. */
  prune(): void {
    try {
      for (const name of readdirSync(this.#folder))
        if (!this.#used.has(name)) remove(join(this.#folder, name))
    } catch {}
  }

  #makeFolder(): void {
    makeStateFolder(this.#state, relative(this.#state, this.#folder))
  }

  #unfinished(name: string): string {
    return join(this.#folder, `${name}.${randomUUID()}`)
  }

  /** Renames the finished file, so that nobody sees an incomplete one. */
  #place(unfinished: string, name: string): void {
    renameSync(unfinished, join(this.#folder, name))
    this.#used.add(name)
  }
}

/** The cache of one company, in the state folder of the workspace. */
export const companyCache = (state: string, company: string): Cache =>
  new Cache(join(state, 'cache', company), state)

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {}
}

const nameOf = (key: string, bytes: Buffer): string => `${key}.${sha256(bytes)}`

/** The key for a result: a hash of everything from which it is made, and of the program itself. */
export function cacheKey(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256').update(fingerprint())
  for (const part of parts) hash.update(`\0${part.length}\0`).update(part)
  return hash.digest('hex')
}
