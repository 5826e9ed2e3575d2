/** Adds up the books for one column of a program's own report. */
import type { Basis } from '../../../contract/vocabulary.ts'
import { type Database, quoted } from '../../../database/database.ts'
import type { OwnReport, ReportColumn, ReportMember } from '../../../ingest/format/own-report.ts'
import type { OpeningCell } from '../../post/openings.ts'
import { IN_BALANCES, KIND, KINDS, PUBLISHED_IN_BALANCES } from '../../post/postings.ts'
import { BASIS_CODE } from '../../read/codes.ts'
import type { LedgerKeys } from '../../read/key-sql.ts'
import { fiscalYearOf } from '../../reference/fiscal.ts'
import { type Frame, isEarnings } from '../../reference/frame.ts'
import { findSpan } from '../../reference/tree.ts'

export interface ReportBooks {
  readonly db: Database
  readonly frame: Frame
  readonly keys: LedgerKeys
  readonly openings: readonly OpeningCell[]
  /** The files of the ledger by number. */
  readonly files: readonly string[]
  /** The postings that were published before; null where there are none that can be read. */
  readonly before: (() => Promise<PublishedBefore | null>) | null
}

export interface PublishedBefore {
  readonly snapshotId: string
  /** The path of a Parquet file, which was verified. */
  readonly postings: string
}

/** The columns of a report, of which one may leave out what others have. */
type Columns = Pick<OwnReport, 'columns'>

/** The part of the books that a report is of. */
export interface Part {
  readonly basis: Basis
  readonly member: ReportMember | null
}

/** A figure of a report that is the sum of accounts alone, so that it agrees only with a part of the books that has this sum. */
export interface Probe {
  readonly column: ReportColumn
  readonly accounts: readonly number[]
  readonly amount: number
}

/** Sums of one column in minor units, debit positive. */
export interface Sums {
  /** By the code of the account; for a balance without accounts of the result. */
  readonly accounts: ReadonlyMap<number, number>
  /** Of a balance: results of earlier years that no account holds, and of the year up to the day. */
  readonly prior: number
  readonly current: number
}

export async function sumsOf(
  { db, frame, openings }: ReportBooks,
  report: Columns,
  column: ReportColumn,
  part: Part,
): Promise<Sums> {
  const { basis, member } = part
  const { from, to } = column
  const filters = filtersOf(frame, report, column, member)
  const year = fiscalYearOf(frame.fiscalYears, to)?.start ?? to
  // A closing entry of a year before reduces the results of earlier years, on whatever day it is made.
  const isSince = `day >= DATE '${from ?? year}' AND kind <> ${KIND.closingPrior}`
  const rows = await db.rows<{ account: number; since: string | null; before: string | null }>(`
    SELECT account, sum(amount) FILTER (${isSince})::VARCHAR AS since,
      sum(amount) FILTER (NOT (${isSince}))::VARCHAR AS before
    FROM posting WHERE ${countedSql(frame, report, column, part)} GROUP BY account`)
  const accounts = new Map<number, number>()
  const results = { prior: 0, current: 0 }
  const add = (code: number, before: number, since: number) => {
    if (from === null && isEarnings(frame, code)) {
      results.prior += before
      results.current += since
    } else accounts.set(code, (accounts.get(code) ?? 0) + before + since)
  }
  for (const { account, before, since } of rows) add(account, Number(before ?? 0), Number(since ?? 0))
  for (const cell of from === null ? openings : [])
    if (cell.basis === basis && filters.every(({ of, codes }) => codes.includes(cell[of]))) {
      const isCurrent = cell.current && frame.fiscalYears[0]?.start === year
      add(cell.account, isCurrent ? 0 : cell.amount, isCurrent ? cell.amount : 0)
    }
  return { accounts, ...results }
}

interface Filter {
  readonly of: 'class' | 'department'
  /** Numbers of members; 0 for what has none. */
  readonly codes: readonly number[]
}

