/** A cache bounded by the bytes it holds, least recently used out first, that never computes one key twice at once. */

export interface ByteCache<V> {
  /**
   * The value of `key`, computed where it is neither held nor being computed. A failure is not kept. Who waits may
   * leave (`leaving`, asked where there is something to wait for); `compute` is told to stop when the last one has.
   */
  get(key: string, compute: (abandoned: AbortSignal) => Promise<V>, leaving?: () => AbortSignal): Promise<V>
  /** What is held, without computing anything. */
  held(key: string): V | undefined
  /** Instead of what is held, if anything is. */
  keep(key: string, value: V): void
  readonly bytes: number
}

interface UnderWay<V> {
  readonly value: Promise<V>
  readonly abandoned: AbortController
  waiting: number
}

export function createByteCache<V>(greatest: number, bytesOf: (value: V) => number): ByteCache<V> {
  /** A Map keeps insertion order: the first key is the one used longest ago. */
  const held = new Map<string, V>()
  const underWay = new Map<string, UnderWay<V>>()
  let bytes = 0

  const cost = (key: string, value: V): number => bytesOf(value) + key.length * 2
  function keep(key: string, value: V): void {
    if (cost(key, value) > greatest) return
    const before = held.get(key)
    if (before !== undefined) bytes -= cost(key, before)
    held.delete(key)
    held.set(key, value)
    bytes += cost(key, value)
    for (const [oldest, old] of held) {
      if (bytes <= greatest) break
      held.delete(oldest)
      bytes -= cost(oldest, old)
    }
  }

  function begin(key: string, compute: (abandoned: AbortSignal) => Promise<V>): UnderWay<V> {
    const abandoned = new AbortController()
    const begun: UnderWay<V> = { value: finish(), abandoned, waiting: 0 }
    async function finish(): Promise<V> {
      try {
        const value = await compute(abandoned.signal)
        keep(key, value)
        return value
      } finally {
        forget(key, begun)
      }
    }
    underWay.set(key, begun)
    return begun
  }

  function forget(key: string, begun: UnderWay<V>): void {
    if (underWay.get(key) === begun) underWay.delete(key)
  }

  function leave(key: string, begun: UnderWay<V>): void {
    if (--begun.waiting > 0) return
    // Whoever comes now begins anew, instead of getting the failure of what is being stopped.
    forget(key, begun)
    begun.abandoned.abort()
  }

  /** Used just now: it goes to the end. */
  function find(key: string): V | undefined {
    const found = held.get(key)
    if (found !== undefined) {
      held.delete(key)
      held.set(key, found)
    }
    return found
  }

  return {
    held: find,
    keep,
    get bytes() {
      return bytes
    },
    async get(key, compute, leaving) {
      const found = find(key)
      if (found !== undefined) return found
      const pending = underWay.get(key) ?? begin(key, compute)
      pending.waiting++
      const signal = leaving?.()
      const left = (): void => leave(key, pending)
      if (signal?.aborted) left()
      else signal?.addEventListener('abort', left, { once: true })
      try {
        return await pending.value
      } finally {
        signal?.removeEventListener('abort', left)
      }
    },
  }
}
