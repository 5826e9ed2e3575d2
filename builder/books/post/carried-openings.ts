/**
 * Checks that the openings of later fiscal years agree with the balances carried forward, and books the closing entries that
 * they imply (accounting.md §3).
 */

import { addDays, monthOf } from '../../contract/calendar.ts'
import { listed } from '../../contract/listed.ts'
import { BASES, type Basis } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { KnownMistakes } from '../check/known-mistakes.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { fiscalYearOf } from '../reference/fiscal.ts'
import { accountAt, accountLabel, type Frame, isEarnings, notClosedCode } from '../reference/frame.ts'
import { firstStart, type OpeningCell, type StatedOpening } from './openings.ts'
import { KIND } from './postings.ts'

/** So many accounts that differ are reported one by one; more have one cause, and one finding names the first of them. */
const FEW = 5
const NAMED = 20

/**
 * Later openings must equal the balances carried forward. If they differ on equity accounts only, and by exactly the
 * result of the year before (or by all results that are not closed yet), the difference is booked as a closing entry on the
 * first day of the new year; a day earlier it would change a year end that may be closed. Any other difference is an error.
 */
export async function checkContinuity(
  db: Database,
  frame: Frame,
  stated: readonly StatedOpening[],
  openings: readonly OpeningCell[],
  files: readonly string[],
  mistakes: KnownMistakes,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const first = firstStart(frame)
  const later = [...new Set(stated.filter((row) => row.yearStart > first).map((row) => row.yearStart))].sort()
  for (const yearStart of later)
    for (const basis of BASES.filter((candidate) => frame.bases.includes(candidate))) {
      const rows = stated.filter(
        (row) => row.yearStart === yearStart && (row.basis === null || row.basis === basis),
      )
      const [origin] = rows
      if (origin)
        findings.push(
          ...(await continuityOf(db, frame, { basis, yearStart, rows, origin }, openings, files, mistakes)),
        )
    }
  return findings
}

/** The opening of a later fiscal year. `origin` is the first of its rows. */
interface LaterOpening {
  readonly basis: Basis
  readonly yearStart: string
  readonly rows: readonly StatedOpening[]
  readonly origin: StatedOpening
}

/** Amounts in minor units by account code, debit positive. */
type Balances = ReadonlyMap<number, number>

async function continuityOf(
  db: Database,
  frame: Frame,
  later: LaterOpening,
  openings: readonly OpeningCell[],
  files: readonly string[],
  mistakes: KnownMistakes,
): Promise<Finding[]> {
  const { basis, yearStart, rows, origin } = later
  const carried = await carriedBalances(db, basis, yearStart, openings)
  const claimed = sumsByAccount(rows)
  const { differences, unclosed } = differencesBetween(frame, carried, claimed)
  if (differences.length === 0) return []
  const total = differences.reduce((sum, [, difference]) => sum + difference, 0)
  const equityOnly = differences.every(([account]) => accountAt(frame, account).classification === 'Equity')
  const ofLastYear = await unclosedOfYear(db, frame, basis, addDays(yearStart, -1), openings)
  if (equityOnly && (mistakes.explain(total - ofLastYear) || mistakes.explain(total - unclosed))) {
    // Books that end before the new year have no posting in it.
    if (yearStart <= frame.coverage.endDate) await bookClosing(db, frame, later, differences, files)
    return []
  }
  const money = (minor: number): string => moneyText(frame, minor)
  // A difference in equity may be a result, so a row that was left out may concern any income or expense account.
  const codeOf = (account: number) => accountAt(frame, account).number || accountAt(frame, account).id
  const mover = (account: number) => (accountAt(frame, account).classification === 'Equity' ? null : account)
  const faults = differences.filter(([account, difference]) =>
    mistakes.isFault(mover(account), codeOf(account), difference, 'what was carried', 'any'),
  )
  const opens = ([account, difference]: readonly [number, number]): string =>
    `account ${accountLabel(accountAt(frame, account))} opens ${yearStart} with ${money(claimed.get(account) ?? 0)}, but ${money(carried.get(account) ?? 0)} was carried: a difference of ${money(difference)}`
  const report = (account: number, message: string): Finding =>
    error('opening-not-carried', message, {
      file: rows.find((row) => row.account === account)?.file ?? origin.file,
      row: rows.find((row) => row.account === account)?.row ?? null,
      text: accountAt(frame, account).id,
      remedy:
        'was the earlier year changed after its closing, or is a part of it missing? export all years again, or load only the years that agree',
    })
  const [first] = faults
  if (first === undefined || faults.length <= FEW)
    return faults.map((fault) => report(fault[0], opens(fault)))
  // So many accounts have one cause.
  const others = faults.slice(1).map(([account, by]) => `${codeOf(account)} by ${money(by)}`)
  return [
    report(first[0], `${opens(first)}; ${faults.length - 1} more accounts differ: ${listed(others, NAMED)}`),
  ]
}

