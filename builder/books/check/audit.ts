/** Finds what an auditor would ask about (accounting.md §12). Its findings are warnings and never stop a build. */

import { monthOf, monthText } from '../../contract/calendar.ts'
import { addTo } from '../../contract/grouping.ts'
import { present } from '../../contract/present.ts'
import { BALANCE_SHEET_CLASSIFICATIONS } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import { IN_BALANCES } from '../post/postings.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { accountAt, accountLabel, type Frame, firstBasis } from '../reference/frame.ts'

/** Names that bookkeeping programs give to suspense and clearing accounts, which should come back to zero. */
const PASSED_THROUGH =
  /\b(suspense|opening balance equity|clearing|uncategori[sz]ed|ask my accountant|observationskonto)\b/i
/** Account types whose balance has a natural side, with the words for a balance on the other side, which is rarely intended; of a liability {@link IN_DEBIT}. */
export const ONE_SIDED: Readonly<Record<string, string>> = {
  Bank: 'is overdrawn',
  AccountsReceivable: 'has a credit balance',
  AccountsPayable: 'is a claim on suppliers',
  Inventory: 'is negative',
}

const IN_DEBIT: Readonly<Record<string, string>> = { ...ONE_SIDED, Bank: 'has a debit balance' }

interface MonthEnd extends Record<string, unknown> {
  readonly account: number
  readonly month: number
  readonly balance: string
}

/** Month-end balances of the accounts with these codes, on the accrual basis where the books have it. */
async function monthEnds(db: Database, frame: Frame, codes: readonly number[]): Promise<MonthEnd[]> {
  if (codes.length === 0) return []
  const basis = BASIS_CODE[firstBasis(frame)]
  return db.rows<MonthEnd>(`
    WITH moved AS (
      SELECT account, month, sum(amount) AS amount FROM leaf
      WHERE basis = ${basis} AND ${IN_BALANCES} AND account IN (${codes.join(', ')}) GROUP BY ALL
      UNION ALL
      SELECT account, ${monthOf(frame.coverage.startDate) - 1}, amount FROM opening WHERE basis = ${basis} AND account IN (${codes.join(', ')})),
    balance AS (
      SELECT account, month, sum(sum(amount)) OVER (PARTITION BY account ORDER BY month) AS balance FROM moved GROUP BY account, month)
    SELECT account, month, balance::VARCHAR AS balance FROM balance WHERE month >= ${monthOf(frame.coverage.startDate)} ORDER BY account, month`)
}

/** Warnings about gaps in the postings, suspense accounts that are not zero, and balances on the abnormal side. `files` maps file numbers to names. */
export async function auditFindings(
  db: Database,
  frame: Frame,
  files: readonly string[],
): Promise<Finding[]> {
  const passed = frame.accounts.flatMap((account, code) =>
    PASSED_THROUGH.test(account.name) && account.cashFlow !== 'Cash' ? [code] : [],
  )
  const sided = frame.accounts.flatMap((account, code) =>
    ONE_SIDED[account.type] && ['Asset', 'Liability'].includes(account.classification) ? [code] : [],
  )
  const ends = await monthEnds(db, frame, [...new Set([...passed, ...sided])])
  return [
    ...(await gapFindings(db, frame, files)),
    ...perAccount(ends.filter(({ account, balance }) => passed.includes(account) && balance !== '0')).map(
      (months) => notZero(frame, months),
    ),
    ...perAccount(ends.filter((end) => sided.includes(end.account) && isWrongSide(frame, end))).map(
      (months) => wrongSide(frame, months),
    ),
  ]
}

/** The month before a gap and the month after it need so many postings: in quieter books a month without any is no surprise. */
const MANY = 10

interface Gap extends Record<string, unknown> {
  readonly basis: number
  /** The last posting date before the gap, and the first one after it. */
  readonly before: string
  readonly after: string
  readonly months: string
  readonly file: number
  readonly row: string
}

/**
 * Warns of gaps in the postings. A month without postings between busy months was often not exported. A gap of a year or
 * more is rarely a pause in trade, and often a mistyped year.
 */
async function gapFindings(db: Database, frame: Frame, files: readonly string[]): Promise<Finding[]> {
  const gaps = await db.rows<Gap>(`
    WITH active AS (
      SELECT basis, month, count(*) AS postings, min(day) AS first, max(day) AS last, arg_min(file, rowid) AS file, arg_min("row", rowid) AS place
      FROM posting WHERE basis IN (${frame.bases.map((basis) => BASIS_CODE[basis]).join(', ')}) GROUP BY basis, month),
    stepped AS (
      SELECT *, month - lag(month) OVER since AS step, lag(last) OVER since AS before, lag(postings) OVER since AS postings_before
      FROM active WINDOW since AS (PARTITION BY basis ORDER BY month))
    SELECT basis, before::VARCHAR AS before, first::VARCHAR AS after, file, place AS "row", (step - 1)::VARCHAR AS months
    FROM stepped WHERE step > 12 OR (step > 1 AND least(postings, postings_before) >= ${MANY}) ORDER BY basis, month`)
  const findings: Finding[] = []
  for (const gap of gaps) {
    const isYear = Number(gap.months) >= 12
    const place = { file: files[gap.file] ?? null, row: Number(gap.row), text: gap.after }
    findings.push(
      isYear
        ? warning(
            'silent-year',
            `there is no posting between ${gap.before} and ${gap.after}: ${gap.months} months are published as zero`,
            { ...place, remedy: 'is a year mistyped in one of the two dates, or is a file missing?' },
          )
        : warning(
            'silent-month',
            `there is no posting between ${gap.before} and ${gap.after}, where the months around have many: ${silentMonths(gap)} published as zero; ${await besideGap(db, gap, files)}`,
            { ...place, remedy: 'add the export of what is missing; nothing to do where nothing happened' },
          ),
    )
  }
  return findings
}

