/** Whether a build has made what is published, or what waits for approval, once more. */

import { sha256 } from '../workspace/hash.ts'
import { type Candidate, candidatesIn, manifestOf } from './candidates.ts'
import type { Change } from './change.ts'
import { hashOfFiles } from './files.ts'
import { isReport, RESTATEMENT } from './layout.ts'
import { type FileEntry, keptInputs, type Manifest, reasonIn } from './manifest.ts'

/** The files that state the lock date, by their paths, as they are under another one. */
export type Relocked = (lockedThrough: string | null) => ReadonlyMap<string, string>

/** `body` and `files` are of the build; its lock date may be another one than that of `before`, where `relocked` is given. */
export const isSameBuild = (
  before: Manifest,
  body: Pick<Manifest, 'Inputs'>,
  files: Iterable<FileEntry>,
  relocked: Relocked | null,
): boolean =>
  isSame(before.Files, relocked ? under(before, files, relocked) : files) && keepsAll(before, body)

/** What an earlier build made of the same, for the same reason, and that still waits for approval. */
export async function waitingBuild(
  change: Change,
  body: Pick<Manifest, 'Inputs' | 'Restatement'>,
  files: Iterable<FileEntry>,
): Promise<Candidate | null> {
  if (change.approvers.length === 0) return null
  const isIt = (candidate: Candidate): boolean => {
    const manifest = candidate.isStale || candidate.record.Event !== 'publish' ? null : manifestOf(candidate)
    return (
      manifest !== null && isSameBuild(manifest, body, files, null) && reasonIn(manifest) === reasonIn(body)
    )
  }
  return (await candidatesIn(change.folder)).find(isIt) ?? null
}

/**
 * Every file equal, the books too: an entry moved inside its month changes no monthly figure, but it changes what is
 * answered for a part of that month, and where figures come from. Pages follow from the figures, in a layout that may change.
 */
function isSame(before: Iterable<FileEntry>, now: Iterable<FileEntry>): boolean {
  // What a snapshot restated is about the one before it: the next build has none of it.
  const counts = (path: string) => path !== RESTATEMENT && !isReport(path)
  return hashOfFiles(before, counts) === hashOfFiles(now, counts)
}

/** The files as they were under the lock date of an earlier snapshot. */
function* under(
  { LockedThrough = null }: Manifest,
  files: Iterable<FileEntry>,
  relocked: Relocked,
): Generator<FileEntry> {
  const texts = relocked(LockedThrough)
  for (const file of files) {
    const text = texts.get(file.Path)
    yield text === undefined ? file : { ...file, Sha256: sha256(text) }
  }
}

/** Sources that are to be kept are a part of the snapshot: others make another one, with the same figures. */
function keepsAll(before: Manifest, now: Pick<Manifest, 'Inputs'>): boolean {
  const kept = new Set(keptInputs(before).map(({ Sha256 }) => Sha256))
  return keptInputs(now).every(({ Sha256 }) => kept.has(Sha256))
}
