/** One of the threads that compose pieces to compare them: takes one after the other from `workspace/threads.ts`. */
import { serveOrders } from '../workspace/threads.ts'
import { type Compared, type Materials, type PieceToCompare, pieceComparer } from './compared-pieces.ts'

serveOrders<Materials, PieceToCompare, Compared>((materials) => {
  const compare = pieceComparer(materials)
  return async (piece) => compare(piece)
})
