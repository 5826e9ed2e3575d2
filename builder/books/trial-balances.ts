/** Trial balances that the company's own program wrote, against the books: account by account, at their day. */
import { isProfitAndLoss } from '../contract/vocabulary.ts'
import type { TrialBalanceInput } from '../ingest/format/intake.ts'
import { parseAmount } from '../ingest/text/amount.ts'
import { capFindings, LISTED } from '../workspace/cap-findings.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { BASIS_CODE } from './codes.ts'
import type { Database } from './database.ts'
import type { Doubts } from './doubts.ts'
import { fiscalYearOf } from './fiscal.ts'
import { accountAt, decimalsOf, type Frame, NOT_CLOSED, notClosedCode } from './frame.ts'
import type { LedgerKeys } from './ledger.ts'
import { moneyText } from './money.ts'
import type { OpeningCell } from './openings.ts'
import { KIND } from './postings.ts'

/** What accounts stand at, by code, and the results that no equity account holds yet; debit positive, minor units. */
interface Standing {
  readonly balances: ReadonlyMap<number, number>
  /** Of years before, and of this one up to the day. */
  readonly unclosed: { readonly prior: number; readonly current: number }
}

interface Difference {
  readonly account: number
  readonly stated: number
  readonly found: number
  /** Null: the trial balance has no row for it. */
  readonly row: number | null
}

/** Agreed are accounts that both name with the same balance. Each account that differs is an error: what is published must tie out. */
export async function checkTrialBalances(
  db: Database,
  frame: Frame,
  keys: LedgerKeys,
  openings: readonly OpeningCell[],
  inputs: readonly TrialBalanceInput[],
  doubts: Doubts,
): Promise<{ agreed: number; findings: Finding[] }> {
  let agreed = 0
  const findings: Finding[] = []
  for (const input of inputs) {
    const unusable = cannotBeCompared(frame, input)
    const unfit = unusable === null ? rowFaults(frame, keys, input) : [unusable]
    findings.push(...unfit)
    if (unusable !== null) continue
    const stated = statedBalances(frame, keys, input)
    const notClosed = ownRow(frame, input)
    // Before or after closing entries: the trial balance is of one of both.
    const posted = compare(
      frame,
      stated,
      notClosed,
      await standingAt(db, frame, openings, input, true),
      doubts,
    )
    const before =
      posted.length === 0
        ? posted
        : compare(frame, stated, notClosed, await standingAt(db, frame, openings, input, false), doubts)
    const differences = before.length < posted.length ? before : posted
    const differing = new Set(differences.map(({ account }) => account))
    agreed += [...stated.keys()].filter((account) => !differing.has(account)).length
    const faults = differences.filter(({ account, stated: amount, found }) =>
      doubts.isFault(account, nameOf(frame, account), amount - found, 'the trial balance', 'any'),
    )
    const listed = faults.slice(0, LISTED).map((difference) => differs(frame, input, difference))
    findings.push(...capFindings(listed, faults.length))
  }
  return { agreed, findings }
}

function cannotBeCompared(frame: Frame, { file, row, date, basis }: TrialBalanceInput): Finding | null {
  if (!frame.bases.includes(basis))
    return error(
      'trial-balance-basis',
      `is of the ${basis.toLowerCase()} basis, which the books do not have`,
      {
        file,
        row,
        remedy: 'state its basis in company.yaml: { files: …, basis: accrual }',
      },
    )
  if (fiscalYearOf(frame.fiscalYears, date) !== undefined) return null
  const { startDate, endDate } = frame.coverage
  return error('trial-balance-outside', `is of ${date}, the books hold ${startDate} to ${endDate}`, {
    file,
    row,
    text: date,
    remedy: 'state the right date in company.yaml, or load the ledger of that year too',
  })
}

const minorOf = (frame: Frame, text: string): number => parseAmount(text, decimalsOf(frame)).minor!

/** Rows that name no account of the books, and a whole that does not sum to zero. */
function rowFaults(frame: Frame, keys: LedgerKeys, { file, row, date, rows }: TrialBalanceInput): Finding[] {
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
    ...(total === 0
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

/** What `tieout trial-balance` prints for results that no account holds. */
const ownRow = (frame: Frame, { rows }: TrialBalanceInput): number =>
  rows.filter(({ text }) => text === NOT_CLOSED).reduce((sum, { amount }) => sum + minorOf(frame, amount), 0)

async function standingAt(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  { date, basis }: TrialBalanceInput,
  withClosings: boolean,
): Promise<Standing> {
  const year = fiscalYearOf(frame.fiscalYears, date)!
  const first = frame.fiscalYears[0] === year
  const closings = `kind IN (${KIND.closingCurrent}, ${KIND.closingPrior})`
  const rows = await db.rows<{ account: number; before: string | null; since: string | null }>(`
    SELECT account, sum(amount) FILTER (day < DATE '${year.start}')::VARCHAR AS before,
      sum(amount) FILTER (day >= DATE '${year.start}'${withClosings ? '' : ` AND NOT (${closings})`})::VARCHAR AS since
    FROM posting
    WHERE basis = ${BASIS_CODE[basis]} AND kind <> ${KIND.grossUp} AND day <= DATE '${date}' GROUP BY account`)
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
    if (cell.basis === basis)
      add(cell.account, cell.current && first ? 0 : cell.amount, cell.current && first ? cell.amount : 0)
  return { balances, unclosed }
}

function compare(
  frame: Frame,
  stated: ReadonlyMap<number, { readonly amount: number; readonly row: number }>,
  notClosed: number,
  { balances, unclosed }: Standing,
  doubts: Doubts,
): Difference[] {
  const isResult = (account: number) => isProfitAndLoss(accountAt(frame, account).classification)
  // After closing: no result stands on its accounts any more, whatever the books have booked.
  const isClosed =
    unclosed.current !== 0 && ![...stated].some(([account, { amount }]) => isResult(account) && amount !== 0)
  const differences = [...new Set([...stated.keys(), ...balances.keys()])].flatMap(
    (account): Difference[] => {
      const found = isClosed && isResult(account) ? 0 : (balances.get(account) ?? 0)
      const { amount = 0, row = null } = stated.get(account) ?? {}
      return amount === found ? [] : [{ account, stated: amount, found, row }]
    },
  )
  // Programs add results that no entry has moved to an equity account, mostly retained earnings, when they report.
  const moved = unclosed.prior - notClosed + (isClosed ? unclosed.current : 0)
  const holders = differences.filter(
    ({ account, stated: amount, found }) =>
      accountAt(frame, account).classification === 'Equity' && doubts.explain(amount - found - moved),
  )
  return moved === 0 || holders.length !== 1 ? differences : differences.filter((each) => each !== holders[0])
}

function nameOf(frame: Frame, account: number): string {
  const { id, number, name } = accountAt(frame, account)
  return [number || id, name].filter((part, i, all) => all.indexOf(part) === i).join(' ')
}

function differs(
  frame: Frame,
  { file, date }: TrialBalanceInput,
  { account, stated, found, row }: Difference,
): Finding {
  const { id } = accountAt(frame, account)
  const label = nameOf(frame, account)
  const money = (minor: number) => moneyText(frame, minor)
  return error(
    'trial-balance-differs',
    row === null
      ? `account ${label} is not in the trial balance of ${date}; the books hold ${money(found)}`
      : `account ${label}: the trial balance of ${date} states ${money(stated)}, the books hold ${money(found)}, a difference of ${money(stated - found)}`,
    {
      file,
      row,
      text: id,
      remedy:
        'export the ledger and the trial balance again, of the same day and basis: entries are missing, or were changed in between',
    },
  )
}
