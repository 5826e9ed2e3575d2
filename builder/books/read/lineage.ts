/**
 * Finds the lines of the books behind a published figure, with file and row (the audit trail). It queries the Parquet files of a
 * snapshot. Sums are computed as DECIMAL and returned as text, so nothing is rounded.
 */
import { join } from 'node:path'
import { addDays, firstDay, monthOf } from '../../contract/calendar.ts'
import type { DateRange } from '../../contract/document.ts'
import { type Basis, UNASSIGNED } from '../../contract/vocabulary.ts'
import { type Database, openDatabase, parquetSql, quoted } from '../../database/database.ts'
import type { FiscalYear } from '../../ingest/format/intake.ts'
import { tableExtras } from '../post/extras.ts'
import { PUBLISHED_IN_BALANCES } from '../post/postings.ts'
import { budgetYearStart, fiscalYearOf, startInside } from '../reference/fiscal.ts'
import { decimalsOf, type Frame } from '../reference/frame.ts'
import { findSpan, type Tree } from '../reference/tree.ts'

/** Selects the lines of an account that count for a month or range; `predicates` below gives the condition for each rule. */
export type Rule =
  | 'activity'
  | 'cash-flow'
  | 'added-back'
  | 'balance'
  | 'brought-forward'
  | 'current-year'
  | 'prior-years'
  | 'ended-year'
  | 'years-before'
  | 'stated'
  | 'stated-before'
  | 'stated-last-year'

/** The lines that one account adds to a part of a figure. `sign` turns debit-positive amounts into the figure's sign. */
export interface Term {
  readonly account: string
  readonly sign: 1 | -1
  readonly rule: Rule
}

/** Terms whose lines are added up together, such as one row of a total or one account of a row. */
export interface Part {
  readonly id: string
  readonly terms: readonly Term[]
}

export interface LineageScope {
  readonly basis: Basis
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}

/** When a line was posted: in an opening, before the month or range, or inside it. */
export type Phase = 'opening' | 'earlier' | 'month'

export interface PartSum {
  readonly part: string
  readonly phase: Phase
  readonly amount: string
  /** Running total of the amounts, this one included. */
  readonly total: string
  readonly lines: number
}

/** One line of the books. Amounts are decimal text; `amount` is what it adds to the figure. */
export interface Line {
  readonly part: string
  readonly phase: Phase
  /** `opening`, `budget`, or the kind of a posting. */
  readonly kind: string
  readonly date: string | null
  readonly transactionId: string | null
  readonly lineId: string | null
  readonly account: string
  readonly classId: string | null
  readonly departmentId: string | null
  readonly debit: string | null
  readonly credit: string | null
  readonly amount: string
  /** Running total of `amount`, including this line and lines that are not listed. */
  readonly total: string
  readonly memo: string | null
  readonly reference: string | null
  readonly settles: string | null
  /** The name of the party, else its id; null where the line has none. */
  readonly party: string | null
  /** Null in books of earlier versions, for lines that an opening implies. */
  readonly file: string | null
  readonly row: number
}

export interface Turnover {
  readonly part: string
  /** The balance before the range, decimal text, debit positive. */
  readonly opening: string
  readonly debit: string
  readonly credit: string
  readonly closing: string
}

export interface Lineage {
  /** The sum of all lines, and their number. */
  total(): Promise<{ readonly amount: string; readonly lines: number }>
  /** The sums by part and phase, in the order of the parts and then of time. */
  sums(): Promise<PartSum[]>
  /** The sums by part, over all phases. */
  parts(): Promise<Omit<PartSum, 'phase'>[]>
  lines(phases: readonly Phase[]): Promise<Line[]>
  /** Debits and credits of the range by part; the last row, with the id `total`, adds up all parts. */
  turnover(): Promise<Turnover[]>
  close(): void
}

/** Opens the audit trail of `parts` for a month or range. `books` is the verified books folder of a snapshot. The caller closes it. */
export async function openLineage(
  books: string,
  frame: Frame,
  scope: LineageScope,
  range: DateRange,
  parts: readonly Part[],
): Promise<Lineage> {
  const db = await openDatabase({ folders: [books] })
  try {
    await createTerms(db, parts)
    await createBehind(db, books, frame, scope, range, parts)
  } catch (problem) {
    db.close()
    throw problem
  }
  return { ...queries(db, decimalsOf(frame)), close: () => db.close() }
}

async function createTerms(db: Database, parts: readonly Part[]): Promise<void> {
  await db.run(`
    CREATE TABLE part (place INTEGER, id VARCHAR);
    CREATE TABLE term (place INTEGER, account VARCHAR, positive BOOLEAN, rule VARCHAR)`)
  await db.append(
    'part',
    parts.map(({ id }, place) => [place, id]),
  )
  await db.append(
    'term',
    parts.flatMap(({ terms }, place) =>
      terms.map(({ account, sign, rule }) => [place, account, sign === 1, rule]),
    ),
  )
}

