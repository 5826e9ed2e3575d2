/**
 * The items of an account from which a sample is drawn: of a balance its open items, of a flow its lines on one side. They add up to the
 * balance or to the turnover of the account, which is proven here.
 */
import { join } from 'node:path'
import { PUBLISHED_IN_BALANCES } from '../../books/post/postings.ts'
import { type Account, accountLabel, decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { isCalendarDate } from '../../contract/calendar.ts'
import { minorOfText } from '../../contract/currency.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import { minorOfDecimal } from '../../database/amount-sql.ts'
import { type Database, openDatabase, parquetSql, quoted } from '../../database/database.ts'
import { BOOKS } from '../../snapshot/files/layout.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { failed, oneOf, type Resolved, unknown } from '../inspect.ts'
import { turnoversOf } from '../trial-balance.ts'
import { placeLines } from './open-items.ts'

export interface ItemsRequest {
  /** Id or number. */
  readonly account: string
  readonly basis: Basis
  /** The open items of this day; null for a flow. */
  readonly asOf: string | null
  /** Of a flow: which side, and from which day to which. */
  readonly side: 'debit' | 'credit'
  readonly from: string
  readonly through: string
}

/** Amounts are minor units, in the direction of the account's balance or of the side; what goes the other way is negative. */
export interface Item {
  readonly id: string
  readonly date: string | null
  readonly memo: string | null
  readonly file: string | null
  readonly row: number | null
  readonly amount: bigint
}

export interface Items {
  readonly account: Account
  /** In the order of the books. */
  readonly items: readonly Item[]
  /** Whether the items add up to what the trial balance says of the account. */
  readonly addsUp: boolean
}

export async function itemsOf(
  snapshot: Snapshot,
  frame: Frame,
  request: ItemsRequest,
): Promise<Resolved<Items>> {
  const named = accountNamed(frame, request.account)
  if (named.findings) return named
  const account = named.value
  const strange = dayFindings(frame, request)
  if (strange.length > 0) return failed(...strange)
  const db = await openDatabase({ folders: [snapshot.folder] })
  try {
    const balance = await stated(snapshot, frame, account, request)
    const sign = balance < 0n && request.asOf !== null ? -1 : 1
    const items = await read(db, snapshot, frame, account, request, sign)
    if (items.findings) return items
    const sum = items.value.reduce((so, { amount }) => so + amount, 0n)
    return { value: { account, items: items.value, addsUp: sum === balance * BigInt(sign) } }
  } finally {
    db.close()
  }
}

/** The account with this id or number. */
export function accountNamed({ companyId, accounts }: Frame, asked: string): Resolved<Account> {
  const account = accounts.find(({ id, number }) => asked === id || asked === number)
  if (account !== undefined) return { value: account }
  const names = accounts.map(({ id, number }) => number || id)
  return failed(
    unknown('unknown-account', `${companyId} has no account "${asked}"`, asked, oneOf(asked, names)),
  )
}

/** What is wrong with the days asked for: a sample of days without books would be one of other days. */
export function dayFindings(
  { companyId, coverage }: Frame,
  { asOf, from = '', through = '' }: Partial<Pick<ItemsRequest, 'asOf' | 'from' | 'through'>>,
): Finding[] {
  const asked = asOf == null ? [from, through] : [asOf]
  const strange = asked.flatMap((day): Finding[] => {
    if (!isCalendarDate(day))
      return [unknown('not-a-day', `"${day}" is no day`, day, 'write it like 2025-12-31')]
    if (day >= coverage.startDate && day <= coverage.endDate) return []
    const remedy = `the books of ${companyId} cover ${coverage.startDate} to ${coverage.endDate}`
    return [unknown('not-a-day', `${day} is no day of the books`, day, remedy)]
  })
  if (strange.length > 0 || asOf != null || from <= through) return strange
  return [unknown('not-a-day', `${from} is after ${through}`, from, 'exchange --from and --through')]
}

/** What the trial balance says of the account: its balance, debit positive, or its turnover on the side. */
async function stated(
  snapshot: Snapshot,
  frame: Frame,
  { id }: Account,
  { basis, asOf, side, from, through }: ItemsRequest,
): Promise<bigint> {
  const range =
    asOf === null
      ? { startDate: from, endDate: through }
      : { startDate: frame.coverage.startDate, endDate: asOf }
  const { rows } = await turnoversOf(
    snapshot,
    frame,
    { basis, classId: null, departmentId: null },
    range,
    false,
  )
  const row = rows.find((each) => each.id === id)
  return minorOfText((asOf === null ? row?.[side] : row?.closing) ?? '0')
}

async function read(
  db: Database,
  snapshot: Snapshot,
  frame: Frame,
  account: Account,
  { basis, asOf, side, from, through }: ItemsRequest,
  sign: 1 | -1,
): Promise<Resolved<Item[]>> {
  if (asOf === null) {
    const minor = minorOfDecimal('amount', decimalsOf(frame))
    const lines = `(SELECT * REPLACE (${minor} AS amount) FROM ${parquetSql(join(snapshot.folder, BOOKS, 'postings.parquet'))}
      WHERE basis = ${quoted(basis.toLowerCase())} AND account = ${quoted(account.id)} AND ${PUBLISHED_IN_BALANCES} AND date BETWEEN DATE '${from}' AND DATE '${through}')`
    return { value: await rowsOf(db, sideSql(lines, side)) }
  }
  await placeLines(db, snapshot, frame, { signs: [[account.id, sign]], basis, asOf })
  if ((await db.rows('SELECT 1 FROM linked WHERE linked')).length === 0)
    return failed(
      unknown(
        'no-open-items',
        `the books of ${frame.companyId} do not say which lines of ${accountLabel(account)} are open`,
        account.id,
        'draw from its lines instead: --from, --through and --side; or let the export have the columns settles or open_item',
      ),
    )
  return { value: await rowsOf(db, OPEN_ITEMS) }
}

const OPEN_ITEMS = `
  SELECT coalesce(any_value(item), any_value(own_entry)) AS id, min(date)::VARCHAR AS date, arg_min_null(memo, seq) AS memo,
    arg_min(file, seq) AS file, arg_min(row, seq) AS row, sum(amount) AS amount, min(seq) AS place
  FROM placed GROUP BY part, party_key HAVING sum(amount) <> 0`

const sideSql = (lines: string, side: 'debit' | 'credit'): string => `
  SELECT coalesce(line_id, transaction_id) AS id, date::VARCHAR AS date, memo, file, row, abs(amount) AS amount, seq AS place FROM ${lines}
  WHERE amount ${side === 'debit' ? '>' : '<'} 0`

async function rowsOf(db: Database, query: string): Promise<Item[]> {
  const rows = await db.rows<Omit<Item, 'amount' | 'row'> & { amount: string; row: string | null }>(
    `SELECT id, date, memo, file, row::VARCHAR AS row, amount::VARCHAR AS amount FROM (${query}) ORDER BY place, id`,
  )
  return rows.map((row) => ({
    ...row,
    row: row.row === null ? null : Number(row.row),
    amount: BigInt(row.amount),
  }))
}
