/** Makes the pages that a snapshot keeps, from the documents in its stage. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { STYLE_SHEET } from '../report/pages/places.ts'
import { figurePagesOf, frontPages, keptGroups, overviewPageOf } from '../report/pages/site.ts'
import { type CheckResults, type FigureSource, figureSource } from '../report/source.ts'
import type { Documents } from '../snapshot/files/documents.ts'
import { reportPath } from '../snapshot/files/layout.ts'
import type { Stage } from '../snapshot/files/stage.ts'
import { readFile } from '../system/plain-file.ts'

/** Adds the pages of the last month of the books to the stage, which holds all documents. */
export async function writePages(
  stage: Stage,
  structure: Pick<FigureSource, 'frame' | 'postings' | 'hasChart'>,
  proof: CheckResults,
): Promise<void> {
  const { frame } = structure
  const figures = figureSource(documentsIn(stage.folder), structure)
  const edition = { month: frame.coverage.endDate.slice(0, 7), styleSheet: STYLE_SHEET, above: '' }
  const made = [frontPages(frame)]
  for (const group of keptGroups(frame)) {
    made.push(await overviewPageOf({ ...figures, ...proof }, edition, group))
    made.push(await figurePagesOf(figures, edition, group))
  }
  for (const pages of made) for (const [page, text] of pages) stage.write(reportPath(page), text)
}

const documentsIn = (folder: string): Documents => ({
  id: 'the snapshot in the making',
  has: (path) => existsSync(join(folder, path)),
  read: (path) => readFile(join(folder, path)),
})
