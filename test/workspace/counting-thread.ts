/** A thread of a test: counts each order in the memory that it was given, and answers with the order. */
import { givenData, serveOrders } from '../../builder/workspace/threads.ts'

const counted = givenData() as Int32Array

serveOrders<number, number>(async (order) => {
  if (order < 0) throw new Error(`order ${order}`)
  Atomics.add(counted, 0, 1)
  Atomics.notify(counted, 0)
  return order
})
