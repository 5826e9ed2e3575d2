/** One of the threads that compose pieces to compare them: takes one after the other from `workspace/threads.ts`. */
import { givenData, serveOrders } from '../workspace/threads.ts'
import { type Compared, type Materials, type PieceToCompare, pieceComparer } from './compared-pieces.ts'

const compare = pieceComparer(givenData() as Materials)
serveOrders<PieceToCompare, Compared>(async (piece) => compare(piece))
