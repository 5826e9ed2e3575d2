/** Asks for published statements as they are shown; the test fails where there are findings instead. */
import * as assert from 'uvu/assert'
import { type ReportedStatement, type ShownStatement, shownStatement } from '../../builder/report/report.ts'

/** Nothing beside the statement: the current snapshot, its last month, all of the company. */
export const ASKED = {
  basis: null,
  budgetId: null,
  classId: null,
  departmentId: null,
  snapshotId: null,
  month: null,
}

export async function shows(
  root: string,
  request: Partial<ReportedStatement> & { company: string },
): Promise<ShownStatement> {
  const found = await shownStatement(root, {
    statement: 'ProfitAndLoss',
    view: 'month',
    ...ASKED,
    ...request,
  })
  assert.is(found.findings, undefined, JSON.stringify(found.findings))
  return found.value!
}
