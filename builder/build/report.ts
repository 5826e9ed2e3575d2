/** The pages of a snapshot in the making, of what was staged of it. */
import { frontPages } from '../report/pages/site.ts'
import type { ReportSource } from '../report/source.ts'
import { reportPath } from '../snapshot/layout.ts'
import type { Stage } from '../snapshot/stage.ts'
import type { Team } from './team.ts'

/** Of the last month of the books. */
export async function stageReport(
  stage: Stage,
  team: Team,
  { frame, ...stated }: Omit<ReportSource, 'books' | 'statement' | 'metrics'>,
): Promise<void> {
  for (const [page, text] of frontPages(frame)) stage.write(reportPath(page), text)
  await team.pages(frame, frame.coverage.endDate.slice(0, 7), stated)
}
