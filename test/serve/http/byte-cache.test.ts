/** The cache: bounded by bytes, least recently used out first, one computation per key at a time. */

import * as assert from 'uvu/assert'
import { createByteCache } from '../../../serve/http/byte-cache.ts'
import { suite } from '../../suite.ts'

const cache = suite('byte cache')

const make = (greatest: number) => {
  const it = createByteCache<string>(greatest, (value) => value.length)
  const computed: string[] = []
  return {
    it,
    computed,
    get: (key: string, size: number) =>
      it.get(key, async () => {
        computed.push(key)
        return 'x'.repeat(size)
      }),
  }
}

cache('keeps within its bound and drops what was used longest ago', async () => {
  const { it, computed, get } = make(100)
  await get('a', 30)
  await get('b', 30)
  await get('c', 30)
  await get('a', 30)
  await get('d', 30)
  assert.ok(it.bytes <= 100)
  await get('a', 30)
  assert.equal(computed, ['a', 'b', 'c', 'd'])
  await get('b', 30)
  assert.is(computed.at(-1), 'b')
})

cache('a value larger than the bound is given, not kept, and drops nothing', async () => {
  const { it, computed, get } = make(100)
  await get('a', 30)
  assert.is((await get('big', 1000)).length, 1000)
  await get('a', 30)
  assert.equal(computed, ['a', 'big'])
  assert.ok(it.bytes <= 100)
})

cache(
  'a computation is told to stop when the last who waits has left; who comes then begins anew',
  async () => {
    const { it } = make(100)
    const stopped: string[] = []
    const slow = (name: string, signal?: AbortSignal) =>
      it.get(
        'slow',
        (abandoned) =>
          new Promise((_, reject) => {
            abandoned.addEventListener('abort', () => {
              stopped.push(name)
              reject(new Error(`${name} stopped`))
            })
          }),
        signal && (() => signal),
      )
    const [a, b] = [new AbortController(), new AbortController()]
    const both = Promise.allSettled([slow('first', a.signal), slow('second', b.signal)])
    a.abort()
    assert.equal(stopped, [])
    b.abort()
    assert.equal(stopped, ['first'])
    assert.is(await it.get('slow', async () => 'anew'), 'anew')
    for (const result of await both) assert.is(result.status, 'rejected')
    assert.is(await it.get('slow', async () => 'again'), 'anew')
    // One who cannot leave keeps it going.
    const c = new AbortController()
    const kept = it.get('kept', async () => 'kept')
    const left = it.get(
      'kept',
      async () => 'never',
      () => c.signal,
    )
    c.abort()
    assert.equal(await Promise.all([kept, left]), ['kept', 'kept'])
  },
)