/** Creates the table `behind` with each line that counts, once for each term in which it counts. */
async function createBehind(
  db: Database,
  books: string,
  frame: Frame,
  scope: LineageScope,
  range: DateRange,
  parts: readonly Part[],
): Promise<void> {
  const from = (name: string) => parquetSql(join(books, name))
  const partyIn = async (name: string): Promise<string> => {
    const own = (await tableExtras(db, from(name))).filter((column) => column.startsWith('party'))
    return `${own.length === 0 ? 'NULL' : `coalesce(${own.join(', ')})`} AS party`
  }
  const filters = [membersIn(frame.classes, 'class', scope.classId)]
  filters.push(membersIn(frame.departments, 'department', scope.departmentId))
  const filtered = filters.join(' AND ')
  const entries =
    scope.budgetId === null
      ? `SELECT 'opening' AS kind, 0 AS seq, NULL::DATE AS date, NULL AS transaction_id, NULL AS line_id, account, class,
           department, amount, current, 'opening balance' AS memo, NULL AS reference, NULL AS settles, ${await partyIn('openings.parquet')}, file, row
         FROM ${from('openings.parquet')} WHERE basis = ${quoted(scope.basis.toLowerCase())} AND ${filtered}
         UNION ALL BY NAME
         SELECT kind, seq, date, transaction_id, line_id, account, class, department, amount, false AS current, memo,
           reference, settles, ${await partyIn('postings.parquet')}, file, row
         FROM ${from('postings.parquet')} WHERE ${daysNeeded(frame, range, parts)} AND basis = ${quoted(scope.basis.toLowerCase())} AND ${filtered}`
      : `SELECT 'budget' AS kind, 0 AS seq, (month || '-01')::DATE AS date, NULL AS transaction_id, NULL AS line_id, account,
           class, department, amount, false AS current, NULL AS memo, NULL AS reference, NULL AS settles, NULL AS party, file, row
         FROM ${from('budgets.parquet')} WHERE budget = ${quoted(scope.budgetId)} AND ${filtered}`
  await db.run(`
    CREATE TABLE behind AS
    WITH entry AS (${entries})
    SELECT place, entry.*, CASE WHEN positive THEN amount ELSE -amount END AS share,
      CASE WHEN kind = 'opening' THEN 'opening' WHEN date < DATE '${range.startDate}' THEN 'earlier' ELSE 'month' END AS phase
    FROM entry JOIN term USING (account)
    WHERE CASE rule ${Object.entries(predicates(frame, range))
      .map(([rule, predicate]) => `WHEN '${rule}' THEN ${predicate}`)
      .join('\n      ')} END`)
}

/**
 * The SQL condition for the days of postings that can count by {@link predicates}. DuckDB passes over the row groups of a file that lie
 * outside of it, so that the figure of a month is not read from the lines of all years.
 */
function daysNeeded(frame: Frame, { startDate, endDate }: DateRange, parts: readonly Part[]): string {
  const [first] = frame.fiscalYears
  const year = fiscalYearOf(frame.fiscalYears, endDate)
  const from: Partial<Record<Rule, string | undefined>> = {
    activity: startDate,
    'cash-flow': startDate,
    'added-back': startDate,
    'current-year': year === first ? undefined : year?.start,
  }
  const starts = parts.flatMap(({ terms }) => terms.map(({ rule }) => from[rule] ?? ''))
  const start = starts.reduce((least, day) => (day < least ? day : least), endDate)
  return `date <= DATE '${endDate}'${start === '' ? '' : ` AND date >= DATE '${start}'`}`
}

/** The fiscal year that ends inside a month, where another one begins before the month ends. */
export function endedYear(
  { fiscalYears }: Pick<Frame, 'fiscalYears'>,
  range: DateRange,
): FiscalYear | undefined {
  const start = startInside(fiscalYears, range)
  return start === undefined ? undefined : fiscalYearOf(fiscalYears, addDays(start, -1))
}

/** The SQL condition of each rule on one line (accounting.md §3 to §5). */
function predicates(frame: Frame, { startDate, endDate }: DateRange): Record<Rule, string> {
  const inside = `date BETWEEN DATE '${startDate}' AND DATE '${endDate}'`
  const [first] = frame.fiscalYears
  const month = monthOf(startDate)
  const year = fiscalYearOf(frame.fiscalYears, endDate)
  const inFirstYear = year === undefined || year === first
  // An opening taken inside the first year brings that year's results so far. Later years begin without results.
  const openingOfYear = inFirstYear ? 'current' : 'false'
  const sinceYearStart = inFirstYear ? 'true' : `date >= DATE '${year.start}'`
  // Lines that move amounts between rows of the cash flow belong to no balance.
  const posted = PUBLISHED_IN_BALANCES
  const ended = endedYear(frame, { startDate, endDate })
  const ofEnded = ended
    ? `CASE WHEN date IS NULL THEN ${ended === first ? 'current' : 'false'} ELSE ${posted} AND kind <> 'closing-prior' AND date <= DATE '${ended.end}'${ended === first ? '' : ` AND date >= DATE '${ended.start}'`} END`
    : 'false'
  const upToEnd = `date <= DATE '${endDate}'`
  const priorYears = `CASE WHEN date IS NULL THEN NOT ${openingOfYear} ELSE ${upToEnd} AND ${posted} AND NOT (${sinceYearStart} AND kind <> 'closing-prior') END`
  return {
    activity: `kind = 'activity' AND ${inside}`,
    'cash-flow': `(kind = 'activity' OR NOT (${posted})) AND ${inside}`,
    'added-back': `NOT (${posted}) AND ${inside}`,
    balance: `date IS NULL OR (${upToEnd} AND ${posted})`,
    'brought-forward': `date IS NULL OR (date < DATE '${startDate}' AND ${posted})`,
    'current-year': `CASE WHEN date IS NULL THEN ${openingOfYear} ELSE ${upToEnd} AND ${posted} AND ${sinceYearStart} AND kind <> 'closing-prior' END`,
    'prior-years': priorYears,
    'ended-year': ofEnded,
    'years-before': `(${priorYears}) AND NOT (${ofEnded})`,
    stated: inside,
    // For budgets: the balance of the month before, and the results of the year that ended with that month.
    'stated-before': `date = DATE '${firstDay(month - 1)}'`,
    'stated-last-year':
      budgetYearStart(frame, month) === month
        ? `date >= DATE '${firstDay(budgetYearStart(frame, month - 1))}' AND date < DATE '${startDate}'`
        : 'false',
  }
}

