/**
 * Gathers what an approver looks at before approving: who proposed what, and the figures of the proposed
 * snapshot.
 */
import { type FigureChanges, figureChanges } from '../../inspect/diff.ts'
import { type KeyFigure, keyFigures } from '../../report/key-figures.ts'
import { snapshotFolder } from '../../snapshot/files/layout.ts'
import type { Manifest } from '../../snapshot/files/manifest.ts'
import { openCurrent, openSnapshotIn } from '../../snapshot/files/open.ts'
import type { Candidate } from '../../snapshot/log/candidates.ts'
import { readHistory } from '../../snapshot/log/history.ts'
import type { LogRecord } from '../../snapshot/log/log-record.ts'

export interface Proposal {
  readonly company: string
  /** Hash of the candidate (hex); "tieout approve" and "tieout reject" accept its beginning. */
  readonly candidate: string
  readonly event: LogRecord['Event']
  /** The snapshot that it would publish or that it concerns. */
  readonly snapshotId: string
  readonly proposedAt: string
  readonly proposedBy: string
  /** Id of the key that signed the proposal. */
  readonly keyId: string | null
  readonly reason: string | null
  /** Ids of the other snapshots that would be removed (`prune`) or vouched for (`adopt`). */
  readonly also: readonly string[]
  /** The approvers that it would appoint; null where it does not change them. A name alone says nothing: the key approves. */
  readonly approvers: readonly { readonly name: string; readonly key: string }[] | null
  /** For `use`: what it restates in closed months; null where it restates nothing. */
  readonly restated: NonNullable<LogRecord['Restatement']> | null
  /** The day (YYYY-MM-DD) through which it would close the books; null where it closes nothing. */
  readonly closedThrough: string | null
  /** Whether the log has grown since the proposal, so that it cannot be approved any more. */
  readonly stale: boolean
  /** Names of those who may approve it; one of them suffices. */
  readonly approvedBy: readonly string[]
}

export interface ReviewedProposal extends Proposal {
  /** The snapshot that readers would get, or that is vouched for as the current one; null for other proposals. */
  readonly snapshot: {
    readonly folder: string
    readonly currency: string
    readonly coverage: { readonly startDate: string; readonly endDate: string }
    readonly builtAt: string
    readonly version: string
    readonly postings: number
    readonly warnings: Manifest['Warnings']
    readonly restatement: Manifest['Restatement']
    readonly figures: readonly KeyFigure[]
    /** Differences from the current snapshot; null where there is none, or it is in another currency. */
    readonly changes: (FigureChanges & { readonly since: string }) | null
  } | null
}

/** Describes a proposal, from its log line and the approvers that the log of the company names. */
export async function proposal(root: string, company: string, candidate: Candidate): Promise<Proposal> {
  const { hash, record, isStale } = candidate
  const { SnapshotId, Approvers, Also = [], Adopted = [], ClosedThrough = null } = record
  const { approvers } = await readHistory(root, company)
  const others = [...Also, ...Adopted].filter((each) => each.SnapshotId !== SnapshotId)
  return {
    company,
    candidate: hash,
    event: record.Event,
    snapshotId: SnapshotId,
    proposedAt: record.At,
    proposedBy: record.By,
    keyId: record.KeyId,
    reason: record.Reason,
    also: others.map((each) => each.SnapshotId),
    approvers: Approvers?.map(({ Name, Key }) => ({ name: Name, key: Key })) ?? null,
    restated: record.Restatement ?? null,
    closedThrough: ClosedThrough,
    stale: isStale,
    approvedBy: (approvers.length > 0 ? approvers : (Approvers ?? [])).map(({ Name }) => Name),
  }
}

/**
 * Describes a proposal together with the figures of its snapshot.
 * Throws SnapshotDamagedError where a file of that snapshot is not as it was built.
 */
export async function review(root: string, company: string, candidate: Candidate): Promise<ReviewedProposal> {
  const described = await proposal(root, company, candidate)
  const { Event, SnapshotId, ManifestSha256 } = candidate.record
  const isInPlace = Event === 'use' || Event === 'adopt'
  const folder = candidate.snapshot ?? (isInPlace ? snapshotFolder(root, company, SnapshotId) : null)
  if (folder === null) return { ...described, snapshot: null }
  const snapshot = await openSnapshotIn(folder, company, SnapshotId, ManifestSha256)
  const { Currency, Coverage, Build, Tool, Totals, Warnings, Restatement } = snapshot.manifest
  const current = await openCurrent(root, company)
  const isComparable = current !== null && current.manifest.Currency === Currency
  return {
    ...described,
    snapshot: {
      folder,
      currency: Currency,
      coverage: { startDate: Coverage.StartDate, endDate: Coverage.EndDate },
      builtAt: Build.At,
      version: Tool.Version,
      postings: Totals.Postings,
      warnings: Warnings,
      restatement: Restatement ?? null,
      figures: await keyFigures(snapshot),
      changes: isComparable ? { since: current.id, ...(await figureChanges(current, snapshot)) } : null,
    },
  }
}
