/** What is asked of a build, and what comes of it. */
import type { FigureChanges } from '../inspect/diff.ts'
import type { Review } from '../inspect/review.ts'
import type { Restatement, TieOutEntry } from '../snapshot/manifest.ts'
import type { Snapshot } from '../snapshot/open.ts'
import type { Finding } from '../workspace/finding.ts'

export type Step = 'read' | 'books' | 'statements' | 'publish'
/** Told as the build goes; `total` is null while unknown. */
export type Progress = (step: Step, done: number, total: number | null) => void

export interface BuildResult {
  readonly company: string
  /**
   * refused: the findings hold errors, nothing was published. checked: no errors, and publication was not asked for.
   * waiting: somebody else has to approve it before it is published.
   */
  readonly outcome: 'published' | 'unchanged' | 'waiting' | 'checked' | 'refused'
  readonly snapshotId: string | null
  readonly findings: readonly Finding[]
  readonly postings: number
  readonly transactions: number
  readonly documents: number
  readonly coverage: { readonly startDate: string; readonly endDate: string } | null
  readonly tieOuts: readonly TieOutEntry[]
  /** Figures that the sources state about themselves (#UB, #RES, #PSALDO) and the books agree with. */
  readonly controlsAgreed: number
  /** Against the snapshot that was current before; null where there was none to compare with, or nothing was published. */
  readonly changes: PublishedChanges | null
  /** What closed months state differently than the current snapshot does; null where nothing. */
  readonly restatement: Restatement | null
  /** The newest snapshot, where it has the very figures of this build and was rolled back. */
  readonly rolledBackFrom: string | null
  /** What waits for approval: the hash of its manifest. Null where nothing does. */
  readonly candidate: string | null
  /** SHA-256 of the last line of the log, to be noted elsewhere; null where nothing was published. */
  readonly logHead: string | null
  readonly seconds: number
  /** Where it was asked for, and the books are sound. */
  readonly review?: Review
}

export interface PublishedChanges extends FigureChanges {
  readonly since: string
}

export interface BuildOptions {
  readonly publish: boolean
  /** Why figures of closed months may differ from the current snapshot; without it they may not. */
  readonly restate?: string
  readonly progress?: Progress
  /** Say what somebody looks at before publishing: for a check that publishes nothing. */
  readonly review?: boolean
  /** How many builds share the machine; 1 unless said. */
  readonly share?: number
  /** How many threads make its documents; unless said, by its share of the cores and how many documents there are. */
  readonly workers?: number
}

/** The findings hold errors: nothing is published. */
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
  changes: null,
  restatement,
  rolledBackFrom: null,
  candidate: null,
  logHead: null,
  seconds: secondsSince(startedAt),
})

/** Nothing to do: what the manifest says of the snapshot that is there, and what its latest build remarked on. */
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
    changes: null,
    restatement: null,
    rolledBackFrom: null,
    candidate: null,
    logHead: null,
    seconds: secondsSince(startedAt),
  }
}

/**
 * `YYYY-MM-DD`, as the calendar of the company's office shows it; without a time zone, that of this machine. What is dated
 * after it lies ahead: a build tells of it, and is never one with nothing to do.
 */
export function dateAt(startedAt: number, timeZone: string | undefined): string {
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

/** `startedAt` as Date.now() gave it. */
export const secondsSince = (startedAt: number): number => (Date.now() - startedAt) / 1000
