/**
 * Composes batches to compare them, in this thread or in several at once. Nothing is written: the result has the hash
 * of each document, and its text where that is needed.
 */
import { agrees, type Closed } from '../snapshot/closing/agreeing.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import { sha256 } from '../system/hash.ts'
import { BatchDocuments } from './batch-documents.ts'
import type { CheckedBatch, DocumentBatch, DocumentData } from './document-batch.ts'

export interface BatchToCompare {
  readonly batch: DocumentBatch
  /** By path: the hash that the document is expected to have; null for one whose text is needed in any case. */
  readonly known: ReadonlyMap<string, string | null>
}

export interface ComparedBatch {
  readonly files: readonly FileEntry[]
  /** By path: the texts of documents that are not as expected. */
  readonly texts: ReadonlyMap<string, string>
  /** Paths of documents that state closed months as before, whose text is not needed. */
  readonly agreeing: readonly string[]
  readonly checked: CheckedBatch
}

/** What the threads need for all batches, as plain data. */
export interface ComparerData {
  readonly data: DocumentData
  /** Null where no month is closed. */
  readonly closed: Closed | null
}

/** Returns the function that composes and compares one batch. */
export function batchComparer({ data, closed }: ComparerData): (order: BatchToCompare) => ComparedBatch {
  const documents = new BatchDocuments(data)
  return ({ batch, known }) => {
    const files: FileEntry[] = []
    const texts = new Map<string, string>()
    const agreeing: string[] = []
    const checked = documents.write(batch, (path, bytes) => {
      const Sha256 = sha256(bytes)
      files.push({ Path: path, Bytes: Buffer.byteLength(bytes), Sha256 })
      const expected = known.get(path)
      if (expected === undefined || expected === Sha256) return
      if (closed !== null && expected !== null && agrees(closed, { Path: path, Sha256: expected }, bytes))
        agreeing.push(path)
      else texts.set(path, bytes.toString())
    })
    return { files, texts, agreeing, checked }
  }
}
