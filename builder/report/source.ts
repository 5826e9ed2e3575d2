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
  /** Of the build, as the manifest states them. */
  readonly warnings: readonly Finding[]
  /** Folder of the Parquet of the books. */
  readonly books: string
  /** How many the books hold. */
  readonly postings: number
  readonly tieOuts: readonly TieOutEntry[]
  /** Figures that the sources state about themselves and the books agree with; null where nobody counted. */
  readonly controlsAgreed: number | null
  /** Values of metrics; null where none were published of that scope. */
  metrics(scope: MetricScope): Promise<PublishedMetrics | null>
  /** Null where nothing was published of that scope. Throws SnapshotDamagedError where the document is not as published. */
  statement(scope: StatementScope): Promise<PublishedStatement | null>
}

/** Several pages show one statement; those of one class or department are made one after the other. */
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
