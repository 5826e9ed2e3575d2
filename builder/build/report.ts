/** The pages of a snapshot in the making, of what was staged of it. */
import { join } from 'node:path'
import { reportPages } from '../report/pages/site.ts'
import { type ReportSource, reportSource } from '../report/source.ts'
import { reportPath } from '../snapshot/layout.ts'
import type { Stage } from '../snapshot/stage.ts'
import { readFile } from '../workspace/plain-file.ts'

/** Of the last month of the books. */
export async function stageReport(
  stage: Stage,
  stated: Omit<ReportSource, 'books' | 'statement' | 'metrics'>,
): Promise<void> {
  const { folder } = stage
  const paths = new Set(stage.files.paths)
  const documents = {
    id: 'the snapshot in the making',
    has: (path: string) => paths.has(path),
    read: (path: string) => readFile(join(folder, path)),
  }
  const month = stated.frame.coverage.endDate.slice(0, 7)
  const pages = await reportPages(reportSource(documents, { ...stated, folder }), month)
  for (const [page, text] of pages) stage.write(reportPath(page), text)
}
