/** The module of a thread that composes batches and compares them. */
import { givenData, serveOrders } from '../system/threads.ts'
import {
  type BatchToCompare,
  batchComparer,
  type ComparedBatch,
  type ComparerData,
} from './batch-comparer.ts'

const compare = batchComparer(givenData() as ComparerData)
serveOrders<BatchToCompare, ComparedBatch>(async (batch) => compare(batch))
