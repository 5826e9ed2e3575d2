/**
 * Finds the documents that agree with the snapshot before in all closed months, right where they are made, so that only
 * the others are compared figure by figure. Threads of a build load this, so it imports little.
 */
import { join } from 'node:path'
import { sameThrough } from '../../contract/document-changes.ts'
import { isAbsent } from '../../system/effects.ts'
import { sha256 } from '../../system/hash.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { isUnfiltered } from '../files/layout.ts'
import type { FileEntry } from '../files/manifest.ts'

/** The snapshot before, and the last month (YYYY-MM) that is closed. Plain data. */
export interface Closed {
  readonly folder: string
  readonly through: string
}

/**
 * Whether a document agrees with the published one in all closed months. False also where that is not certain, and for unfiltered
 * documents, which state the names of accounts too.
 */
export function agrees(
  { folder, through }: Closed,
  published: Pick<FileEntry, 'Path' | 'Sha256'>,
  now: Buffer | string,
): boolean {
  if (isUnfiltered(published.Path)) return false
  const before = readOrNull(join(folder, published.Path))
  if (before === null || sha256(before) !== published.Sha256) return false
  return sameThrough(before.toString('utf8'), now.toString(), through)
}

/** Null where there is no such file. */
export function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (problem) {
    if (isAbsent(problem)) return null
    throw problem
  }
}
