/**
 * Detects sources that change during a build. A file is opened several times (to hash it, to recognise it, to read it in
 * passes), so the hash in the manifest describes what was read only if the file was neither written nor replaced from
 * before the first opening until after the last.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { KeptSource } from '../snapshot/files/inputs.ts'
import { sha256OfFile } from '../system/hash.ts'
import { error, type Finding } from '../workspace/findings/finding.ts'

interface Seen {
  readonly identity: string
  /** Whether it was written so recently that the file system's clock may not show another write. */
  readonly isFresh: boolean
}

export class SourceWatch {
  readonly #folder: string
  readonly #seen = new Map<string, Seen | null>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Notes the state of files before they are opened. Only the first call for a file counts. */
  see(files: Iterable<string>): void {
    for (const file of files)
      if (!this.#seen.has(file)) this.#seen.set(file, lookAt(join(this.#folder, file)))
  }

  /** The files that may have changed while they were read; called after reading. A file that was not noted appeared meanwhile. */
  async changed(sources: readonly KeptSource[]): Promise<string[]> {
    const changed: string[] = []
    for (const { file, path, sha256 } of sources) {
      const before = this.#seen.get(file)
      const isSame = before != null && before.identity === lookAt(path)?.identity
      if (!isSame || (before.isFresh && (await sha256OfFile(path)) !== sha256)) changed.push(file)
    }
    return changed
  }
}

export const changedMeanwhile = (file: string): Finding =>
  error('source-changed', 'was changed while it was read: parts of two states may have been read', {
    file,
    remedy: 'build again, once nothing writes to the file any more',
  })

const TICK_NS = 50_000_000n
/** FAT stores times in steps of two seconds, some file systems in steps of one. */
const COARSE_NS = 2_000_000_000n

/** The state of a file; null if there is none. */
function lookAt(path: string): Seen | null {
  const now = BigInt(Date.now()) * 1_000_000n
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  const unit = latest % 1_000_000_000n === 0n ? COARSE_NS : TICK_NS
  return { identity: [dev, ino, size, mtimeNs, ctimeNs].join(' '), isFresh: latest > now - unit }
}
