/** Makes the pages that a snapshot keeps, from the documents in its stage. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { STYLE_SHEET } from '../report/pages/places.ts'
import { frontPages, keptGroups, pagesOf } from '../report/pages/site.ts'
import { type ReportSource, reportSource } from '../report/source.ts'
import { reportPath } from '../snapshot/layout.ts'
import type { Stage } from '../snapshot/stage.ts'
import { readFile } from '../workspace/plain-file.ts'

/** Adds the pages of the last month of the books to the stage. */
export async function stageReport(
  stage: Stage,
  stated: Omit<ReportSource, 'books' | 'statement' | 'metrics'>,
): Promise<void> {
  const { frame } = stated
  const { folder } = stage
  const documents = {
    id: 'the snapshot in the making',
    has: (path: string) => existsSync(join(folder, path)),
    read: (path: string) => readFile(join(folder, path)),
  }
  const source = reportSource(documents, { ...stated, folder })
  const edition = { month: frame.coverage.endDate.slice(0, 7), styleSheet: STYLE_SHEET }
  for (const [page, text] of frontPages(frame)) stage.write(reportPath(page), text)
  for (const group of keptGroups(frame))
    for (const [page, text] of await pagesOf(source, edition, group)) stage.write(reportPath(page), text)
}