function sumsByAccount(
  cells: readonly { readonly account: number; readonly amount: number }[],
): Map<number, number> {
  const sums = new Map<number, number>()
  for (const { account, amount } of cells) sums.set(account, (sums.get(account) ?? 0) + amount)
  return sums
}

/** The balances at the beginning of a day: the openings and all postings before it. */
async function carriedBalances(
  db: Database,
  basis: Basis,
  day: string,
  openings: readonly OpeningCell[],
): Promise<Balances> {
  const moved = await db.rows<{ account: number; amount: string }>(
    `SELECT account, sum(amount)::VARCHAR AS amount FROM posting WHERE basis = ${BASIS_CODE[basis]} AND day < DATE '${day}' GROUP BY account`,
  )
  return sumsByAccount([
    ...openings.filter((cell) => cell.basis === basis),
    ...moved.map(({ account, amount }) => ({ account, amount: Number(amount) })),
  ])
}

/**
 * The differences between an opening and the carried balances on balance sheet accounts, and the carried results that no
 * entry has moved to equity (`unclosed`). An opening states results inside equity only.
 */
function differencesBetween(
  frame: Frame,
  carried: Balances,
  claimed: Balances,
): { differences: [account: number, amount: number][]; unclosed: number } {
  let unclosed = 0
  const differences: [number, number][] = []
  for (const account of new Set([...carried.keys(), ...claimed.keys()]))
    if (isEarnings(frame, account)) unclosed += carried.get(account) ?? 0
    else {
      const difference = (claimed.get(account) ?? 0) - (carried.get(account) ?? 0)
      if (difference !== 0) differences.push([account, difference])
    }
  return { differences, unclosed }
}

/**
 * The result of the fiscal year that ends on `end`, without what closing entries have moved out of it. Minor units, debit
 * positive.
 */
async function unclosedOfYear(
  db: Database,
  frame: Frame,
  basis: Basis,
  end: string,
  openings: readonly OpeningCell[],
): Promise<number> {
  const year = fiscalYearOf(frame.fiscalYears, end)
  if (!year) return 0
  const [moved] = await db.rows<{ amount: string | null }>(
    `SELECT sum(amount)::VARCHAR AS amount FROM posting LEFT JOIN account ON account = code
     WHERE basis = ${BASIS_CODE[basis]} AND coalesce(pl, true) AND kind <> ${KIND.closingPrior} AND day BETWEEN DATE '${year.start}' AND DATE '${end}'`,
  )
  const taken = year === frame.fiscalYears[0] ? openings : []
  return taken
    .filter((cell) => cell.basis === basis && cell.current)
    .reduce((sum, cell) => sum + cell.amount, Number(moved?.amount ?? 0))
}

/** Books the closing entry that a later opening implies; the results come out of prior years not closed. */
async function bookClosing(
  db: Database,
  frame: Frame,
  { basis, yearStart: date, rows, origin: first }: LaterOpening,
  lines: readonly (readonly [account: number, amount: number])[],
  files: readonly string[],
): Promise<void> {
  const taken = lines.reduce((sum, [, amount]) => sum + amount, 0)
  for (const [account, amount] of [...lines, [notClosedCode(frame), -taken] as const])
    if (amount !== 0) {
      // The source of the line is the opening of its account, or else the first row of the opening.
      const origin = rows.find((row) => row.account === account) ?? first
      await db.run(`
      INSERT INTO posting BY NAME
      SELECT ${BASIS_CODE[basis]} AS basis, 'closing ${date}' AS tx, DATE '${date}' AS day,
        DATE '${date}' AS entered, ${monthOf(date)} AS month, ${account} AS account, 0 AS class, 0 AS department, ${amount} AS amount,
        ${KIND.closingPrior} AS kind, ${files.indexOf(origin.file)} AS file, ${origin.row} AS row,
        'result of earlier years, as the opening of this year holds it' AS memo, 'implied closing' AS type, true AS closing`)
    }
}
