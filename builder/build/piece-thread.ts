/** One of the threads that make pieces of a build: takes one after the other from `workspace/threads.ts`. */
import { givenData, serveOrders } from '../workspace/threads.ts'
import { type Made, type Materials, type PieceToMake, pieceMaker } from './pieces.ts'

const make = pieceMaker(givenData() as Materials)
serveOrders<PieceToMake, Made>(async (piece) => make(piece))
