/** Counts and adds up, for each source file, the lines that published books hold from it. */
import { join } from 'node:path'
import type { Classification } from '../../contract/vocabulary.ts'
import { type Database, parquetSql, quoted } from '../../database/database.ts'
import { DIVIDED } from '../post/closing.ts'
import { ATTRIBUTION, PUBLISHED_IN_BALANCES, TRANSLATION } from '../post/postings.ts'
import type { Frame } from '../reference/frame.ts'
import { metricsFrom } from '../store/store.ts'

/** The totals of one file. Amounts are decimal text in the currency's units. */
export interface FileTotals {
  /** Null in books of earlier versions, for metrics and for lines that an opening implies. */
  readonly file: string | null
  readonly lines: number
  /** Sums of the positive and of the negative amounts, both without sign. */
  readonly debit: string
  readonly credit: string
  /** The first and the last day; null of openings and of values. */
  readonly first: string | null
  readonly last: string | null
}

export interface BooksTotals {
  /** The same counts as `Totals` of the manifest: all postings that count in balances, and their transactions. */
  readonly counts: { readonly postings: number; readonly transactions: number }
  /** Lines of the sources, without those that the program booked itself. */
  readonly postings: readonly FileTotals[]
  readonly openings: readonly FileTotals[]
  /** Figures of budgets and metrics together. */
  readonly values: readonly FileTotals[]
}

const ROUNDING = "(type = 'rounding' AND memo = 'rounding difference of the entry')"
const IMPLIED = "(type = 'implied closing' AND kind = 'closing-prior')"
const CLOSING = "kind IN ('closing-current', 'closing-prior')"

/** SQL condition for lines that the program booked itself: the derived cash basis, moves on the cash flow, rounding, implied and divided closings. */
const bookedByProgram = (frame: Frame): string =>
  [
    `NOT (${PUBLISHED_IN_BALANCES})`,
    ...(frame.basisSources.CASH === 'Derived' ? ["basis = 'cash'"] : []),
    ROUNDING,
    IMPLIED,
    `(type = '${DIVIDED}' AND ${CLOSING})`,
  ].join(' OR ')

/**
 * How many entries in `folder` do not add up to zero in each month, and how many postings are of no entry that could have them. A
 * rounding difference is the only one of its entry in its month, and balances the other lines. The closing that an opening implies moves
 * results of earlier years to equity on the first day of a year. Closing lines of an entry add up to zero, on income and expenses alone or
 * against equity. Transfers stand on equity. Assets and liabilities have closing lines where the settings name them as closing accounts,
 * and then no others; a group may show the interests of others among liabilities.
 */
export async function strayBookings(
  db: Database,
  folder: string,
  { accounts, basisSources, fiscalYears, consolidation }: Frame,
  read: number,
): Promise<{ readonly unbalanced: number; readonly stray: number }> {
  const isOn = (...classifications: readonly Classification[]): string => {
    const found = accounts.filter(({ classification }) => classifications.includes(classification))
    return found.length === 0 ? 'false' : `account IN (${found.map(({ id }) => quoted(id)).join(', ')})`
  }
  const equity = isOn('Equity')
  const attributed = consolidation === undefined ? 'false' : `type IN (${ATTRIBUTION.map(quoted).join(', ')})`
  const [, ...later] = fiscalYears.map(({ start }) => `DATE '${start}'`)
  const begins = later.length === 0 ? 'false' : `date IN (${later.join(', ')})`
  const { unbalanced, stray } = await db.row<{ unbalanced: string; stray: string }>(`
    WITH published AS (
      SELECT *, ${CLOSING} AS closes, seq > ${read} AND coalesce(${ROUNDING}, false) AS rounds, seq > ${read} AND coalesce(${IMPLIED}, false) AS implied
      FROM ${parquetSql(join(folder, 'postings.parquet'))}
      WHERE ${PUBLISHED_IN_BALANCES} ${basisSources.CASH === 'Derived' ? "AND basis <> 'cash'" : ''}),
    found AS (
      SELECT count(*) FILTER (rounds) AS stray, sum(amount) <> 0 AS differs FROM published GROUP BY basis, transaction_id, date_trunc('month', date)
      HAVING stray > 1 OR bool_and(rounds) OR sum(amount) <> 0
      UNION ALL SELECT count(*), false FROM published WHERE closes GROUP BY basis, transaction_id
      HAVING sum(amount) <> 0 OR NOT bool_or(${equity} OR coalesce(${attributed}, false))
        AND sum(amount) FILTER (${isOn('Asset', 'Liability')} AND account IN (SELECT account FROM published WHERE NOT closes)) <> 0
      UNION ALL SELECT count(*), false FROM published WHERE implied AND NOT
        ((${equity} OR account = 'prior-years-not-closed') AND class IS NULL AND department IS NULL AND ${begins})
      UNION ALL SELECT count(*), false FROM published WHERE kind = 'transfer' AND NOT (${equity} OR coalesce(type = '${TRANSLATION}', false)))
    SELECT coalesce(sum(stray), 0)::VARCHAR AS stray, count(*) FILTER (differs)::VARCHAR AS unbalanced FROM found`)
  return { unbalanced: Number(unbalanced), stray: Number(stray) }
}

