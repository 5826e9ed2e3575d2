/** Turns the lines that could be read into postings: puts them in order and gives each one its kind. */
import { present } from '../contract/present.ts'
import { isProfitAndLoss } from '../contract/vocabulary.ts'
import { error, type Finding, ofLedger, warning } from '../workspace/finding.ts'
import { several } from '../workspace/not-checked.ts'
import type { Database } from './database.ts'
import type { LedgerFacts } from './engine/engine.ts'
import { type Frame, yearEndDays } from './frame.ts'
import { among } from './ledger.ts'
import { moneyText } from './money.ts'

/**
 * The kinds of postings. Activity appears on every statement. A transfer inside equity and closing entries appear on
 * the balance sheet only (accounting.md §4, §5). A closing entry on a year's last day reduces current-year earnings;
 * any other reduces prior years not closed. The last three come in pairs that the program adds, move amounts between rows of the cash
 * flow, and stand nowhere else: gross-ups of disposals (until format 2 of snapshots), disposals and movements without cash (since format 3).
 */
export const KINDS = [
  'activity',
  'transfer',
  'closing-current',
  'closing-prior',
  'gross-up',
  'disposal',
  'without-cash',
] as const
/** The numbers of the kinds in tables: indexes into {@link KINDS}. */
export const KIND = {
  activity: 0,
  transfer: 1,
  closingCurrent: 2,
  closingPrior: 3,
  grossUp: 4,
  disposal: 5,
  withoutCash: 6,
} as const
/** The kinds that only the cash flow shows. */
export const CASH_FLOW_KINDS = [KIND.grossUp, KIND.disposal, KIND.withoutCash] as const
/** SQL: whether a posting counts in balances, where its kind is a number. */
export const IN_BALANCES = `kind < ${KIND.grossUp}`
/** The same where its kind is a name, as in published books. */
export const PUBLISHED_IN_BALANCES = `kind NOT IN ('gross-up', 'disposal', 'without-cash')`

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

/** An entry with income or expenses on the last day of a fiscal year, with what that day does to these accounts. */
interface LastDayEntry extends Record<string, unknown> {
  readonly tx: string
  readonly day: string
  readonly file: number
  readonly row: string
  /** Whether a line of it is on an equity account; and whether its other lines are all on income and expense accounts. */
  readonly equity: boolean
  readonly closes: boolean
  /** It is clear that the entries which may close the year do. */
  readonly closed: boolean
  /** It may be: so many of so many accounts come to zero. */
  readonly zero: number
  readonly of: number
}

/**
 * Gives closing entries that nobody marked their kind (accounting.md §4): entries of a year's last day that together bring every
 * income and expense account to zero against equity. As activity they would make the year's profit and loss zero. Says
 * which they are, and asks about entries that only may be some: where most accounts come to zero, and most of the result is gone.
 * Where the last day only moves accounts into another of income or expenses, most come to zero without the entries on equity.
 */
