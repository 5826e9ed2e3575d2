/**
 * Makes the folder of keys and state for the server's own user alone, and corrects its permissions where others
 * could read it.
 */
import { join, relative } from 'node:path'
import { closeBeyond, makeStateFolder, modesIn } from '../../builder/workspace/state-folder.ts'

export interface Corrected {
  readonly file: string
  /** The octal mode before the correction. */
  readonly mode: string
}

/** Within the state folder, outermost first. A group that may read the state folder may not read these. */
const PRIVATE: readonly (readonly [path: string, mode: number])[] = [
  ['oauth', 0o700],
  ['oauth/state', 0o700],
  ['oauth/keys.json', 0o600],
  ['oauth/state/data.mdb', 0o600],
  ['oauth/state/lock.mdb', 0o600],
]

/**
 * Corrects and reports permissions rather than refusing to start: that would lock clients out after a restored
 * backup, while whoever could read the files may have done so already. Throws where it cannot be corrected (another
 * owner).
 */
export function keepPrivate(state: string): readonly Corrected[] {
  makeStateFolder(state)
  const all = [['.', modesIn(state).folder] as const, ...PRIVATE]
  const corrected = all.flatMap(([name, mode]) => {
    const path = join(state, name)
    const was = closed(path, mode)
    return was === null ? [] : [{ file: relative(join(state, '..'), path), mode: was.toString(8) }]
  })
  makeStateFolder(join(state, 'oauth'), 'state')
  return corrected
}

function closed(path: string, mode: number): number | null {
  try {
    return closeBeyond(path, mode)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall !== 'chmod') throw cause
    const whom = (mode & 0o070) === 0 ? 'go' : 'o'
    throw new Error(
      `${path} is open to other users of this computer; run "chmod ${whom}= ${path}" as its owner`,
      { cause },
    )
  }
}
