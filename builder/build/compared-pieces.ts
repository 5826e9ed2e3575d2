/**
 * Makes pieces to compare them, in this thread or in several at once. Nothing is written: of each document there
 * is its hash, and its text where that is needed. A piece is plain data.
 */
import { agrees, type Closed } from '../period-lock/agreeing.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { sha256 } from '../workspace/hash.ts'
import type { CheckedPart, Leaves, Piece } from './piece.ts'
import { PieceDocuments } from './piece-documents.ts'

export interface PieceToCompare {
  readonly piece: Piece
  /** Path → the hash with which the document is compared; null for one whose text is needed in any case. */
  readonly known: ReadonlyMap<string, string | null>
}

export interface Compared {
  readonly files: readonly FileEntry[]
  /** Path → text, of the documents that are not what is known of them. */
  readonly texts: ReadonlyMap<string, string>
  /** Paths of documents that state closed months as before, whose text is not needed. */
  readonly agreeing: readonly string[]
  readonly part: CheckedPart
}

/** What pieces are made of, and with what they are compared: plain data. */
export interface Materials {
  readonly leaves: Leaves
  /** Null where no month is closed. */
  readonly closed: Closed | null
}

/** Gives what makes one piece after the other. */
export function pieceComparer({ leaves, closed }: Materials): (order: PieceToCompare) => Compared {
  const documents = new PieceDocuments(leaves)
  return ({ piece, known }) => {
    const files: FileEntry[] = []
    const texts = new Map<string, string>()
    const agreeing: string[] = []
    const part = documents.write(piece, (path, bytes) => {
      const Sha256 = sha256(bytes)
      files.push({ Path: path, Bytes: Buffer.byteLength(bytes), Sha256 })
      const expected = known.get(path)
      if (expected === undefined || expected === Sha256) return
      if (closed !== null && expected !== null && agrees(closed, { Path: path, Sha256: expected }, bytes))
        agreeing.push(path)
      else texts.set(path, bytes.toString())
    })
    return { files, texts, agreeing, part }
  }
}
