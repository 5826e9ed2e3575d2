/** The module of a thread that writes batches. */
import { givenData, serveOrders } from '../system/threads.ts'
import { type BatchToWrite, batchWriter, type WriterData, type WrittenBatch } from './batch-writer.ts'

const make = batchWriter(givenData() as WriterData)
serveOrders<BatchToWrite, WrittenBatch>(async (batch) => make(batch))
