/** One of the threads that make pieces of a build: takes one after the other from `threads.ts`. */
import { workerData } from 'node:worker_threads'
import { type Made, type Materials, type Piece, PieceMaker } from './pieces.ts'
import { serveOrders } from './threads.ts'

const maker = new PieceMaker(workerData as Materials)
serveOrders<Piece, Made>((piece) => maker.make(piece))
