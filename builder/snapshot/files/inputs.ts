/**
 * Keeps source files with a company's snapshots, each once under its hash. The bytes that were read are kept: a copy with
 * another hash means that the file changed meanwhile. Kept sources are put in place before the snapshot.
 */
import { existsSync, lstatSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolders, namesIn, removeTree, syncTree } from '../../system/durable.ts'
import { disk, type Effects, isAbsent, MODES } from '../../system/effects.ts'
import { sha256OfFile } from '../../system/hash.ts'
import type { Change } from '../log/change.ts'
import type { Damage } from './damage.ts'
import type { CheckedSnapshot } from './files.ts'
import { INPUTS, inputPath, inputsFolder, inputsStage, MANIFEST, snapshotFolder } from './layout.ts'
import { keptInputs, type Manifest } from './manifest.ts'

export interface KeptSource {
  /** Path relative to the company's folder, for messages. */
  readonly file: string
  readonly path: string
  /** SHA-256 of the bytes that were read. */
  readonly sha256: string
}

/**
 * Copies to the stage the sources that are not kept yet, or whose kept copy is damaged, and flushes the copies to disk. Returns the
 * files that changed since they were read.
 */
export async function stageInputs(
  root: string,
  company: string,
  stage: string,
  sources: readonly KeptSource[],
  effects: Effects = disk,
): Promise<string[]> {
  const folder = inputsStage(stage)
  const changed: string[] = []
  const staged = new Set<string>()
  for (const { file, path, sha256 } of sources) {
    const kept = join(inputsFolder(root, company), sha256)
    if (staged.has(sha256) || (await hashIfFile(kept)) === sha256) continue
    makeFolders(folder, effects)
    if (await isCopied(path, join(folder, sha256), sha256, effects)) staged.add(sha256)
    else changed.push(file)
  }
  if (staged.size > 0) await syncTree(folder, staged, [], effects)
  return changed
}

/** Copies a file; false, and nothing is left, where it is no file any more or has another hash. */
async function isCopied(path: string, copy: string, sha256: string, effects: Effects): Promise<boolean> {
  // To open a pipe would wait for its writer.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
  try {
    effects.copy(path, copy)
  } catch (problem) {
    if (isAbsent(problem)) return false
    throw problem
  }
  if ((await sha256OfFile(copy)) !== sha256) {
    effects.unlink(copy)
    return false
  }
  effects.chmod(copy, MODES.published)
  return true
}

/** Moves staged sources to their place. It is called when the publication is certain, before the snapshot has its name. */
export function placeInputs(root: string, company: string, stage: string, effects: Effects = disk): void {
  const folder = inputsFolder(root, company)
  const staged = namesIn(inputsStage(stage))
  if (staged.length === 0) return
  // The new folders are flushed first: a power failure could otherwise lose files that were moved into them.
  for (const made of makeFolders(folder, effects)) effects.syncFolder(dirname(made))
  for (const name of staged) effects.rename(join(inputsStage(stage), name), join(folder, name))
  effects.syncFolder(folder)
}

/** The kept sources of a snapshot (file names) that are neither in its stage nor in their place. */
export async function lostInputs(
  { root, company }: Pick<Change, 'root' | 'company'>,
  stage: string,
  manifest: Manifest,
): Promise<string[]> {
  const lost: string[] = []
  for (const { Sha256, File } of keptInputs(manifest)) {
    const places = [inputsStage(stage), inputsFolder(root, company)].map((folder) => join(folder, Sha256))
    const hashes = await Promise.all(places.map(hashIfFile))
    if (!hashes.includes(Sha256)) lost.push(File)
  }
  return lost
}

/** Moves a complete snapshot and its kept sources to their places. Nobody reads it until the pointer moves. */
export function placeSnapshot({ root, company, folder, effects }: Change, stage: string, id: string): void {
  placeInputs(root, company, stage, effects)
  effects.rename(stage, snapshotFolder(root, company, id))
  effects.syncFolder(folder)
}

/** Removes the staged sources. */
export const discardInputs = (stage: string, effects: Effects = disk): void =>
  removeTree(inputsStage(stage), effects)

/** SHA-256 of a file; null if there is none, or if the path is not a real file. */
async function hashIfFile(path: string): Promise<string | null> {
  try {
    return lstatSync(path).isFile() ? await sha256OfFile(path) : null
  } catch (problem) {
    if (isAbsent(problem)) return null
    throw problem
  }
}

interface InputsChecked {
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/** Checks the kept sources of one snapshot. A copy of the snapshot without the company's `inputs/` only gets a note. */
export async function checkInputsOf(folder: string, snapshot: CheckedSnapshot): Promise<InputsChecked> {
  const count = snapshot.manifest ? keptInputs(snapshot.manifest).length : 0
  if (count === 0) return { damages: [], notes: [] }
  const company = dirname(folder)
  if (existsSync(join(company, INPUTS))) return { ...(await checkInputs(company, [snapshot])), notes: [] }
  return {
    damages: [],
    notes: [`the ${count} sources kept with ${snapshot.id} are not here: ${INPUTS}/ of its company`],
  }
}

/** Checks the kept sources of a company against the manifests that name them. */
export async function checkInputs(
  folder: string,
  snapshots: readonly CheckedSnapshot[],
): Promise<InputsChecked> {
  const damages: Damage[] = []
  /** The hash and the size that each kept file has now; null where it is missing. */
  const named = new Map<string, { readonly hash: string; readonly size: number } | null>()
  for (const { id, manifest } of snapshots)
    for (const { Sha256, File: file, Bytes } of manifest ? keptInputs(manifest) : []) {
      const path = `${INPUTS}/${Sha256}`
      const kept = inputPath(folder, Sha256)
      const isFirst = !named.has(Sha256)
      if (isFirst) {
        const hash = await hashIfFile(kept)
        named.set(Sha256, hash === null ? null : { hash, size: lstatSync(kept).size })
      }
      const found = named.get(Sha256) ?? null
      if (found?.hash === Sha256 && found.size !== Bytes)
        damages.push({
          kind: 'changed',
          snapshotId: id,
          path,
          message: `${MANIFEST} of ${id} states that ${Bytes} bytes of ${file} were read, which has ${found.size}`,
        })
      if (!isFirst) continue
      if (found === null)
        damages.push({
          kind: 'missing',
          snapshotId: id,
          path,
          message: `${path}, the kept ${file}, is missing`,
        })
      else if (found.hash !== Sha256)
        damages.push({
          kind: 'changed',
          snapshotId: id,
          path,
          message: `${path}, the kept ${file}, was changed: it has SHA-256 ${found.hash}`,
        })
    }
  const present = await readdir(join(folder, INPUTS)).catch((problem: unknown) => {
    if (isAbsent(problem)) return []
    throw problem
  })
  const others = present.filter((name) => !named.has(name)).length
  return {
    damages,
    notes: others === 0 ? [] : [`${others} of the files in ${INPUTS}/ are of no snapshot that is here`],
  }
}
