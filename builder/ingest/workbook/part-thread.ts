/** One of the threads that read workbooks. */
import { serveOrders } from '../../workspace/threads.ts'
import { readPart } from './parts.ts'

serveOrders(readPart)
