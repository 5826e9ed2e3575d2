/** Checks the frame of the books: budgets without figures, missing cash accounts, a wrong lock date, and postings after it. */
import { dayOf, monthOf } from '../contract/calendar.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { BASIS_CODE } from './codes.ts'
import type { Database } from './database.ts'
import { accountLabel, type Frame } from './frame.ts'

/**
 * Findings about empty budgets, a missing cash account, and accounts without a place on the cash flow. `areBudgetsRead` is
 * false where budget rows could not be read; they have errors of their own.
 */
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
          `nothing says where account ${accountLabel(account)} belongs on the cash flow; it stands under Operating`,
          {
            text: account.id,
            remedy: 'give it a type, or an entry under "cashFlow" in company.yaml',
          },
        ),
      )
  return findings
}

/**
 * An error for a lock date after the fiscal year of the last posting. Months without postings are published up to the lock date, so
 * such a date is most likely mistyped. All three dates are `YYYY-MM-DD`.
 */
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

/** Warns of accrual postings after the lock date. `files` maps file numbers to names. */
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
        file: files[row.file] ?? null,
        row: Number(row.row),
        text: row.tx,
        remedy: 'close these months once they are complete: "tieout close", or lockDate',
      },
    ),
  )
}
