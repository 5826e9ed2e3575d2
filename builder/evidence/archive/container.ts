/**
 * The files of an archive, as a folder or a zip: names, sizes and bytes. Checks names and sizes before anything is
 * unpacked; links are listed and never followed.
 */
import { lstat, statfs } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { makeFolders, removeIfThere } from '../../system/durable.ts'
import { disk, type Effects, fileStream } from '../../system/effects.ts'
import { createReadStream, entriesBelow, isTooDeep } from '../../system/plain-file.ts'
import { NoRoomError } from '../../system/refusals.ts'
import { inQuotes } from '../../system/zip-headers.ts'
import { DECLARATION, dangerOf, foldedPath, manifestKind } from './tags.ts'

export interface ContainedFile {
  /** Below the bag's base folder, separated by `/`. */
  readonly path: string
  /** In bytes, as the folder or the zip states it. */
  readonly size: number
}

export interface Container {
  readonly kind: 'folder' | 'zip'
  /** Name of the bag's base folder. */
  readonly name: string
  /** By path, in code point order. */
  readonly files: ReadonlyMap<string, ContainedFile>
  /** Why the archive must not be unpacked; the other entries are listed all the same. */
  readonly problems: readonly ContainerProblem[]
  read(path: string): Promise<Readable>
  close(): void
}

export interface ContainerProblem {
  readonly path: string | null
  readonly message: string
}

/**
 * Sorts entries into those that a container may hold, plain files with names that mean one file on every system,
 * and problems.
 */
export function soundFiles(entries: Iterable<ContainedFile & { readonly isFile: boolean }>): {
  files: Map<string, ContainedFile>
  problems: ContainerProblem[]
} {
  const files = new Map<string, ContainedFile>()
  const folded = new Map<string, string>()
  const problems: ContainerProblem[] = []
  const problem = (path: string, message: string) =>
    problems.push({ path, message: `${inQuotes(path)} ${message}` })
  for (const { path, size, isFile } of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const danger = dangerOf(path)
    if (danger) {
      problem(path, danger)
      continue
    }
    if (!isFile) {
      problem(path, 'is a link or a device, not a file')
      continue
    }
    const twin = folded.get(foldedPath(path))
    if (twin === path) problem(path, 'is there twice')
    else if (twin !== undefined)
      problem(path, `and ${inQuotes(twin)} are one file where case or Unicode form do not count`)
    else files.set(path, { path, size })
    folded.set(foldedPath(path), path)
  }
  // A path cannot be both a file and the folder of another file.
  const both = new Map<string, number>()
  for (const path of files.keys())
    for (let above = dirname(path); above !== '.'; above = dirname(above))
      if (folded.has(above)) both.set(above, (both.get(above) ?? 0) + 1)
  for (const [path, below] of both)
    problem(path, `is a file and a folder at once, with ${below} ${below === 1 ? 'file' : 'files'} in it`)
  return { files, problems }
}

export async function openFolder(folder: string): Promise<Container> {
  const entries: (ContainedFile & { isFile: boolean })[] = []
  for (const entry of await entriesBelow(folder)) {
    if (entry.isDirectory() && !isTooDeep(folder, entry)) continue
    const full = join(entry.parentPath, entry.name)
    const path = relative(folder, full).split(sep).join('/')
    // A name that is not UTF-8 cannot be opened by its text: it is not measured, and dangerOf refuses it.
    const size = entry.isFile() && !dangerOf(path) ? (await lstat(full)).size : 0
    entries.push({ path, size, isFile: entry.isFile() })
  }
  return {
    kind: 'folder',
    name: basename(folder),
    ...soundFiles(entries),
    read: async (path) => createReadStream(join(folder, path)),
    close: () => {},
  }
}

/** Whether the names are those of a bag, even where its declaration was lost. */
export const looksLikeBag = (names: readonly string[]): boolean =>
  names.includes(DECLARATION) || names.some((name) => manifestKind(name) !== null)

/** Files up to this size are written in one step; larger ones are streamed. */
const AT_ONCE_BYTES = 8 * 1024 ** 2

interface Unpacking {
  readonly progress?: (bytes: number, total: number) => void
  /** Permissions of the files written. */
  readonly mode?: number
  readonly effects?: Effects
}

/**
 * Writes every file of a container without problems into `folder`, which exists and is empty. Returns the files
 * that could not be read.
 */
export async function unpack(
  container: Container,
  folder: string,
  { progress = () => {}, mode = 0o644, effects = disk }: Unpacking = {},
): Promise<ContainerProblem[]> {
  const files = [...container.files.values()]
  const total = files.reduce((sum, { size }) => sum + size, 0)
  await refuseBeyond(folder, total)
  const problems: ContainerProblem[] = []
  let done = 0
  for (const { path, size } of files) {
    const target = join(folder, path)
    makeFolders(dirname(target), effects)
    try {
      const content = await container.read(path)
      if (size <= AT_ONCE_BYTES) effects.create(target, await buffer(content), mode)
      else await pipeline(content, fileStream(target, mode))
    } catch (problem) {
      // An error with a syscall is about this computer and is thrown; any other is about the archive and is
      // reported.
      if ((problem as NodeJS.ErrnoException).syscall !== undefined) throw problem
      removeIfThere(target, effects)
      problems.push({ path, message: `${path} cannot be unpacked: ${(problem as Error).message}` })
    }
    done += size
    progress(done, total)
  }
  return problems
}

async function refuseBeyond(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bytes > bavail * bsize)
    throw new NoRoomError(
      `the archive unpacks to ${bytes} bytes, and ${bavail * bsize} are free where ${folder} is`,
    )
}
