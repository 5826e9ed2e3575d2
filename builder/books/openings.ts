/** Opening balances: state, not activity (accounting.md §3). Which one counts, whether it nets, whether it carries on. */
import { addDays, monthOf } from '../contract/calendar.ts'
import { BASES, type Basis, isProfitAndLoss } from '../contract/vocabulary.ts'
import type { FiscalYear, OpeningRow, PriorResultRow } from '../ingest/format/intake.ts'
import { parseAmount } from '../ingest/text/amount.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { BASIS_CODE } from './codes.ts'
import type { Database } from './database.ts'
import type { Doubts } from './doubts.ts'
import { fiscalYearOf } from './fiscal.ts'
import { accountAt, decimalsOf, type Frame, notClosedCode } from './frame.ts'
import type { LedgerKeys } from './ledger.ts'
import { moneyText } from './money.ts'
import { KIND } from './postings.ts'

/** One opening balance, in codes and minor units, debit positive. */
export interface OpeningCell {
  readonly basis: Basis
  readonly account: number
  readonly class: number
  readonly department: number
  readonly amount: number
  /** A P&L balance of the current fiscal year: the opening was taken inside it. */
  readonly current: boolean
  readonly file: string
  readonly row: number
}

interface Stated extends Omit<OpeningCell, 'basis'> {
  readonly basis: Basis | null
  readonly yearStart: string
  /** The day at whose beginning it was taken, where that lies inside a fiscal year. */
  readonly insideYear: string | null
}

interface OpeningSources {
  readonly rows: readonly OpeningRow[]
  readonly priorResults: readonly PriorResultRow[]
  /** Natural sign: positive where earlier years made a profit that no entry has moved to equity. */
  readonly priorYearsNotClosed: string | undefined
  /** Of company.yaml. */
  readonly priorYearsLine: number
  readonly files: readonly string[]
}

/** All openings that the sources state: rows of the format, and ledger lines that company.yaml marks. */
export async function statedOpenings(
  db: Database,
  frame: Frame,
  keys: LedgerKeys,
  sources: OpeningSources,
): Promise<{ stated: Stated[]; findings: Finding[] }> {
  const findings: Finding[] = []
  const stated: Stated[] = []
  for (const row of sources.rows) {
    const amount = parseAmount(row.amount, decimalsOf(frame))
    const account = keys.accounts.get(row.account)
    const members = {
      class: row.class === null ? 0 : keys.classes.get(row.class),
      department: row.department === null ? 0 : keys.departments.get(row.department),
    }
    const place = { file: row.file, row: row.row, text: row.account }
    if (
      account == null ||
      members.class == null ||
      members.department == null ||
      amount.problem !== undefined
    ) {
      findings.push(
        error('unreadable-opening', `the opening balance of account ${row.account} cannot be read`, {
          ...place,
          remedy: 'correct its account, members or amount',
        }),
      )
      continue
    }
    stated.push({
      basis: row.basis,
      account,
      class: members.class,
      department: members.department,
      amount: amount.minor,
      file: row.file,
      row: row.row,
      ...takenAt(frame, account, row.yearStart),
    })
  }
  const lines = await db.rows<{
    basis: number
    account: number
    class: number
    department: number
    amount: string
    day: string
    file: number
    row: string
  }>(
    `SELECT basis, account, class, department, amount, day::VARCHAR AS day, file, row FROM opening_line ORDER BY file, row`,
  )
  for (const line of lines) {
    const { yearStart, current } = yearOfOpening(frame.fiscalYears, line.day)
    stated.push({
      basis: line.basis === BASIS_CODE.CASH ? 'CASH' : 'ACCRUAL',
      account: line.account,
      class: line.class,
      department: line.department,
      amount: Number(line.amount),
      file: sources.files[line.file]!,
      row: Number(line.row),
      yearStart,
      insideYear: current ? line.day : null,
      current: current && isProfitAndLoss(accountAt(frame, line.account).classification),
    })
  }
  findings.push(...(await insideActivity(db, frame, sources.files)))
  return { stated, findings }
}

