/**
 * The places where the text that says who may sign in is kept: access.yaml of a workspace, or what several servers
 * share instead.
 */
import { chownSync, existsSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { replaceFile } from '../../system/durable.ts'
import { disk, type Effects } from '../../system/effects.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'

export interface AccessPlace {
  /** As findings name it. */
  readonly name: string
  /** Null where there are no users and clients yet. */
  read(): Promise<string | null>
  /** False, with nothing changed, where the text is no longer `before`. */
  replace(before: string | null, after: string): Promise<boolean>
}

export function accessFile(path: string): AccessPlace {
  const read = (): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  return {
    name: basename(path),
    read: async () => read(),
    replace: async (before, after) => {
      if (read() !== before) return false
      replaceKeepingOwner(path, after)
      return true
    },
  }
}

/** Replaces the file and keeps its owner, group and mode, so that the server can still read it, whoever edits it. */
function replaceKeepingOwner(path: string, text: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) {
    replaceFile(path, text, 0o600)
    return
  }
  const owned: Effects = {
    ...disk,
    create: (next, bytes, mode) => {
      disk.create(next, bytes, mode)
      keepOwner(next, stats)
    },
  }
  // A file that everybody can read is a mistake; one that a group can read may be intended.
  const mode = (stats.mode & 0o007) === 0 ? stats.mode & 0o640 : 0o600
  replaceFile(path, text, mode, owned)
}

/** Restores owner and group. Only root can change the owner; others can choose a group to which they belong. */
function keepOwner(path: string, { uid, gid }: Stats): void {
  const made = statSync(path)
  if (made.uid === uid && made.gid === gid) return
  try {
    chownSync(path, process.getuid?.() === 0 ? uid : made.uid, gid)
  } catch {
    throw new ChangeRefusedError(
      'access.yaml belongs to a group that you are not in, so that the server could not read it any more; change it as its owner',
    )
  }
}
