/**
 * Measures files on disk: their size and SHA-256. The threads of a build load this, so it imports little.
 */
import { createHash } from 'node:crypto'
import { closeSync, readSync, statSync } from 'node:fs'
import { openFile } from '../../system/plain-file.ts'
import type { FileEntry } from './manifest.ts'

/**
 * Remembers hashes of files that snapshots share by hard links, so that each is read once. A write changes a file's
 * size or times, except within one tick of the clock; files that were changed just now are therefore read each time.
 */
export class Hashes {
  readonly #known = new Map<string, Pick<FileEntry, 'Bytes' | 'Sha256'>>()

  of(path: string): Pick<FileEntry, 'Bytes' | 'Sha256'> {
    const { dev, ino, size, mtimeNs, ctimeNs, nlink } = statSync(path, { bigint: true })
    if (nlink < 2n) return measure(path)
    const key = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
    const known = this.#known.get(key)
    if (known) return known
    const measured = measure(path)
    if (ctimeNs < BigInt(Date.now()) * 1_000_000n - SETTLED_NS) this.#known.set(key, measured)
    return measured
  }
}

/** File systems store times in steps of up to two seconds. */
const SETTLED_NS = 2_000_000_000n

/** One buffer serves all files, because collecting a new one each time would take as long as the hashing. */
const CHUNK = Buffer.allocUnsafeSlow(1 << 18)

/** Whether a file holds these bytes and no others; it is read in pieces. */
export function holds(path: string, bytes: Buffer): boolean {
  const file = openFile(path)
  try {
    let at = 0
    for (let read = readSync(file, CHUNK); read > 0; read = readSync(file, CHUNK)) {
      if (at + read > bytes.length || CHUNK.compare(bytes, at, at + read, 0, read) !== 0) return false
      at += read
    }
    return at === bytes.length
  } finally {
    closeSync(file)
  }
}

/** The size and SHA-256 of a file, which is read in pieces. */
export function measure(path: string): Pick<FileEntry, 'Bytes' | 'Sha256'> {
  const hash = createHash('sha256')
  let Bytes = 0
  const file = openFile(path)
  try {
    for (let read = readSync(file, CHUNK); read > 0; read = readSync(file, CHUNK)) {
      hash.update(CHUNK.subarray(0, read))
      Bytes += read
    }
  } finally {
    closeSync(file)
  }
  return { Bytes, Sha256: hash.digest('hex') }
}
