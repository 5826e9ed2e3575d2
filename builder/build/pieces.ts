/**
 * What a build makes piece by piece, in this thread or in several at once. What is made of a piece does not depend on any other.
 */
import { agrees, type Closed } from '../period-lock/agreeing.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { StagedFiles, type Written } from '../snapshot/staged-files.ts'
import { disk } from '../workspace/effects.ts'
import type { CheckedPart, Leaves, Piece } from './piece.ts'
import { PieceDocuments } from './piece-documents.ts'

export interface PieceToMake {
  readonly piece: Piece
  /** Files of the snapshot before that may be made again. */
  readonly published: readonly FileEntry[]
}

export interface Made {
  readonly written: Written
  readonly part: CheckedPart
  /** Paths of documents that state closed months as before. */
  readonly agreeing: readonly string[]
}

/** What pieces are made of, and where: plain data, whose cells threads share. */
export interface Materials {
  readonly leaves: Leaves
  /** Of the stage. */
  readonly folder: string
  /** Of the snapshot before; null where there is none. */
  readonly publishedFolder: string | null
  /** Null where no month is closed. */
  readonly closed: Closed | null
}

/**
 * Gives what makes one piece after the other. Its files are written, hashed and read back; SnapshotDamagedError is thrown where one
 * reads back otherwise.
 */
export function pieceMaker({
  leaves,
  folder,
  publishedFolder,
  closed,
}: Materials): (order: PieceToMake) => Made {
  const documents = new PieceDocuments(leaves)
  return ({ piece, published }) => {
    const files = new Map(published.map((file) => [file.Path, file]))
    const before = publishedFolder === null ? null : { folder: publishedFolder, files }
    const staged = new StagedFiles(folder, before, disk)
    const agreeing: string[] = []
    const part = documents.write(piece, (path, bytes) => {
      staged.write(path, bytes)
      const entry = files.get(path)
      if (closed === null || entry === undefined || staged.linked.has(path)) return
      if (agrees(closed, entry, bytes)) agreeing.push(path)
    })
    return { written: staged.written(), part, agreeing }
  }
}
