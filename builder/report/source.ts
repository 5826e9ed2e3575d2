/** What a report is made of: the documents of a snapshot, published or in the making, and the structure of its books. */
import { LRUCache } from 'lru-cache'
import type { Frame } from '../books/frame.ts'
import type { StatementScope } from '../contract/document.ts'
import type { Finding } from '../workspace/finding.ts'
import { type Documents, type PublishedStatement, readPublished } from './published.ts'

export interface ReportSource {
  readonly frame: Frame
  /** Of the build, as the manifest states them. */
  readonly warnings: readonly Finding[]
  /** Null where nothing was published of that scope. Throws SnapshotDamagedError where the document is not as published. */
  statement(scope: StatementScope): Promise<PublishedStatement | null>
}

/** Several pages show one statement; those of one class or department are made one after the other. */
const REMEMBERED = 64

export function reportSource(documents: Documents, frame: Frame, warnings: readonly Finding[]): ReportSource {
  const read = new LRUCache<string, { readonly statement: PublishedStatement | null }>({ max: REMEMBERED })
  return {
    frame,
    warnings,
    statement: async (scope) => {
      const key = JSON.stringify(Object.entries(scope).sort())
      const known = read.get(key) ?? { statement: await readPublished(documents, scope) }
      read.set(key, known)
      return known.statement
    },
  }
}
