/**
 * Statements on several threads: each takes the next class filter, composes and encodes it, and hands the bytes over;
 * files are written here alone. The outcome does not depend on how many there are, or which is faster.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ClassPart, Leaves, Write } from './class-documents.ts'

/** From here: the class filter to take next. */
export type Task = string | null

/** From a thread: documents, then what was seen of them. */
export type Reply =
  | { readonly documents: readonly PackedDocument[]; readonly bytes: ArrayBuffer }
  | { readonly part: ClassPart }

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

/** Writes the statements of all `classIds`; `done` is told after each, once its documents are written. */
export async function writeClasses(
  threads: number,
  leaves: Leaves,
  classIds: readonly (string | null)[],
  write: (classId: string | null, ...document: Parameters<Write>) => void,
  done: (classId: string | null, part: ClassPart) => void,
): Promise<void> {
  const workers = Array.from({ length: threads }, () => new Worker(MODULE, { workerData: leaves }))
  const waiting = classIds.values()
  try {
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve, reject) => {
            let classId: string | null = null
            const give = (): void => {
              const next = waiting.next()
              if (next.done) resolve()
              else {
                classId = next.value
                worker.postMessage(classId satisfies Task)
              }
            }
            worker.on('error', reject)
            worker.on('message', (reply: Reply) => {
              try {
                if ('bytes' in reply)
                  for (const { path, sha256, from, to } of reply.documents)
                    write(classId, path, Buffer.from(reply.bytes, from, to - from), sha256)
                else {
                  done(classId, reply.part)
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
}
