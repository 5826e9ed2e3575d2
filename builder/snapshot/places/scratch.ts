/**
 * A folder of its own for each change of a company in a bucket: links to what the working copy has, which the change then adds to, as it would
 * in a folder of snapshots. It is thrown away in the end; what was changed there is published by the bucket alone.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, namesIn, removeTree } from '../../system/durable.ts'
import { cannotLink, disk } from '../../system/effects.ts'
import { undoWhenStopped } from '../../system/interrupt.ts'
import { companyFolder, LOG, lockPath } from '../files/layout.ts'
import type { FileEntry, Pointer } from '../files/manifest.ts'
import { movePointer } from '../log/change.ts'
import { type Lock, LockedError, takeLock } from '../log/lock.ts'
import { type PublishedFolder, readPublishedFolder } from './bucket/folder.ts'

/** A scratch folder that is younger may be one whose owner has not locked it yet. */
const UNLOCKED_MS = 60_000

export class ScratchCopy {
  readonly root: string
  readonly #lock: Lock
  readonly #forget: () => void
  /** The files that were linked, and the number of the file on the disk that each was then. */
  readonly #linked = new Map<string, { readonly entry: FileEntry; readonly ino: number }>()

  /** Makes a scratch folder below `base`, and removes those of processes that are gone. */
  constructor(base: string) {
    sweep(base)
    this.root = join(base, randomBytes(6).toString('hex'))
    makeFolders(this.root)
    this.#lock = takeLock(lockPath(base, this.root.slice(base.length + 1)))
    this.#forget = undoWhenStopped(() => this.#remove())
  }

  /** Takes in the files of a company from a working copy, which must not change meanwhile. */
  take(copy: string, company: string, pointer: Pointer | null, files: readonly FileEntry[]): void {
    const [from, to] = [companyFolder(copy, company), companyFolder(this.root, company)]
    const made = new Set<string>()
    makeFolders(to)
    for (const entry of files) {
      const [source, target] = [join(from, entry.Path), join(to, entry.Path)]
      if (!made.has(dirname(target))) makeFolders(dirname(target))
      made.add(dirname(target))
      // The log is copied, because lines are added to it in place.
      if (entry.Path === LOG) disk.copy(source, target)
      else link(source, target)
      this.#linked.set(entry.Path, { entry, ino: entry.Path === LOG ? -1 : statSync(target).ino })
    }
    if (pointer !== null) movePointer(this.root, company, pointer)
  }

  /** The published files of a company in this folder; null if there are none. Files that were taken in and not replaced are not read again. */
  async published(company: string): Promise<PublishedFolder | null> {
    const folder = companyFolder(this.root, company)
    if (!existsSync(folder) || namesIn(folder).length === 0) return null
    return readPublishedFolder(this.root, company, (path) => {
      const taken = this.#linked.get(path)
      return taken !== undefined && statSync(join(folder, path)).ino === taken.ino ? taken.entry : null
    })
  }

  /** Paths of the files that were taken in. */
  get taken(): ReadonlySet<string> {
    return new Set(this.#linked.keys())
  }

  remove(): void {
    this.#forget()
    this.#remove()
  }

  #remove(): void {
    removeTree(this.root)
    this.#lock.release()
  }
}

function sweep(base: string): void {
  for (const name of namesIn(base)) {
    const folder = join(base, name)
    const found = statSync(folder, { throwIfNoEntry: false })
    if (found === undefined || Date.now() - found.mtimeMs < UNLOCKED_MS) continue
    try {
      const lock = takeLock(lockPath(base, name))
      removeTree(folder)
      lock.release()
    } catch (problem) {
      // A locked folder belongs to a process that is at work.
      if (!(problem instanceof LockedError)) throw problem
    }
  }
}

function link(from: string, to: string): void {
  try {
    disk.link(from, to)
  } catch (problem) {
    if (!cannotLink(problem)) throw problem
    disk.copy(from, to)
  }
}
