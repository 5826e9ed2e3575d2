/** Writes the pages of a report as a folder that a browser shows from the disk, without a server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Resolved } from '../inspect/inspect.ts'
import { removeTree } from '../system/durable.ts'
import { writeOutput } from '../system/output.ts'
import { FIRST_PAGE } from './pages/places.ts'
import { type Reviewed, reviewFiles } from './pages/review.ts'
import { overviewOf } from './pages/site.ts'
import { renderedReport } from './rendered.ts'
import { openReport } from './report.ts'

interface ReportRequest {
  readonly company: string
  readonly snapshotId: string | null
  /** `YYYY-MM`; null for the last month of the books. */
  readonly month: string | null
  /** A folder that is not there yet. */
  readonly to: string
}

export interface WrittenReport {
  readonly company: string
  readonly snapshotId: string
  readonly month: string
  readonly folder: string
  readonly page: string
  readonly pages: number
  readonly bytes: number
}

/** Replaces the content of the folder and returns the page to open. */
export function writeReview(folder: string, reviewed: Reviewed): string {
  removeTree(folder)
  mkdirSync(folder, { recursive: true })
  for (const [path, text] of reviewFiles(reviewed)) writeFileSync(join(folder, path), text)
  return join(folder, FIRST_PAGE)
}

/** Writes all pages into a new folder. Throws PlaceError where it cannot be made. */
export async function writeReport(root: string, request: ReportRequest): Promise<Resolved<WrittenReport>> {
  const { company, to } = request
  const opened = await openReport(root, request)
  if (opened.findings) return opened
  const { snapshot, source, month } = opened.value
  let pages = 0
  let bytes = 0
  await writeOutput(to, 'folder', async (folder) => {
    for await (const { path, content } of renderedReport(opened.value)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
      if (path.endsWith('.html')) pages++
      bytes += Buffer.byteLength(content)
    }
  })
  return {
    value: {
      ...{ company, snapshotId: snapshot.id, month, folder: to, page: join(to, overviewOf(source.frame)) },
      ...{ pages, bytes },
    },
  }
}
