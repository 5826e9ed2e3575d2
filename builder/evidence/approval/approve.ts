/**
 * Lists, approves and rejects proposals that another person has to approve (four eyes). An approved proposal
 * is carried out by the same steps under the lock as without approval; only its log line is countersigned.
 * Owns this approval by a second person. Must not carry anything out in another way.
 */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { present } from '../../contract/present.ts'
import { type Approver, approverOf, countersigned } from '../../snapshot/approval/approval.ts'
import { checkManifest } from '../../snapshot/files/files.ts'
import { lostInputs, placeSnapshot } from '../../snapshot/files/inputs.ts'
import {
  APPROVAL,
  CANDIDATES,
  companyFolder,
  LOG,
  MANIFEST,
  parseSnapshotId,
  prunedFolder,
  snapshotFolder,
} from '../../snapshot/files/layout.ts'
import type { Manifest } from '../../snapshot/files/manifest.ts'
import type { Signer } from '../../snapshot/keys/key-file.ts'
import type { KnownKeys, Pen } from '../../snapshot/keys/sign.ts'
import { pointToAdopted, refuseOtherAdoption } from '../../snapshot/log/adopt.ts'
import { type Candidate, candidatesIn, linkedCandidates, removeStale } from '../../snapshot/log/candidates.ts'
import { type Change, type ChangeOptions, changing } from '../../snapshot/log/change.ts'
import { checkLog } from '../../snapshot/log/check-log.ts'
import { readHistory } from '../../snapshot/log/history.ts'
import { type Log, nextRecord, readLog } from '../../snapshot/log/log.ts'
import { doneAt, type LogRecord } from '../../snapshot/log/log-record.ts'
import { type PruneRequest, pruneApproved } from '../../snapshot/log/prune.ts'
import { settled } from '../../snapshot/log/settle.ts'
import { type UseOptions, useSnapshot } from '../../snapshot/log/use.ts'
import { createDurably, namesIn, removeIfThere, removeTree } from '../../system/durable.ts'
import { MODES } from '../../system/effects.ts'
import { SHORT_HASH, sha256, shortHash } from '../../system/hash.ts'
import { operator } from '../../system/operator.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { verifyLone } from '../verify/verify.ts'

/**
 * Lists the companies under `root` that have a folder of candidates, in alphabetical order; a company without
 * a published snapshot is included.
 */
export function companiesWithCandidates(root: string): string[] {
  if (!existsSync(root)) return []
  return readdirSync(root)
    .filter((company) => existsSync(join(root, company, CANDIDATES)))
    .sort()
}

/**
 * Finds the candidate whose hash begins with `asked` (at least 16 characters); with null the only one that is
 * not stale.
 * Throws {@link ChangeRefusedError} where none or several match.
 */
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
      `${link} of ${company} is a symbolic link, not a proposal: remove it from ${folder}, and propose it again ("tieout build ${company}", where it was a build)`,
    )
  if (asked === null) {
    const waiting = all.length === 1 ? all : all.filter(({ isStale }) => !isStale)
    const [candidate, ...others] = waiting
    if (candidate && others.length === 0) return candidate
    throw new ChangeRefusedError(
      waiting.length === 0
        ? `no proposal of ${company} waits for approval`
        : `several proposals of ${company} wait for approval; name one of them: ${waiting.map(({ hash }) => shortHash(hash)).join(', ')}`,
    )
  }
  const found = all.filter(({ hash }) => asked.length >= SHORT_HASH && hash.startsWith(asked.toLowerCase()))
  const [candidate, ...others] = found
  if (candidate && others.length === 0) return candidate
  const waiting = all.map(({ hash }) => shortHash(hash)).join(', ') || 'nothing'
  throw new ChangeRefusedError(
    `no candidate of ${company} begins with "${asked}" (give at least ${SHORT_HASH} characters): it was approved or rejected, or a newer build replaced it; available: ${waiting}`,
  )
}

/** What else an approved pruning must keep, `inUse` and `groups`, is as for one that needs no approval. */
interface ApproveRequest extends Pick<PruneRequest, 'inUse' | 'groups'> {
  readonly company: string
  /** The beginning of the candidate's hash; null selects the only candidate. */
  readonly candidate: string | null
  /** The approver's key. */
  readonly pen: Pen
  /** Whether to compute the figures of a snapshot again before it is published. */
  readonly figures: boolean
  readonly progress?: (snapshotId: string, done: number, total: number) => void
}

