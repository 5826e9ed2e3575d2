/**
 * Tells closing entries from activity, and whose results they close: those of the current year, or of years before (accounting.md
 * §4).
 */
import { addTo } from '../../contract/grouping.ts'
import { present } from '../../contract/present.ts'
import { byCodePoint } from '../../contract/vocabulary.ts'
import { type Database, isAny, valueAt } from '../../database/database.ts'
import { error, type Finding, ofLedger, warning } from '../../workspace/findings/finding.ts'
import { several } from '../../workspace/findings/not-checked.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { among } from '../read/entry-ids.ts'
import { moneyText } from '../read/money.ts'
import { fiscalYearOf } from '../reference/fiscal.ts'
import { type Frame, isEarnings, notClosedCode, yearEndDays } from '../reference/frame.ts'
import type { OpeningCell } from './openings.ts'
import { KIND } from './postings.ts'
import { recognised } from './recognition.ts'

interface Candidate extends Record<string, unknown> {
  id: string
  basis: number
  tx: string
  account: number
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

/** The closing lines of one entry, which are all of one day. */
interface ClosingEntry {
  readonly first: Candidate
  readonly lines: readonly Candidate[]
}

/**
 * Gives closing entries their kind. With a closing account, its lines and the equity lines of exactly the opposite total
 * are closing lines. In an entry that is marked by itself, by reference, journal or type, the P&L lines and equity lines are. A
 * closing entry whose equity lines do not take exactly the opposite total is a finding. `accounts` are codes of closing accounts.
 * `insideYears` are the closing lines of entries before the last day of their year, by basis and day: they count as of earlier years,
 * until {@link divideClosings} has compared them with the balances.
 */
export async function markClosing(
  db: Database,
  frame: Frame,
  {
    accounts,
    transactions,
  }: { readonly accounts: readonly number[]; readonly transactions: readonly string[] },
  files: readonly string[],
): Promise<{ readonly findings: Finding[]; readonly insideYears: readonly ClosingEntry[] }> {
  const onAccount = accounts.length === 0 ? 'false' : `account IN (${accounts.join(', ')})`
  const isMarked = `(closing OR ${among('tx', transactions)})`
  const asked = `posting WHERE ${onAccount} OR ${isMarked}`
  if (!(await isAny(db, asked))) return { findings: [], insideYears: [] }
  const rows = await db.rows<Candidate>(`
    SELECT posting.rowid AS id, basis, tx, account, amount, day::VARCHAR AS day, ${onAccount} AS on_account, equity, pl, file, row, ${isMarked} AS closing
    FROM posting JOIN account ON account = code
    WHERE (basis, tx) IN (SELECT (basis, tx) FROM ${asked})
    ORDER BY id`)
  const entries = new Map<string, Candidate[]>()
  for (const row of rows) addTo(entries, `${row.basis} ${row.tx}`, row)
  const findings: Finding[] = []
  const closings: Candidate[][] = []
  for (const lines of entries.values()) {
    const found = closingLines(lines)
    if (found) closings.push(found)
    else findings.push(withoutCounterpart(frame, lines, files))
  }
  const marked = closings.flat()
  if (marked.length > 0) {
    await db.run('CREATE TEMP TABLE marked (id BIGINT)')
    await db.append(
      'marked',
      marked.map((line) => [Number(line.id)]),
    )
    await closeLines(db, frame, 'SELECT id FROM marked')
    await db.run('DROP TABLE marked')
  }
  const ends = new Set(frame.fiscalYears.map(({ end }) => end))
  const insideYears = closings.flatMap((lines) => {
    const [first] = lines
    return first && lines.every(({ day }) => day === first.day) && !ends.has(first.day)
      ? [{ first, lines }]
      : []
  })
  const order = ({ first: { basis, day } }: ClosingEntry): string => `${basis} ${day}`
  return { findings, insideYears: insideYears.sort((a, b) => byCodePoint(order(a), order(b))) }
}

/** Makes lines, given by a query of their `rowid`, closing lines of the year that ends on their day, or of earlier years. */
const closeLines = (db: Database, frame: Frame, lines: string): Promise<void> =>
  db.run(`
    UPDATE posting SET kind = CASE WHEN (day - DATE '1970-01-01') IN (${yearEndDays(frame).join(', ')}) THEN ${KIND.closingCurrent} ELSE ${KIND.closingPrior} END
    WHERE rowid IN (${lines})`)

function withoutCounterpart(frame: Frame, lines: readonly Candidate[], files: readonly string[]): Finding {
  const first = present(lines[0], 'line of a closing entry')
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
  const ends = frame.fiscalYears.map(({ end }) => `DATE '${end}'`).join(', ')
  const onLastDay = `kind = ${KIND.activity} AND day IN (${ends})`
  if (!(await isAny(db, `posting WHERE ${onLastDay}`))) return []
  const years = frame.fiscalYears.map(({ start, end }) => `(DATE '${start}', DATE '${end}')`).join(', ')
  await db.run(`
    CREATE TEMP TABLE year_end AS
    SELECT basis, tx, day, min(file) AS file, arg_min(row, (file, row)) AS row, bool_or(equity) AS equity,
      bool_and(pl OR equity) AND bool_or(equity) AS closes
    FROM posting JOIN account ON account = code
    WHERE ${onLastDay}
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

/** What stands on an account, or on several: results of the fiscal year so far, and of years before. Minor units, debit positive. */
interface Open {
  readonly own: number
  readonly earlier: number
}

/**
 * Matches closing entries inside a year to the balances that they clear, and gives what they clear of the year's own results the
 * kind that reduces current-year earnings. A line that clears both keeps its amount, and a pair of postings moves its share, so that
 * the lines of the sources stay as they are.
 */
export async function divideClosings(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  entries: readonly ClosingEntry[],
): Promise<void> {
  if (entries.length === 0) return
  await db.run('CREATE TEMP TABLE undivided (id BIGINT); CREATE TEMP TABLE own (id BIGINT, amount BIGINT)')
  const ids = entries.flatMap(({ lines }) => lines.map(({ id }) => [Number(id)]))
  await db.append('undivided', ids)
  let known = ''
  let open = new Map<number, Open>()
  for (const { first, lines } of entries) {
    const key = `${first.basis} ${first.day}`
    if (key !== known) open = await openBalances(db, frame, openings, first)
    known = key
    const shares = ownShares(frame, lines, open)
    for (const [i, { pl, account, amount }] of lines.entries())
      if (pl)
        addOpen(open, account, { own: valueAt(shares, i), earlier: Number(amount) - valueAt(shares, i) })
    const own = lines.map(({ id }, i) => [Number(id), valueAt(shares, i)])
    await db.append(
      'own',
      own.filter(([, amount]) => amount !== 0),
    )
    await db.run(`
      INSERT INTO posting BY NAME
      SELECT posting.* REPLACE (NULL AS line_id, sign * own.amount AS amount, kind.kind AS kind, '${DIVIDED}' AS type)
      FROM posting JOIN own ON posting.rowid = own.id AND posting.amount <> own.amount,
        (VALUES (-1, ${KIND.closingPrior}::TINYINT), (1, ${KIND.closingCurrent}::TINYINT)) AS kind(sign, kind)
      ORDER BY own.id, sign;
      UPDATE posting SET kind = ${KIND.closingCurrent} FROM own WHERE posting.rowid = own.id AND posting.amount = own.amount;
      DELETE FROM own`)
  }
  await db.run('DROP TABLE own; DROP TABLE undivided')
}

/** The type of postings that move a share of a closing line from one year to the other. */
export const DIVIDED = 'divided closing'

/** What stands on each account of income and expenses at the end of a day, without the closing entries that are still to be divided. */
async function openBalances(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
  { basis, day }: Candidate,
): Promise<Map<number, Open>> {
  const year = present(fiscalYearOf(frame.fiscalYears, day), `fiscal year of ${day}`)
  const rows = await db.rows<{ account: number; own: string; earlier: string }>(`
    SELECT account, sum(CASE WHEN own THEN amount ELSE 0 END)::VARCHAR AS own, sum(CASE WHEN own THEN 0 ELSE amount END)::VARCHAR AS earlier
    FROM (
      SELECT account, amount, day >= DATE '${year.start}' AND kind <> ${KIND.closingPrior} AS own
      FROM posting LEFT JOIN account ON account = code
      WHERE basis = ${basis} AND day <= DATE '${day}' AND coalesce(pl, true) AND NOT (day = DATE '${day}' AND posting.rowid IN (FROM undivided)))
    GROUP BY account`)
  const open = new Map(
    rows.map(({ account, own, earlier }) => [account, { own: Number(own), earlier: Number(earlier) }]),
  )
  for (const cell of openings)
    if (BASIS_CODE[cell.basis] === basis && isEarnings(frame, cell.account)) {
      const isOwn = cell.current && year === frame.fiscalYears[0]
      addOpen(open, cell.account, isOwn ? { own: cell.amount, earlier: 0 } : { own: 0, earlier: cell.amount })
    }
  return open
}

const NOTHING: Open = { own: 0, earlier: 0 }
const plus = (a: Open, b: Open): Open => ({ own: a.own + b.own, earlier: a.earlier + b.earlier })
const addOpen = (open: Map<number, Open>, account: number, more: Open): void =>
  void open.set(account, plus(open.get(account) ?? NOTHING, more))

/**
 * How much of each closing line clears results of its own year. An account whose balance is cleared exactly is decided by itself, the
 * others of the entry together, and lines on a closing account by the total of all results. Equity lines follow in proportion.
 */
function ownShares(frame: Frame, lines: readonly Candidate[], open: ReadonlyMap<number, Open>): number[] {
  const shares = lines.map(() => 0)
  const amountAt = (i: number) => Number(lines[i]?.amount)
  const movedBy = (places: readonly number[]) => places.reduce((total, i) => total + amountAt(i), 0)
  const share = (places: readonly number[], own: number): void => {
    const total = movedBy(places)
    if (own === 0 || total === 0) return
    const parts = recognised(places.map(amountAt), Math.abs(own), Math.abs(total))
    const sign = Math.sign(own) * Math.sign(total)
    for (const [n, i] of places.entries()) shares[i] = sign * valueAt(parts, n)
  }
  const ofAccounts = new Map<number, number[]>()
  for (const [i, { on_account, pl, account }] of lines.entries()) {
    const code = on_account ? TOTAL : pl ? account : EQUITY
    addTo(ofAccounts, code, i)
  }
  const balanceOf = (codes: Iterable<number>): Open =>
    [...new Set(codes)].reduce((sum, code) => plus(sum, open.get(code) ?? NOTHING), NOTHING)
  const others: number[] = []
  for (const [account, places] of ofAccounts)
    if (account >= 0) {
      const { own, isExact } = clearedOf(movedBy(places), balanceOf([account]))
      if (isExact) share(places, own)
      else others.push(...places)
    }
  const total = balanceOf(open.keys())
  const { own, earlier } = balanceOf(others.map((i) => present(lines[i], 'closing line').account))
  // Where some results of earlier years stand on no account, those of the accounts do not say what is open.
  const isOnAccounts = open.get(notClosedCode(frame)) === undefined
  share(others, clearedOf(movedBy(others), { own, earlier: isOnAccounts ? earlier : total.earlier }).own)
  const byTotal = ofAccounts.get(TOTAL) ?? []
  share(byTotal, clearedOf(movedBy(byTotal), total).own)
  share(ofAccounts.get(EQUITY) ?? [], -shares.reduce((sum, own) => sum + own, 0))
  return shares
}

/** Stand for a code where lines are not matched by their account. */
const TOTAL = -1
const EQUITY = -2

/**
 * What an amount clears of the year's own results: all of it where it is exactly these; else what is older comes first. `isExact` says
 * that nothing is left of the one, of the other, or of both.
 */
function clearedOf(
  moved: number,
  { own, earlier }: Open,
): { readonly own: number; readonly isExact: boolean } {
  const isOwn = moved === -own && moved !== -earlier
  const ofEarlier =
    Math.sign(moved) === -Math.sign(earlier)
      ? Math.sign(moved) * Math.min(Math.abs(moved), Math.abs(earlier))
      : 0
  return {
    own: isOwn ? moved : moved - ofEarlier,
    isExact: [own, earlier, own + earlier].includes(-moved),
  }
}
