/** Turns the lines that could be read into postings: puts them in order and gives each one its kind. */
import { isProfitAndLoss } from '../contract/vocabulary.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { several } from '../workspace/not-checked.ts'
import { BASIS_CODE } from './codes.ts'
import type { Database } from './database.ts'
import type { LedgerFacts } from './engine/engine.ts'
import { type Frame, yearEndDays } from './frame.ts'
import { among } from './ledger.ts'
import { moneyText } from './money.ts'
import type { OpeningCell } from './openings.ts'

/**
 * The kinds of postings. Activity appears on every statement. A transfer inside equity and closing entries appear on
 * the balance sheet only (accounting.md §4, §5). A closing entry on a year's last day reduces current-year earnings;
 * any other reduces prior years not closed. A gross-up moves a disposal between rows of the cash flow and appears nowhere else.
 */
export const KINDS = ['activity', 'transfer', 'closing-current', 'closing-prior', 'gross-up'] as const
/** The numbers of the kinds in tables: indexes into {@link KINDS}. */
export const KIND = { activity: 0, transfer: 1, closingCurrent: 2, closingPrior: 3, grossUp: 4 } as const

/**
 * The lines of a file that are postings: their number, and the sums of the positive and of the negative amounts, without
 * sign, as integer text in minor units.
 */
export interface PostedLines {
  readonly lines: number
  readonly debit: string
  readonly credit: string
}

/** By the number of the file. Files without postings are missing. */
export type PostedByFile = ReadonlyMap<number, PostedLines>

/**
 * Renames the table `line` to `posting`, because a copy of all texts would cost more than all queries on them, and moves
 * opening lines to `opening_line`. `rowid` follows the order of files and rows, which is also the order of the published
 * Parquet. Returns the postings that there are before the program adds its own.
 */
export async function createPostings(
  db: Database,
  frame: Frame,
  facts: LedgerFacts | null = null,
): Promise<PostedByFile> {
  await db.run(`CREATE TABLE account (code INTEGER, equity BOOLEAN, pl BOOLEAN)`)
  await db.append(
    'account',
    frame.accounts.map((account, code) => [
      code,
      account.classification === 'Equity',
      isProfitAndLoss(account.classification),
    ]),
  )
  await orderLines(db)
  await db.run(`
    CREATE TABLE opening_line AS FROM line WHERE opening;
    DELETE FROM line WHERE opening;
    ALTER TABLE line RENAME TO posting`)
  // Columns that only the checks of lines need are dropped to free memory.
  for (const column of ['opening', 'credited', 'currency', 'period'])
    await db.run(`ALTER TABLE posting DROP COLUMN ${column}`)
  await db.run(`
    ALTER TABLE posting ADD COLUMN kind TINYINT DEFAULT ${KIND.activity};
    ALTER TABLE posting ADD COLUMN month INTEGER;
    ALTER TABLE posting ALTER month TYPE INTEGER USING (year(day) * 12 + month(day) - 1)::INTEGER`)
  if (facts !== null) await db.run('CREATE TABLE last_read AS SELECT max(rowid) AS id FROM posting')
  // A transaction that touches only equity accounts and nets to 0 moves the result inside equity.
  await db.run(`
    UPDATE posting SET kind = ${KIND.transfer} WHERE (basis, tx) IN (${facts === null ? TRANSFERS : 'SELECT (basis, tx) FROM transfer'})`)
  const files = await db.rows<{ file: number; lines: string; debit: string; credit: string }>(
    `SELECT file, count(*) AS lines, coalesce(sum(amount) FILTER (amount > 0), 0)::VARCHAR AS debit,
       coalesce(-sum(amount) FILTER (amount < 0), 0)::VARCHAR AS credit
     FROM posting GROUP BY file ORDER BY file`,
  )
  return new Map(files.map(({ file, lines, ...sums }) => [file, { ...sums, lines: Number(lines) }]))
}

const TRANSFERS = `
  SELECT (basis, tx) FROM posting JOIN account ON account = code
  WHERE (basis, tx) IN (SELECT (basis, tx) FROM posting JOIN account ON account = code WHERE equity)
  GROUP BY basis, tx HAVING bool_and(equity) AND sum(amount) = 0`