/**
 * The SQL condition of a filter: null selects all lines, `unassigned` those without a member, and a member those of itself
 * and its descendants. An unknown id selects none.
 */
export function membersIn(tree: Tree, column: 'class' | 'department', id: string | null): string {
  if (id === null) return 'true'
  if (id === UNASSIGNED) return `${column} IS NULL`
  const span = findSpan(tree, id)
  if (span === null) return 'false'
  const ids = tree.members.slice(span.from - 1, span.to).map((member) => quoted(member.id))
  return `${column} IN (${ids.join(', ')})`
}

const IN_ORDER = 'place, kind <> \'opening\', date, seq, file, "row"'

function queries(db: Database, decimals: number): Omit<Lineage, 'close'> {
  const money = (sum: string) => `coalesce(${sum}, 0)::DECIMAL(38, ${decimals})::VARCHAR`
  return {
    total: async () => {
      const row = await db.row<{ amount: string; lines: string }>(
        `SELECT ${money('sum(share)')} AS amount, count(*) AS lines FROM behind`,
      )
      return { amount: row.amount, lines: Number(row.lines) }
    },
    sums: () => sumsBy(db, money, 'phase'),
    parts: () => sumsBy(db, money, "'all'"),
    lines: (phases) => listLines(db, phases, decimals),
    turnover: () =>
      db.rows<Turnover & Record<string, unknown>>(
        `SELECT coalesce(id, 'total') AS part, ${money(`sum(share) FILTER (phase <> 'month')`)} AS opening,
           ${money(`sum(share) FILTER (phase = 'month' AND share > 0)`)} AS debit,
           ${money(`-sum(share) FILTER (phase = 'month' AND share < 0)`)} AS credit, ${money('sum(share)')} AS closing
         FROM behind JOIN part USING (place) GROUP BY GROUPING SETS ((place, id), ()) ORDER BY place NULLS LAST`,
      ),
  }
}

async function sumsBy(db: Database, money: (sum: string) => string, phase: string): Promise<PartSum[]> {
  const order = `place, list_position(['opening', 'earlier', 'month'], phase)`
  const rows = await db.rows<Omit<PartSum, 'lines'> & { lines: string } & Record<string, unknown>>(
    `SELECT id AS part, phase, ${money('amount')} AS amount, ${money(`sum(amount) OVER (ORDER BY ${order})`)} AS total, lines
     FROM (SELECT place, ${phase} AS phase, sum(share) AS amount, count(*) AS lines FROM behind GROUP BY ALL)
     JOIN part USING (place) ORDER BY ${order}`,
  )
  return rows.map((row) => ({ ...row, lines: Number(row.lines) }))
}

async function listLines(db: Database, phases: readonly Phase[], decimals: number): Promise<Line[]> {
  const text = (amount: string) => `(${amount})::DECIMAL(38, ${decimals})::VARCHAR`
  const rows = await db.rows<Omit<Line, 'row'> & { row: string } & Record<string, unknown>>(
    `SELECT id AS part, phase, kind, date::VARCHAR AS date, transaction_id AS "transactionId", line_id AS "lineId", account,
       class AS "classId", department AS "departmentId",
       CASE WHEN kind <> 'budget' AND amount >= 0 THEN ${text('amount')} END AS debit,
       CASE WHEN kind <> 'budget' AND amount < 0 THEN ${text('-amount')} END AS credit,
       ${text('share')} AS amount, ${text(`sum(share) OVER (ORDER BY ${IN_ORDER} ROWS UNBOUNDED PRECEDING)`)} AS total,
       memo, reference, settles, party, file, row
     FROM behind JOIN part USING (place)
     QUALIFY phase IN (${phases.map(quoted).join(', ')}) ORDER BY ${IN_ORDER}`,
  )
  return rows.map((row) => ({ ...row, row: Number(row.row) }))
}