/** A balance taken inside a year holds all that was booked before it: that must not be in the files as well. */
async function insideActivity(db: Database, frame: Frame, files: readonly string[]): Promise<Finding[]> {
  const rows = await db.rows<{ day: string; first: string; file: number; row: string }>(`
    SELECT day::VARCHAR AS day, first::VARCHAR AS first, place[1] AS file, place[2] AS row
    FROM (SELECT basis, day, min([file, row]) AS place FROM opening_line GROUP BY basis, day)
    JOIN (SELECT basis, min(day) AS first FROM posting GROUP BY basis) USING (basis)
    WHERE first < day ORDER BY place`)
  return rows
    .filter(({ day }) => yearOfOpening(frame.fiscalYears, day).current)
    .map(({ day, first, file, row }) =>
      error(
        'opening-inside-activity',
        `the opening balance of ${day} is taken inside a fiscal year, but the files hold entries from ${first}: they would count twice`,
        {
          file: files[file]!,
          row: Number(row),
          text: day,
          remedy: 'load only the entries after it, or take the mark away from it in company.yaml',
        },
      ),
    )
}

/** An entry of a year's last day opens the next year; one inside a year carries that year's P&L so far. */
function yearOfOpening(years: readonly FiscalYear[], date: string): { yearStart: string; current: boolean } {
  const year = fiscalYearOf(years, date)
  if (!year) return { yearStart: addDays(date, 1), current: false }
  if (date === year.end) return { yearStart: addDays(date, 1), current: false }
  return { yearStart: year.start, current: date > year.start }
}

/** A file of a part of a year states the balances at its own start: of P&L accounts that is what the year has brought so far. */
function takenAt(
  frame: Frame,
  account: number,
  date: string,
): Pick<Stated, 'yearStart' | 'insideYear' | 'current'> {
  const year = fiscalYearOf(frame.fiscalYears, date)
  if (!year || date === year.start) return { yearStart: date, insideYear: null, current: false }
  const current = isProfitAndLoss(accountAt(frame, account).classification)
  return { yearStart: year.start, insideYear: date, current }
}

/** The opening that counts, per basis: the latest one at or before the first fiscal year that has transactions. */
export function countedOpenings(
  frame: Frame,
  stated: readonly Stated[],
  sources: OpeningSources,
  doubts: Doubts,
): { openings: OpeningCell[]; findings: Finding[] } {
  const first = frame.fiscalYears[0]!.start
  const openings: OpeningCell[] = []
  const findings: Finding[] = []
  for (const basis of frame.bases) {
    const own = stated.filter((row) => (row.basis === null || row.basis === basis) && row.yearStart <= first)
    const yearStart = own
      .map((row) => row.yearStart)
      .sort()
      .at(-1)
    const latest = own.filter((row) => row.yearStart === yearStart)
    const counted = latest.map(({ yearStart: _, insideYear: __, ...cell }) => ({ ...cell, basis }))
    const net = counted.reduce((total, cell) => total + cell.amount, 0)
    openings.push(...counted)
    if (net === 0) continue
    const explained = explanationOf(net, frame, sources, yearStart)
    if (explained)
      openings.push({
        ...explained,
        basis,
        account: notClosedCode(frame),
        class: 0,
        department: 0,
        amount: -net,
        current: false,
      })
    else if (doubts.isFault(null, '', net, 'whether the opening balances add up to zero', 'opening')) {
      findings.push(unexplained(net, frame, latest[0]!))
      doubts.addOpenings(net)
    }
  }
  return { openings, findings }
}

