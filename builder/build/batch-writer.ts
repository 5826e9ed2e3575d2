/** Writes batches of documents into the stage, in this thread or in several at once. No batch depends on another one. */
import { agrees, type Closed } from '../snapshot/closing/agreeing.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import { StagedFiles, type WrittenFiles } from '../snapshot/files/staged-files.ts'
import { disk } from '../system/effects.ts'
import { BatchDocuments } from './batch-documents.ts'
import type { CheckedBatch, DocumentBatch, DocumentData } from './document-batch.ts'

export interface BatchToWrite {
  readonly batch: DocumentBatch
  /** Files of the snapshot before, which are linked where a document is the same again. */
  readonly published: readonly FileEntry[]
}

export interface WrittenBatch {
  readonly written: WrittenFiles
  readonly checked: CheckedBatch
  /** Paths of documents that state closed months as before. */
  readonly agreeing: readonly string[]
}

/** What the threads need for all batches, as plain data whose sums they share. */
export interface WriterData {
  readonly data: DocumentData
  /** The folder of the stage. */
  readonly folder: string
  /** The folder of the snapshot before; null where there is none. */
  readonly publishedFolder: string | null
  /** Null where no month is closed. */
  readonly closed: Closed | null
}

/**
 * Returns the function that makes one batch. Its files are written, hashed and read back; the function throws
 * SnapshotDamagedError where a file reads back differently.
 */
export function batchWriter({
  data,
  folder,
  publishedFolder,
  closed,
}: WriterData): (order: BatchToWrite) => WrittenBatch {
  const documents = new BatchDocuments(data)
  return ({ batch, published }) => {
    const files = new Map(published.map((file) => [file.Path, file]))
    const before = publishedFolder === null ? null : { folder: publishedFolder, files }
    const staged = new StagedFiles(folder, before, disk)
    const agreeing: string[] = []
    const checked = documents.write(batch, (path, bytes) => {
      staged.write(path, bytes)
      const entry = files.get(path)
      if (closed === null || entry === undefined || staged.linked.has(path)) return
      if (agrees(closed, entry, bytes)) agreeing.push(path)
    })
    return { written: staged.written(), checked, agreeing }
  }
}
