/**
 * A model of a disk that loses power (after ALICE, OSDI '14): what was done is recorded as changes of names and of data;
 * a crash keeps all that was synchronised, and any part of the rest, data torn too. Strict: a name is durable only when
 * its folder was synchronised, data only when its file was, and nothing keeps an order between them.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Effects } from '../../builder/system/effects.ts'

type Inode = number
const ROOT: Inode = 0

/** Entries of folders and bytes of files, by inode: what a disk holds, whatever leads to it. */
interface Disk {
  readonly folders: Map<Inode, Map<string, Inode>>
  readonly files: Map<Inode, Buffer>
}

/** One change, with the inodes whose synchronisation makes it durable. */
interface Change {
  readonly what: string
  readonly of: readonly Inode[]
  apply(disk: Disk, torn: boolean): void
  readonly isData: boolean
}

export type Step = { readonly change: Change } | { readonly sync: Inode | 'all' }

export interface Recording {
  readonly effects: Effects
  readonly steps: Step[]
  /** What is there after a crash: `keep` says of each change so far whether it happened, or how. */
  crash(until: number, fate: (change: Change, index: number) => 'kept' | 'lost' | 'torn'): Disk
  /** Changes so far that nothing has made durable, by their index. */
  pending(until: number): { readonly index: number; readonly change: Change }[]
}