/**
 * How many postings in `folder` move a share of a closing line, behind the first `read`, without being pairs that cancel each other on
 * a line of a closing entry of the sources.
 */
export async function strayDivisions(
  db: Database,
  folder: string,
  frame: Frame,
  read: number,
): Promise<number> {
  const { stray } = await db.row<{ stray: string }>(`
    WITH closing AS (
      SELECT *, seq > ${read} AND coalesce(type = '${DIVIDED}', false) AS is_share FROM ${parquetSql(join(folder, 'postings.parquet'))}
      WHERE kind IN ('closing-current', 'closing-prior') ${frame.basisSources.CASH === 'Derived' ? "AND basis <> 'cash'" : ''})
    SELECT coalesce(sum(shares), 0)::VARCHAR AS stray FROM (
      SELECT count(*) FILTER (is_share) AS shares FROM closing
      GROUP BY basis, transaction_id, date, account, class, department, file, row
      HAVING shares > 2 * count(*) FILTER (NOT is_share AND kind = 'closing-prior')
        OR shares <> 2 * count(*) FILTER (is_share AND kind = 'closing-prior') OR sum(amount) FILTER (is_share) <> 0)`)
  return Number(stray)
}

/**
 * The totals of the books in `folder`. The first `read` postings are known to come from sources, even if they look like lines
 * that the program books.
 */
export async function totalsByFile(
  db: Database,
  folder: string,
  frame: Frame,
  read: number,
): Promise<BooksTotals> {
  const from = (name: string) => parquetSql(join(folder, name))
  const totals = async (rows: string): Promise<FileTotals[]> =>
    (
      await db.rows<Omit<FileTotals, 'lines'> & { lines: string } & Record<string, unknown>>(
        `SELECT file, count(*) AS lines, coalesce(sum(amount) FILTER (amount > 0), 0)::VARCHAR AS debit,
           coalesce(-sum(amount) FILTER (amount < 0), 0)::VARCHAR AS credit, min(date)::VARCHAR AS first, max(date)::VARCHAR AS last
         FROM (${rows}) GROUP BY file ORDER BY file`,
      )
    ).map((row) => ({ ...row, lines: Number(row.lines) }))
  const metrics = await metricsFrom(db, folder)
  const [counts] = await db.rows<{ postings: string; transactions: string }>(
    `SELECT count(*) AS postings, count(DISTINCT (basis, transaction_id)) AS transactions
     FROM ${from('postings.parquet')} WHERE ${PUBLISHED_IN_BALANCES}`,
  )
  return {
    counts: { postings: Number(counts?.postings), transactions: Number(counts?.transactions) },
    postings: await totals(
      `SELECT file, amount, date FROM ${from('postings.parquet')} WHERE seq <= ${read} OR NOT coalesce(${bookedByProgram(frame)}, false)`,
    ),
    openings: await totals(`SELECT file, amount, NULL::DATE AS date FROM ${from('openings.parquet')}`),
    values: await totals(
      `SELECT file, amount::DECIMAL(38, 6) AS amount, NULL::DATE AS date FROM ${from('budgets.parquet')}
       UNION ALL SELECT file, value::DECIMAL(38, 6), NULL FROM (${metrics})`,
    ),
  }
}