/** Sorts `line` by file and row, unless it is in that order already, as nearly always: sorting lines with all their texts is slow. */
async function orderLines(db: Database): Promise<void> {
  const moved = await db.row<{ found: boolean }>(
    `SELECT count(*) > 0 AS found FROM (
       SELECT file, row, lag(file) OVER () AS file_before, lag(row) OVER () AS row_before FROM line)
     WHERE file < file_before OR (file = file_before AND row <= row_before)`,
  )
  if (moved.found)
    await db.run(`
      CREATE TABLE sorted AS FROM line ORDER BY file, row;
      DROP TABLE line;
      ALTER TABLE sorted RENAME TO line`)
}

interface Candidate extends Record<string, unknown> {
  id: string
  basis: number
  tx: string
  amount: string
  day: string
  /** Whether the line is on a closing account. */
  on_account: boolean
  equity: boolean
  pl: boolean
  /** Whether company.yaml marks the entry as a closing entry. */
  closing: boolean
  file: number
  row: string
}

/**
 * Gives closing entries their kind. With a closing account, its lines and the equity lines of exactly the opposite total
 * are closing lines. In an entry that is marked by itself, by reference, journal or type, the P&L lines and equity lines are. A
 * closing entry whose equity lines do not take exactly the opposite total is a finding. `accounts` are codes of closing accounts.
 */
export async function markClosing(
  db: Database,
  frame: Frame,
  {
    accounts,
    transactions,
  }: { readonly accounts: readonly number[]; readonly transactions: readonly string[] },
  files: readonly string[],
): Promise<Finding[]> {
  const onAccount = accounts.length === 0 ? 'false' : `account IN (${accounts.join(', ')})`
  const isMarked = `(closing OR ${among('tx', transactions)})`
  const rows = await db.rows<Candidate>(`
    SELECT posting.rowid AS id, basis, tx, amount, day::VARCHAR AS day, ${onAccount} AS on_account, equity, pl, file, row, ${isMarked} AS closing
    FROM posting JOIN account ON account = code
    WHERE (basis, tx) IN (SELECT (basis, tx) FROM posting WHERE ${onAccount} OR ${isMarked})
    ORDER BY id`)
  const entries = new Map<string, { readonly first: Candidate; readonly lines: Candidate[] }>()
  for (const row of rows) {
    const key = `${row.basis} ${row.tx}`
    const entry = entries.get(key)
    if (entry) entry.lines.push(row)
    else entries.set(key, { first: row, lines: [row] })
  }
  const findings: Finding[] = []
  const marked: Candidate[] = []
  for (const { first, lines } of entries.values()) {
    const found = closingLines(lines)
    if (found) marked.push(...found)
    else findings.push(withoutCounterpart(frame, first, lines, files))
  }
  if (marked.length > 0) {
    await db.run('CREATE TEMP TABLE marked (id BIGINT)')
    await db.append(
      'marked',
      marked.map((line) => [Number(line.id)]),
    )
    await closeLines(db, frame, 'SELECT id FROM marked')
    await db.run('DROP TABLE marked')
  }
  return findings
}

/** Makes lines, given by a query of their `rowid`, closing lines of the year that ends on their day, or of earlier years. */
const closeLines = (db: Database, frame: Frame, lines: string): Promise<void> =>
  db.run(`
    UPDATE posting SET kind = CASE WHEN (day - DATE '1970-01-01') IN (${yearEndDays(frame).join(', ')}) THEN ${KIND.closingCurrent} ELSE ${KIND.closingPrior} END
    WHERE rowid IN (${lines})`)

function withoutCounterpart(
  frame: Frame,
  first: Candidate,
  lines: readonly Candidate[],
  files: readonly string[],
): Finding {
  const total = sum(lines.filter((line) => (line.closing ? line.pl : line.on_account)))
  return error(
    'closing-without-counterpart',
    `closing entry ${first.tx} moves ${moneyText(frame, total)} out of the profit and loss, but no equity lines take exactly that amount`,
    {
      file: files[first.file] ?? null,
      row: Number(first.row),
      text: first.tx,
      remedy: 'correct the entry, or take its account or reference out of "closing" in company.yaml',
    },
  )
}

const sum = (lines: readonly Candidate[]): number =>
  lines.reduce((total, line) => total + Number(line.amount), 0)

