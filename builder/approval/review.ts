/** What an approver looks at before approving: who proposed what, and of a snapshot what it would tell readers. */
import { type FigureChanges, figureChanges } from '../inspect/diff.ts'
import { type KeyFigure, keyFigures } from '../report/key-figures.ts'
import type { Approver } from '../snapshot/approval.ts'
import type { Candidate } from '../snapshot/candidates.ts'
import { readHistory } from '../snapshot/history.ts'
import type { LogRecord } from '../snapshot/log.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { openCurrent, openSnapshotIn } from '../snapshot/open.ts'

export interface Proposal {
  readonly company: string
  /** Names it to "tieout approve" and "tieout reject", by its beginning. */
  readonly candidate: string
  readonly event: LogRecord['Event']
  /** What it publishes, or is about. */
  readonly snapshotId: string
  readonly proposedAt: string
  readonly proposedBy: string
  /** The key that it is signed with. */
  readonly keyId: string | null
  readonly reason: string | null
  /** Of `prune`: what is removed beside `snapshotId`. */
  readonly also: readonly string[]
  /** Whom it makes approvers; null where it changes nothing there. */
  readonly approvers: readonly string[] | null
  /** Through which day the books are closed by it; null where it says nothing. */
  readonly closedThrough: string | null
  /** The log went on since: it cannot be approved any more. */
  readonly stale: boolean
  /** Any of them approves it. */
  readonly approvedBy: readonly string[]
}

export interface Review extends Proposal {
  /** What it would publish; null where it is about what is published. */
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
    /** Against the current snapshot; null where there is none to compare with. */
    readonly changes: (FigureChanges & { readonly since: string }) | null
  } | null
}

export async function proposal(root: string, company: string, candidate: Candidate): Promise<Proposal> {
  const { hash, record, isStale } = candidate
  const { Approvers, Also = [], ClosedThrough = null } = record
  const { approvers } = await readHistory(root, company)
  const names = (list: readonly Approver[]) => list.map(({ Name }) => Name)
  return {
    company,
    candidate: hash,
    event: record.Event,
    snapshotId: record.SnapshotId,
    proposedAt: record.At,
    proposedBy: record.By,
    keyId: record.KeyId,
    reason: record.Reason,
    also: Also.map(({ SnapshotId }) => SnapshotId),
    approvers: Approvers ? names(Approvers) : null,
    closedThrough: ClosedThrough,
    stale: isStale,
    approvedBy: names(approvers.length > 0 ? approvers : (Approvers ?? [])),
  }
}

/** Throws SnapshotDamagedError where a file is read that is not as it was built. */
export async function review(root: string, company: string, candidate: Candidate): Promise<Review> {
  const told = await proposal(root, company, candidate)
  const { snapshot: folder, record } = candidate
  if (folder === null) return { ...told, snapshot: null }
  const { SnapshotId, ManifestSha256 } = record
  const snapshot = await openSnapshotIn(folder, company, SnapshotId, ManifestSha256)
  const { Currency, Coverage, Build, Tool, Totals, Warnings, Restatement } = snapshot.manifest
  const current = await openCurrent(root, company)
  const isComparable = current !== null && current.manifest.Currency === Currency
  return {
    ...told,
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
