/** Writes files that survive a crash: the data reaches the disk before the name that leads to it. */
import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { cannotLink, disk, type Effects, isAbsent, isPresent } from './effects.ts'
import { readFileSync } from './plain-file.ts'

/** Whether a file was left unfinished by a killed process, by its name. */
export const isUnfinished = (name: string): boolean => name.endsWith('.next')

/** A path beside the final one, on the same file system, that no other writer uses. */
const unfinished = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.next`

/** Replaces a small file in one step: a reader sees the old text or the new one, even after a crash. */
export function replaceFile(
  path: string,
  text: string | Uint8Array,
  mode = 0o644,
  effects: Effects = disk,
): void {
  const next = unfinished(path)
  try {
    createDurably(next, text, mode, effects)
    effects.rename(next, path)
  } catch (problem) {
    removeIfThere(next, effects)
    throw problem
  }
  effects.syncFolder(dirname(path))
}

/** Creates a small file, complete from the first moment. Returns false if it exists; of several writers one succeeds. */
export function createOnce(
  path: string,
  text: string | Uint8Array,
  mode: number,
  effects: Effects = disk,
): boolean {
  const next = unfinished(path)
  try {
    createDurably(next, text, mode, effects)
    // link(2) refuses an existing name, where rename(2) would replace what another process made.
    if (!placed(next, path, text, mode, effects)) return false
  } finally {
    removeIfThere(next, effects)
  }
  effects.syncFolder(dirname(path))
  return true
}

function placed(
  from: string,
  to: string,
  text: string | Uint8Array,
  mode: number,
  effects: Effects,
): boolean {
  try {
    try {
      effects.link(from, to)
    } catch (problem) {
      if (!cannotLink(problem)) throw problem
      createDurably(to, text, mode, effects)
    }
    return true
  } catch (problem) {
    if (isPresent(problem)) return false
    throw problem
  }
}

/** Creates a small file, flushes it and reads it back, because a disk may lose data without an error. Throws EIO if it did. */
export function createDurably(
  path: string,
  bytes: string | Uint8Array,
  mode: number,
  effects: Effects,
): void {
  effects.create(path, bytes, mode)
  effects.syncFile(path)
  if (readFileSync(path).equals(Buffer.from(bytes as Uint8Array))) return
  throw Object.assign(new Error(`EIO: ${path} reads back differently from what was written`), {
    code: 'EIO',
    path,
  })
}

/**
 * Flushes files, then folders, because a rename must never be durable before the data that it names (see ALICE, OSDI '14).
 * `paths` are relative to `root`, `folders` are full paths below it; `root` is flushed too.
 */
export async function syncTree(
  root: string,
  paths: Iterable<string>,
  folders: Iterable<string>,
  effects: Effects = disk,
): Promise<void> {
  // One call for the whole file system beats one fsync per file; not every system has it.
  if (!(await effects.syncAll(root))) for (const path of paths) effects.syncFile(join(root, path))
  for (const folder of [...new Set([...folders, root])].sort().reverse()) effects.syncFolder(folder)
}

/** Creates a folder and the missing ones above it. Returns those that were created, outermost first. */
export function makeFolders(path: string, effects: Effects = disk): string[] {
  if (existsSync(path)) return []
  const made = makeFolders(dirname(path), effects)
  try {
    effects.makeFolder(path)
    made.push(path)
  } catch (problem) {
    if (!isPresent(problem)) throw problem
  }
  return made
}

/** How often removing a folder begins again because something was made in it meanwhile. */
const MOST_ATTEMPTS = 10

/** Removes a folder with everything in it. Links are removed, not followed. A missing folder is no error. */
export function removeTree(path: string, effects: Effects = disk, attempts = MOST_ATTEMPTS): void {
  // Only the link is removed, not its target.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    effects.unlink(path)
    return
  }
  for (const entry of entriesOf(path))
    if (entry.isDirectory()) removeTree(join(path, entry.name), effects)
    else effects.unlink(join(path, entry.name))
  try {
    ignoringAbsence(() => effects.removeFolder(path))
  } catch (problem) {
    // A database that is stopped may still make a file there.
    if ((problem as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || attempts === 1) throw problem
    removeTree(path, effects, attempts - 1)
  }
}

const entriesOf = (path: string) => ignoringAbsence(() => readdirSync(path, { withFileTypes: true })) ?? []

/** Files by their paths below a folder, and all folders in it. */
export function filesAndFolders(folder: string): [string[], string[]] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const pathOf = (entry: (typeof entries)[number]) => join(entry.parentPath, entry.name)
  const [folders, files] = [entries.filter((e) => e.isDirectory()), entries.filter((e) => !e.isDirectory())]
  return [files.map((entry) => relative(folder, pathOf(entry))), folders.map(pathOf)]
}

/** The names in a folder; none if there is no such folder. */
export const namesIn = (folder: string): string[] => ignoringAbsence(() => readdirSync(folder)) ?? []

export function removeIfThere(path: string, effects: Effects = disk): void {
  ignoringAbsence(() => effects.unlink(path))
}

function ignoringAbsence<T>(action: () => T): T | null {
  try {
    return action()
  } catch (problem) {
    if (isAbsent(problem)) return null
    throw problem
  }
}
