/**
 * Files and folders that people ask for (archives, exports): written beside their place, and moved to it once all of it
 * is on the disk. What is there already is never touched; what fails leaves nothing behind.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { namesIn, removeIfThere, removeTree, syncTree } from './durable.ts'
import { cannotLink, disk, isAbsent, isPresent } from './effects.ts'
import { undoWhenStopped } from './interrupt.ts'
import { PlaceError } from './refusals.ts'

/** Whether `to` is to be a file or a folder; throws {@link PlaceError} where it cannot be made. */
export function freePlace(to: string): void {
  if (isThere(to)) throw new PlaceError(`${to} is there already; name another place, or move it away first`)
  if (!isThere(dirname(to))) throw new PlaceError(`there is no folder ${dirname(to)}`)
}

/** `write` makes the file or folder that it is given the path of; afterwards it is `to`. Throws {@link PlaceError}. */
export async function writeOutput(
  to: string,
  kind: 'file' | 'folder',
  write: (staged: string) => Promise<void>,
): Promise<void> {
  freePlace(to)
  sweep(dirname(to))
  const staged = join(dirname(to), `.${basename(to)}.${randomBytes(6).toString('hex')}.partial`)
  const remove = () => (kind === 'file' ? removeIfThere(staged) : removeTree(staged))
  const forget = undoWhenStopped(remove)
  try {
    if (kind === 'file') {
      await write(staged)
      disk.syncFile(staged)
      placeFile(staged, to)
    } else {
      disk.makeFolder(staged)
      await write(staged)
      await syncFolder(staged)
      // An empty folder would be replaced, one with files in it not: it was not there a moment ago.
      disk.rename(staged, to)
    }
    disk.syncFolder(dirname(to))
  } finally {
    remove()
    forget()
  }
}

/** Nobody writes at one file or folder for so long. */
const DAY_MS = 24 * 60 * 60 * 1000

/** Removes what killed processes left unfinished there. */
function sweep(folder: string): void {
  for (const name of namesIn(folder).filter((each) => /^\..+\.[0-9a-f]{12}\.partial$/.test(each))) {
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found || Date.now() - found.mtimeMs < DAY_MS) continue
    if (found.isDirectory()) removeTree(path)
    else removeIfThere(path)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = (wanted: boolean) =>
    entries
      .filter((entry) => entry.isDirectory() === wanted)
      .map((entry) => join(entry.parentPath, entry.name))
  await syncTree(
    folder,
    paths(false).map((path) => relative(folder, path)),
    paths(true),
  )
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (problem) {
    if (isAbsent(problem)) return false
    throw problem
  }
}

/** A link is never made over a file that came meanwhile; where there are no links, the look before has to do. */
function placeFile(staged: string, to: string): void {
  try {
    disk.link(staged, to)
  } catch (problem) {
    if (isPresent(problem)) throw new PlaceError(`${to} is there already; name another place`)
    if (!cannotLink(problem)) throw problem
    disk.rename(staged, to)
  }
}
