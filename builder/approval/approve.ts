/**
 * What waits for the approval of somebody else, its approval and its rejection. Approved, a proposal is done as it
 * would have been without one: by the same steps under the lock, but with the countersigned line in the log. Owns
 * four eyes. Must not do anything in another way than without approval.
 */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { present } from '../contract/present.ts'
import { pointToAdopted } from '../snapshot/adopt.ts'
import { type Approver, approverOf, countersigned } from '../snapshot/approval.ts'
import { type Candidate, candidatesIn, linkedCandidates, removeStale } from '../snapshot/candidates.ts'
import { type Change, type ChangeOptions, changing } from '../snapshot/change.ts'
import { checkManifest } from '../snapshot/files.ts'
import { readHistory } from '../snapshot/history.ts'
import { lostInputs, placeSnapshot } from '../snapshot/inputs.ts'
import type { Signer } from '../snapshot/key-file.ts'
import { APPROVAL, CANDIDATES, companyFolder, LOG, prunedFolder, snapshotFolder } from '../snapshot/layout.ts'
import { doneAt, type LogRecord, nextRecord, operator, readLog } from '../snapshot/log.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { pruneApproved } from '../snapshot/prune.ts'
import { settled } from '../snapshot/settle.ts'
import type { KnownKeys, Pen } from '../snapshot/sign.ts'
import { useSnapshot } from '../snapshot/use.ts'
import { verifyLone } from '../verify/verify.ts'
import { createDurably, removeIfThere, removeTree } from '../workspace/durable.ts'
import { MODES } from '../workspace/effects.ts'
import { sha256 } from '../workspace/hash.ts'
import { ChangeRefusedError } from '../workspace/refusals.ts'

/** What a person types of a hash; more than a forger could match by trying. */
export const shortHash = (hash: string): string => hash.slice(0, 16)
const SHORTEST = 8

/** Companies that have candidates, published ones or not. */
export function companiesWithCandidates(root: string): string[] {
  if (!existsSync(root)) return []
  return readdirSync(root)
    .filter((company) => existsSync(join(root, company, CANDIDATES)))
    .sort()
}

/** The one that was asked for by the beginning of its hash, or the only one. Throws {@link ChangeRefusedError}. */
export async function chosenCandidate(
  root: string,
  company: string,
  asked: string | null,
): Promise<Candidate> {
  const folder = companyFolder(root, company)
  const all = await candidatesIn(folder)
  const [link] = linkedCandidates(folder)
  if (link !== undefined)
    throw new ChangeRefusedError(
      `${link} of ${company} is a link, not what was proposed: remove it from ${folder}, and propose it again ("tieout build ${company}", where it was a build)`,
    )
  if (asked === null) {
    const waiting = all.length === 1 ? all : all.filter(({ isStale }) => !isStale)
    const [candidate, ...others] = waiting
    if (candidate && others.length === 0) return candidate
    throw new ChangeRefusedError(
      waiting.length === 0
        ? `nothing of ${company} waits for approval`
        : `of ${company} several proposals wait; name one of them: ${waiting.map(({ hash }) => shortHash(hash)).join(', ')}`,
    )
  }
  const found = all.filter(({ hash }) => asked.length >= SHORTEST && hash.startsWith(asked.toLowerCase()))
  const [candidate, ...others] = found
  if (candidate && others.length === 0) return candidate
  const waiting = all.map(({ hash }) => shortHash(hash)).join(', ') || 'nothing'
  throw new ChangeRefusedError(
    `of ${company} no candidate begins with "${asked}" (at least ${SHORTEST} characters): it was decided on, or a newer build took its place; waiting: ${waiting}`,
  )
}

export interface ApproveRequest {
  readonly company: string
  /** The beginning of its hash; null: the only one. */
  readonly candidate: string | null
  /** The key of whoever approves. */
  readonly pen: Pen
  /** Snapshots that clients are in the middle of reading. */
  readonly inUse: () => Promise<ReadonlySet<string>>
  /** Compute the figures of a snapshot again before it is published. */
  readonly figures: boolean
  readonly progress?: (snapshotId: string, done: number, total: number) => void
}

