/** A cache bounded by bytes, which drops the least recently used value first and never computes a key twice at once. */
import { LRUCache } from 'lru-cache'

interface ByteCache<V> {
  /**
   * The value of `key`, computed where it is neither cached nor being computed. Failures are not cached. A caller may
   * leave (`leaving` is asked only where there is something to wait for); `compute` is aborted when the last caller has
   * left.
   */
  get(key: string, compute: (abandoned: AbortSignal) => Promise<V>, leaving?: () => AbortSignal): Promise<V>
  readonly bytes: number
}

interface UnderWay<V> {
  readonly value: Promise<V>
  readonly abandoned: AbortController
  waiting: number
}

export function createByteCache<V extends NonNullable<unknown>>(
  greatest: number,
  bytesOf: (value: V) => number,
): ByteCache<V> {
  const held = new LRUCache<string, V>({
    maxSize: greatest,
    sizeCalculation: (value, key) => bytesOf(value) + key.length * 2,
  })
  const underWay = new Map<string, UnderWay<V>>()

  function begin(key: string, compute: (abandoned: AbortSignal) => Promise<V>): UnderWay<V> {
    const abandoned = new AbortController()
    const begun: UnderWay<V> = { value: finish(), abandoned, waiting: 0 }
    async function finish(): Promise<V> {
      try {
        const value = await compute(abandoned.signal)
        held.set(key, value)
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
    // A caller that comes now starts a new computation, instead of getting the failure of the aborted one.
    forget(key, begun)
    begun.abandoned.abort()
  }

  return {
    get bytes() {
      return held.calculatedSize
    },
    async get(key, compute, leaving) {
      const found = held.get(key)
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
