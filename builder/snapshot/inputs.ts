/**
 * Sources kept beside a company's snapshots, each once under its hash. What is kept are the bytes that were read: a
 * copy that has another hash means that the file changed meanwhile. They take their place before the snapshot does.
 */
import { existsSync, lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolders, namesIn, removeTree } from '../workspace/durable.ts'
import { disk, type Effects, isAbsent, MODES } from '../workspace/effects.ts'
import type { Change } from './change.ts'
import type { Damage } from './damage.ts'
import { type CheckedSnapshot, hashOf } from './files.ts'
import { INPUTS, inputPath, inputsFolder, inputsStage, snapshotFolder } from './layout.ts'
import { keptInputs, type Manifest } from './manifest.ts'

export interface KeptSource {
  /** For people: relative to the company's folder. */
  readonly file: string
  readonly path: string
  /** Of the bytes that were read. */
  readonly sha256: string
}

/** Copies beside the stage what is not kept yet, or is damaged there; gives the files that changed since they were read. */
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
    const copy = join(folder, sha256)
    try {
      effects.copy(path, copy)
    } catch (problem) {
      if (!isAbsent(problem)) throw problem
      changed.push(file)
      continue
    }
    if ((await hashOf(copy)) !== sha256) {
      effects.unlink(copy)
      changed.push(file)
      continue
    }
    effects.chmod(copy, MODES.published)
    effects.syncFile(copy)
    staged.add(sha256)
  }
  return changed
}

/** What was staged takes its place; called where a publication is certain, before its snapshot has a name. */
export function placeInputs(root: string, company: string, stage: string, effects: Effects = disk): void {
  const folder = inputsFolder(root, company)
  const staged = namesIn(inputsStage(stage))
  if (staged.length === 0) return
  // Before anything moves into it: else a power failure could leave what was moved in no folder at all.
  for (const made of makeFolders(folder, effects)) effects.syncFolder(dirname(made))
  for (const name of staged) effects.rename(join(inputsStage(stage), name), join(folder, name))
  effects.syncFolder(folder)
}

/** Sources that a snapshot keeps, and that lie neither beside it, in its stage, nor in their place. */
export async function lostInputs(
  { root, company }: Pick<Change, 'root' | 'company'>,
  stage: string,
  manifest: Manifest,
): Promise<string[]> {
  const lost: string[] = []
  for (const { Sha256 } of keptInputs(manifest)) {
    const places = [inputsStage(stage), inputsFolder(root, company)].map((folder) => join(folder, Sha256))
    const hashes = await Promise.all(places.map(hashIfFile))
    if (!hashes.includes(Sha256)) lost.push(manifest.Inputs.find((input) => input.Sha256 === Sha256)!.File)
  }
  return lost
}

/** A whole snapshot, synchronised, and the sources kept beside it take their places; until the pointer moves nobody reads it. */
export function placeSnapshot({ root, company, folder, effects }: Change, stage: string, id: string): void {
  placeInputs(root, company, stage, effects)
  effects.rename(stage, snapshotFolder(root, company, id))
  effects.syncFolder(folder)
}

export const discardInputs = (stage: string, effects: Effects = disk): void =>
  removeTree(inputsStage(stage), effects)

/** Null where there is no such file, or something else under its name. */
async function hashIfFile(path: string): Promise<string | null> {
  try {
    return lstatSync(path).isFile() ? await hashOf(path) : null
  } catch (problem) {
    if (isAbsent(problem)) return null
    throw problem
  }
}

interface InputsChecked {
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/** Those of one snapshot, beside it; a copy of the snapshot alone has none, which is no damage. */
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

/** Holds the kept sources of a company's folder against the manifests that name them. */
export async function checkInputs(
  folder: string,
  snapshots: readonly CheckedSnapshot[],
): Promise<InputsChecked> {
  const damages: Damage[] = []
  const named = new Set<string>()
  for (const { id, manifest } of snapshots)
    for (const { Sha256 } of manifest ? keptInputs(manifest) : []) {
      if (named.has(Sha256)) continue
      named.add(Sha256)
      const path = `${INPUTS}/${Sha256}`
      const file = manifest!.Inputs.find((input) => input.Sha256 === Sha256)!.File
      const hash = await hashIfFile(inputPath(folder, Sha256))
      if (hash === null)
        damages.push({
          kind: 'missing',
          snapshotId: id,
          path,
          message: `${path}, the kept ${file}, is missing`,
        })
      else if (hash !== Sha256)
        damages.push({
          kind: 'changed',
          snapshotId: id,
          path,
          message: `${path}, the kept ${file}, was changed: it has SHA-256 ${hash}`,
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
