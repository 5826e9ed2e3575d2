/** A thread of a test: counts each order in the memory that it was given, and answers with the order. */
import { givenData, serveOrders } from '../../dist/builder/system/worker-pool.js'

const counted = givenData()

serveOrders((order) => {
  if (order < 0) throw new Error(`order ${order}`)
  Atomics.add(counted, 0, 1)
  return order
})
