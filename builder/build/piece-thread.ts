/** One of the threads that make pieces of a build: takes one after the other from `workspace/threads.ts`. */
import { serveOrders } from '../workspace/threads.ts'
import { type Made, type Materials, type PieceToMake, pieceMaker } from './pieces.ts'

serveOrders<Materials, PieceToMake, Made>((materials) => {
  const make = pieceMaker(materials)
  return async (piece) => make(piece)
})
