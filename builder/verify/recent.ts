/**
 * Keeps what was computed for the last two snapshots in memory, since consecutive snapshots have much in
 * common. Each entry is stored under the hash of everything it was computed from, as in the cache on disk.
 */
export class Recent {
  #older = new Map<string, Buffer>()
  #newer = new Map<string, Buffer>()

  /** Begins another snapshot: an entry that was not used during the last one is dropped. */
  next(): void {
    this.#older = this.#newer
    this.#newer = new Map()
  }

  /** The bytes under a key, which stay for the next snapshot too; null where there are none. */
  find(key: string): Buffer | null {
    const found = this.#newer.get(key) ?? this.#older.get(key) ?? null
    if (found) this.#newer.set(key, found)
    return found
  }

  /** Keeps bytes under the hash of what they were computed from. */
  keep(key: string, bytes: Buffer): void {
    this.#newer.set(key, bytes)
  }
}
