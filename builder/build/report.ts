/** Makes the pages of a snapshot that is being built, from the documents in its stage. */
import { frontPages } from '../report/pages/site.ts'
import type { ReportSource } from '../report/source.ts'
import { reportPath } from '../snapshot/layout.ts'
import type { Stage } from '../snapshot/stage.ts'
import type { Team } from './team.ts'

/** Adds the pages of the last month of the books to the stage. */
export async function stageReport(
  stage: Stage,
  team: Team,
  { frame, ...stated }: Omit<ReportSource, 'books' | 'statement' | 'metrics'>,
): Promise<void> {
  for (const [page, text] of frontPages(frame)) stage.write(reportPath(page), text)
  await team.pages(frame, frame.coverage.endDate.slice(0, 7), stated)
}
