/**
 * What was worked out once, kept beside the workspace under the hash of all it was made from. Safe to delete, and never
 * trusted: a file counts only where its bytes have the hash that its name states. Whatever fails here is as if there
 * were nothing.
 */
import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, constants, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sha256 } from './hash.ts'
import { readFileSync } from './plain-file.ts'
import { fingerprint } from './program.ts'
import { makeStateFolder, modesIn } from './state-folder.ts'

export class Cache {
  readonly #folder: string
  readonly #state: string
  /** Names of files by key, as they were when they were first asked for. */
  #names: Map<string, string> | undefined
  readonly #used = new Set<string>()

  /** `state` is the folder of state that `folder` lies in. */
  constructor(folder: string, state = folder) {
    this.#folder = folder
    this.#state = state
  }

  /** What was kept under a key; null where there is nothing, or something else than was kept. */
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

  /**
   * Copies a large file that was kept under the hash of its bytes. Whoever asks looks at the hash of the copy: another
   * build may remove or replace the kept one at any time. Throws where there is none.
   */
  async copyOf(hash: string, to: string): Promise<void> {
    await copyFile(join(this.#folder, hash), to, constants.COPYFILE_FICLONE)
    this.#used.add(hash)
  }

  /** Keeps a large file under the hash of its bytes. Throws where that cannot be done. */
  async keepFile(hash: string, path: string): Promise<void> {
    const unfinished = this.#unfinished(hash)
    try {
      this.#makeFolder()
      await copyFile(path, unfinished, constants.COPYFILE_FICLONE)
      // A copy has the mode of its original.
      chmodSync(unfinished, modesIn(this.#state).file)
      this.#place(unfinished, hash)
    } catch (problem) {
      remove(unfinished)
      throw problem
    }
  }

  /** Removes what was neither found nor kept by this one. */
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

  /** In one step, so that nobody sees a part of it. */
  #place(unfinished: string, name: string): void {
    renameSync(unfinished, join(this.#folder, name))
    this.#used.add(name)
  }
}

/** A company's own, in the state of its workspace. */
export const companyCache = (state: string, company: string): Cache =>
  new Cache(join(state, 'cache', company), state)

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {}
}

const nameOf = (key: string, bytes: Buffer): string => `${key}.${sha256(bytes)}`

/** A key of what it is made from, and of the program itself. */
export function cacheKey(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256').update(fingerprint())
  for (const part of parts) hash.update(`\0${part.length}\0`).update(part)
  return hash.digest('hex')
}
