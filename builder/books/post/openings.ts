/**
 * Owns opening balances, which are state and not activity (accounting.md §3). Decides which opening counts, and whether it
 * nets to zero.
 */
import { addDays } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import { type Basis, isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { FiscalYear, OpeningRow, PriorResultRow } from '../../ingest/format/intake.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { KnownMistakes } from '../check/known-mistakes.ts'
import { BASIS_CODE } from '../read/codes.ts'
import type { LedgerKeys } from '../read/key-sql.ts'
import { moneyText } from '../read/money.ts'
import { fiscalYearOf } from '../reference/fiscal.ts'
import { accountAt, decimalsOf, type Frame, notClosedCode } from '../reference/frame.ts'

/** One opening balance: codes of account and members, and minor units, debit positive. */
export interface OpeningCell {
  readonly basis: Basis
  readonly account: number
  readonly class: number
  readonly department: number
  readonly amount: number
  /** Whether it is the balance of a P&L account for a fiscal year that has begun: the opening was taken inside the year. */
  readonly current: boolean
  readonly file: string
  readonly row: number
}

/** An opening as a source states it. */
export interface StatedOpening extends Omit<OpeningCell, 'basis'> {
  /** Null for an opening of all bases. */
  readonly basis: Basis | null
  readonly yearStart: string
  /** The day before whose postings the balance was taken, if it lies inside a fiscal year; else null. */
  readonly insideYear: string | null
}

interface OpeningSources {
  readonly rows: readonly OpeningRow[]
  readonly priorResults: readonly PriorResultRow[]
  /** Decimal text; positive where earlier years made a profit that no entry has moved to equity. */
  readonly priorYearsNotClosed: string | undefined
  /** The line of company.yaml that states it. */
  readonly priorYearsLine: number
  readonly files: readonly string[]
}

/**
 * All openings that the sources state: opening rows of the format, and ledger lines that company.yaml marks. Rows that cannot be
 * read become findings, and so do openings inside a year whose earlier months are in the files too.
 */
export async function statedOpenings(
  db: Database,
  frame: Frame,
  keys: LedgerKeys,
  sources: OpeningSources,
): Promise<{ stated: StatedOpening[]; findings: Finding[] }> {
  const ofRows = rowOpenings(frame, keys, sources.rows)
  const ofLines = await lineOpenings(db, frame, sources.files)
  const inside = ofLines.length === 0 ? [] : await insideActivity(db, frame, sources.files)
  return { stated: [...ofRows.stated, ...ofLines], findings: [...ofRows.findings, ...inside] }
}

/** The openings in rows of the format. */
function rowOpenings(
  frame: Frame,
  keys: LedgerKeys,
  rows: readonly OpeningRow[],
): { stated: StatedOpening[]; findings: Finding[] } {
  const findings: Finding[] = []
  const stated: StatedOpening[] = []
  for (const row of rows) {
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
  return { stated, findings }
}

/** The openings in ledger lines that company.yaml marks. */
async function lineOpenings(db: Database, frame: Frame, files: readonly string[]): Promise<StatedOpening[]> {
  const lines = await db.rows<{
    basis: number
    account: number
    class: number
    department: number
    amount: string
    day: string
    file: number
    row: string
    first: string | null
  }>(
    `SELECT basis, account, class, department, amount, day::VARCHAR AS day, file, row, first::VARCHAR AS first
     FROM opening_line LEFT JOIN (SELECT basis, min(day) AS first FROM posting GROUP BY basis) USING (basis) ORDER BY file, row`,
  )
  return lines.map((line) => {
    const { yearStart, current } = yearOfOpening(frame.fiscalYears, line.day, line.first)
    return {
      basis: line.basis === BASIS_CODE.CASH ? 'CASH' : 'ACCRUAL',
      account: line.account,
      class: line.class,
      department: line.department,
      amount: Number(line.amount),
      file: present(files[line.file], `file with the number ${line.file}`),
      row: Number(line.row),
      yearStart,
      insideYear: current ? line.day : null,
      current: current && isProfitAndLoss(accountAt(frame, line.account).classification),
    }
  })
}

/** An opening taken inside a year includes the entries before it. An error where the files hold those entries too. */
async function insideActivity(db: Database, frame: Frame, files: readonly string[]): Promise<Finding[]> {
  const rows = await db.rows<{ day: string; first: string; file: number; row: string }>(`
    SELECT day::VARCHAR AS day, first::VARCHAR AS first, place[1] AS file, place[2] AS row
    FROM (SELECT basis, day, min([file, row]) AS place FROM opening_line GROUP BY basis, day)
    JOIN (SELECT basis, min(day) AS first FROM posting GROUP BY basis) USING (basis)
    WHERE first < day ORDER BY place`)
  return rows
    .filter(({ day, first }) => yearOfOpening(frame.fiscalYears, day, first).current)
    .map(({ day, first, file, row }) =>
      error(
        'opening-inside-activity',
        `the opening balance of ${day} is taken inside a fiscal year, but the files hold entries from ${first}: they would count twice`,
        {
          file: files[file] ?? null,
          row: Number(row),
          text: day,
          remedy: 'load only the entries after it, or take the mark away from it in company.yaml',
        },
      ),
    )
}

/**
 * An opening entry on a year's last day opens the next year, unless the first entries of the books are of the same day: they
 * come after it. One inside a year holds that year's results so far.
 */
function yearOfOpening(
  years: readonly FiscalYear[],
  date: string,
  firstEntry: string | null,
): { yearStart: string; current: boolean } {
  const year = fiscalYearOf(years, date)
  if (!year || (date === year.end && date !== firstEntry))
    return { yearStart: addDays(date, 1), current: false }
  return { yearStart: year.start, current: date > year.start }
}

/**
 * A file that covers part of a year states the balances at its own start. For P&L accounts these are the year's results up
 * to that day. `date` is that start.
 */
function takenAt(
  frame: Frame,
  account: number,
  date: string,
): Pick<StatedOpening, 'yearStart' | 'insideYear' | 'current'> {
  const year = fiscalYearOf(frame.fiscalYears, date)
  if (!year || date === year.start) return { yearStart: date, insideYear: null, current: false }
  const current = isProfitAndLoss(accountAt(frame, account).classification)
  return { yearStart: year.start, insideYear: date, current }
}

/**
 * The opening that counts for each basis: the latest one at or before the start of the first fiscal year with transactions. Where it
 * does not net to zero, the difference is explained by prior years' results, or is an error.
 */
export function countedOpenings(
  frame: Frame,
  stated: readonly StatedOpening[],
  sources: OpeningSources,
  mistakes: KnownMistakes,
): { openings: OpeningCell[]; findings: Finding[] } {
  const first = firstStart(frame)
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
    const [origin] = latest
    if (origin === undefined || net === 0) continue
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
    else if (mistakes.isFault(null, '', net, 'whether the opening balances add up to zero', 'opening')) {
      findings.push(unexplained(net, frame, origin))
      mistakes.addOpenings(net)
    }
  }
  return { openings, findings }
}

/** The first day of the first fiscal year. */
export const firstStart = ({ fiscalYears }: Frame): string =>
  present(fiscalYears[0], 'fiscal year of the books').start

/** The file and row of last year's result, or the line of company.yaml, if it explains why the opening does not net to zero. */
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
  const [result] = results
  if (result && results.reduce((total, row) => total + minor(row.amount), 0) === -net)
    return { file: result.file, row: result.row }
  if (sources.priorYearsNotClosed !== undefined && minor(sources.priorYearsNotClosed) === net)
    return { file: COMPANY_FILE, row: sources.priorYearsLine }
  return null
}

/**
 * The error for an opening that does not net to zero. For an opening inside a year the difference is the result of the months before
 * it, so the remedy must not ask for prior years' results.
 */
function unexplained(net: number, frame: Frame, cell: StatedOpening): Finding {
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

/** Creates the table `opening(basis, account, class, department, amount, current, file, row)`. */
export async function createOpenings(db: Database, openings: readonly OpeningCell[]): Promise<void> {
  await db.run(
    'CREATE TABLE opening (basis TINYINT, account INTEGER, class INTEGER, department INTEGER, amount BIGINT, current BOOLEAN, file VARCHAR, row BIGINT)',
  )
  await addOpenings(db, openings)
}

/** Appends openings to the table `opening`. */
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
