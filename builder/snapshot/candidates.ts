/**
 * What waits for approval: each in a folder of its own below `candidates/`, whole from the moment it has its name. A proposal is
 * the line of the log as it would be entered, signed by whoever proposed it; beside it lies, of a build or an archive, the
 * snapshot that it would publish. Nothing here is served, and nothing that finishes interrupted publications looks here.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { createDurably, makeFolders, namesIn, removeTree } from '../workspace/durable.ts'
import { isAbsent, MODES } from '../workspace/effects.ts'
import { sha256 } from '../workspace/hash.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import type { Change } from './change.ts'
import {
  CANDIDATES,
  candidateFolder,
  inputsStage,
  isHash,
  MANIFEST,
  PROPOSAL,
  parseSnapshotId,
  stageFolder,
} from './layout.ts'
import { type EventDetails, type LogEvent, type LogRecord, parseRecord, readLog } from './log.ts'
import { type Manifest, type Pointer, parseManifest } from './manifest.ts'

export interface Candidate {
  /** Of the manifest; of a proposal without a snapshot, of its line. The name of its folder. */
  readonly hash: string
  readonly folder: string
  /** As it was proposed, with the proposer's signature: nobody has checked it. */
  readonly line: string
  readonly record: LogRecord
  /** Where the snapshot lies that it would publish; null where it is about one that is published. */
  readonly snapshot: string | null
  /** The log went on since: it cannot be approved any more. */
  readonly isStale: boolean
}

/** What waits of a company, the oldest first, and what went stale. What cannot be read is none. */
export async function candidatesIn(folder: string): Promise<Candidate[]> {
  const all = join(folder, CANDIDATES)
  if (!isFolder(all)) return []
  const names = namesIn(all).filter((name) => isHash(name) && isFolder(join(all, name)))
  if (names.length === 0) return []
  const head = (await readLog(folder)).hashes.at(-1) ?? null
  return names
    .flatMap((hash) => candidateIn(folder, hash, head) ?? [])
    .sort((a, b) => (a.record.At < b.record.At ? -1 : 1))
}

function candidateIn(companyFolder: string, hash: string, head: string | null): Candidate | null {
  const folder = candidateFolder(companyFolder, hash)
  const text = textOf(join(folder, PROPOSAL))
  const line = text?.trimEnd() ?? ''
  const record = parseRecord(line)
  if (record === null) return null
  const snapshot = join(folder, record.SnapshotId)
  const brings =
    parseSnapshotId(record.SnapshotId) !== null && isFolder(snapshot) && existsSync(join(snapshot, MANIFEST))
  return { hash, folder, line, record, snapshot: brings ? snapshot : null, isStale: record.Before !== head }
}

/** What a link leads to may be another at any moment: nothing of that is approved. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** The names of what lies among the candidates as a link, and is therefore none. */
export const linkedCandidates = (folder: string): string[] =>
  [CANDIDATES, ...namesIn(join(folder, CANDIDATES)).map((name) => `${CANDIDATES}/${name}`)].filter((name) =>
    lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSymbolicLink(),
  )

/** The manifest of the snapshot that a candidate would publish, as it lies there; null where there is none. */
export function manifestOf({ snapshot }: Candidate): Manifest | null {
  const text = snapshot === null ? null : textOf(join(snapshot, MANIFEST))
  return text === null ? null : parseManifest(text)
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (problem) {
    if (isAbsent(problem)) return null
    throw problem
  }
}

/** A whole snapshot, synchronised, and the folder of its kept sources, where it has any. */
export interface Staged {
  readonly folder: string
  readonly inputs: string
  readonly manifestHash: string
}

/**
 * Puts a proposal in its place, with the snapshot that it would publish. Gives its hash.
 */
export async function addCandidate(
  change: Change,
  line: string,
  staged: Staged | null = null,
): Promise<string> {
  const { root, company, folder, effects } = change
  const record = parseRecord(line)!
  const hash = staged?.manifestHash ?? sha256(line)
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
 * Where somebody else has to approve it: its candidate, a new one or the one that waits for the same already. Null where it is
 * done at once, since nobody has to, or since it is approved.
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
  const waiting = (await candidatesIn(change.folder)).find(
    ({ record, isStale }) => !isStale && isSameProposal(record, parseRecord(line)!),
  )
  return waiting?.hash ?? addCandidate(change, line)
}

/** But for when it was proposed. */
const isSameProposal = (a: LogRecord, b: LogRecord): boolean =>
  JSON.stringify({ ...a, At: '' }) === JSON.stringify({ ...b, At: '' })

/** Earlier builds that wait still: they are not what the sources say any more. */
export async function supersedeBuilds(change: Change, by: string): Promise<void> {
  for (const { hash, record } of await candidatesIn(change.folder))
    if (record.Event === 'publish' && hash !== by) removeCandidate(change, hash)
}

/** In one step it is none any more; what is left of it is swept like a stage. */
export function removeCandidate({ root, company, folder, effects }: Change, hash: string): void {
  const doomed = stageFolder(root, company, randomBytes(6).toString('hex'))
  effects.rename(candidateFolder(folder, hash), doomed)
  effects.syncFolder(join(folder, CANDIDATES))
  removeTree(doomed, effects)
}

/** Those that cannot be approved any more, and the folder of all where nothing waits. */
export async function removeStale(change: Change): Promise<void> {
  const { folder, effects } = change
  for (const { hash, isStale } of await candidatesIn(folder)) if (isStale) removeCandidate(change, hash)
  const all = join(folder, CANDIDATES)
  if (existsSync(all) && namesIn(all).length === 0) effects.removeFolder(all)
}
