/** A cache bounded by the bytes it holds, least recently used out first, that never computes one key twice at once. */

export interface ByteCache<V> {
  /** The value of `key`, computed where it is neither held nor being computed. A failure is not kept. */
  get(key: string, compute: () => Promise<V>): Promise<V>
  readonly bytes: number
}

export function createByteCache<V>(greatest: number, bytesOf: (value: V) => number): ByteCache<V> {
  /** A Map keeps insertion order: the first key is the one used longest ago. */
  const held = new Map<string, V>()
  const underWay = new Map<string, Promise<V>>()
  let bytes = 0

  const cost = (key: string, value: V): number => bytesOf(value) + key.length * 2
  function keep(key: string, value: V): void {
    if (cost(key, value) > greatest) return
    held.set(key, value)
    bytes += cost(key, value)
    for (const [oldest, old] of held) {
      if (bytes <= greatest) break
      held.delete(oldest)
      bytes -= cost(oldest, old)
    }
  }

  return {
    get bytes() {
      return bytes
    },
    async get(key, compute) {
      const found = held.get(key)
      if (found !== undefined) {
        held.delete(key)
        held.set(key, found)
        return found
      }
      const pending = underWay.get(key)
      if (pending) return pending
      const computing = compute()
      underWay.set(key, computing)
      try {
        const value = await computing
        keep(key, value)
        return value
      } finally {
        underWay.delete(key)
      }
    },
  }
}
