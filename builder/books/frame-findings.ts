/** What is wrong with the frame of the books: budgets without figures, no cash account, dates after the lock date. */
import { dayOf, monthOf } from '../contract/calendar.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { BASIS_CODE } from './codes.ts'
import type { Database } from './database.ts'
import type { Frame } from './frame.ts'

/** `areBudgetsRead`: what cannot be read of a budget has errors of its own. */
export function frameFindings(frame: Frame, areBudgetsRead: boolean): Finding[] {
  const findings: Finding[] = []
  for (const budget of frame.budgets)
    if (budget.startMonth === null && areBudgetsRead)
      findings.push(
        error('empty-budget', `budget ${budget.id} holds no figure`, {
          file: 'company.yaml',
          column: 'budgets',
          text: budget.id,
          remedy: 'check its files, or take it out of company.yaml',
        }),
      )
  if (!frame.accounts.some((account) => account.cashFlow === 'Cash'))
    findings.push(
      error(
        'no-cash-account',
        'no account is a cash account: the cash flow statement has nothing to explain',
        {
          remedy: 'give the bank accounts the type Bank, or state them under "cashFlow" as Cash',
        },
      ),
    )
  for (const account of frame.accounts)
    if (
      ['Asset', 'Liability'].includes(account.classification) &&
      account.cashFlow === null &&
      !account.isHeader
    )
      findings.push(
        warning(
          'cash-flow-unmapped',
          `nothing says where account ${account.number} ${account.name} belongs on the cash flow; it stands under Operating`,
          {
            text: account.id,
            remedy: 'give it a type, or an entry under "cashFlow" in company.yaml',
          },
        ),
      )
  return findings
}

/** Months without a posting are published up to the lock date: beyond the year of the last posting it is a slip of the pen. */
export function lateLockFindings(
  lockDate: string | undefined,
  yearEnd: string,
  lastPosting: string,
): Finding[] {
  if (lockDate === undefined || lockDate <= yearEnd) return []
  const months = monthOf(lockDate) - monthOf(lastPosting)
  return [
    error(
      'lock-date-too-late',
      `the lock date ${lockDate} lies after ${yearEnd}, the end of the fiscal year of the last posting (${lastPosting}): ${months} months without a posting would be published as closed`,
      {
        file: COMPANY_FILE,
        column: 'lockDate',
        text: lockDate,
        remedy: `correct lockDate: it may be ${yearEnd} at the latest, until the ledger of the next year is added`,
      },
    ),
  ]
}

export async function lockFindings(db: Database, frame: Frame, files: readonly string[]): Promise<Finding[]> {
  if (frame.lockedThrough === null) return []
  const rows = await db.rows<{ file: number; row: string; tx: string; day: string; found: string }>(
    `SELECT file, row, tx, day::VARCHAR AS day, count(*) OVER () AS found FROM posting
     WHERE (day - DATE '1970-01-01') > ${dayOf(frame.lockedThrough)} AND basis = ${BASIS_CODE.ACCRUAL} ORDER BY rowid LIMIT 1`,
  )
  return rows.map((row) =>
    warning(
      'after-lock-date',
      `${row.found} postings are dated after the lock date ${frame.lockedThrough}: their months are not closed yet`,
      {
        file: files[row.file]!,
        row: Number(row.row),
        text: row.tx,
        remedy: 'close these months once they are complete: "tieout close", or lockDate',
      },
    ),
  )
}
