/**
 * What may be behind a figure of a report that differs: an entry or an account of exactly that amount, and the lines that were entered or
 * changed since. What it says of entries is text of the ledger.
 */
import { minorOfDecimal } from '../../../database/amount-sql.ts'
import { parquetSql, quoted } from '../../../database/database.ts'
import type { OwnReport, ReportColumn } from '../../../ingest/format/own-report.ts'
import { ofLedger } from '../../../workspace/findings/finding.ts'
import { tableExtras } from '../../post/extras.ts'
import { moneyText } from '../../read/money.ts'
import { accountLabel, decimalsOf } from '../../reference/frame.ts'
import { countedSql, type Part, publishedSql, type ReportBooks } from './sums.ts'

/** Where a report differs from the books: in which accounts, and by how much, in minor units of either sign. */
export interface Differing {
  readonly report: Pick<OwnReport, 'columns' | 'madeOn'>
  readonly part: Part
  readonly column: ReportColumn
  readonly accounts: readonly number[]
  /** What each account has in this column. */
  readonly sums: ReadonlyMap<number, number>
  readonly amount: number
}

interface Line extends Record<string, unknown> {
  /** `-` where the books had it before. */
  readonly side: '+' | '-'
  readonly entry: string
  readonly day: string
  readonly amount: string
  /** The number of a file of the books, or the name of one that they had before. */
  readonly file: string
  readonly row: string
  /** How many lines of this side there are; and what all lines of both sides change. */
  readonly lines: string
  readonly together: string
}

/** So many lines of each side are named, the largest first. */
const NAMED = 3
/** Of so many differences the causes are looked for. */
const EXPLAINED = 20

/** For each difference what to add to its message; empty where nothing was found, or is said already: a month differs as its year does. */
export async function causesOf(books: ReportBooks, differing: readonly Differing[]): Promise<string[]> {
  const causes: string[] = []
  for (const each of differing.slice(0, EXPLAINED))
    causes.push(each.accounts.length === 0 ? '' : await causeOf(books, each))
  return causes.map((cause, i) => (causes.indexOf(cause) < i ? '' : cause))
}

/** SQL for the lines to name of a query with a column for each of {@link Line}. */
const namedSql = (lines: string): string => `
  SELECT side, tx AS entry, day::VARCHAR AS day, amount::VARCHAR AS amount, file::VARCHAR AS file, "row"::VARCHAR AS "row",
    count(*) OVER (PARTITION BY side)::VARCHAR AS lines, sum(if(side = '-', -amount, amount)) OVER ()::VARCHAR AS together
  FROM (${lines}) l QUALIFY row_number() OVER (PARTITION BY side ORDER BY abs(l.amount) DESC, l.day, l."row") <= ${NAMED}
  ORDER BY side, abs(l.amount) DESC, l.day, l."row"`

async function causeOf(books: ReportBooks, differing: Differing): Promise<string> {
  const { db, frame, files } = books
  const { accounts, sums, amount } = differing
  const size = Math.abs(amount)
  const named = (lines: readonly Line[]) => {
    const shown = lines.map(({ side, entry, day, amount: minor, file, row }) => {
      const source = `${side === '-' ? file : files[Number(file)]}:${row}`
      return ofLedger(`entry ${entry} of ${day}, ${moneyText(frame, minor)} (${source})`)
    })
    const more = Number(lines[0]?.lines) - shown.length
    return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  }
  const exact = await db.rows<Line>(
    namedSql(`
      SELECT '+' AS side, tx, min(day) AS day, sum(amount) AS amount, arg_min(file, rowid) AS file, arg_min("row", rowid) AS "row"
      FROM posting WHERE ${postingsOf(books, differing)} AND tx IS NOT NULL GROUP BY tx HAVING abs(sum(amount)) = ${size}`),
  )
  const twin = [...sums].find(([code, sum]) => Math.abs(sum) === size && !accounts.includes(code))
  const account = frame.accounts[twin?.[0] ?? -1]
  const [since, changed] = await changedLines(books, differing)
  const side = (which: Line['side'], what: string) => {
    const lines = changed.filter((line) => line.side === which)
    return lines.length === 0 ? [] : [`${what} ${since}: ${named(lines)}`]
  }
  const isWhole = changed.length > 1 && Math.abs(Number(changed[0]?.together)) === size
  return [
    ...(exact.length === 0 ? [] : [`exactly the amount of ${named(exact)}`]),
    ...(exact.length > 0 || account === undefined ? [] : [`exactly the amount of ${accountLabel(account)}`]),
    ...[...side('+', 'entered'), ...side('-', 'removed')],
    ...(isWhole ? ['together exactly the difference'] : []),
  ]
    .map((cause) => `; ${cause}`)
    .join('')
}

const postingsOf = ({ frame }: ReportBooks, { report, column, part, accounts }: Differing): string =>
  `${countedSql(frame, report, column, part)} AND account IN (${accounts.join(', ')})`

/** The lines that were entered since the report was made, else those that were changed since the snapshot before. */
async function changedLines(
  books: ReportBooks,
  differing: Differing,
): Promise<readonly [since: string, lines: readonly Line[]]> {
  const { db, frame, before } = books
  const { report, column, part, accounts } = differing
  const now = `coalesce(tx, '') AS tx, day, amount, file::VARCHAR AS file, "row" FROM posting WHERE ${postingsOf(books, differing)}`
  if (report.madeOn !== null && (await tableExtras(db)).includes('entered_on')) {
    const lines = await db.rows<Line>(
      namedSql(`SELECT '+' AS side, ${now} AND try_cast(entered_on AS DATE) >= DATE '${report.madeOn}'`),
    )
    if (lines.length > 0) return [`on ${report.madeOn}, when the report was made, or later`, lines]
  }
  const previous = await before?.()
  if (!previous) return ['', []]
  const ids = accounts.flatMap((code) => frame.accounts[code]?.id ?? []).map(quoted)
  const was = `coalesce(transaction_id, '') AS tx, date AS day, ${minorOfDecimal('amount', decimalsOf(frame))} AS amount, file, "row"
    FROM ${parquetSql(previous.postings)} WHERE ${publishedSql(frame, report, column, part)} AND account IN (${ids.join(', ')})`
  const numbered = (lines: string) =>
    `SELECT *, row_number() OVER (PARTITION BY tx, day, amount ORDER BY file, "row") AS copy FROM (SELECT ${lines})`
  const without = (side: Line['side'], left: string, right: string) =>
    `SELECT '${side}' AS side, a.* FROM ${left} a ANTI JOIN ${right} b USING (tx, day, amount, copy)`
  const lines = await db.rows<Line>(
    namedSql(
      `WITH younger AS (${numbered(now)}), older AS (${numbered(was)}) ${without('+', 'younger', 'older')} UNION ALL ${without('-', 'older', 'younger')}`,
    ),
  )
  return [`since ${previous.snapshotId}`, lines]
}