export interface Approved {
  /** `already`: another approver was faster, or this call finished an approval that had been interrupted. */
  readonly outcome: 'approved' | 'already'
  readonly company: string
  readonly candidate: string
  readonly event: LogRecord['Event']
  readonly snapshotId: string
  readonly approver: string
  /** SHA-256 (hex) of the log line that the proposal became. */
  readonly logHead: string
}

type Options = UseOptions & { readonly signer: Signer }

/**
 * Approves a proposal and carries it out.
 * Throws {@link ChangeRefusedError} where the key may not approve it, or the proposal is stale, lost or
 * changed.
 */
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
  // Checks the countersigned line before any file changes, so that a proposal that was tampered with is
  // refused here.
  const folder = companyFolder(root, company)
  await refuseContradicted(folder, candidate, approved, options.signer.known)
  await carryOut(root, candidate, request, { ...options, approved })
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

/**
 * Refuses a line that `tieout verify` would call damage from then on, since no line is ever taken out of the log.
 * No command proposes such a one; whoever has the key that signs can.
 */
async function refuseContradicted(
  folder: string,
  { snapshot }: Candidate,
  line: string,
  known: KnownKeys,
): Promise<void> {
  const log = await readLog(folder, known)
  const record = await nextRecord(log, line)
  const places = namesIn(folder).flatMap((name) => (parseSnapshotId(name) ? join(folder, name) : []))
  const found = await Promise.all(
    [...places, ...(snapshot === null ? [] : [snapshot])].map((place) => checkManifest(place, known)),
  )
  // Another manifest than was proposed is told of when the snapshot is verified.
  const snapshots = found.filter(
    (each) => each.folder !== snapshot || each.manifestHash === record.ManifestSha256,
  )
  const damagesIn = async (lines: Log): Promise<string[]> => {
    const { damages } = await checkLog(folder, lines, snapshots)
    // The manifest that a pruning keeps is put into its place with the removal.
    return damages.filter(({ path }) => path === LOG || path === MANIFEST).map(({ message }) => message)
  }
  const before = new Set(await damagesIn(log))
  const after = await damagesIn({
    ...log,
    records: [...log.records, record],
    hashes: [...log.hashes, sha256(line)],
  })
  const wrong = after.find((message) => !before.has(message))
  if (wrong !== undefined)
    throw new ChangeRefusedError(`${LOG} would be damaged with what was proposed: ${wrong}; reject it`)
}

/** Finds the log line that a proposal became; null where the log has no such line. */
async function enteredLine(
  folder: string,
  proposed: LogRecord,
): Promise<{ readonly record: LogRecord; readonly hash: string } | null> {
  const { records, hashes } = await readLog(folder)
  const at = records.findIndex(({ Approval: _, ...each }) => isDeepStrictEqual(each, proposed))
  const record = records[at]
  const hash = hashes[at]
  return record === undefined || hash === undefined ? null : { record, hash }
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
    `${shortHash(hash)} is stale: ${LOG} has changed since it was proposed, and now ends with ${since}; ${again}, and review that`,
  )
}

/**
 * Finds the approver of this key. Refuses a key that signs snapshots or the proposal itself: nobody approves
 * their own work.
 */
async function approverFor(
  root: string,
  company: string,
  { record }: Candidate,
  { keyId }: Pen,
  signer: Signer,
): Promise<Approver> {
  if (signer.known.has(keyId) || record.KeyId === keyId)
    throw new ChangeRefusedError(
      'this key signs snapshots: another person has to approve, with a key that only they hold',
    )
  const { approvers } = await readHistory(root, company)
  const may = approvers.length > 0 ? approvers : (record.Approvers ?? [])
  const approver = await approverOf(may, keyId)
  if (approver) return approver
  throw new ChangeRefusedError(
    `key ${keyId} belongs to no approver of ${company}; approvers: ${may.map(({ Name }) => Name).join(', ') || 'none'}`,
  )
}

