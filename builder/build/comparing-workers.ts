/**
 * Composes the documents on as many cores as there are, and compares them with what is known of them, for a check or a
 * verification, which write none. `observe` is called in the order of the batches.
 */
import { extname } from 'node:path'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import { handled } from '../system/handled.ts'
import type { Sharing } from '../system/machine.ts'
import type { Purpose, WorkerPool } from '../system/threads.ts'
import { type BatchToCompare, batchComparer, type ComparedBatch } from './batch-comparer.ts'
import { type DocumentBatch, type DocumentData, pathsOf } from './document-batch.ts'
import type { Compose } from './documents.ts'
import { workerPoolFor } from './worker-pool.ts'
import type { ComparedBefore } from './writing-workers.ts'

/**
 * The hash that a document is expected to have; null where its text is needed in any case, undefined where it never is.
 */
type Known = (path: string) => string | null | undefined
/**
 * Called for each document. `text` is null where the document has the expected hash, agrees with the one before in
 * closed months, or its text is never needed.
 */
type Observe = (file: FileEntry, text: string | null) => void

const MODULE = new URL(`batch-comparer-thread${extname(import.meta.url)}`, import.meta.url)

/** Must be closed when all is composed, or no more is needed. */
export class ComparingWorkers {
  readonly #sharing: Sharing
  readonly #purpose: Purpose
  #pool: WorkerPool<BatchToCompare, ComparedBatch> | null = null

  constructor(sharing: Sharing, purpose: Purpose) {
    this.#sharing = sharing
    this.#purpose = purpose
  }

  composer(data: DocumentData, known: Known, observe: Observe, guard: ComparedBefore | null = null): Compose {
    const materials = { data, closed: guard?.closed ?? null }
    const pool = workerPoolFor(this.#sharing, this.#purpose, MODULE, materials, batchComparer)
    this.#pool = pool
    let told: Promise<unknown> = Promise.resolve()
    return (batch) => {
      // The failure of a batch is handled after the batches before it.
      const made = handled(pool.run({ batch, known: knownIn(data, batch, known) }))
      const observed = told.then(async () => {
        const { files, texts, agreeing, checked } = await made
        guard?.agree(agreeing)
        for (const file of files) observe(file, texts.get(file.Path) ?? null)
        return { files, checked }
      })
      told = observed.catch(() => {})
      return observed
    }
  }

  async close(): Promise<void> {
    await this.#pool?.close()
  }
}

const knownIn = ({ frame }: DocumentData, batch: DocumentBatch, known: Known): BatchToCompare['known'] =>
  new Map(
    pathsOf(frame, batch).flatMap((path) => {
      const hash = known(path)
      return hash === undefined ? [] : [[path, hash]]
    }),
  )
