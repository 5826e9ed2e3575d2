/**
 * What a build makes piece by piece, in this thread or in several at once: the statements of a class filter and some
 * departments. A piece is plain data, and what is made of it does not depend on any other.
 */
import { StatementEncoder } from '../contract/encode.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { StagedFiles, type Written } from '../snapshot/staged-files.ts'
import { disk } from '../workspace/effects.ts'
import { ClassDocuments, type ClassPart, type ClassPiece, type Leaves } from './class-documents.ts'

export interface Piece {
  readonly statements: ClassPiece
  /** Files of the snapshot before that may be made again. */
  readonly published: readonly FileEntry[]
}

export interface Made {
  readonly written: Written
  readonly part: ClassPart
}

/** What pieces are made of, and where: plain data, whose cells threads share. */
export interface Materials {
  readonly leaves: Leaves
  /** Of the stage. */
  readonly folder: string
  /** Of the snapshot before; null where there is none. */
  readonly publishedFolder: string | null
}

/**
 * Gives what makes one piece after the other. Its files are written, hashed and read back; SnapshotDamagedError is thrown where one
 * reads back otherwise.
 */
export function pieceMaker({ leaves, folder, publishedFolder }: Materials): (piece: Piece) => Made {
  const documents = new ClassDocuments(leaves, new StatementEncoder())
  return ({ statements, published }) => {
    const files = new Map(published.map((file) => [file.Path, file]))
    const before = publishedFolder === null ? null : { folder: publishedFolder, files }
    const staged = new StagedFiles(folder, before, disk)
    const part = documents.write(statements, (path, bytes) => staged.write(path, bytes))
    return { written: staged.written(), part }
  }
}
