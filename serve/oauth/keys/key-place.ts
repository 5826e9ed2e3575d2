/** Where the keys are kept, which all servers of one state share: in a file, or sealed in the database of the state. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createOnce, replaceFile } from '../../../builder/system/durable.ts'
import { isThere } from '../../../builder/system/effects.ts'
import { readFileSync } from '../../../builder/system/plain-file.ts'
import { encodeKeys, type KeyFile, parseKeys } from './key-file.ts'

export interface KeyVersion {
  /** A text that differs for each version of the keys. */
  readonly mark: string
  readonly keys: KeyFile
}

export interface KeyPlace {
  /** The mark of the present version; null where only `read` can tell. */
  mark(): string | null
  /** Null where no keys were made yet. Throws where they cannot be read. */
  read(): Promise<KeyVersion | null>
  /** Stores the first keys. Does nothing where others were faster. */
  create(keys: KeyFile): Promise<void>
  /** False, with nothing changed, where the present version is no longer that of `mark`. Null replaces any version. */
  replace(mark: string | null, keys: KeyFile): Promise<boolean>
}

export const keyPath = (folder: string): string => join(folder, 'keys.json')

/** `folder`/keys.json (mode 0600), which is replaced as a whole. `folder` is that of the OAuth state. */
export function keysInFile(folder: string): KeyPlace {
  const path = keyPath(folder)
  let seen: string | null = null
  return {
    mark: () => {
      // Requests that arrive together share one look at the disk.
      if (seen === null) setImmediate(() => (seen = null))
      seen ??= markOf(path)
      return seen
    },
    read: async () => {
      if (!isThere(path)) return null
      // The mark is read first, so that a change in between is noticed later.
      const mark = markOf(path)
      return { mark, keys: readKeyFile(path) }
    },
    create: async (keys) => void createOnce(path, encodeKeys(keys), 0o600),
    replace: async (mark, keys) => {
      if (mark !== null && markOf(path) !== mark) return false
      replaceFile(path, encodeKeys(keys), 0o600)
      return true
    },
  }
}

function readKeyFile(path: string): KeyFile {
  try {
    return parseKeys(readFileSync(path, 'utf8'))
  } catch (cause) {
    const remedy = 'restore it from a backup, or remove it: every client then has to connect again'
    throw new Error(`${path} cannot be read or is damaged; ${remedy}`, { cause })
  }
}

/** Identifies a version of the file, which is replaced as a whole and therefore has another inode each time. */
function markOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino}-${mtimeNs}-${size}`
  } catch (problem) {
    // Reading the file will report the failure in words.
    return (problem as NodeJS.ErrnoException).code ?? 'unreadable'
  }
}
