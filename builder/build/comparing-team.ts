/**
 * Composes the statements on as many cores as there are, and compares them with what is known of them, for whoever writes none: a
 * check, and a verification. What was found is told in the order of the pieces, whoever was done first.
 */
import { extname } from 'node:path'
import type { FileEntry } from '../snapshot/manifest.ts'
import { handled } from '../workspace/handled.ts'
import type { Sharing } from '../workspace/machine.ts'
import type { Hands, Purpose } from '../workspace/threads.ts'
import { type Compared, type PieceToCompare, pieceComparer } from './compared-pieces.ts'
import type { Compose } from './documents.ts'
import { handsFor } from './hands.ts'
import { type Leaves, type Piece, pathsOf } from './piece.ts'
import type { ComparedBefore } from './team.ts'

/**
 * What is known of a document: the hash with which it is compared, null where its text is needed in any case, undefined where it
 * never is.
 */
export type Known = (path: string) => string | null | undefined
/** Is told of each document. `text` is null where it is as known, agrees with the one before, or is never needed. */
export type Observe = (file: FileEntry, text: string | null) => void

const MODULE = new URL(`comparison-thread${extname(import.meta.url)}`, import.meta.url)

/** To be closed when all is composed, or nothing more is needed. */
export class ComparingTeam {
  readonly #sharing: Sharing
  readonly #purpose: Purpose
  #hands: Hands<PieceToCompare, Compared> | null = null

  constructor(sharing: Sharing, purpose: Purpose) {
    this.#sharing = sharing
    this.#purpose = purpose
  }

  composer(leaves: Leaves, known: Known, observe: Observe, guard: ComparedBefore | null = null): Compose {
    const materials = { leaves, closed: guard?.closed ?? null }
    const hands = handsFor(this.#sharing, this.#purpose, MODULE, materials, pieceComparer)
    this.#hands = hands
    let told: Promise<unknown> = Promise.resolve()
    return (piece) => {
      // It is waited for after the pieces before it.
      const made = handled(hands.run({ piece, known: knownIn(leaves, piece, known) }))
      const observed = told.then(async () => {
        const { files, texts, agreeing, part } = await made
        guard?.agree(agreeing)
        for (const file of files) observe(file, texts.get(file.Path) ?? null)
        return { files, part }
      })
      told = observed.catch(() => {})
      return observed
    }
  }

  async close(): Promise<void> {
    await this.#hands?.close()
  }
}

const knownIn = ({ frame }: Leaves, piece: Piece, known: Known): PieceToCompare['known'] =>
  new Map(
    pathsOf(frame, piece).flatMap((path) => {
      const hash = known(path)
      return hash === undefined ? [] : [[path, hash]]
    }),
  )
