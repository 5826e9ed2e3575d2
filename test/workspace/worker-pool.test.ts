/** Each order that threads take is answered, and none after one that failed. */

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
