/**
 * Folders of state: `.tieout`, and the server's own where `server.state` names another. Each is for its owner alone, or,
 * where its owner let the group write (`chmod 2770`), for that group: several people who build, or who look at what the
 * server holds.
 */
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MODES } from './effects.ts'

const GROUP_WRITES = 0o020

/** For what lies in the folder; the umask may take away more. */
export function modesIn(state: string): { readonly folder: number; readonly file: number } {
  const mode = statSync(state, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & GROUP_WRITES) === 0 ? { folder: 0o700, file: 0o600 } : MODES
}

/** Makes what is missing of the folder and of those below it; gives the last one. */
export function makeStateFolder(state: string, ...below: readonly string[]): string {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const path = join(state, ...below)
  mkdirSync(path, { recursive: true, mode: modesIn(state).folder })
  return path
}

/** Takes away what a file or folder allows beyond `mode`; gives what it allowed, or null where that was no more. */
export function closeBeyond(path: string, mode: number): number | null {
  const was = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  if ((was & ~mode) === 0) return null
  chmodSync(path, was & mode)
  return was
}
