/**
 * Writes files and folders that people ask for (archives, exports). They are written beside their place and moved there once they
 * are complete and on disk. Existing files are never replaced, and a failure leaves nothing behind.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { namesIn, removeIfThere, removeTree, syncTree } from './durable.ts'
import { cannotLink, disk, isAbsent, isPresent } from './effects.ts'
import { sha256 } from './hash.ts'
import { undoWhenStopped } from './interrupt.ts'
import { PlaceError } from './refusals.ts'
import { isRunning, pidSpace } from './running.ts'

/** Throws {@link PlaceError} if `to` exists already, or if its folder does not. */
export function freePlace(to: string): void {
  if (isThere(to)) throw new PlaceError(`${to} is there already; name another place, or move it away first`)
  if (!isThere(dirname(to))) throw new PlaceError(`there is no folder ${dirname(to)}`)
}

/** Lets `write` create a file or folder at a temporary path, and moves it to `to`. Throws {@link PlaceError}. */
export async function writeOutput(
  to: string,
  kind: 'file' | 'folder',
  write: (staged: string) => Promise<void>,
): Promise<void> {
  freePlace(to)
  sweep(dirname(to))
  const staged = join(dirname(to), `.${basename(to)}.${OWN}.partial`)
  const remove = () => (kind === 'file' ? removeIfThere(staged) : removeTree(staged))
  // A killed process may have had the same number.
  remove()
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
      // rename(2) would replace an empty folder, but freePlace has refused existing ones.
      disk.rename(staged, to)
    }
    disk.syncFolder(dirname(to))
  } finally {
    remove()
    forget()
  }
}

/** Twelve hexadecimal digits: six of the machine (or container), six of the process. */
const MACHINE = sha256(`${hostname()} ${pidSpace()}`).slice(0, 6)
const OWN = MACHINE + process.pid.toString(16).padStart(6, '0')

/** No command takes this long to write its output. */
const DAY_MS = 24 * 60 * 60 * 1000

/** Removes unfinished output of killed processes from a folder: of this machine at once, of others, which may run, after a day. */
function sweep(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, machine, pid = ''] = /^\..+\.([0-9a-f]{6})([0-9a-f]{6})\.partial$/.exec(name) ?? []
    if (machine === undefined) continue
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    const isDead = machine === MACHINE && !isRunning(Number.parseInt(pid, 16))
    if (!found || (!isDead && Date.now() - found.mtimeMs < DAY_MS)) continue
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

/** Moves the file by a link, which never replaces a file that appeared meanwhile. Without links the earlier check must suffice. */
function placeFile(staged: string, to: string): void {
  try {
    disk.link(staged, to)
  } catch (problem) {
    if (isPresent(problem)) throw new PlaceError(`${to} is there already; name another place`)
    if (!cannotLink(problem)) throw problem
    disk.rename(staged, to)
  }
}