/** The closing lines of an entry; null where no equity lines take exactly the opposite total. */
function closingLines(lines: readonly Candidate[]): Candidate[] | null {
  const own = lines.filter((line) => (line.closing ? line.pl : line.on_account))
  const total = sum(own)
  const equity = lines.filter((line) => line.equity)
  // An entry without such lines, such as a dividend with the same reference, closes nothing.
  if (own.length === 0) return []
  if (sum(equity) === -total) return [...own, ...equity]
  const single = equity.filter((line) => Number(line.amount) === -total)
  return single.length === 1 ? [...own, ...single] : null
}

/** An entry with income or expenses on the last day of a fiscal year. */
interface Entry extends Record<string, unknown> {
  readonly basis: number
  readonly tx: string
  readonly day: string
  readonly file: number
  readonly row: string
  /** Whether a line of it is on an equity account; and whether its other lines are all on income and expense accounts. */
  readonly equity: boolean
  readonly closes: boolean
}

/** Income and expense accounts of one basis and year; amounts in minor units, debit positive. */
interface Balance extends Record<string, unknown> {
  readonly basis: number
  readonly account: number
  readonly day: string
  /** The activity of the year up to the day before its last, that of the whole year, and that of entries which may close. */
  readonly before: number
  readonly after: number
  readonly closing: number
  /** What closing entries that are marked took out in that year. */
  readonly closed: number
}

/**
 * Gives closing entries that nobody marked their kind (accounting.md §4): entries of a year's last day that together bring every
 * income and expense account to zero against equity. As activity they would make the year's profit and loss zero. Says
 * which they are, and asks about entries that only may be some.
 */
export async function closeUnmarked(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  files: readonly string[],
): Promise<Finding[]> {
  const years = frame.fiscalYears.map(({ start, end }) => `(DATE '${start}', DATE '${end}')`).join(', ')
  await db.run(`
    CREATE TEMP TABLE year_end AS
    SELECT basis, tx, day, min(file) AS file, arg_min(row, (file, row)) AS row, bool_or(equity) AS equity,
      bool_and(pl OR equity) AND bool_or(equity) AS closes
    FROM posting JOIN account ON account = code
    WHERE kind = ${KIND.activity} AND day IN (SELECT last FROM (VALUES ${years}) AS year(first, last))
    GROUP BY basis, tx, day HAVING bool_or(pl)`)
  const entries = await db.rows<Entry>(
    'SELECT basis, tx, day::VARCHAR AS day, file, row, equity, closes FROM year_end ORDER BY day, file, row',
  )
  if (entries.length === 0) return []
  const balances = await db.rows<Balance>(`
    WITH year(first, last) AS (VALUES ${years})
    SELECT posting.basis, account, last::VARCHAR AS day,
      coalesce(sum(amount) FILTER (kind = ${KIND.activity} AND posting.day < last), 0)::DOUBLE AS before,
      coalesce(sum(amount) FILTER (kind = ${KIND.activity}), 0)::DOUBLE AS after,
      coalesce(sum(amount) FILTER (closes), 0)::DOUBLE AS closing,
      coalesce(sum(amount) FILTER (kind <> ${KIND.activity}), 0)::DOUBLE AS closed
    FROM posting JOIN account ON account = code AND pl JOIN year ON posting.day BETWEEN first AND last
    LEFT JOIN year_end ON year_end.basis = posting.basis AND year_end.tx = posting.tx AND year_end.day = posting.day
    GROUP BY ALL ORDER BY day`)
  const carried = new Map<string, number>()
  const add = (basis: number, account: number, amount: number): number => {
    const sum = (carried.get(`${basis} ${account}`) ?? 0) + amount
    carried.set(`${basis} ${account}`, sum)
    return sum
  }
  for (const { basis, account, amount } of openings) add(BASIS_CODE[basis], account, amount)
  const standing = balances.map((balance) => ({
    ...balance,
    carried: add(balance.basis, balance.account, balance.after + balance.closed),
  }))
  const sure: Entry[] = []
  const findings: Finding[] = []
  for (const { basis, end } of frame.bases.flatMap((each) =>
    frame.fiscalYears.map((year) => ({ basis: BASIS_CODE[each], end: year.end })),
  )) {
    const isOf = (row: { readonly basis: number; readonly day: string }) =>
      row.basis === basis && row.day === end
    const own = entries.filter(isOf)
    const found = judge(standing.filter(isOf))
    if (found === 'closed') sure.push(...own.filter(({ closes }) => closes))
    else if (found !== null) findings.push(question(own, found, files))
  }
  const days = [...new Set(sure.map(({ basis, day }) => `(${basis}, DATE '${day}')`))]
  if (days.length > 0)
    await closeLines(
      db,
      frame,
      `SELECT posting.rowid FROM posting JOIN year_end USING (basis, tx, day)
       WHERE closes AND (basis, day) IN (${days.join(', ')})`,
    )
  await db.run('DROP TABLE year_end')
  return days.length > 0 ? [told(sure, files), ...findings] : findings
}

