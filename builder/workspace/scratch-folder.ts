/** Makes temporary folders, which are removed when their work is done or the program is stopped. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { undoWhenStopped } from './interrupt.ts'

export interface ScratchFolder {
  readonly path: string
  remove(): void
}

/** A new folder that only this user can read. Its name contains `use`. */
export function scratchFolder(use: string): ScratchFolder {
  const path = mkdtempSync(join(tmpdir(), `tieout-${use}-`))
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
