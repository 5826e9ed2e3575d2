/**
 * Those who make the pieces of a build: this thread alone, or as many as there are cores for it. The bytes do not know how
 * many there were: a piece is the same whoever makes it, and what is held over several pieces is added up in their order.
 */
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import type { Frame } from '../books/frame.ts'
import { present } from '../contract/present.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import type { Stage } from '../snapshot/stage.ts'
import { Threads, type Work } from '../workspace/threads.ts'
import { type ClassPiece, documentsOf, type Leaves, pathsOf } from './class-documents.ts'
import type { Compose, ComposedPiece } from './documents.ts'
import { type Made, type Piece, PieceMaker } from './pieces.ts'
import type { BuildOptions } from './result.ts'

/** Starting and warming up takes a thread as long as making so many documents. */
const DOCUMENTS_PER_THREAD = 300

const WORK: Work = {
  module: new URL(`piece-thread${extname(import.meta.url)}`, import.meta.url),
  name: 'this build',
  remedy: 'Nothing was published; build with --workers 1',
  errors: { [new SnapshotDamagedError('').code]: SnapshotDamagedError },
}

interface Hands {
  run(piece: Piece): Promise<Made>
  /** Afterwards nothing is written any more. */
  close(): Promise<void>
}

/** Makes pieces into a stage. To be closed before the stage is discarded. */
export class Team {
  readonly #stage: Stage
  readonly #options: Pick<BuildOptions, 'workers' | 'share'>
  #hands: Hands | null = null

  constructor(stage: Stage, options: Pick<BuildOptions, 'workers' | 'share'>) {
    this.#stage = stage
    this.#options = options
  }

  /** Composes the statements of these cells. */
  composer(leaves: Leaves): Compose {
    this.#hands = this.#handsFor(leaves)
    return (statements) => this.#composed(leaves.frame, statements)
  }

  async close(): Promise<void> {
    await this.#hands?.close()
  }

  #handsFor(leaves: Leaves): Hands {
    const materials = {
      leaves,
      folder: this.#stage.folder,
      publishedFolder: this.#stage.currentSnapshot?.folder ?? null,
    }
    const workers = this.#options.workers ?? this.#worthWhile(documentsOf(leaves))
    return workers > 1
      ? new Threads<Piece, Made>(WORK, materials, workers)
      : oneByOne(new PieceMaker(materials))
  }

  #worthWhile(documents: number): number {
    const cores = Math.floor(availableParallelism() / (this.#options.share ?? 1))
    return Math.min(cores, Math.floor(documents / DOCUMENTS_PER_THREAD))
  }

  async #composed(frame: Frame, statements: ClassPiece): Promise<ComposedPiece> {
    const before = this.#stage.currentSnapshot?.files
    const published = before ? pathsOf(frame, statements).flatMap((path) => before.get(path) ?? []) : []
    const hands = present(this.#hands, 'composer of the statements')
    const { written, part } = await hands.run({ statements, published })
    this.#stage.take(written)
    return { files: written.files, part }
  }
}

/** In this thread. */
function oneByOne(maker: PieceMaker): Hands {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (piece) => {
      const made = last.then(() => maker.make(piece))
      last = made.catch(() => {})
      return made
    },
    close: async () => void (await last),
  }
}
