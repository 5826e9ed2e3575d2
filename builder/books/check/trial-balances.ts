/** Compares trial balances that the company's own program exported with the books, account by account, at their date. */
import { addDays } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import { byCodePoint, isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { FiscalYear, Intake, OpeningRow } from '../../ingest/format/intake.ts'
import type { TrialBalanceInput } from '../../ingest/format/own-report.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { capFindings, LISTED } from '../../workspace/findings/cap-findings.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import type { OpeningCell } from '../post/openings.ts'
import { IN_BALANCES, KIND } from '../post/postings.ts'
import { BASIS_CODE } from '../read/codes.ts'
import type { LedgerKeys } from '../read/key-sql.ts'
import { moneyText } from '../read/money.ts'
import { fiscalYearOf } from '../reference/fiscal.ts'
import { accountAt, decimalsOf, type Frame, NOT_CLOSED, notClosedCode } from '../reference/frame.ts'
import type { KnownMistakes } from './known-mistakes.ts'
import { causesOf } from './reports/causes.ts'
import { memberText, partFinding } from './reports/own-reports.ts'
import { below, type ReportBooks } from './reports/sums.ts'

/** The balances of the accounts by code, and the results that no equity account holds yet. Minor units, debit positive. */
interface Standing {
  readonly balances: ReadonlyMap<number, number>
  /** Results of prior years, and of the current year up to the date. */
  readonly unclosed: { readonly prior: number; readonly current: number }
}

interface Difference {
  readonly account: number
  readonly stated: number
  readonly found: number
  /** Row in the trial balance; null if it has none for the account. */
  readonly row: number | null
}

/**
 * Returns the number of accounts with the same balance in both, and an error for each account that differs, because what is
 * published must tie out.
 */
export async function checkTrialBalances(
  books: ReportBooks,
  inputs: readonly TrialBalanceInput[],
  mistakes: KnownMistakes,
): Promise<{ agreed: number; findings: Finding[] }> {
  const { db, frame, keys, openings } = books
  let agreed = 0
  const findings: Finding[] = []
  for (const input of inputs) {
    const year = fiscalYearOf(frame.fiscalYears, input.date)
    const unusable = cannotBeCompared(frame, input, year)
    const unfit = unusable === null ? rowFaults(frame, keys, input) : [unusable]
    findings.push(...unfit)
    if (unusable !== null || year === undefined) continue
    const stated = statedBalances(frame, keys, input)
    const notClosed = ownRow(frame, input)
    // A trial balance may be taken before or after the closing entries, so the closer one of the two comparisons counts.
    const differencesWith = async (closings: boolean) =>
      compare(
        frame,
        stated,
        notClosed,
        await standingAt(db, frame, openings, input, year, closings),
        mistakes,
      )
    const posted = await differencesWith(true)
    const before = posted.length === 0 ? posted : await differencesWith(false)
    const differences = before.length < posted.length ? before : posted
    const differing = new Set(differences.map(({ account }) => account))
    const figures = [...stated.keys()].filter((account) => !differing.has(account)).length
    agreed += figures
    const { basis, filter } = input
    if (filter !== null && differing.size === 0)
      findings.push(
        partFinding(frame, { ...input, kind: 'trial balance' }, { basis, member: filter }, basis, figures),
      )
    const faults = differences.filter(({ account, stated: amount, found }) =>
      mistakes.isFault(account, nameOf(frame, account), amount - found, 'the trial balance', 'any'),
    )
    const causes = await causesOf(
      books,
      faults.map(({ account, stated: amount, found }) => {
        const from = isProfitAndLoss(accountAt(frame, account).classification) ? year.start : null
        return {
          ...{ report: { columns: [], madeOn: null }, part: { basis, member: filter } },
          ...{ column: { header: '', from, to: input.date, member: null } },
          ...{ accounts: [account], sums: new Map(), amount: amount - found },
        }
      }),
    )
    const listed = faults
      .slice(0, LISTED)
      .map((difference, i) => differs(frame, input, difference, causes[i] ?? ''))
    findings.push(...capFindings(listed, faults.length))
  }
  return { agreed, findings }
}

/**
 * The trial balance that the books begin with, where no source states openings: the latest one before the first entry, of
 * the day before the fiscal year, or of the end of the month before. Null where there is none, or it has mistakes.
 */
export async function openingBalance(
  db: Database,
  frame: Frame,
  keys: LedgerKeys,
  { openings, statesOpenings, trialBalances }: Pick<Intake, 'openings' | 'statesOpenings' | 'trialBalances'>,
): Promise<{ input: TrialBalanceInput; rows: OpeningRow[]; finding: Finding } | null> {
  const { first, marked } = await db.row<{ first: string; marked: boolean }>(
    'SELECT min(day)::VARCHAR AS first, (SELECT count(*) > 0 FROM opening_line) AS marked FROM posting',
  )
  if (statesOpenings || openings.length > 0 || marked) return null
  const year = present(fiscalYearOf(frame.fiscalYears, first), `fiscal year of ${first}`)
  const input = [...trialBalances]
    .sort((a, b) => byCodePoint(a.date, b.date))
    .findLast(({ date }) => date < first)
  if (
    input === undefined ||
    input.filter !== null ||
    ownRow(frame, input) !== 0 ||
    rowFaults(frame, keys, input).length > 0
  )
    return null
  const { file, row, date, basis } = input
  const yearStart = addDays(date, 1)
  if (yearStart !== year.start && yearStart < `${first.slice(0, 7)}-01`) return null
  return {
    input,
    rows: input.rows.flatMap(({ account, amount, row }) =>
      account === null
        ? []
        : [{ file, row, account, class: null, department: null, amount, yearStart, basis }],
    ),
    finding: warning(
      'trial-balance-opens',
      `the trial balance of ${date} is of before the first entry, of ${first}, and nothing else states opening balances: the books begin with it`,
      {
        file,
        row,
        text: date,
        remedy: 'nothing to do where that is right; else state its right date in company.yaml',
      },
    ),
  }
}

/** The error for a trial balance of a basis or date that the books do not cover; else null. */
function cannotBeCompared(
  frame: Frame,
  { file, row, date, basis }: TrialBalanceInput,
  year: FiscalYear | undefined,
): Finding | null {
  if (!frame.bases.includes(basis))
    return error(
      'trial-balance-basis',
      `is of the ${basis.toLowerCase()} basis, which the books do not have`,
      {
        file,
        row,
        remedy:
          'export it on the basis of the books; or state its basis in company.yaml: { files: …, basis: accrual }',
      },
    )
  if (year !== undefined) return null
  const { startDate, endDate } = frame.coverage
  return error('trial-balance-outside', `is of ${date}, the books hold ${startDate} to ${endDate}`, {
    file,
    row,
    text: date,
    remedy: 'state the right date in company.yaml, or load the ledger of that year too',
  })
}

/** Minor units of an amount that the importer has found to be readable. */
const minorOf = (frame: Frame, text: string): number =>
  present(parseAmount(text, decimalsOf(frame)).minor, `amount "${text}" of a trial balance`)

/** Errors for rows that name no account of the books, and for a trial balance that does not add up to zero. */
function rowFaults(
  frame: Frame,
  keys: LedgerKeys,
  { file, row, date, filter, rows }: TrialBalanceInput,
): Finding[] {
  const amounts = rows.map(({ amount }) => minorOf(frame, amount))
  const total = amounts.reduce((sum, amount) => sum + amount, 0)
  const unknown = rows.filter(
    ({ account, text }, i) =>
      amounts[i] !== 0 && text !== NOT_CLOSED && (account === null || keys.accounts.get(account) == null),
  )
  return [
    ...capFindings(
      unknown.slice(0, LISTED).map((each) =>
        error(
          'unknown-account',
          `the trial balance of ${date} states ${moneyText(frame, minorOf(frame, each.amount))} for "${each.text}", which is not an account of the books`,
          {
            file,
            row: each.row,
            text: each.text,
            remedy: 'use the id or the number of the account; or is the ledger without its entries?',
          },
        ),
      ),
      unknown.length,
    ),
    // Entries need not balance within a class or department.
    ...(total === 0 || filter !== null
      ? []
      : [
          error(
            'trial-balance-unbalanced',
            `the trial balance of ${date} adds up to ${moneyText(frame, total)}, not to zero`,
            {
              file,
              row,
              text: moneyText(frame, total),
              remedy:
                'export it again, with all accounts; a header account counts what its children count already',
            },
          ),
        ]),
  ]
}

/** The stated balance of each account in minor units, debit positive, with its first row. */
function statedBalances(frame: Frame, keys: LedgerKeys, { rows }: TrialBalanceInput) {
  const stated = new Map<number, { amount: number; row: number }>()
  for (const { account, amount, row } of rows) {
    const code = account === null ? undefined : keys.accounts.get(account)
    if (code == null) continue
    const known = stated.get(code)
    stated.set(code, { row: known?.row ?? row, amount: (known?.amount ?? 0) + minorOf(frame, amount) })
  }
  return stated
}

/** The amount in the row that `tieout trial-balance` prints for results that no account holds. */
const ownRow = (frame: Frame, { rows }: TrialBalanceInput): number =>
  rows.filter(({ text }) => text === NOT_CLOSED).reduce((sum, { amount }) => sum + minorOf(frame, amount), 0)

/** The balances in the books at the date of the trial balance, with or without the closing entries of its year. */
async function standingAt(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  { date, basis, filter }: TrialBalanceInput,
  year: FiscalYear,
  withClosings: boolean,
): Promise<Standing> {
  const first = frame.fiscalYears[0] === year
  const closings = `kind IN (${KIND.closingCurrent}, ${KIND.closingPrior})`
  const members = filter === null ? null : { of: filter.of, codes: below(frame, filter) }
  const within = members === null ? '' : ` AND ${members.of} IN (${members.codes.join(', ')})`
  const rows = await db.rows<{ account: number; before: string | null; since: string | null }>(`
    SELECT account, sum(amount) FILTER (day < DATE '${year.start}')::VARCHAR AS before,
      sum(amount) FILTER (day >= DATE '${year.start}'${withClosings ? '' : ` AND NOT (${closings})`})::VARCHAR AS since
    FROM posting
    WHERE basis = ${BASIS_CODE[basis]} AND ${IN_BALANCES} AND day <= DATE '${date}'${within} GROUP BY account`)
  const balances = new Map<number, number>()
  const unclosed = { prior: 0, current: 0 }
  const add = (account: number, before: number, since: number) => {
    const known = frame.accounts[account]
    if (account === notClosedCode(frame) || known === undefined) {
      unclosed.prior += before + since
      return
    }
    const isResult = isProfitAndLoss(known.classification)
    if (isResult) {
      unclosed.prior += before
      unclosed.current += since
    }
    balances.set(account, (balances.get(account) ?? 0) + (isResult ? 0 : before) + since)
  }
  for (const { account, before, since } of rows) add(account, Number(before ?? 0), Number(since ?? 0))
  for (const cell of openings)
    if (cell.basis === basis && members?.codes.includes(cell[members.of]) !== false)
      add(cell.account, cell.current && first ? 0 : cell.amount, cell.current && first ? cell.amount : 0)
  return { balances, unclosed }
}

function compare(
  frame: Frame,
  stated: ReadonlyMap<number, { readonly amount: number; readonly row: number }>,
  notClosed: number,
  { balances, unclosed }: Standing,
  mistakes: KnownMistakes,
): Difference[] {
  const isResult = (account: number) => isProfitAndLoss(accountAt(frame, account).classification)
  // A trial balance taken after the closing has no balance on a P&L account, even if the books hold no closing entry.
  const isClosed =
    unclosed.current !== 0 && ![...stated].some(([account, { amount }]) => isResult(account) && amount !== 0)
  const differences = [...new Set([...stated.keys(), ...balances.keys()])].flatMap(
    (account): Difference[] => {
      const found = isClosed && isResult(account) ? 0 : (balances.get(account) ?? 0)
      const { amount = 0, row = null } = stated.get(account) ?? {}
      return amount === found ? [] : [{ account, stated: amount, found, row }]
    },
  )
  // Programs add results that no entry has moved to equity to one equity account in reports, mostly to retained earnings.
  const moved = unclosed.prior - notClosed + (isClosed ? unclosed.current : 0)
  const holders = differences.filter(
    ({ account, stated: amount, found }) =>
      accountAt(frame, account).classification === 'Equity' && mistakes.explain(amount - found - moved),
  )
  return moved === 0 || holders.length !== 1 ? differences : differences.filter((each) => each !== holders[0])
}

function nameOf(frame: Frame, account: number): string {
  const { id, number, name } = accountAt(frame, account)
  return [number || id, name].filter((part, i, all) => all.indexOf(part) === i).join(' ')
}

function differs(
  frame: Frame,
  { file, date, filter }: TrialBalanceInput,
  { account, stated, found, row }: Difference,
  cause: string,
): Finding {
  const of = filter === null ? date : `${date}, ${memberText(frame, filter)}`
  const { id } = accountAt(frame, account)
  const label = nameOf(frame, account)
  const money = (minor: number) => moneyText(frame, minor)
  return error(
    'trial-balance-differs',
    (row === null
      ? `account ${label} is not in the trial balance of ${of}; the books hold ${money(found)}`
      : `account ${label}: the trial balance of ${of} states ${money(stated)}, the books hold ${money(found)}, a difference of ${money(stated - found)}`) +
      cause,
    {
      file,
      row,
      text: id,
      remedy:
        'export the ledger and the trial balance again, of the same day and basis: entries are missing, or were changed in between',
    },
  )
}
