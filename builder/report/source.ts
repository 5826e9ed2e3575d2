/** What a report is made of: the documents of a snapshot, published or in the making, and the structure of its books. */
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Frame } from '../books/reference/frame.ts'
import type { MetricScope, StatementScope } from '../contract/document.ts'
import {
  type Documents,
  type PublishedMetrics,
  type PublishedStatement,
  readPublishedInParts,
  readPublishedMetrics,
} from '../snapshot/files/documents.ts'
import { BOOKS } from '../snapshot/files/layout.ts'
import type { TieOutEntry } from '../snapshot/files/manifest.ts'
import type { Finding } from '../workspace/findings/finding.ts'

/**
 * How pages are laid out: 1 as version 1.0 did, 2 with cards and months of any fiscal year, 3 with ratios and with links to the lines of
 * a class, 4 as it is now. A verification makes the pages of a release again as that release laid them out.
 */
export type PageLayout = 1 | 2 | 3 | 4

/** What pages of figures are made of. */
export interface FigureSource {
  readonly frame: Frame
  readonly layout: PageLayout
  /** Whether a chart of accounts states the types of the accounts; without one they follow from numbers and names. */
  readonly hasChart: boolean
  readonly postings: number
  /** Reads the values of metrics; null where none were published for that scope. */
  metrics(scope: MetricScope): Promise<PublishedMetrics | null>
  /** Reads a statement; null where none was published for that scope. Throws SnapshotDamagedError where the document is not as published. */
  statement(scope: StatementScope): Promise<PublishedStatement | null>
}

/** What the checks of the books and statements gave. */
export interface CheckResults {
  /** The warnings of the build, as the manifest states them. */
  readonly warnings: readonly Finding[]
  readonly tieOuts: readonly TieOutEntry[]
  /** How many figures that the sources state about themselves agree with the books; null where they were not counted. */
  readonly controlsAgreed: number | null
}

/** What the overview is made of. */
export type ProvenSource = FigureSource & CheckResults

export interface ReportSource extends ProvenSource {
  /** The folder that holds the books as Parquet. */
  readonly books: string
}

/**
 * How many documents are remembered: several pages show the same statement, and the pages of one class or department
 * are made one after the other.
 */
const REMEMBERED = 64

export function figureSource(
  documents: Documents,
  structure: Pick<FigureSource, 'frame' | 'postings' | 'hasChart'>,
): FigureSource {
  const read = new LRUCache<string, Promise<PublishedStatement | null>>({ max: REMEMBERED })
  return {
    ...structure,
    layout: 4,
    metrics: (scope) => readPublishedMetrics(documents, scope),
    statement: (scope) => {
      const key = JSON.stringify(Object.entries(scope).sort())
      const known = read.get(key)
      if (known) return known
      const reading = readPublishedInParts(documents, scope)
      read.set(key, reading)
      // A failure is forgotten, so that the next request tries again.
      reading.catch(() => read.delete(key))
      return reading
    },
  }
}

/** `folder` is where the snapshot lies. */
export const reportSource = (
  folder: string,
  documents: Documents,
  {
    frame,
    postings,
    hasChart,
    ...proof
  }: Pick<FigureSource, 'frame' | 'postings' | 'hasChart'> & CheckResults,
): ReportSource => ({
  ...figureSource(documents, { frame, postings, hasChart }),
  ...proof,
  books: join(folder, BOOKS),
})
