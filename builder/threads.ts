/**
 * Statements on several threads: each takes the next class filter, composes and encodes it, and hands the bytes over;
 * files are written here alone. The outcome does not depend on how many there are, or which is faster.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Checks, Leaves, Write } from './class-documents.ts'
import type { FigureLimits } from './statements/limits.ts'
import type { TieOutPart } from './tieouts/tieouts.ts'

/** From here: the filter to take next. */
export type Task = { readonly turn: number; readonly classId: string | null }

/** From a thread: documents, then what was seen of them. */
export type Reply =
  | { readonly documents: readonly PackedDocument[]; readonly bytes: ArrayBuffer }
  | {
      readonly turn: number
      readonly tieOuts: TieOutPart
      readonly limits: ReturnType<FigureLimits['part']>
    }

export interface PackedDocument {
  readonly path: string
  readonly sha256: string
  /** Its stretch of the bytes. */
  readonly from: number
  readonly to: number
}

/** Threads run compiled code only: a loader of TypeScript that the process was started with is not theirs. */
export const CAN_START = extname(import.meta.url) === '.js'
const MODULE = new URL('./thread.js', import.meta.url)

/** Writes the statements of all `classIds`; `done` is told after each. */
export async function writeClasses(
  threads: number,
  leaves: Leaves,
  classIds: readonly (string | null)[],
  checks: Checks,
  write: Write,
  done: () => void,
): Promise<void> {
  const workers = Array.from({ length: threads }, () => new Worker(MODULE, { workerData: leaves }))
  const parts: Exclude<Reply, { bytes: ArrayBuffer }>[] = []
  let next = 0
  try {
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve, reject) => {
            const give = (): void => {
              const turn = next++
              if (turn < classIds.length)
                worker.postMessage({ turn, classId: classIds[turn]! } satisfies Task)
              else resolve()
            }
            worker.on('error', reject)
            worker.on('message', (reply: Reply) => {
              try {
                if ('bytes' in reply)
                  for (const { path, sha256, from, to } of reply.documents)
                    write(path, Buffer.from(reply.bytes, from, to - from), sha256)
                else {
                  parts[reply.turn] = reply
                  done()
                  give()
                }
              } catch (problem) {
                reject(problem)
              }
            })
            give()
          }),
      ),
    )
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  for (const part of parts) {
    checks.tieOuts.absorb(part.tieOuts)
    checks.limits.absorb(part.limits)
  }
}