/** What explains an opening that does not net to zero: last year's result in the file, or the stated amount. */
function explanationOf(
  net: number,
  frame: Frame,
  sources: OpeningSources,
  yearStart: string | undefined,
): { file: string; row: number } | null {
  const minor = (text: string): number => parseAmount(text, decimalsOf(frame)).minor ?? Number.NaN
  const previous = sources.priorResults.filter((row) => row.yearStart < (yearStart ?? ''))
  const lastYear = previous
    .map((row) => row.yearStart)
    .sort()
    .at(-1)
  const results = previous.filter((row) => row.yearStart === lastYear)
  if (results.length > 0 && results.reduce((total, row) => total + minor(row.amount), 0) === -net)
    return { file: results[0]!.file, row: results[0]!.row }
  if (sources.priorYearsNotClosed !== undefined && minor(sources.priorYearsNotClosed) === net)
    return { file: COMPANY_FILE, row: sources.priorYearsLine }
  return null
}

/** What is missing of an opening inside a year is the result of the months before it: that is no prior year's. */
function unexplained(net: number, frame: Frame, cell: Stated): Finding {
  const amount = moneyText(frame, net)
  const remedy =
    cell.insideYear === null
      ? `complete them; where ${amount} is the result of earlier years that no entry has moved to equity, state it as opening.priorYearsNotClosed in company.yaml`
      : `export the ledger from ${cell.yearStart}, the first day of the fiscal year: the months before ${cell.insideYear} are missing, and what they earned is in none of these balances; or state the balances of the income and expense accounts at ${cell.insideYear} among them`
  return error('opening-unbalanced', `the opening balances add up to ${amount}, not to zero`, {
    file: cell.file,
    row: cell.row,
    text: amount,
    remedy,
  })
}

/**
 * Later openings must equal the carried balances. Where they differ on equity accounts only, and by exactly the
 * result of the year before (or all that is not closed yet), the difference is booked as a closing entry on the first
 * day of the new year: on the day before it would change a year end that may be closed. Else it is an error.
 */
export async function checkContinuity(
  db: Database,
  frame: Frame,
  stated: readonly Stated[],
  openings: readonly OpeningCell[],
  files: readonly string[],
  doubts: Doubts,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const first = frame.fiscalYears[0]!.start
  const later = [...new Set(stated.filter((row) => row.yearStart > first).map((row) => row.yearStart))].sort()
  for (const yearStart of later)
    for (const basis of BASES.filter((candidate) => frame.bases.includes(candidate))) {
      const rows = stated.filter(
        (row) => row.yearStart === yearStart && (row.basis === null || row.basis === basis),
      )
      if (rows.length > 0)
        findings.push(...(await continuityOf(db, frame, basis, yearStart, rows, openings, files, doubts)))
    }
  return findings
}

