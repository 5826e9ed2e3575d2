/**
 * Those who make the pieces of a build: this thread alone, or as many as there are cores for it. The bytes do not know how
 * many there were: a piece is the same whoever makes it, and what is held over several pieces is added up in their order.
 */
import { extname } from 'node:path'
import type { Frame } from '../books/frame.ts'
import { present } from '../contract/present.ts'
import type { Stage } from '../snapshot/stage.ts'
import type { Sharing } from '../workspace/machine.ts'
import type { Hands, Purpose } from '../workspace/threads.ts'
import { type ClassPiece, type Leaves, pathsOf } from './class-documents.ts'
import type { Compose, ComposedPiece } from './documents.ts'
import { handsFor } from './hands.ts'
import { type Made, type Piece, pieceMaker } from './pieces.ts'

const MODULE = new URL(`piece-thread${extname(import.meta.url)}`, import.meta.url)

/** Where the files of the pieces go. */
export type Into = Pick<Stage, 'folder' | 'currentSnapshot' | 'take'>

/** Makes pieces into a stage, or another folder. To be closed before that is discarded. */
export class Team {
  readonly #into: Into
  readonly #sharing: Sharing
  readonly #purpose: Purpose
  #hands: Hands<Piece, Made> | null = null

  constructor(into: Into, sharing: Sharing, purpose: Purpose) {
    this.#into = into
    this.#sharing = sharing
    this.#purpose = purpose
  }

  /** Composes the statements of these cells. */
  composer(leaves: Leaves): Compose {
    const { folder, currentSnapshot } = this.#into
    const materials = { leaves, folder, publishedFolder: currentSnapshot?.folder ?? null }
    this.#hands = handsFor(this.#sharing, this.#purpose, MODULE, materials, pieceMaker)
    return (statements) => this.#composed(leaves.frame, statements)
  }

  async close(): Promise<void> {
    await this.#hands?.close()
  }

  async #composed(frame: Frame, statements: ClassPiece): Promise<ComposedPiece> {
    const before = this.#into.currentSnapshot?.files
    const published = before ? pathsOf(frame, statements).flatMap((path) => before.get(path) ?? []) : []
    const hands = present(this.#hands, 'composer of the statements')
    const { written, part } = await hands.run({ statements, published })
    this.#into.take(written)
    return { files: written.files, part }
  }
}