/** Records what is done below `root` while it is done there. `allAtOnce`: whether there is a sync of everything. */
export function record(root: string, base: Effects, allAtOnce: boolean): Recording {
  const before: Disk = { folders: new Map(), files: new Map() }
  const inodes = new Map<string, Inode>()
  let last: Inode = ROOT
  const load = (path: string, inode: Inode): void => {
    inodes.set(path, inode)
    if (!statSync(path).isDirectory()) {
      before.files.set(inode, readFileSync(path))
      return
    }
    const entries = new Map<string, Inode>()
    before.folders.set(inode, entries)
    for (const name of readdirSync(path)) {
      entries.set(name, ++last)
      load(join(path, name), last)
    }
  }
  mkdirSync(root, { recursive: true })
  load(root, ROOT)

  const steps: Step[] = []
  const made: Inode[] = []
  const inodeOf = (path: string): Inode => {
    const inode = inodes.get(path)
    if (inode === undefined) throw new Error(`${path} was not made through the effects`)
    return inode
  }
  const push = (what: string, of: readonly Inode[], isData: boolean, apply: Change['apply']): void => {
    steps.push({ change: { what, of, isData, apply } })
  }
  const name = (path: string, inode: Inode): void => {
    const folder = inodeOf(dirname(path))
    inodes.set(path, inode)
    push(`name ${shown(path)}`, [folder], false, (disk) =>
      disk.folders.get(folder)?.set(basename(path), inode),
    )
  }
  const unname = (path: string, what: string): void => {
    const folder = inodeOf(dirname(path))
    inodes.delete(path)
    push(`${what} ${shown(path)}`, [folder], false, (disk) =>
      disk.folders.get(folder)?.delete(basename(path)),
    )
  }
  const shown = (path: string): string => relative(root, path)
  const addFile = (path: string, bytes: Buffer): void => {
    const inode = ++last
    name(path, inode)
    // A file without its data is empty; torn, its second half are zeros.
    push(`data of ${shown(path)}`, [inode], true, (disk, torn) => {
      const whole = torn
        ? Buffer.concat([
            bytes.subarray(0, bytes.length / 2),
            Buffer.alloc(bytes.length - Math.floor(bytes.length / 2)),
          ])
        : bytes
      disk.files.set(inode, whole)
    })
  }

  const effects: Effects = {
    ...base,
    makeFolder: (path, mode) => {
      base.makeFolder(path, mode)
      made.push(++last)
      name(path, last)
    },
    create: (path, bytes, mode) => {
      base.create(path, bytes, mode)
      addFile(path, Buffer.from(bytes as Uint8Array))
    },
    copy: (from, to) => {
      base.copy(from, to)
      addFile(to, readFileSync(to))
    },
    append: (path, text, mode) => {
      base.append(path, text, mode)
      if (!inodes.has(path)) return addFile(path, Buffer.from(text))
      const inode = inodeOf(path)
      push(`more data of ${shown(path)}`, [inode], true, (disk, torn) => {
        const bytes = Buffer.from(text)
        const half = Buffer.alloc(bytes.length)
        bytes.copy(half, 0, 0, bytes.length / 2)
        disk.files.set(inode, Buffer.concat([disk.files.get(inode) ?? Buffer.alloc(0), torn ? half : bytes]))
      })
    },
    truncate: (path, bytes) => {
      base.truncate(path, bytes)
      const inode = inodeOf(path)
      push(`cut of ${shown(path)}`, [inode], true, (disk) =>
        disk.files.set(inode, (disk.files.get(inode) ?? Buffer.alloc(0)).subarray(0, bytes)),
      )
    },
    link: (from, to) => {
      base.link(from, to)
      name(to, inodeOf(from))
    },
    rename: (from, to) => {
      base.rename(from, to)
      const [source, target, inode] = [inodeOf(dirname(from)), inodeOf(dirname(to)), inodeOf(from)]
      for (const [path, each] of [...inodes])
        if (path === from || path.startsWith(from + sep)) {
          inodes.delete(path)
          inodes.set(to + path.slice(from.length), each)
        }
      push(`rename ${shown(from)} ${shown(to)}`, [source, target], false, (disk) => {
        const entries = disk.folders.get(source)
        if (entries?.get(basename(from)) === inode) entries.delete(basename(from))
        disk.folders.get(target)?.set(basename(to), inode)
      })
    },
    unlink: (path) => {
      base.unlink(path)
      unname(path, 'unlink')
    },
    removeFolder: (path) => {
      base.removeFolder(path)
      unname(path, 'rmdir')
    },
    syncFile: (path) => void steps.push({ sync: inodeOf(path) }),
    syncFolder: (path) => void steps.push({ sync: inodeOf(path) }),
    syncAll: async () => {
      if (allAtOnce) steps.push({ sync: 'all' })
      return allAtOnce
    },
  }

  const pending: Recording['pending'] = (until) => {
    const open: { index: number; change: Change }[] = []
    for (const [index, step] of steps.slice(0, until).entries())
      if ('change' in step) open.push({ index, change: step.change })
      else
        for (let i = open.length - 1; i >= 0; i--)
          if (step.sync === 'all' || open[i]!.change.of.includes(step.sync)) open.splice(i, 1)
    return open
  }

  const crash: Recording['crash'] = (until, fate) => {
    const disk: Disk = {
      folders: new Map([...before.folders].map(([inode, entries]) => [inode, new Map(entries)])),
      files: new Map(before.files),
    }
    // A folder comes with its name; what is in one that no name leads to is lost with it.
    for (const inode of made) disk.folders.set(inode, new Map())
    const open = new Set(pending(until).map(({ index }) => index))
    for (const [index, step] of steps.slice(0, until).entries()) {
      if (!('change' in step)) continue
      const how = open.has(index) ? fate(step.change, index) : 'kept'
      if (how !== 'lost') step.change.apply(disk, how === 'torn')
    }
    return disk
  }
  return { effects, steps, crash, pending }
}

/** Tells two crashes apart by what they leave. */
export function digest({ folders, files }: Disk): string {
  const lines: string[] = []
  walk({ folders, files }, (path, bytes) => lines.push(`${path} ${bytes?.toString('base64') ?? '/'}`))
  return lines.sort().join('\n')
}

/** Puts what a crash left into a folder. */
export function restore(disk: Disk, root: string): void {
  walk(disk, (path, bytes) => {
    if (bytes === null) mkdirSync(join(root, path), { recursive: true })
    else writeFileSync(join(root, path), bytes)
  })
}

function walk({ folders, files }: Disk, see: (path: string, bytes: Buffer | null) => void): void {
  const visit = (inode: Inode, path: string): void => {
    const entries = folders.get(inode)
    // A name whose data never came is an empty file.
    see(path, entries ? null : (files.get(inode) ?? Buffer.alloc(0)))
    for (const [name, each] of entries ?? []) visit(each, join(path, name))
  }
  visit(ROOT, '.')
}
