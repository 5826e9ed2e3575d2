/**
 * Those who make the pieces of a build: this thread alone, or as many as there are cores for it. The bytes do not know how
 * many there were: a piece is the same whoever makes it, and what is held over several pieces is added up in their order.
 */
import { extname } from 'node:path'
import type { Frame } from '../books/frame.ts'
import { present } from '../contract/present.ts'
import type { Guard } from '../period-lock/guard.ts'
import type { Stage } from '../snapshot/stage.ts'
import type { Sharing } from '../workspace/machine.ts'
import type { Hands, Purpose } from '../workspace/threads.ts'
import type { Compose, ComposedPiece } from './documents.ts'
import { handsFor } from './hands.ts'
import { type Leaves, type Piece, pathsOf } from './piece.ts'
import { type Made, type PieceToMake, pieceMaker } from './pieces.ts'

const MODULE = new URL(`piece-thread${extname(import.meta.url)}`, import.meta.url)

/** Where the files of the pieces go. */
export type Into = Pick<Stage, 'folder' | 'currentSnapshot' | 'take'>

/** The guard of closed months, as far as documents are compared where they are made. */
export type ComparedBefore = Pick<Guard, 'closed' | 'agree'>

/** Makes pieces into a stage, or another folder. To be closed before that is discarded. */
export class Team {
  readonly #into: Into
  readonly #sharing: Sharing
  readonly #purpose: Purpose
  #hands: Hands<PieceToMake, Made> | null = null

  constructor(into: Into, sharing: Sharing, purpose: Purpose) {
    this.#into = into
    this.#sharing = sharing
    this.#purpose = purpose
  }

  /** Makes documents of these leaves. With a guard, documents are compared with those before where they are made. */
  composer(leaves: Leaves, guard: ComparedBefore | null = null): Compose {
    const { folder, currentSnapshot } = this.#into
    const publishedFolder = currentSnapshot?.folder ?? null
    const materials = { leaves, folder, publishedFolder, closed: guard?.closed ?? null }
    this.#hands = handsFor(this.#sharing, this.#purpose, MODULE, materials, pieceMaker)
    return (piece) => this.#composed(leaves.frame, piece, guard)
  }

  async close(): Promise<void> {
    await this.#hands?.close()
  }

  async #composed(frame: Frame, piece: Piece, guard: ComparedBefore | null): Promise<ComposedPiece> {
    const before = this.#into.currentSnapshot?.files
    const published = before ? pathsOf(frame, piece).flatMap((path) => before.get(path) ?? []) : []
    const hands = present(this.#hands, 'composer of the pieces')
    const { written, part, agreeing } = await hands.run({ piece, published })
    this.#into.take(written)
    guard?.agree(agreeing)
    return { files: written.files, part }
  }
}
