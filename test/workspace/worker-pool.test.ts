/** Threads take orders one by one; some have the next one already, so that they need not wait for this thread. */

import * as assert from 'uvu/assert'
import { type WorkerPool, workerThreads } from '../../builder/system/worker-pool.ts'
import { suite } from '../suite.ts'

const test = suite('worker pool')

const WORK = {
  module: new URL('counting-thread.mjs', import.meta.url),
  name: 'this test',
  remedy: 'Mend it',
  errors: {},
}

async function inThreads(
  count: number,
  run: (threads: WorkerPool<number, number>, counted: Int32Array) => Promise<void>,
): Promise<void> {
  const counted = new Int32Array(new SharedArrayBuffer(4))
  const threads = workerThreads<number, number>(WORK, counted, count, 100 * 1024 ** 2)
  try {
    await run(threads, counted)
  } finally {
    await threads.close()
  }
}

/** Blocks this thread until so many orders are done; false if they are not within some seconds. */
function blockedUntil(counted: Int32Array, done: number): boolean {
  const end = Date.now() + 10_000
  for (let now = Atomics.load(counted, 0); now < done; now = Atomics.load(counted, 0))
    if (Atomics.wait(counted, 0, now, Math.max(0, end - Date.now())) === 'timed-out') return false
  return true
}

test('a thread with an order ahead goes on while this thread is busy', () =>
  inThreads(1, async (threads, counted) => {
    await threads.run(1)
    const orders = [2, 3].map((order) => threads.run(order))
    assert.ok(blockedUntil(counted, 3))
    assert.equal(await Promise.all(orders), [2, 3])
  }))

test('each order has its own answer, and fifty orders are spread over three threads', () =>
  inThreads(3, async (threads, counted) => {
    const orders = Array.from({ length: 50 }, (_, i) => i)
    assert.equal(await Promise.all(orders.map((order) => threads.run(order))), orders)
    assert.is(counted[0], 50)
  }))

test('where one order fails, those behind it fail for the same reason, and so do later ones', () =>
  inThreads(1, async (threads) => {
    const orders = [-1, 2, 3, 4, 5, 6, 7].map((order) => threads.run(order))
    const [first, ...others] = await Promise.allSettled(orders)
    assert.is((first as PromiseRejectedResult).reason.message, 'order -1')
    assert.is((others.at(-1) as PromiseRejectedResult).reason.message, 'order -1')
    await threads.run(8).then(
      () => assert.unreachable(),
      (problem) => assert.is(problem.message, 'order -1'),
    )
  }))
