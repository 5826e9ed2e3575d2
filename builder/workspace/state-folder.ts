/**
 * Owns the modes of state folders: `.tieout`, and that of the server if `server.state` names another. Such a folder is for its
 * owner only. If the owner lets the group write (`chmod 2770`), it is for the group, so that several people can build.
 */
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MODES } from '../system/effects.ts'

const GROUP_WRITES = 0o020

/** The modes of folders and files in a state folder. The umask may restrict them further. */
export function modesIn(state: string): { readonly folder: number; readonly file: number } {
  const mode = statSync(state, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & GROUP_WRITES) === 0 ? { folder: 0o700, file: 0o600 } : MODES
}

/** Creates the state folder and the folders below it, as far as they are missing. Returns the last one. */
export function makeStateFolder(state: string, ...below: readonly string[]): string {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const path = join(state, ...below)
  mkdirSync(path, { recursive: true, mode: modesIn(state).folder })
  return path
}

/** Restricts a file or folder to `mode`. Returns its former mode, or null if it allowed no more. */
export function closeBeyond(path: string, mode: number): number | null {
  const was = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  if ((was & ~mode) === 0) return null
  chmodSync(path, was & mode)
  return was
}
