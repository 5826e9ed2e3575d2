/** Makes temporary folders, which are removed when their work is done or the program is stopped. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { undoWhenStopped } from './interrupt.ts'

export interface ScratchFolder {
  readonly path: string
  remove(): void
}

/** A new folder in `parent` that only this user can read. Its name contains `use`. */
export function scratchFolder(use: string, parent = tmpdir()): ScratchFolder {
  const path = mkdtempSync(join(parent, `tieout-${use}-`))
  const empty = () => rmSync(path, { recursive: true, force: true })
  const forget = undoWhenStopped(empty)
  return {
    path,
    remove: () => {
      empty()
      forget()
    },
  }
}
