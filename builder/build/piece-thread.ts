/** One of the threads that make pieces of a build: takes one after the other from `workspace/threads.ts`. */
import { givenData, serveOrders } from '../workspace/threads.ts'
import { type Made, type Materials, type Piece, PieceMaker } from './pieces.ts'

const maker = new PieceMaker(givenData() as Materials)
serveOrders<Piece, Made>((piece) => maker.make(piece))