export interface Approved {
  /** already: somebody else approved it at the same time, or an approval that was interrupted was finished. */
  readonly outcome: 'approved' | 'already'
  readonly company: string
  readonly candidate: string
  readonly event: LogRecord['Event']
  readonly snapshotId: string
  readonly approver: string
  /** SHA-256 of the line of the log. */
  readonly logHead: string
}

type Options = ChangeOptions & { readonly signer: Signer }

/** Does what was proposed. Throws {@link ChangeRefusedError} where it may not be, or cannot be any more. */
export async function approve(root: string, request: ApproveRequest, options: Options): Promise<Approved> {
  const { company, pen } = request
  const candidate = await chosenCandidate(root, company, request.candidate)
  await refuseStale(root, company, candidate)
  const approver = await approverFor(root, company, candidate, pen, options.signer)
  const approved = await countersigned(
    candidate.line,
    { At: new Date().toISOString(), By: operator(), Name: approver.Name, KeyId: pen.keyId },
    pen.sign,
  )
  // Before anything is touched: also a proposal that somebody changed is found here.
  const folder = companyFolder(root, company)
  await nextRecord(await readLog(folder, options.signer.known), approved)
  await execute(root, candidate, request, { ...options, approved })
  const { record, hash } = present(
    await enteredLine(folder, candidate.record),
    `line in ${LOG} of what was approved`,
  )
  return {
    outcome: hash === sha256(approved) ? 'approved' : 'already',
    company,
    candidate: candidate.hash,
    event: record.Event,
    snapshotId: record.SnapshotId,
    approver: present(record.Approval, `approval of line ${record.Seq}`).Name,
    logHead: hash,
  }
}

/** The line of the log that a proposal became; null where it is none of it. */
async function enteredLine(
  folder: string,
  { Before, Event, SnapshotId }: LogRecord,
): Promise<{ readonly record: LogRecord; readonly hash: string } | null> {
  const { records, hashes } = await readLog(folder)
  const at = records.findIndex((each) => each.Before === Before)
  const record = records[at]
  const hash = hashes[at]
  if (record?.Event !== Event || record.SnapshotId !== SnapshotId || hash === undefined) return null
  return { record, hash }
}

async function refuseStale(
  root: string,
  company: string,
  { hash, isStale, record }: Candidate,
): Promise<void> {
  if (!isStale) return
  const { records } = await readLog(companyFolder(root, company))
  const last = records.at(-1)
  const since = last ? `${last.Event} of ${last.SnapshotId} (${doneAt(last)}, ${last.By})` : 'nothing'
  const again = record.Event === 'publish' ? `build it again ("tieout build ${company}")` : 'propose it again'
  throw new ChangeRefusedError(
    `${shortHash(hash)} is stale: the last line of ${LOG} is another one than when it was proposed, now ${since}; ${again}, and review that`,
  )
}

/** Somebody who may approve it, and whose key signs nothing else here. */
async function approverFor(
  root: string,
  company: string,
  { record }: Candidate,
  { keyId }: Pen,
  signer: Signer,
): Promise<Approver> {
  if (signer.known.has(keyId) || record.KeyId === keyId)
    throw new ChangeRefusedError(
      'this is a key that snapshots are signed with: somebody else has to approve, with a key that only they have',
    )
  const { approvers } = await readHistory(root, company)
  const may = approvers.length > 0 ? approvers : (record.Approvers ?? [])
  const approver = await approverOf(may, keyId)
  if (approver) return approver
  throw new ChangeRefusedError(
    `key ${keyId} is none of those who approve what is published of ${company}: ${may.map(({ Name }) => Name).join(', ') || 'nobody does'}`,
  )
}

