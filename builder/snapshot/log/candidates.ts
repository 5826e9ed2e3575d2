/**
 * Owns the candidates that await approval. Each has a folder of its own below `candidates/`, which is complete from the
 * moment it has its name. A proposal is the line of the log as it would be entered, signed by whoever proposed it; next to
 * it lies the snapshot that a build or a restored archive would publish. Candidates are not served, and the repair of
 * interrupted publications ignores them.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { present } from '../../contract/present.ts'
import { createDurably, makeFolders, namesIn, removeTree } from '../../system/durable.ts'
import { isAbsent, MODES } from '../../system/effects.ts'
import { sha256 } from '../../system/hash.ts'
import { isNoFile, readFileSync } from '../../system/plain-file.ts'
import {
  CANDIDATES,
  candidateFolder,
  inputsStage,
  isHash,
  MANIFEST,
  PROPOSAL,
  parseSnapshotId,
  stageFolder,
} from '../files/layout.ts'
import { type Manifest, type Pointer, parseManifest } from '../files/manifest.ts'
import type { Change } from './change.ts'
import { readLog } from './log.ts'
import { type EventDetails, type LogEvent, type LogRecord, parseRecord } from './log-record.ts'

export interface Candidate {
  /**
   * SHA-256 of the line, which names the manifest of the snapshot: whoever reviewed this hash reviewed both. It is never taken
   * from the name of the folder, since whoever builds can rename folders.
   */
  readonly hash: string
  readonly folder: string
  /** The proposed line with the proposer's signature, which was not checked yet. */
  readonly line: string
  readonly record: LogRecord
  /** The folder of the snapshot that it would publish; null where it concerns a published snapshot. */
  readonly snapshot: string | null
  /** Whether the log has new lines since the proposal, which can then no longer be approved. */
  readonly isStale: boolean
}

/**
 * Lists the candidates of a company, oldest first, stale ones included. Those that cannot be read are left out, and of copies of one
 * all but one are: that in its own folder, if any is.
 */
export async function candidatesIn(folder: string): Promise<Candidate[]> {
  const all = join(folder, CANDIDATES)
  if (!isFolder(all)) return []
  const names = namesIn(all).filter((name) => isHash(name) && isFolder(join(all, name)))
  if (names.length === 0) return []
  const head = (await readLog(folder)).hashes.at(-1) ?? null
  const found = names
    .flatMap((name) => candidateIn(candidateFolder(folder, name), head) ?? [])
    .sort((a, b) => Number(isInPlace(a)) - Number(isInPlace(b)))
  return [...new Map(found.map((each) => [each.hash, each])).values()].sort((a, b) =>
    a.record.At < b.record.At ? -1 : 1,
  )
}

const isInPlace = ({ folder, hash }: Candidate): boolean => basename(folder) === hash

function candidateIn(folder: string, head: string | null): Candidate | null {
  const text = textOf(join(folder, PROPOSAL))
  const line = text?.trimEnd() ?? ''
  const record = parseRecord(line)
  if (record === null) return null
  const snapshot = join(folder, record.SnapshotId)
  const brings =
    parseSnapshotId(record.SnapshotId) !== null && isFolder(snapshot) && existsSync(join(snapshot, MANIFEST))
  const isStale = record.Before !== head
  return { hash: sha256(line), folder, line, record, snapshot: brings ? snapshot : null, isStale }
}

/** Whether the path is a real folder. The target of a link may change at any moment, so nothing behind a link is approved. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** The names of links among the candidates; they do not count as candidates. */
export const linkedCandidates = (folder: string): string[] =>
  [CANDIDATES, ...namesIn(join(folder, CANDIDATES)).map((name) => `${CANDIDATES}/${name}`)].filter((name) =>
    lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSymbolicLink(),
  )

/** The manifest of the snapshot that a candidate would publish, unverified; null where there is none. */
export function manifestOf({ snapshot }: Candidate): Manifest | null {
  const text = snapshot === null ? null : textOf(join(snapshot, MANIFEST))
  return text === null ? null : parseManifest(text)
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (problem) {
    if (isAbsent(problem) || isNoFile(problem)) return null
    throw problem
  }
}

/** The folder of a complete snapshot that was flushed to disk, and the folder of its kept sources, which may not exist. */
interface Staged {
  readonly folder: string
  readonly inputs: string
}

/**
 * Puts a proposal among the candidates, with the snapshot that it would publish. Returns its hash. A new build replaces earlier
 * candidates of builds.
 */
export async function addCandidate(
  change: Change,
  line: string,
  staged: Staged | null = null,
): Promise<string> {
  const { root, company, folder, effects } = change
  const record = present(parseRecord(line), 'record in the proposed line')
  const hash = sha256(line)
  const making = stageFolder(root, company, randomBytes(6).toString('hex'))
  effects.makeFolder(making)
  if (staged) {
    const place = join(making, record.SnapshotId)
    effects.rename(staged.folder, place)
    if (existsSync(staged.inputs)) effects.rename(staged.inputs, inputsStage(place))
  }
  createDurably(join(making, PROPOSAL), `${line}\n`, MODES.published, effects)
  effects.syncFolder(making)
  change.confirm()
  const candidates = join(folder, CANDIDATES)
  makeFolders(candidates, effects)
  effects.rename(making, candidateFolder(folder, hash))
  effects.syncFolder(candidates)
  effects.syncFolder(folder)
  if (record.Event === 'publish') await supersedeBuilds(change, hash)
  return hash
}

/**
 * Proposes an event if it needs the approval of somebody else. Returns the hash of its candidate, which may be an earlier one
 * of the same proposal. Returns null where the event can be done at once: no approval is required, or it was given.
 */
export async function waitFor(
  change: Change,
  event: LogEvent,
  pointer: Pointer,
  reason: string | null,
  details: EventDetails = {},
): Promise<string | null> {
  if (change.approvers.length === 0 || change.isApproved) return null
  const line = await change.propose(event, pointer, reason, details)
  const proposed = present(parseRecord(line), 'record in the proposed line')
  const waiting = (await candidatesIn(change.folder)).find(
    ({ record, isStale }) => !isStale && isSameProposal(record, proposed),
  )
  return waiting?.hash ?? addCandidate(change, line)
}

/** Whether two proposals differ at most in the time. */
const isSameProposal = (a: LogRecord, b: LogRecord): boolean =>
  JSON.stringify({ ...a, At: '' }) === JSON.stringify({ ...b, At: '' })

/** Removes the candidates of other builds, which no longer match the sources. `by` is the hash of the build that stays. */
export async function supersedeBuilds(change: Change, by: string): Promise<void> {
  for (const candidate of await candidatesIn(change.folder))
    if (candidate.record.Event === 'publish' && candidate.hash !== by) removeCandidate(change, candidate)
}

/** Renames the candidate's folder first, so that it disappears in one step; what a crash leaves is removed like a stage. */
function removeCandidate({ root, company, effects }: Change, { folder }: Candidate): void {
  const doomed = stageFolder(root, company, randomBytes(6).toString('hex'))
  effects.rename(folder, doomed)
  effects.syncFolder(dirname(folder))
  removeTree(doomed, effects)
}

/** Removes stale candidates, and the folder of all candidates if it is empty then. */
export async function removeStale(change: Change): Promise<void> {
  const { folder, effects } = change
  for (const candidate of await candidatesIn(folder))
    if (candidate.isStale) removeCandidate(change, candidate)
  const all = join(folder, CANDIDATES)
  if (existsSync(all) && namesIn(all).length === 0) effects.removeFolder(all)
}
