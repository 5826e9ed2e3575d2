/**
 * Removes snapshots so that at every moment each is whole or gone: first what stays of it is in its place, then the log
 * says so, then it loses its name in one step, and only then its files go. Who has a file open goes on reading it.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createDurably, makeFolders, namesIn, removeIfThere, removeTree } from '../workspace/durable.ts'
import { cannotLink, type Effects, MODES } from '../workspace/effects.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import type { Change } from './change.ts'
import {
  doomedFolder,
  INPUTS,
  inputPath,
  isHash,
  MANIFEST_FILES,
  PRUNED,
  parseSnapshotId,
  prunedFolder,
} from './layout.ts'
import type { EventDetails } from './log.ts'
import { keptInputs, type Manifest, type Pointer } from './manifest.ts'

/** By one line of the log: one decision. */
export async function removeSnapshots(
  change: Change,
  pointers: readonly Pointer[],
  reason: string,
): Promise<void> {
  const { folder, effects } = change
  const [first, ...Also] = pointers
  if (!first) return
  for (const { SnapshotId } of pointers) keepManifest(folder, SnapshotId, effects)
  await change.record('prune', first, reason, pruningOf(Also))
  for (const { SnapshotId } of pointers) takeAway(folder, SnapshotId, effects)
}

/** What a line says beside the first snapshot that it removes. */
export const pruningOf = (Also: readonly Pointer[]): EventDetails => (Also.length > 0 ? { Also } : {})

/** What an earlier pruning did not come to the end of. */
export function finishRemovals({ folder, history, effects }: Change): void {
  for (const id of history.pruned.keys()) if (existsSync(join(folder, id))) takeAway(folder, id, effects)
  for (const id of namesIn(join(folder, PRUNED)))
    if (parseSnapshotId(id) && !history.pruned.has(id)) removeTree(prunedFolder(folder, id), effects)
}

function keepManifest(folder: string, id: string, effects: Effects): void {
  const kept = prunedFolder(folder, id)
  // Of a pruning that was interrupted.
  removeTree(kept, effects)
  makeFolders(kept, effects)
  for (const name of MANIFEST_FILES.filter((each) => existsSync(join(folder, id, each)))) {
    const [from, to] = [join(folder, id, name), join(kept, name)]
    try {
      effects.link(from, to)
    } catch (problem) {
      if (!cannotLink(problem)) throw problem
      createDurably(to, readFileSync(from), MODES.published, effects)
    }
  }
  for (const path of [kept, join(folder, PRUNED), folder]) effects.syncFolder(path)
}

function takeAway(folder: string, id: string, effects: Effects): void {
  effects.rename(join(folder, id), doomedFolder(folder, id))
  effects.syncFolder(folder)
  removeTree(doomedFolder(folder, id), effects)
}

/** Kept sources that none of these manifests names, by their hashes. */
export function unnamedInputs(folder: string, manifests: readonly Manifest[]): string[] {
  const named = new Set(manifests.flatMap((manifest) => keptInputs(manifest).map(({ Sha256 }) => Sha256)))
  return namesIn(join(folder, INPUTS)).filter((name) => isHash(name) && !named.has(name))
}

export function removeInputs({ folder, effects }: Change, hashes: readonly string[]): void {
  for (const hash of hashes) removeIfThere(inputPath(folder, hash), effects)
  if (hashes.length > 0) effects.syncFolder(join(folder, INPUTS))
}

/** What removing these folders and files gives back, in bytes of the disk: a file with other names elsewhere gives nothing. */
export function freedBytes(paths: readonly string[]): number {
  const files = new Map<string, { links: number; names: number; bytes: number }>()
  const look = (path: string): void => {
    const stat = lstatSync(path)
    if (stat.isDirectory()) {
      for (const name of readdirSync(path)) look(join(path, name))
      return
    }
    const { dev, ino, nlink, blocks, size } = stat
    const key = `${dev} ${ino}`
    // Some file systems do not tell blocks.
    const known = files.get(key) ?? { links: nlink, names: 0, bytes: blocks > 0 ? blocks * 512 : size }
    files.set(key, { ...known, names: known.names + 1 })
  }
  for (const path of paths) look(path)
  return [...files.values()].reduce((sum, { links, names, bytes }) => sum + (names === links ? bytes : 0), 0)
}