async function continuityOf(
  db: Database,
  frame: Frame,
  basis: Basis,
  yearStart: string,
  rows: readonly Stated[],
  openings: readonly OpeningCell[],
  files: readonly string[],
  doubts: Doubts,
): Promise<Finding[]> {
  const carried = new Map<number, number>()
  const add = (into: Map<number, number>, account: number, amount: number) =>
    into.set(account, (into.get(account) ?? 0) + amount)
  for (const cell of openings) if (cell.basis === basis) add(carried, cell.account, cell.amount)
  const moved = await db.rows<{ account: number; amount: string }>(
    `SELECT account, sum(amount)::VARCHAR AS amount FROM posting WHERE basis = ${BASIS_CODE[basis]} AND day < DATE '${yearStart}' GROUP BY account`,
  )
  for (const row of moved) add(carried, row.account, Number(row.amount))
  const claimed = new Map<number, number>()
  for (const row of rows) add(claimed, row.account, row.amount)

  let unclosed = 0
  const differences: [number, number][] = []
  for (const account of new Set([...carried.keys(), ...claimed.keys()])) {
    const known = frame.accounts[account]
    // The pseudo account and P&L accounts hold results, which an opening states only inside equity.
    if (!known || isProfitAndLoss(known.classification)) unclosed += carried.get(account) ?? 0
    else {
      const difference = (claimed.get(account) ?? 0) - (carried.get(account) ?? 0)
      if (difference !== 0) differences.push([account, difference])
    }
  }
  if (differences.length === 0) return []
  const total = differences.reduce((sum, [, difference]) => sum + difference, 0)
  const equityOnly = differences.every(([account]) => accountAt(frame, account).classification === 'Equity')
  const ofLastYear = await unclosedOfYear(db, frame, basis, addDays(yearStart, -1), openings)
  if (equityOnly && (doubts.explain(total - ofLastYear) || doubts.explain(total - unclosed))) {
    // Books that end before that day hold nothing of it.
    if (yearStart <= frame.coverage.endDate)
      await bookClosing(db, frame, basis, yearStart, differences, rows, files)
    return []
  }
  const money = (minor: number): string => moneyText(frame, minor)
  // What no entry has moved to equity yet is of any income or expense.
  const mover = (account: number) => (accountAt(frame, account).classification === 'Equity' ? null : account)
  const faults = differences.filter(([account, difference]) =>
    doubts.isFault(mover(account), accountAt(frame, account).number, difference, 'what was carried', 'any'),
  )
  return faults.map(([account, difference]) =>
    error(
      'opening-not-carried',
      `account ${accountAt(frame, account).number} opens ${yearStart} with ${money(claimed.get(account) ?? 0)}, but ${money(carried.get(account) ?? 0)} was carried: a difference of ${money(difference)}`,
      {
        file: rows.find((row) => row.account === account)?.file ?? rows[0]!.file,
        row: rows.find((row) => row.account === account)?.row ?? null,
        text: accountAt(frame, account).id,
        remedy:
          'was the earlier year changed after its closing? export all years again, or load only the years that agree',
      },
    ),
  )
}

/** The result of the fiscal year that ends on `end`, less what closing entries have moved of it; debit positive. */
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

async function bookClosing(
  db: Database,
  frame: Frame,
  basis: Basis,
  date: string,
  lines: readonly (readonly [account: number, amount: number])[],
  stated: readonly Stated[],
  files: readonly string[],
): Promise<void> {
  const taken = lines.reduce((sum, [, amount]) => sum + amount, 0)
  for (const [account, amount] of [...lines, [notClosedCode(frame), -taken] as const])
    if (amount !== 0) {
      // Where the opening of the account stands; what it lacks, or no account holds, is implied by all of it.
      const origin = stated.find((row) => row.account === account) ?? stated[0]!
      await db.run(`
      INSERT INTO posting BY NAME
      SELECT ${BASIS_CODE[basis]} AS basis, 'closing ${date}' AS tx, DATE '${date}' AS day,
        DATE '${date}' AS entered, ${monthOf(date)} AS month, ${account} AS account, 0 AS class, 0 AS department, ${amount} AS amount,
        ${KIND.closingPrior} AS kind, ${files.indexOf(origin.file)} AS file, ${origin.row} AS row,
        'result of earlier years, as the opening of this year holds it' AS memo, 'implied closing' AS type, true AS closing`)
    }
}

/** The opening cells as a table: `opening(basis, account, class, department, amount, current, file, row)`. */
export async function createOpenings(db: Database, openings: readonly OpeningCell[]): Promise<void> {
  await db.run(
    'CREATE TABLE opening (basis TINYINT, account INTEGER, class INTEGER, department INTEGER, amount BIGINT, current BOOLEAN, file VARCHAR, row BIGINT)',
  )
  await addOpenings(db, openings)
}

export const addOpenings = (db: Database, openings: readonly OpeningCell[]): Promise<void> =>
  db.append(
    'opening',
    openings.map((cell) => [
      BASIS_CODE[cell.basis],
      cell.account,
      cell.class,
      cell.department,
      cell.amount,
      cell.current,
      cell.file,
      cell.row,
    ]),
  )
