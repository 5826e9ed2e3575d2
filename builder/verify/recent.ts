/**
 * What was worked out for the last snapshots, in memory: the next one has much in common with them. Under the hash of all
 * that it was made from, like the cache on disk.
 */
export class Recent {
  #older = new Map<string, Buffer>()
  #newer = new Map<string, Buffer>()

  /** What is not asked for until the next call is forgotten with the one after it. */
  next(): void {
    this.#older = this.#newer
    this.#newer = new Map()
  }

  find(key: string): Buffer | null {
    const found = this.#newer.get(key) ?? this.#older.get(key) ?? null
    if (found) this.#newer.set(key, found)
    return found
  }

  keep(key: string, bytes: Buffer): void {
    this.#newer.set(key, bytes)
  }
}