function silentMonths({ before, months }: Gap): string {
  const from = monthOf(before) + 1
  const last = from + Number(months) - 1
  return from === last ? `${monthText(from)} is` : `${monthText(from)} to ${monthText(last)} are`
}

/** Says which file ends before the gap, which one begins after it, and which files have postings on both sides only. */
async function besideGap(
  db: Database,
  { basis, before, after }: Gap,
  files: readonly string[],
): Promise<string> {
  const spans = await db.rows<{ file: number; before: string | null; after: string | null }>(
    `SELECT file, max(day) FILTER (day <= DATE '${before}')::VARCHAR AS before, min(day) FILTER (day >= DATE '${after}')::VARCHAR AS after
     FROM posting WHERE basis = ${basis} GROUP BY file ORDER BY file`,
  )
  const through = spans.flatMap((span) =>
    span.before && span.after ? [`${files[span.file]} has nothing between`] : [],
  )
  const ended = spans.findLast((span) => span.before && !span.after)
  const begun = spans.find((span) => !span.before && span.after)
  return [
    ...(ended ? [`${files[ended.file]} ends on ${ended.before}`] : []),
    ...(begun ? [`${files[begun.file]} begins on ${begun.after}`] : []),
    ...(through.length > 3 ? [...through.slice(0, 3), `nor have ${through.length - 3} more files`] : through),
  ].join(', ')
}

function perAccount(ends: readonly MonthEnd[]): MonthEnd[][] {
  const byAccount = new Map<number, MonthEnd[]>()
  for (const end of ends) addTo(byAccount, end.account, end)
  return [...byAccount.values()]
}

const isWrongSide = (frame: Frame, { account, balance }: MonthEnd): boolean =>
  accountAt(frame, account).classification === 'Asset' ? balance.startsWith('-') : /^[1-9]/.test(balance)

/** The words for an account (`1999 Suspense`), for the number of months, and for the last balance, debit positive. */
function described(frame: Frame, months: readonly MonthEnd[]) {
  const last = present(months.at(-1), 'month end of an account')
  const account = accountAt(frame, last.account)
  const { id, type, classification } = account
  const when = months.length === 1 ? 'one month' : `${months.length} months`
  return {
    id,
    name: accountLabel(account),
    side: (classification === 'Asset' ? ONE_SIDED : IN_DEBIT)[type],
    when,
    last: monthText(Number(last.month)),
    balance: moneyText(frame, Number(last.balance)),
  }
}

function notZero(frame: Frame, months: readonly MonthEnd[]): Finding {
  const { id, name, when, last, balance } = described(frame, months)
  return warning(
    'suspense-not-zero',
    `account ${name} is not zero at the end of ${when}, last ${balance} in ${last}`,
    {
      text: id,
      remedy: 'book what it holds to where it belongs',
    },
  )
}

function wrongSide(frame: Frame, months: readonly MonthEnd[]): Finding {
  const { id, name, side, when, last, balance } = described(frame, months)
  return warning(
    'abnormal-balance',
    `account ${name} ${side} at the end of ${when}, last ${balance} (debit positive) in ${last}`,
    {
      text: id,
      remedy:
        'look for a missing or doubled entry, or an opening balance that was not exported; nothing to do where it is meant',
    },
  )
}

/**
 * Warns of postings dated after `today` (`YYYY-MM-DD`). The warning is reported but not stored in the manifest, which would
 * otherwise change with the calendar.
 */
export async function futureFindings(
  db: Database,
  frame: Frame,
  today: string,
  files: readonly string[],
): Promise<Finding[]> {
  const rows = await db.rows<{ file: number; row: string; day: string; found: string }>(
    `SELECT file, row, day::VARCHAR AS day, count(*) OVER () AS found FROM posting
     WHERE day > DATE '${today}' AND basis = ${BASIS_CODE[firstBasis(frame)]} AND ${IN_BALANCES} ORDER BY day DESC, rowid LIMIT 1`,
  )
  return rows.map((row) =>
    warning('future-date', `${row.found} postings are dated in the future, up to ${row.day}`, {
      file: files[row.file] ?? null,
      row: Number(row.row),
      text: row.day,
      remedy: 'correct the dates, unless the entries were posted ahead on purpose',
    }),
  )
}

/** The properties of an account that decide in which section of a statement it stands. */
export interface ChartEntry {
  readonly Id: string
  readonly Name: string
  readonly Classification: string
  readonly Type: string
  readonly CashFlowCategory: string | null
}

/** Warns of accounts that another section holds than in the previous snapshot: their earlier months move to that section too. */
export function retypedFindings(before: readonly ChartEntry[], now: readonly ChartEntry[]): Finding[] {
  const known = new Map(before.map((entry) => [entry.Id, entry]))
  const kind = (entry: ChartEntry): string =>
    // That of an income or expense account follows from its postings.
    [
      entry.Classification,
      entry.Type,
      BALANCE_SHEET_CLASSIFICATIONS.some((own) => own === entry.Classification)
        ? entry.CashFlowCategory
        : null,
    ]
      .filter(Boolean)
      .join(' / ')
  return now.flatMap((entry) => {
    const old = known.get(entry.Id)
    if (!old || kind(old) === kind(entry)) return []
    return [
      warning(
        'account-retyped',
        `account ${accountLabel({ id: entry.Id, number: '', name: entry.Name })} was ${kind(old)} in the previous snapshot and is ${kind(entry)} now, for all months`,
        {
          text: entry.Id,
          remedy: 'nothing to do where it is meant; tell the readers of earlier snapshots',
        },
      ),
    ]
  })
}
