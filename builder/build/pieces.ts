/**
 * What a build makes piece by piece, in this thread or in several at once: the statements of a class filter and some
 * departments, the pages of a basis and filter. A piece is plain data, and what is made of it does not depend on any other.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StatementEncoder } from '../contract/encode.ts'
import { type PageGroup, pagesOf } from '../report/pages/site.ts'
import { type ReportSource, reportSource } from '../report/source.ts'
import { reportPath } from '../snapshot/layout.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { StagedFiles, type Written } from '../snapshot/staged-files.ts'
import { disk } from '../workspace/effects.ts'
import { readFile } from '../workspace/plain-file.ts'
import { ClassDocuments, type ClassPart, type ClassPiece, type Leaves } from './class-documents.ts'

/** What the pages of a snapshot in the making tell beside its documents. */
export type Stated = Omit<ReportSource, 'frame' | 'books' | 'statement' | 'metrics'>

export type Piece = (
  | { readonly statements: ClassPiece }
  | { readonly pages: PageGroup; readonly month: string; readonly stated: Stated }
) & {
  /** Files of the snapshot before that may be made again. */
  readonly published: readonly FileEntry[]
}

export interface Made {
  readonly written: Written
  /** What was seen of statements; null of pages. */
  readonly part: ClassPart | null
}

/** What pieces are made of, and where: plain data, whose cells threads share. */
export interface Materials {
  readonly leaves: Leaves
  /** Of the stage. */
  readonly folder: string
  /** Of the snapshot before; null where there is none. */
  readonly publishedFolder: string | null
}

/** Makes one piece after the other. */
export class PieceMaker {
  readonly #materials: Materials
  readonly #documents: ClassDocuments

  constructor(materials: Materials) {
    this.#materials = materials
    this.#documents = new ClassDocuments(materials.leaves, new StatementEncoder())
  }

  /** Its files are written, hashed and read back. Throws SnapshotDamagedError where one reads back otherwise. */
  async make(piece: Piece): Promise<Made> {
    const { folder, publishedFolder } = this.#materials
    const files = new Map(piece.published.map((file) => [file.Path, file]))
    const staged = new StagedFiles(
      folder,
      publishedFolder === null ? null : { folder: publishedFolder, files },
      disk,
    )
    let part: ClassPart | null = null
    if ('statements' in piece)
      part = this.#documents.write(piece.statements, (path, bytes) => staged.write(path, bytes))
    else
      for (const [page, text] of await pagesOf(this.#source(piece.stated), piece.month, piece.pages))
        staged.write(reportPath(page), text)
    return { written: staged.written(), part }
  }

  #source(stated: Stated): ReportSource {
    const { folder, leaves } = this.#materials
    const documents = {
      id: 'the snapshot in the making',
      has: (path: string) => existsSync(join(folder, path)),
      read: (path: string) => readFile(join(folder, path)),
    }
    return reportSource(documents, { ...stated, frame: leaves.frame, folder })
  }
}
