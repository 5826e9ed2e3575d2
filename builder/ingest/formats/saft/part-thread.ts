/** One of the threads that read parts of SAF-T files: takes one after the other from `workspace/threads.ts`. */
import { serveOrders } from '../../../workspace/threads.ts'
import { type Made, make, type Order } from './parts.ts'

serveOrders<Order, Made>(make)
