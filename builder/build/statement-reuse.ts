/**
 * Reuses statements that an earlier build composed from the same sums: they are linked and not composed again. The cache
 * keeps, for each piece, the results of its tie-outs, because equal figures tie out alike.
 */
import { deserialize, serialize } from 'node:v8'
import { stretchesIn } from '../books/cells.ts'
import { spanOf } from '../books/tree.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { type Cache, cacheKey } from '../workspace/cache.ts'
import type { ClassPart, ClassPiece, Leaves } from './class-documents.ts'

/** Takes over files of the current snapshot, all or none. Returns false if one of them is not intact. */
export type Reuse = (files: readonly FileEntry[]) => boolean

interface Kept {
  readonly files: readonly FileEntry[]
  readonly part: ClassPart
}

export class ComposedBefore {
  readonly #cache: Pick<Cache, 'find' | 'keep'>
  readonly #reuse: Reuse

  constructor(cache: Pick<Cache, 'find' | 'keep'>, reuse: Reuse) {
    this.#cache = cache
    this.#reuse = reuse
  }

  /** Takes over the statements of a piece and returns the results of their checks; null if they must be composed. */
  take(key: string): ClassPart | null {
    const bytes = this.#cache.find(key)
    if (bytes === null) return null
    const { files, part } = deserialize(bytes) as Kept
    return this.#reuse(files) ? part : null
  }

  /** Keeps the results of a piece without errors. Sums over members are left out, because they concern several pieces. */
  keep(key: string, files: readonly FileEntry[], { tieOuts, limits }: ClassPart): void {
    if (tieOuts.failures.length > 0 || limits.size > 0) return
    const part: ClassPart = {
      tieOuts: { ...tieOuts, members: { sums: new Map(), unfiltered: new Map() } },
      limits,
    }
    this.#cache.keep(key, serialize({ files, part } satisfies Kept))
  }
}

/** Makes the cache key of a piece from everything that its statements depend on: the frame, and the sums of its class filter on each basis. */
export function pieceKeys(
  leaves: Leaves,
): (classId: string, departmentIds: ClassPiece['departmentIds']) => string {
  const keyOf = classKeys(leaves)
  let last: { readonly classId: string; readonly key: string } | null = null
  return (classId, departmentIds) => {
    // Pieces come class by class, so the sums of each class are hashed once.
    if (last?.classId !== classId) last = { classId, key: keyOf(classId) }
    return cacheKey(last.key, JSON.stringify(departmentIds))
  }
}

function classKeys({ frame, cells }: Leaves): (classId: string) => string {
  const framed = cacheKey(JSON.stringify(frame))
  const all = spanOf(frame.departments, null)
  return (classId) => {
    const parts: (string | Uint8Array)[] = [framed, classId]
    const classes = spanOf(frame.classes, classId)
    for (const [basis, own] of cells) {
      const { starts, departments } = own
      const places = starts.subarray(classes.from * departments, (classes.to + 1) * departments + 1)
      const [first = 0] = places
      parts.push(basis, bytesOf(places.map((place) => place - first)))
      const stretches = stretchesIn(own, classes, all)
      for (const { from, to } of stretches)
        for (const column of [own.account, own.period, own.kind, own.amount])
          parts.push(bytesOf(column.subarray(from, to)))
    }
    return cacheKey(...parts)
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