async function carryOut(
  root: string,
  candidate: Candidate,
  request: ApproveRequest,
  options: Options & { readonly approved: string },
): Promise<void> {
  const { company } = request
  const { Event, SnapshotId, ManifestSha256, Reason, Also = [] } = candidate.record
  const pointer = { SnapshotId, ManifestSha256 }
  if (Event === 'use') await useSnapshot(root, company, SnapshotId, Reason, options)
  await changing(root, company, { ...options, adopts: Event === 'adopt' }, async (change) => {
    if (Event !== 'adopt') await settled(change)
    // Looks again under the lock: settling finishes an interrupted publication, which may have entered this
    // very proposal.
    if ((await enteredLine(change.folder, candidate.record)) === null) {
      await refuseStale(root, company, { ...candidate, isStale: candidate.record.Before !== change.logHead })
      if (Event === 'publish' || Event === 'restore')
        await placeProposed(change, candidate, request, options.approved)
      else if (Event === 'prune') await pruneApproved(change, [pointer, ...Also], Reason, request)
      else {
        if (Event === 'adopt') await refuseOtherAdoption(change, candidate.record)
        await change.record(Event, pointer, Reason)
      }
      if (Event === 'adopt') await pointToAdopted(change)
    }
    await removeStale(change)
  })
}

/**
 * Verifies the proposed snapshot of a build or an archive once more, moves it into place and enters it in the
 * log.
 */
async function placeProposed(
  change: Change,
  { snapshot, record }: Candidate,
  request: ApproveRequest,
  approved: string,
): Promise<void> {
  const { root, company, effects } = change
  const { SnapshotId: id, ManifestSha256, Event } = record
  const place = snapshotFolder(root, company, id)
  const isPlaced = snapshot === null && existsSync(place)
  if (Event === 'publish' && change.history.published.has(id))
    throw new ChangeRefusedError(`${id} was published before: make it current with "tieout use"`)
  if (!isPlaced && existsSync(place))
    throw new ChangeRefusedError(`${place} is there already, and is not what was proposed: remove it`)
  const folder = isPlaced ? place : snapshot
  if (folder === null) throw new ChangeRefusedError(`${id} is missing beside its proposal: build it again`)
  // An archive may be signed with a key that this workspace does not know; whoever restored it was told so.
  const known = Event === 'restore' ? null : (change.signer?.known ?? null)
  const manifest = await verifiedManifest(folder, { ...request, known }, { id, ManifestSha256, company })
  const [lost] = Event === 'publish' ? await lostInputs(change, folder, manifest) : []
  if (lost !== undefined)
    throw new ChangeRefusedError(`${lost}, a kept source of ${id}, is missing; build it again`)
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
    // The whole snapshot is back, so the manifest that pruning kept of it is not needed any more.
    removeTree(prunedFolder(change.folder, id), effects)
  }
}

/**
 * Returns the manifest; throws {@link ChangeRefusedError} where the snapshot differs from the one proposed,
 * down to a figure.
 */
async function verifiedManifest(
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
  // The approval is being given at this moment, so a missing one is not damage yet.
  const [damage] = snapshots.flatMap(({ damages }) => damages).filter(({ kind }) => kind !== 'unapproved')
  if (damage)
    throw new ChangeRefusedError(`${id} was changed since it was built: ${damage.message}; build it again`)
  return manifest
}

/**
 * Rejects a proposal: the log keeps the reason, and the candidate is removed. `logHead` is the SHA-256 (hex)
 * of the line.
 * Throws {@link ChangeRefusedError} where none or several candidates match `asked`.
 */
export async function reject(
  root: string,
  company: string,
  asked: string | null,
  reason: string,
  options: ChangeOptions,
): Promise<{ readonly candidate: Candidate; readonly logHead: string }> {
  // Chosen before settling, which removes stale proposals: a stale one may be rejected, too.
  const candidate = await chosenCandidate(root, company, asked)
  return changing(root, company, options, async (change) => {
    await settled(change)
    const { SnapshotId, ManifestSha256, Event } = candidate.record
    await change.record('reject', { SnapshotId, ManifestSha256 }, reason, { Rejected: Event })
    await removeStale(change)
    return { candidate, logHead: present(change.logHead, `head of the log of ${company}`) }
  })
}
