/** One thread of threads.ts: class filters in, documents and what was seen of them out. Touches no file. */
import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { ClassDocuments, type Leaves } from './class-documents.ts'
import { StatementEncoder } from './contract/encode.ts'
import type { PackedDocument, Reply, Task } from './threads.ts'

/** Documents travel in parcels of this size: few messages, and little in flight. */
const PARCEL = 4 * 1024 * 1024

const leaves = workerData as Leaves
const classDocuments = new ClassDocuments(leaves, new StatementEncoder())
const port = parentPort!

let documents: PackedDocument[] = []
let parcel = new Uint8Array(PARCEL)
let used = 0

function send(): void {
  if (documents.length > 0) {
    const reply: Reply = { documents, bytes: parcel.buffer }
    port.postMessage(reply, [parcel.buffer])
  }
  documents = []
  parcel = new Uint8Array(PARCEL)
  used = 0
}

function pack(path: string, bytes: Buffer): void {
  if (used + bytes.length > parcel.length) {
    if (used > 0) send()
    if (bytes.length > parcel.length) parcel = new Uint8Array(bytes.length)
  }
  parcel.set(bytes, used)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  documents.push({ path, sha256, from: used, to: used + bytes.length })
  used += bytes.length
}

port.on('message', (classId: Task) => {
  const part = classDocuments.write(classId, pack)
  send()
  port.postMessage({ part } satisfies Reply)
})