const filtersOf = (
  frame: Frame,
  report: Columns,
  column: ReportColumn,
  member: ReportMember | null,
): Filter[] => [
  ...(column.member === null ? [] : [{ of: column.member.of, codes: codesOf(frame, report, column) }]),
  ...(member === null ? [] : [{ of: member.of, codes: below(frame, member) }]),
]

/** SQL for the postings that a column adds up. */
export const countedSql = (
  frame: Frame,
  report: Columns,
  column: ReportColumn,
  { basis, member }: Part,
): string =>
  [
    counted(column, basis),
    ...filtersOf(frame, report, column, member).map(({ of, codes }) => `${of} IN (${codes.join(', ')})`),
  ].join(' AND ')

/** The same for published postings. */
export const publishedSql = (
  frame: Frame,
  report: Columns,
  column: ReportColumn,
  { basis, member }: Part,
): string =>
  [
    `basis = '${basis.toLowerCase()}' AND date <= DATE '${column.to}'`,
    column.from === null
      ? PUBLISHED_IN_BALANCES
      : `kind = '${KINDS[KIND.activity]}' AND date >= DATE '${column.from}'`,
    ...filtersOf(frame, report, column, member).map(({ of, codes }) => {
      const { members } = of === 'class' ? frame.classes : frame.departments
      const ids = codes.map((code) => quoted(members[code - 1]?.id ?? ''))
      return `coalesce(${of}, '') IN (${ids.join(', ')})`
    }),
  ].join(' AND ')

const counted = ({ from, to }: ReportColumn, basis: Basis): string =>
  `basis = ${BASIS_CODE[basis]} AND day <= DATE '${to}' AND ${from === null ? IN_BALANCES : `kind = ${KIND.activity} AND day >= DATE '${from}'`}`

/** The classes, and the departments, of which some accounts add up to an amount in a column; in minor units, of either sign. */
export async function membersWith(
  { db, frame, openings }: ReportBooks,
  basis: Basis,
  { column, accounts, amount }: Probe,
): Promise<ReportMember[]> {
  const found: ReportMember[] = []
  for (const of of ['class', 'department'] as const) {
    const rows = await db.rows<{ member: number; sum: string }>(
      `SELECT ${of} AS member, sum(amount)::VARCHAR AS sum FROM posting
       WHERE ${counted(column, basis)} AND account IN (${accounts.join(', ')}) GROUP BY member`,
    )
    const sums = new Map(rows.map(({ member, sum }) => [member, Number(sum)]))
    for (const cell of column.from === null ? openings : [])
      if (cell.basis === basis && accounts.includes(cell.account))
        sums.set(cell[of], (sums.get(cell[of]) ?? 0) + cell.amount)
    for (const { id } of (of === 'class' ? frame.classes : frame.departments).members) {
      const sum = below(frame, { of, id }).reduce((all, code) => all + (sums.get(code) ?? 0), 0)
      if (Math.abs(sum) === Math.abs(amount)) found.push({ of, id })
    }
  }
  return found
}

/** The numbers of a member and of those below it; 0 for what has none. */
export function below({ classes, departments }: Frame, { of, id }: ReportMember): number[] {
  const span = (id === '' ? null : findSpan(of === 'class' ? classes : departments, id)) ?? { from: 0, to: 0 }
  return Array.from({ length: span.to - span.from + 1 }, (_, i) => span.from + i)
}

/** The members of a column. Those below it with columns of their own do not count, unless it is called their total. */
function codesOf(frame: Frame, { columns }: Columns, { header, member }: ReportColumn): number[] {
  const own = member === null ? [] : below(frame, member)
  if (/^total/i.test(header)) return own
  const nested = columns
    .flatMap((other) =>
      other.member?.of !== member?.of || /^total/i.test(other.header) ? [] : (other.member ?? []),
    )
    .map((other) => below(frame, other))
    .filter(([first = -1]) => first !== own[0] && own.includes(first))
  return own.filter((code) => !nested.flat().includes(code))
}
