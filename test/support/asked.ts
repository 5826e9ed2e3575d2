/** What is asked of published figures: of the company of a test, its current snapshot, the whole of it, unless a test says otherwise. */
import type { ExplainRequest } from '../../builder/inspect/explain.ts'
import type { TrialBalanceRequest } from '../../builder/inspect/trial-balance.ts'
import { reportPages } from '../../builder/report/pages/site.ts'
import { type OpenedReport, openReport } from '../../builder/report/report.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { COMPANY } from './workspace.ts'

const WHOLE = { company: COMPANY, snapshotId: null, basis: null, classId: null, departmentId: null }

export type Explained = Partial<ExplainRequest> & Pick<ExplainRequest, 'account' | 'month'>

export const toExplain = (asked: Explained): ExplainRequest => ({
  ...WHOLE,
  statement: null,
  budgetId: null,
  all: false,
  ...asked,
})

export const trialBalanceOf = (asked: Partial<TrialBalanceRequest>): TrialBalanceRequest => ({
  ...WHOLE,
  month: null,
  ...asked,
})

/** The report of the last month of the current snapshot. */
export async function reportOf({ snapshots }: Workspace, company = COMPANY): Promise<OpenedReport> {
  const { value, findings } = await openReport(snapshots, { company, snapshotId: null, month: null })
  if (findings) throw new Error(JSON.stringify(findings))
  return value
}

/** One of the pages that the snapshot keeps. */
export async function pageOf(workspace: Workspace, path: string): Promise<string> {
  const { source, month } = await reportOf(workspace)
  return (await reportPages(source, month)).get(path)!
}
