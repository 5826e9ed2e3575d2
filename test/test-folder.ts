/**
 * The folder for what tests write. It lies in memory where there is room, since tests synchronise small files so often that half of their
 * time was spent waiting for the disk. Where there is none, or TMPDIR names a folder, it lies where temporary files do.
 */

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** The largest tests write a gigabyte, and three of them may run at once. */
const ROOM = 8 * 1024 ** 3

export class TestFolder {
  readonly #path = process.env.TMPDIR === undefined && hasRoom() ? madeIn(MEMORY) : null
  /** For the processes that run tests. */
  readonly env = this.#path === null ? {} : { TMPDIR: this.#path }

  remove(): void {
    if (this.#path !== null) rmSync(this.#path, { recursive: true, force: true, maxRetries: 5 })
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM
  } catch {
    // Only Linux has it.
    return false
  }
}

/** Null where programs cannot be run there, which some tests write. */
function madeIn(parent: string): string | null {
  try {
    const path = mkdtempSync(join(parent, 'tieout-test-'))
    // Servers that tests start as another user have folders of their own below it.
    chmodSync(path, 0o711)
    const program = join(path, 'program')
    writeFileSync(program, '#!/bin/sh\n')
    chmodSync(program, 0o700)
    if (spawnSync(program).status === 0) return path
    rmSync(path, { recursive: true })
  } catch {
    // Not writable for this user.
  }
  return null
}
