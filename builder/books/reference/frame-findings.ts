/** Checks the frame of the books: budgets without figures, missing cash accounts, a wrong lock date, and postings after it. */
import { dayOf, monthOf } from '../../contract/calendar.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { type Account, accountLabel, type Frame } from './frame.ts'
import type { Tree } from './tree.ts'

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
  return [
    ...findings,
    ...frame.accounts.flatMap(cashAmongResults),
    ...twins(frame.classes, 'classes'),
    ...twins(frame.departments, 'departments'),
  ]
}

/** Whole names of cash accounts; "Bank charges" is none. */
const CASH_NAME =
  /^((petty |main |business )?(bank|cash|checking|chequing|savings|current)( (account|at bank|in hand|on hand))?|undeposited funds|banque|caisse|(bank|giro|post)konto|kass[ae]|bankguthaben|f[öo]retagskonto|banco|caixa|caja)( ([a-z]{3}|\d+))?$/i

/** Warns of an account that is called as cash is, and counts as income or expenses. */
const cashAmongResults = (account: Account): Finding[] =>
  account.isHeader || !isProfitAndLoss(account.classification) || !CASH_NAME.test(account.name.trim())
    ? []
    : [
        warning(
          'cash-among-results',
          `account ${accountLabel(account)} is called as cash is, and counts as ${account.classification}: what it holds is in no total of assets`,
          {
            text: account.id,
            remedy: 'give it the classification Asset and the type Bank, if it is a bank or cash account',
          },
        ),
      ]

/** Warns of classes or departments that differ by capitals or blanks alone: a report of either lacks what the other has. */
function twins({ members }: Tree, what: string): Finding[] {
  const known = new Map<string, string>()
  return members.flatMap(({ id, name, parentId }) => {
    const key = `${parentId} ${name.toLowerCase().replace(/\s+/g, ' ').trim()}`
    const twin = known.get(key)
    if (twin === undefined) known.set(key, name)
    // Equal names are told apart by their ids, which the company gave them.
    return twin === undefined || twin === name
      ? []
      : [
          warning(
            'members-alike',
            `the ${what} "${twin}" and "${name}" differ by capitals or blanks alone, and count as two`,
            { text: id, remedy: 'write them alike in the accounting program, if they are one' },
          ),
        ]
  })
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
