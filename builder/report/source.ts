/** What a report is made of: the documents of a snapshot, published or in the making, and the structure of its books. */
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Frame } from '../books/frame.ts'
import type { MetricScope, StatementScope } from '../contract/document.ts'
import {
  type Documents,
  type PublishedMetrics,
  type PublishedStatement,
  readPublished,
  readPublishedMetrics,
} from '../snapshot/documents.ts'
import { BOOKS } from '../snapshot/layout.ts'
import type { TieOutEntry } from '../snapshot/manifest.ts'
import type { Finding } from '../workspace/finding.ts'

export interface ReportSource {
  readonly frame: Frame
  /** The warnings of the build, as the manifest states them. */
  readonly warnings: readonly Finding[]
  /** The folder that holds the books as Parquet. */
  readonly books: string
  /** The number of postings in the books. */
  readonly postings: number
  readonly tieOuts: readonly TieOutEntry[]
  /** How many figures that the sources state about themselves agree with the books; null where they were not counted. */
  readonly controlsAgreed: number | null
  /** Reads the values of metrics; null where none were published for that scope. */
  metrics(scope: MetricScope): Promise<PublishedMetrics | null>
  /** Reads a statement; null where none was published for that scope. Throws SnapshotDamagedError where the document is not as published. */
  statement(scope: StatementScope): Promise<PublishedStatement | null>
}

/** Several pages show the same statement, and pages of one class or department are made one after the other. */
const REMEMBERED = 64

/** `folder` is where the snapshot lies. */
export function reportSource(
  documents: Documents,
  { folder, ...stated }: Omit<ReportSource, 'books' | 'statement' | 'metrics'> & { readonly folder: string },
): ReportSource {
  const read = new LRUCache<string, { readonly statement: PublishedStatement | null }>({ max: REMEMBERED })
  return {
    ...stated,
    books: join(folder, BOOKS),
    metrics: (scope) => readPublishedMetrics(documents, scope),
    statement: async (scope) => {
      const key = JSON.stringify(Object.entries(scope).sort())
      const known = read.get(key) ?? { statement: await readPublished(documents, scope) }
      read.set(key, known)
      return known.statement
    },
  }
}