async function execute(
  root: string,
  candidate: Candidate,
  request: ApproveRequest,
  options: Options & { readonly approved: string },
): Promise<void> {
  const { company, inUse } = request
  const { Event, SnapshotId, ManifestSha256, Reason, Also = [] } = candidate.record
  const pointer = { SnapshotId, ManifestSha256 }
  if (Event === 'use') await useSnapshot(root, company, SnapshotId, Reason, options)
  await changing(root, company, { ...options, adopts: Event === 'adopt' }, async (change) => {
    if (Event !== 'adopt') await settled(change)
    // What is not entered by now: an interrupted publication is finished when the folder is settled.
    if ((await enteredLine(change.folder, candidate.record)) === null) {
      if (Event === 'publish' || Event === 'restore')
        await bring(change, candidate, request, options.approved)
      else if (Event === 'prune')
        await pruneApproved(
          change,
          [pointer, ...Also],
          present(Reason, 'reason of what was proposed'),
          await inUse(),
        )
      else await change.record(Event, pointer, Reason)
      if (Event === 'adopt') await pointToAdopted(change)
    }
    await removeStale(change)
  })
}

/** The snapshot of a build or an archive, verified once more where it lies, takes its place, and the log says so. */
async function bring(
  change: Change,
  { snapshot, record }: Candidate,
  request: ApproveRequest,
  approved: string,
): Promise<void> {
  const { root, company, effects } = change
  const { SnapshotId: id, ManifestSha256, Event } = record
  const isPlaced = snapshot === null && existsSync(snapshotFolder(root, company, id))
  const folder = isPlaced ? snapshotFolder(root, company, id) : snapshot
  if (folder === null)
    throw new ChangeRefusedError(`${id} is not beside its proposal any more: build it again`)
  // An archive may be signed by somebody whom this workspace does not know; it was told so when it was restored.
  const known = Event === 'restore' ? null : (change.signer?.known ?? null)
  const manifest = await soundCandidate(folder, { ...request, known }, { id, ManifestSha256, company })
  const [lost] = Event === 'publish' ? await lostInputs(change, folder, manifest) : []
  if (lost !== undefined)
    throw new ChangeRefusedError(
      `${lost}, which ${id} was made of and keeps, is not there any more; build it again`,
    )
  const pointer = { SnapshotId: id, ManifestSha256 }
  change.confirm()
  if (Event === 'publish') {
    const path = join(folder, APPROVAL)
    removeIfThere(path, effects)
    createDurably(path, `${approved}\n`, MODES.published, effects)
    effects.syncFolder(folder)
  }
  if (!isPlaced) placeSnapshot(change, folder, id)
  if (Event === 'publish') await change.publish(pointer, manifest)
  else {
    await change.record(Event, pointer, record.Reason)
    // The whole snapshot is back: its manifest is not what stays of it any more.
    removeTree(prunedFolder(change.folder, id), effects)
  }
}

/** Throws where it is not what was proposed, to the last figure. */
async function soundCandidate(
  folder: string,
  options: Pick<ApproveRequest, 'figures' | 'progress'> & { readonly known: KnownKeys },
  {
    id,
    ManifestSha256,
    company,
  }: { readonly id: string; readonly ManifestSha256: string; readonly company: string },
): Promise<Manifest> {
  const { manifest, manifestHash } = await checkManifest(folder, options.known)
  if (manifest?.CompanyId !== company || manifest.SnapshotId !== id || manifestHash !== ManifestSha256)
    throw new ChangeRefusedError(
      `${folder} does not hold the ${id} of ${company} that was proposed; build it again`,
    )
  const { snapshots } = await verifyLone(folder, options)
  // It is what is approved now.
  const [damage] = snapshots.flatMap(({ damages }) => damages).filter(({ kind }) => kind !== 'unapproved')
  if (damage)
    throw new ChangeRefusedError(`${id} was changed since it was built: ${damage.message}; build it again`)
  return manifest
}

/** Keeps the reason in the log; what was proposed is gone. Gives the hash of the line. */
export async function reject(
  root: string,
  company: string,
  asked: string | null,
  reason: string,
  options: ChangeOptions,
): Promise<{ readonly candidate: Candidate; readonly logHead: string }> {
  // Also one that is stale, which goes when the folder is settled.
  const candidate = await chosenCandidate(root, company, asked)
  return changing(root, company, options, async (change) => {
    await settled(change)
    const { SnapshotId, ManifestSha256, Event } = candidate.record
    await change.record('reject', { SnapshotId, ManifestSha256 }, reason, { Rejected: Event })
    await removeStale(change)
    return { candidate, logHead: present(change.logHead, `head of the log of ${company}`) }
  })
}
