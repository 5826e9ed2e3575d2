/** The module of a thread that makes batches of documents. */
import { givenData, serveOrders } from '../system/worker-pool.ts'
import { type BatchOrder, batchMaker, type MadeBatch, type Materials } from './batch-maker.ts'

serveOrders<BatchOrder, MadeBatch>(batchMaker(givenData() as Materials))
