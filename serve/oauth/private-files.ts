/** The folder of keys and state is for the server's own user alone: made so, and corrected where it is not. */
import { join, relative } from 'node:path'
import { closeBeyond, makeStateFolder, modesIn } from '../../builder/workspace/state-folder.ts'

export interface Corrected {
  readonly file: string
  /** Octal, as it was. */
  readonly mode: string
}

/** In the folder of state, from the outside in; a group that it was opened to has no part in these. */
const PRIVATE: readonly (readonly [path: string, mode: number])[] = [
  ['oauth', 0o700],
  ['oauth/state', 0o700],
  ['oauth/keys.json', 0o600],
  ['oauth/state/data.mdb', 0o600],
  ['oauth/state/lock.mdb', 0o600],
]

/**
 * Corrected and told, rather than refused: a server that does not start after a restored backup would keep its clients
 * out, while whoever could read the files has read them already. What cannot be corrected (another owner) is refused.
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