/** "closed" where it is clear; how many of how many accounts come to zero where it is not; null where nothing looks like it. */
function judge(
  balances: readonly (Balance & { readonly carried: number })[],
): 'closed' | { readonly zero: number; readonly of: number } | null {
  const open = balances.filter(({ after, closing }) => after !== closing)
  const begun = balances.filter(({ before }) => before !== 0)
  // Where the last day has emptied most accounts into another of income or expenses, they would still be zero.
  if (open.length > 0 && open.length * 2 >= begun.length && balances.every(({ after }) => after === 0))
    return 'closed'
  const zero = begun.filter(({ after, carried }) => after === 0 || carried === 0)
  const sum = (of: (balance: Balance) => number) =>
    Math.abs(balances.reduce((total, each) => total + of(each), 0))
  const isEmptied =
    sum(({ after }) => after) * 2 <= sum(({ before }) => before) && sum(({ before }) => before) > 0
  return zero.length >= 2 && zero.length * 2 > begun.length && isEmptied
    ? { zero: zero.length, of: begun.length }
    : null
}

const placeOf = ([first]: readonly Entry[], files: readonly string[]) => ({
  file: files[first?.file ?? -1] ?? null,
  row: first === undefined ? null : Number(first.row),
  text: first?.tx ?? null,
})

const named = (entries: readonly Entry[]): string =>
  several([...new Set(entries.map(({ tx, day }) => `${tx} (${day})`))], 'entry', 'entries')

const told = (entries: readonly Entry[], files: readonly string[]): Finding =>
  warning(
    'closing-entries-found',
    `${named(entries)} on the last day of a fiscal year bring every income and expense account to zero against equity: they count as closing entries, not as income and expenses`,
    {
      ...placeOf(entries, files),
      remedy:
        'nothing to do where that is right; to say so yourself, list them in company.yaml: closing: { transactions: [...] }, or name their journals, references or types there',
    },
  )

function question(
  entries: readonly Entry[],
  { zero, of }: { readonly zero: number; readonly of: number },
  files: readonly string[],
): Finding {
  const likely = entries.filter(({ equity }) => equity)
  const asked = likely.length > 0 ? likely : entries
  return warning(
    'closing-or-activity',
    `the last day of the year brings ${zero} of ${of} income and expense accounts to zero, not all of them against equity alone: ${asked.length === 1 ? 'does' : 'do'} ${named(asked)} close the year?`,
    {
      ...placeOf(asked, files),
      remedy:
        'if so, mark it in company.yaml: closing: { transactions: [...] }, or name its journal, reference or type there; as it stands it counts as income and expenses',
    },
  )
}

/** Every whole number up to here is exact in a double. */
const LARGEST = 2n ** 53n - 1n

/** An error where all |amounts| of a basis add up to 2^53 or more. Below that limit every sum is exact in a double. */
export async function turnoverFindings(db: Database, frame: Frame): Promise<Finding[]> {
  const [row] = await db.rows<{ turnover: string | null }>(
    `SELECT max(turnover)::VARCHAR AS turnover FROM (
       SELECT sum(abs(amount::HUGEINT)) AS turnover FROM (SELECT basis, amount FROM posting UNION ALL SELECT basis, amount FROM opening) GROUP BY basis)`,
  )
  if (row?.turnover == null || BigInt(row.turnover) <= LARGEST) return []
  return [
    error(
      'turnover-too-large',
      `the amounts of the ledger add up to ${moneyText(frame, row.turnover)}, more than ${moneyText(frame, LARGEST)}: sums would no longer be exact`,
      {
        remedy: 'split the books into several companies, or load fewer years',
      },
    ),
  ]
}
