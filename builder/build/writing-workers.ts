/**
 * Writes the batches of a build on as many cores as there are for it. The number makes no difference to the bytes:
 * batches are independent, and what is checked over several batches is added up in their order.
 */
import { extname } from 'node:path'
import type { Frame } from '../books/reference/frame.ts'
import { present } from '../contract/present.ts'
import type { Guard } from '../snapshot/closing/guard.ts'
import type { Stage } from '../snapshot/files/stage.ts'
import type { Sharing } from '../system/machine.ts'
import type { Purpose, WorkerPool } from '../system/threads.ts'
import { type BatchToWrite, batchWriter, type WrittenBatch } from './batch-writer.ts'
import { type DocumentBatch, type DocumentData, pathsOf } from './document-batch.ts'
import type { Compose, ComposedBatch } from './documents.ts'
import { workerPoolFor } from './worker-pool.ts'

const MODULE = new URL(`batch-writer-thread${extname(import.meta.url)}`, import.meta.url)

/** The stage, as far as it takes the files of batches. */
type Into = Pick<Stage, 'folder' | 'currentSnapshot' | 'take'>

/** The checked of the guard over closed months that compares documents where they are made. */
export type ComparedBefore = Pick<Guard, 'closed' | 'agree'>

/** Writes batches into a stage or another folder. Must be closed before that is discarded. */
export class WritingWorkers {
  readonly #into: Into
  readonly #sharing: Sharing
  readonly #purpose: Purpose
  #pool: WorkerPool<BatchToWrite, WrittenBatch> | null = null

  constructor(into: Into, sharing: Sharing, purpose: Purpose) {
    this.#into = into
    this.#sharing = sharing
    this.#purpose = purpose
  }

  /**
   * Returns what composes the batches of this data. With a guard, documents are compared with those before where they
   * are made.
   */
  composer(data: DocumentData, guard: ComparedBefore | null = null): Compose {
    const { folder, currentSnapshot } = this.#into
    const publishedFolder = currentSnapshot?.folder ?? null
    const materials = { data, folder, publishedFolder, closed: guard?.closed ?? null }
    this.#pool = workerPoolFor(this.#sharing, this.#purpose, MODULE, materials, batchWriter)
    return (batch) => this.#composed(data.frame, batch, guard)
  }

  async close(): Promise<void> {
    await this.#pool?.close()
  }

  async #composed(frame: Frame, batch: DocumentBatch, guard: ComparedBefore | null): Promise<ComposedBatch> {
    const before = this.#into.currentSnapshot?.files
    const published = before ? pathsOf(frame, batch).flatMap((path) => before.get(path) ?? []) : []
    const pool = present(this.#pool, 'composer of the batches')
    const { written, checked, agreeing } = await pool.run({ batch, published })
    this.#into.take(written)
    guard?.agree(agreeing)
    return { files: written.files, checked }
  }
}
