/**
 * Makes the documents of a build, a check or a verification on as many cores as there are for it. The number makes no
 * difference to the result: batches are independent, and what follows from them is done in their order.
 */

import type { Guard } from '../snapshot/closing/guard.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import type { Stage } from '../snapshot/files/stage.ts'
import { portionOf, type Sharing } from '../system/machine.ts'
import { handled } from '../system/parallel.ts'
import { inThisThread, type Purpose, type WorkerPool, workerThreads } from '../system/worker-pool.ts'
import { type BatchOrder, batchMaker, type MadeBatch, type Materials } from './batch-maker.ts'
import { type DocumentBatch, type DocumentData, documentCount, pathsOf } from './document-batch.ts'
import type { Compose } from './documents.ts'

const MODULE = new URL('batch-thread.js', import.meta.url)

/** How many documents make a thread worth it: starting and warming it up takes as long as making so many. */
const DOCUMENTS_PER_THREAD = 300

/** Compares documents without writing them. */
interface Comparing {
  readonly stage?: never
  /** The hash that a document is expected to have; null where its text is needed in any case, undefined where it never is. */
  readonly known: (path: string) => string | null | undefined
  /**
   * Called for each document, in the order of the batches. `text` is null where the document has the expected hash, agrees
   * with the one before in closed months, or its text is never needed.
   */
  readonly observe: (file: FileEntry, text: string | null) => void
}

/** Writes documents into a stage, where those that equal the ones before become links to them. */
interface Writing {
  readonly stage: Pick<Stage, 'folder' | 'currentSnapshot' | 'take'>
}

/** Must be closed when all is made, and before the stage is discarded. */
export class DocumentWorkers {
  readonly #sharing: Sharing
  readonly #purpose: Purpose
  #pool: WorkerPool<BatchOrder, MadeBatch> | null = null

  constructor(sharing: Sharing, purpose: Purpose) {
    this.#sharing = sharing
    this.#purpose = purpose
  }

  /** Returns what makes the batches of this data. With a guard, documents are compared with those before where they are made. */
  composer(
    data: DocumentData,
    use: Writing | Comparing,
    guard: Pick<Guard, 'closed' | 'agree'> | null = null,
  ): Compose {
    const before = use.stage?.currentSnapshot ?? null
    const stage = use.stage ? { folder: use.stage.folder, before: before?.folder ?? null } : null
    const known = use.stage ? (path: string) => before?.files.get(path)?.Sha256 : use.known
    const pool = this.#opened({ data, stage, closed: guard?.closed ?? null })
    this.#pool = pool
    let last: Promise<unknown> = Promise.resolve()
    return (batch) => {
      // The failure of a batch is handled after the batches before it.
      const making = handled(pool.run({ batch, known: knownIn(data, batch, known) }))
      const done = last.then(async () => {
        const { made, texts, agreeing, checked } = await making
        guard?.agree(agreeing)
        if (use.stage) use.stage.take(made)
        else for (const file of made.files) use.observe(file, texts.get(file.Path) ?? null)
        return checked
      })
      last = done.catch(() => {})
      return done
    }
  }

  async close(): Promise<void> {
    await this.#pool?.close()
  }

  #opened(materials: Materials): WorkerPool<BatchOrder, MadeBatch> {
    const { count, bytes } = portionOf(this.#sharing).threads
    const worthWhile = Math.floor(documentCount(materials.data) / DOCUMENTS_PER_THREAD)
    const threads = this.#sharing.workers === undefined ? Math.min(count, worthWhile) : count
    if (threads <= 1) return inThisThread(batchMaker(materials))
    const errors = { [new SnapshotDamagedError('').code]: SnapshotDamagedError }
    return workerThreads({ ...this.#purpose, module: MODULE, errors }, materials, threads, bytes)
  }
}

const knownIn = (
  { frame }: DocumentData,
  batch: DocumentBatch,
  known: Comparing['known'],
): BatchOrder['known'] =>
  new Map(
    pathsOf(frame, batch).flatMap((path) => {
      const hash = known(path)
      return hash === undefined ? [] : [[path, hash] as const]
    }),
  )
