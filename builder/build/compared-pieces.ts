/**
 * Composes pieces of the statements to compare them, in this thread or in several at once. Nothing is written: of each document there
 * is its hash, and its text where that is needed. A piece is plain data.
 */
import { StatementEncoder } from '../contract/encode.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { sha256 } from '../workspace/hash.ts'
import { ClassDocuments, type ClassPart, type ClassPiece, type Leaves } from './class-documents.ts'

export interface PieceToCompare {
  readonly statements: ClassPiece
  /** Path → the hash with which the document is compared; null for one whose text is needed in any case. */
  readonly known: ReadonlyMap<string, string | null>
}

export interface Compared {
  readonly files: readonly FileEntry[]
  /** Path → text, of the documents that are not what is known of them. */
  readonly texts: ReadonlyMap<string, string>
  readonly part: ClassPart
}

/** Gives what composes one piece after the other of these cells. */
export function pieceComparer({ leaves }: { readonly leaves: Leaves }): (piece: PieceToCompare) => Compared {
  const documents = new ClassDocuments(leaves, new StatementEncoder())
  return ({ statements, known }) => {
    const files: FileEntry[] = []
    const texts = new Map<string, string>()
    const part = documents.write(statements, (path, bytes) => {
      const Sha256 = sha256(bytes)
      files.push({ Path: path, Bytes: bytes.length, Sha256 })
      const expected = known.get(path)
      if (expected !== undefined && expected !== Sha256) texts.set(path, bytes.toString('utf8'))
    })
    return { files, texts, part }
  }
}
