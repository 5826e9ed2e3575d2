/** Defines the options and the result of a build. */
import type { AgreedReport } from '../books/check/reports/own-reports.ts'
import type { FigureChanges } from '../inspect/diff.ts'
import type { Review } from '../inspect/review.ts'
import type { Restatement, TieOutEntry } from '../snapshot/files/manifest.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import type { Requests } from '../snapshot/places/location.ts'
import type { Sharing } from '../system/machine.ts'
import type { Finding } from '../workspace/findings/finding.ts'

export type BuildStep = 'read' | 'books' | 'engine' | 'statements' | 'publish'
/** Called while the build runs. `total` is null while it is unknown. */
export type Progress = (step: BuildStep, done: number, total: number | null) => void

export interface BuildResult {
  readonly company: string
  /**
   * `refused`: the findings hold errors, and nothing was published. `checked`: there are no errors, and publication was not asked
   * for. `waiting`: somebody else must approve it before it is published.
   */
  readonly outcome: 'published' | 'unchanged' | 'waiting' | 'checked' | 'refused'
  readonly snapshotId: string | null
  readonly findings: readonly Finding[]
  readonly postings: number
  readonly transactions: number
  readonly documents: number
  readonly coverage: { readonly startDate: string; readonly endDate: string } | null
  readonly tieOuts: readonly TieOutEntry[]
  /** The number of control figures in the sources (in SIE: #UB, #RES, #PSALDO) with which the books agree. */
  readonly controlsAgreed: number
  /** The program's own reports with which the books agree. */
  readonly reportsAgreed: readonly AgreedReport[]
  /** The changes since the snapshot that was current before; null if there was none to compare with, or nothing was published. */
  readonly changes: PublishedChanges | null
  /** What is restated of closed months; null if nothing is. */
  readonly restatement: Restatement | null
  /** Id of the newest snapshot if it was rolled back and has the same figures as this build; else null. */
  readonly rolledBackFrom: string | null
  /** The hash of the candidate that awaits approval; null if there is none. */
  readonly candidate: string | null
  /** SHA-256 of the last line of the log, which people can note elsewhere as evidence; null if nothing was published. */
  readonly logHead: string | null
  readonly seconds: number
  /** How often each kind of request was sent to the bucket of snapshots, if they are published in one. */
  readonly requests?: Requests
  /**
   * What the tables in buckets hold, where the ledger has some, and how many bytes of them were read on this machine,
   * outside of the cluster.
   */
  readonly tables?: TablesRead
  /** The review before publication, if it was asked for and the books hold no errors. */
  readonly review?: Review
}

export interface TablesRead {
  readonly objects: number
  readonly bytes: number
  readonly read: number
}

export interface PublishedChanges extends FigureChanges {
  readonly since: string
}

export interface BuildOptions extends Sharing {
  readonly publish: boolean
  /** The reason for which figures of closed months may change; without it they may not. */
  readonly restate?: string
  /** The reason for which the newest rules of accounting replace those of the current snapshot in closed months. */
  readonly adopt?: string
  readonly progress?: Progress
  /** Whether to return the review, for a check that publishes nothing. */
  readonly review?: boolean
}

/** The result of a build whose findings hold errors, so that nothing is published. */
export const refusal = (
  company: string,
  startedAt: number,
  findings: readonly Finding[],
  restatement: Restatement | null = null,
): BuildResult => ({
  company,
  outcome: 'refused',
  snapshotId: null,
  findings,
  postings: 0,
  transactions: 0,
  documents: 0,
  coverage: null,
  tieOuts: [],
  controlsAgreed: 0,
  reportsAgreed: [],
  changes: null,
  restatement,
  rolledBackFrom: null,
  candidate: null,
  logHead: null,
  seconds: secondsSince(startedAt),
})

/** The result of a build with nothing to do: the facts of the current snapshot's manifest, and the warnings of its latest build. */
export function asPublished(
  { id, company, manifest }: Snapshot,
  findings: readonly Finding[],
  startedAt: number,
): BuildResult {
  const { Totals, Coverage, TieOuts } = manifest
  return {
    company,
    outcome: 'unchanged',
    snapshotId: id,
    findings,
    postings: Totals.Postings,
    transactions: Totals.Transactions,
    documents: Totals.Documents,
    coverage: { startDate: Coverage.StartDate, endDate: Coverage.EndDate },
    tieOuts: TieOuts,
    controlsAgreed: 0,
    reportsAgreed: [],
    changes: null,
    restatement: null,
    rolledBackFrom: null,
    candidate: null,
    logHead: null,
    seconds: secondsSince(startedAt),
  }
}

/**
 * The day of the build (`YYYY-MM-DD`) in the company's time zone, or in that of this machine. While entries are dated later, a
 * build reports them and never has nothing to do.
 */
export function dateAt(startedAt: number, timeZone: string | undefined): string {
  // Without Intl, which takes 13 ms to begin with.
  if (timeZone === undefined) return dayHere(new Date(startedAt))
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(startedAt)
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

const dayHere = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

/** Seconds since `startedAt`, which is in milliseconds since 1970. */
export const secondsSince = (startedAt: number): number => (Date.now() - startedAt) / 1000
