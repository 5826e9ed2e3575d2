/** A thread of a test: counts each order in the memory that it was given, and answers with the order. Odd ones take a while. */
import { setTimeout as wait } from 'node:timers/promises'
import { givenData, serveOrders } from '../../builder/system/threads.ts'

const counted = givenData() as Int32Array
let underWay = 0

serveOrders<number, number>(async (order) => {
  if (order < 0) throw new Error(`order ${order}`)
  if (++underWay > 1) throw new Error('two orders are under way')
  if (order % 2 === 1) await wait(1)
  underWay--
  Atomics.add(counted, 0, 1)
  Atomics.notify(counted, 0)
  return order
})
