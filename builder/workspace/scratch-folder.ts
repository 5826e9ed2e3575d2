/** Temporary folders, which are gone when their work is done, and when the program is stopped. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { undoWhenStopped } from './interrupt.ts'

export interface ScratchFolder {
  readonly path: string
  remove(): void
}

/** A new folder of this user alone; `use` says in its name what it is for. */
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
