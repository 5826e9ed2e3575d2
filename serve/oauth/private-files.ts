/** The folder of keys and state is for the server's own user alone: made so, and mended where it is not. */
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface Mended {
  readonly file: string
  /** Octal, as it was. */
  readonly mode: string
}

/** In `folder`, from the outside in. */
const PRIVATE: readonly (readonly [path: string, mode: number])[] = [
  ['.', 0o700],
  ['oauth', 0o700],
  ['oauth/state', 0o700],
  ['oauth/keys.json', 0o600],
  ['oauth/state/data.mdb', 0o600],
  ['oauth/state/lock.mdb', 0o600],
]

/**
 * Mended and told, rather than refused: a server that does not start after a restored backup would keep its clients
 * out, while whoever could read the files has read them already. What cannot be mended (another owner) is refused.
 */
export function keepPrivate(folder: string): readonly Mended[] {
  mkdirSync(join(folder, 'oauth/state'), { recursive: true, mode: 0o700 })
  return PRIVATE.flatMap(([name, mode]) => {
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || (stats.mode & 0o077) === 0) return []
    try {
      chmodSync(path, mode)
    } catch (cause) {
      throw new Error(
        `${path} is open to other users of this computer; run "chmod go= ${path}" as its owner`,
        {
          cause,
        },
      )
    }
    const file = relative(join(folder, '..'), path)
    return [{ file, mode: (stats.mode & 0o777).toString(8) }]
  })
}
