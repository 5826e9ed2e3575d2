/**
 * Whether sources are still what they were when a build began. A file is opened by its name several times (hashed, looked
 * at, read by DuckDB or by a parser in passes), so the hash in the manifest is that of what was read only where the file was
 * neither written nor replaced from before the first time until after the last.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../snapshot/files.ts'
import type { KeptSource } from '../snapshot/inputs.ts'

interface Seen {
  readonly identity: string
  /** It was written so shortly before that the clock of the file system may not tell another writing apart. */
  readonly isFresh: boolean
}

export class SourceWatch {
  readonly #folder: string
  readonly #seen = new Map<string, Seen | null>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Before any of them is opened; the first look counts. */
  see(files: Iterable<string>): void {
    for (const file of files)
      if (!this.#seen.has(file)) this.#seen.set(file, lookAt(join(this.#folder, file)))
  }

  /** Those that may have been read in two states, once all is read. One that was not seen appeared meanwhile. */
  async changed(sources: readonly KeptSource[]): Promise<string[]> {
    const changed: string[] = []
    for (const { file, path, sha256 } of sources) {
      const before = this.#seen.get(file)
      const isSame = before != null && before.identity === lookAt(path)?.identity
      if (!isSame || (before.isFresh && (await hashOf(path)) !== sha256)) changed.push(file)
    }
    return changed
  }
}

const TICK_NS = 50_000_000n
/** FAT counts two seconds, some file systems one. */
const COARSE_NS = 2_000_000_000n

/** Null where there is no such file. */
function lookAt(path: string): Seen | null {
  const now = BigInt(Date.now()) * 1_000_000n
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  const unit = latest % 1_000_000_000n === 0n ? COARSE_NS : TICK_NS
  return { identity: [dev, ino, size, mtimeNs, ctimeNs].join(' '), isFresh: latest > now - unit }
}