export async function closeUnmarked(
  db: Database,
  frame: Frame,
  files: readonly string[],
): Promise<Finding[]> {
  const years = frame.fiscalYears.map(({ start, end }) => `(DATE '${start}', DATE '${end}')`).join(', ')
  await db.run(`
    CREATE TEMP TABLE year_end AS
    SELECT basis, tx, day, min(file) AS file, arg_min(row, (file, row)) AS row, bool_or(equity) AS equity,
      bool_and(pl OR equity) AND bool_or(equity) AS closes
    FROM posting JOIN account ON account = code
    WHERE kind = ${KIND.activity} AND day IN (SELECT last FROM (VALUES ${years}) AS year(first, last))
    GROUP BY basis, tx, day HAVING bool_or(pl);
    CREATE TEMP TABLE year_judged AS
    WITH year(first, last) AS (VALUES ${years}),
    balance AS (
      SELECT posting.basis, account, last,
        coalesce(sum(amount) FILTER (kind = ${KIND.activity} AND posting.day < last), 0) AS before,
        coalesce(sum(amount) FILTER (kind = ${KIND.activity}), 0) AS after,
        coalesce(sum(amount) FILTER (closes), 0) AS closing,
        sum(sum(amount)) OVER (PARTITION BY posting.basis, account ORDER BY last) AS carried
      FROM posting JOIN account ON account = code AND pl JOIN year ON posting.day BETWEEN first AND last
      LEFT JOIN year_end ON year_end.basis = posting.basis AND year_end.tx = posting.tx AND year_end.day = posting.day
      GROUP BY posting.basis, account, last),
    counted AS (
      SELECT basis, last AS day, count(*) FILTER (after <> closing) AS open, count(*) FILTER (before <> 0) AS of,
        count(*) FILTER (before <> 0 AND (after = 0 OR carried = 0)) AS zero, bool_and(after = 0) AS empty,
        abs(sum(before)) AS result, abs(sum(after)) AS remains
      FROM balance GROUP BY basis, last)
    SELECT basis, day, zero, of, empty AND open > 0 AND open * 2 >= of AS closed FROM counted
    WHERE closed OR (zero >= 2 AND zero * 2 > of AND result > 0 AND remains * 2 <= result)`)
  const entries = await db.rows<LastDayEntry>(`
    SELECT tx, day::VARCHAR AS day, file, row, equity, closes, closed, zero::INTEGER AS zero, of::INTEGER AS of
    FROM year_end JOIN year_judged USING (basis, day) ORDER BY day, file, row`)
  const sure = entries.filter(({ closed, closes }) => closed && closes)
  if (sure.length > 0)
    await closeLines(
      db,
      frame,
      `SELECT posting.rowid FROM posting JOIN year_end USING (basis, tx, day) JOIN year_judged USING (basis, day) WHERE closes AND closed`,
    )
  await db.run('DROP TABLE year_end; DROP TABLE year_judged')
  const unsure = entries.filter(({ closed }) => !closed)
  return [
    ...(sure.length === 0 ? [] : [closingFound(sure, files)]),
    ...(unsure.length === 0 ? [] : [closingAsked(unsure, files)]),
  ]
}

/** Where a finding about these entries stands, and what they are called. */
function named(entries: readonly LastDayEntry[], files: readonly string[]) {
  const { file, row, tx } = present(entries[0], 'entry of a last day')
  const names = [...new Set(entries.map(({ tx, day }) => `${ofLedger(tx)} (${day})`))]
  return {
    place: { file: files[file] ?? null, row: Number(row), text: tx },
    name: several(names, 'entry', 'entries'),
    isOne: names.length === 1,
  }
}

function closingFound(entries: readonly LastDayEntry[], files: readonly string[]): Finding {
  const { place, name, isOne } = named(entries, files)
  return warning(
    'closing-entries-found',
    `on the last day of a fiscal year ${name} ${isOne ? 'brings' : 'bring'} every income and expense account to zero against equity: ${isOne ? 'it closes' : 'they close'} the year, and ${isOne ? 'is' : 'are'} no income and expenses`,
    {
      ...place,
      remedy:
        'nothing to do where that is right; to say so yourself, write it in company.yaml: closing: { transactions: [...] }, or journals, references, types',
    },
  )
}

function closingAsked(entries: readonly LastDayEntry[], files: readonly string[]): Finding {
  const likely = entries.filter(({ equity }) => equity)
  const { place, name, isOne } = named(likely.length > 0 ? likely : entries, files)
  const { zero, of, day } = present(entries[0], 'entry of a last day')
  return warning(
    'closing-or-activity',
    `the last day of a fiscal year (${day}) brings ${zero} of ${of} income and expense accounts to zero, not all of them against equity alone: ${isOne ? 'does' : 'do'} ${name} close the year?`,
    {
      ...place,
      remedy:
        'if so, write it in company.yaml: closing: { transactions: [...] }, or journals, references, types; as it stands it counts as income and expenses',
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
