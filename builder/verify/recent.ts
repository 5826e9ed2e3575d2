/**
 * Remembers the statements of the last two snapshots that were recomputed, since consecutive snapshots have much in
 * common: a batch that was composed of the same sums, and published with the same hashes, is not composed again.
 */
import { deserialize, serialize } from 'node:v8'
import { stretchesIn } from '../books/monthly-sums.ts'
import { spanOf } from '../books/tree.ts'
import type { DocumentBatch, DocumentData } from '../build/document-batch.ts'
import type { Compose, ComposedBatch } from '../build/documents.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { cacheKey } from '../workspace/cache.ts'

export class Recent {
  #older = new Map<string, Buffer>()
  #newer = new Map<string, Buffer>()

  /** Begins another snapshot: what was not used during the last one is dropped. */
  next(): void {
    this.#older = this.#newer
    this.#newer = new Map()
  }

  /** Composes batches through `compose`, but for those of actuals that are remembered and whose files `accept` takes. */
  composer(data: DocumentData, compose: Compose, accept: (files: readonly FileEntry[]) => boolean): Compose {
    const keyOf = batchKeys(data)
    return async (batch) => {
      if (batch.of !== 'actuals') return compose(batch)
      const key = keyOf(batch)
      const bytes = this.#newer.get(key) ?? this.#older.get(key)
      const known = bytes && (deserialize(bytes) as ComposedBatch)
      if (known && accept(known.files)) {
        this.#newer.set(key, bytes)
        return known
      }
      const composed = await compose(batch)
      this.#newer.set(key, serialize(composed))
      return composed
    }
  }
}

/** The key of a batch is a hash of everything from which it is composed: the frame, and the sums of its class filter on each basis. */
function batchKeys(data: DocumentData): (batch: DocumentBatch) => string {
  const framed = cacheKey(JSON.stringify(data.frame))
  let last: { readonly classId: string | null; readonly key: string } | null = null
  return ({ classId, departmentIds }) => {
    // Batches come class by class, so the sums of each class are hashed once.
    if (last?.classId !== classId) last = { classId, key: cacheKey(framed, ...sumsIn(data, classId)) }
    return cacheKey(last.key, JSON.stringify([classId, departmentIds]))
  }
}

/** The sums of a class filter as bytes, basis by basis: those of months, and of stretches of fiscal years where these divide months. */
function* sumsIn(
  { frame, cells, stretches }: DocumentData,
  classId: string | null,
): Generator<string | Uint8Array> {
  const classes = spanOf(frame.classes, classId)
  for (const [basis, own] of [...cells, ...stretches]) {
    const { starts, departments } = own
    const places = starts.subarray(classes.from * departments, (classes.to + 1) * departments + 1)
    const [first = 0] = places
    yield basis
    yield bytesOf(places.map((place) => place - first))
    for (const { from, to } of stretchesIn(own, classes, spanOf(frame.departments, null)))
      for (const column of [own.account, own.period, own.kind, own.amount])
        yield bytesOf(column.subarray(from, to))
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
