/** Tells whether a build repeats what is published already, or what awaits approval. */
import { sha256 } from '../../system/hash.ts'
import { type Candidate, candidatesIn, manifestOf } from '../log/candidates.ts'
import type { Change } from '../log/change.ts'
import { hashOfFiles } from './files.ts'
import { isReport, RESTATEMENT } from './layout.ts'
import { type FileEntry, keptInputs, type Manifest, reasonIn } from './manifest.ts'

/** Gives the texts of the files that state the lock date, by their paths, as they would be with another lock date. */
export type Relocked = (lockedThrough: string | null) => ReadonlyMap<string, string>

/** Whether a build (`body`, `files`) equals the snapshot `before`. With `relocked`, a different lock date is no difference. */
export const isSameBuild = (
  before: Manifest,
  body: Pick<Manifest, 'Inputs'>,
  files: Iterable<FileEntry>,
  relocked: Relocked | null,
): boolean =>
  isSame(before.Files, relocked ? under(before, files, relocked) : files) && keepsAll(before, body)

/** The candidate of an earlier build with the same files and the same reason, which still awaits approval; else null. */
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
 * Whether all files are equal, books included: an entry that moves inside its month changes no monthly figure, but it changes
 * figures for parts of the month and the audit trail. Pages do not count, because they are derived and their layout may change.
 */
function isSame(before: Iterable<FileEntry>, now: Iterable<FileEntry>): boolean {
  // A restatement compares with the snapshot before, so the next build has none.
  const counts = (path: string) => path !== RESTATEMENT && !isReport(path)
  return hashOfFiles(before, counts) === hashOfFiles(now, counts)
}

/** The files of the build as they would be with the lock date of an earlier snapshot. */
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

/** Whether a snapshot keeps all sources that the build would keep. Other sources make a new snapshot, even with the same figures. */
function keepsAll(before: Manifest, now: Pick<Manifest, 'Inputs'>): boolean {
  const kept = new Set(keptInputs(before).map(({ Sha256 }) => Sha256))
  return keptInputs(now).every(({ Sha256 }) => kept.has(Sha256))
}
