/**
 * Removes snapshots so that each is complete or gone at every moment. First the manifest is copied to where it is kept, then
 * the log records the removal, then the folder is renamed in one step, and only then its files are removed. A process that has
 * a file open can go on reading it.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createDurably, makeFolders, namesIn, removeIfThere, removeTree } from '../../system/durable.ts'
import { cannotLink, type Effects, MODES } from '../../system/effects.ts'
import { readFileSync } from '../../system/plain-file.ts'
import {
  doomedFolder,
  INPUTS,
  inputPath,
  isHash,
  MANIFEST_FILES,
  PRUNED,
  parseSnapshotId,
  prunedFolder,
} from '../files/layout.ts'
import { keptInputs, type Manifest, type Pointer } from '../files/manifest.ts'
import type { Change } from './change.ts'
import { adoptedRests } from './check-stamps.ts'
import type { EventDetails } from './log-record.ts'

/** Removes several snapshots with one line of the log, as one decision. */
export async function removeSnapshots(
  change: Change,
  pointers: readonly Pointer[],
  reason: string | null,
): Promise<void> {
  const { folder, effects } = change
  const [first, ...Also] = pointers
  if (!first) return
  for (const { SnapshotId } of pointers) keepManifest(folder, SnapshotId, effects)
  await change.record('prune', first, reason, pruningOf(Also))
  for (const { SnapshotId } of pointers) takeAway(folder, SnapshotId, effects)
}

/** The details of a line that removes several snapshots: all but the first. */
export const pruningOf = (Also: readonly Pointer[]): EventDetails => (Also.length > 0 ? { Also } : {})

/** Finishes removals that were interrupted, and discards what was kept for removals that never reached the log. */
export async function finishRemovals({ folder, history, effects }: Change): Promise<void> {
  for (const id of history.pruned.keys()) if (existsSync(join(folder, id))) takeAway(folder, id, effects)
  const adopted = await adoptedRests(folder, history)
  for (const id of namesIn(join(folder, PRUNED)))
    if (parseSnapshotId(id) && !history.pruned.has(id) && !adopted.includes(id))
      removeTree(prunedFolder(folder, id), effects)
}

function keepManifest(folder: string, id: string, effects: Effects): void {
  const kept = prunedFolder(folder, id)
  // An interrupted pruning may have left a part of it.
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

/** The hashes of kept sources that none of these manifests names. */
export function unnamedInputs(folder: string, manifests: readonly Manifest[]): string[] {
  const named = new Set(manifests.flatMap((manifest) => keptInputs(manifest).map(({ Sha256 }) => Sha256)))
  return namesIn(join(folder, INPUTS)).filter((name) => isHash(name) && !named.has(name))
}

/** Removes kept sources by their hashes. */
export function removeInputs({ folder, effects }: Change, hashes: readonly string[]): void {
  for (const hash of hashes) removeIfThere(inputPath(folder, hash), effects)
  if (hashes.length > 0) effects.syncFolder(join(folder, INPUTS))
}

/** The disk space in bytes that the removal of these folders and files frees. A file with hard links elsewhere frees nothing. */
export function freedBytes(paths: readonly string[]): number {
  const files = new Map<string, { links: number; names: number; bytes: number }>()
  let folders = 0
  const look = (path: string): void => {
    const stat = lstatSync(path)
    if (stat.isDirectory()) {
      folders += stat.blocks * 512
      for (const name of readdirSync(path)) look(join(path, name))
      return
    }
    const { dev, ino, nlink, blocks, size } = stat
    const key = `${dev} ${ino}`
    // Some file systems report no block count.
    const known = files.get(key) ?? { links: nlink, names: 0, bytes: blocks > 0 ? blocks * 512 : size }
    files.set(key, { ...known, names: known.names + 1 })
  }
  for (const path of paths) look(path)
  return [...files.values()].reduce(
    (sum, { links, names, bytes }) => sum + (names === links ? bytes : 0),
    folders,
  )
}
