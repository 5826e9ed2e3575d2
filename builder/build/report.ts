/** The pages of a snapshot in the making, of what was staged of it. */
import { join } from 'node:path'
import type { Frame } from '../books/frame.ts'
import { reportPages } from '../report/pages/site.ts'
import { reportSource } from '../report/source.ts'
import { reportPath } from '../snapshot/layout.ts'
import type { Stage } from '../snapshot/stage.ts'
import type { Finding } from '../workspace/finding.ts'
import { readFile } from '../workspace/plain-file.ts'

/** Of the last month of the books. */
export async function stageReport(stage: Stage, frame: Frame, warnings: readonly Finding[]): Promise<void> {
  const paths = new Set(stage.files.paths)
  const staged = {
    id: 'the snapshot in the making',
    has: (path: string) => paths.has(path),
    read: (path: string) => readFile(join(stage.folder, path)),
  }
  const pages = await reportPages(reportSource(staged, frame, warnings), frame.coverage.endDate.slice(0, 7))
  for (const [page, text] of pages) stage.write(reportPath(page), text)
}
