/**
 * The books behind the statements as tables: the balances of every account by month, and every posting with its
 * source.
 */
import { join } from 'node:path'
import { isExtraDay, tableExtras } from '../../books/post/extras.ts'
import { PUBLISHED_IN_BALANCES } from '../../books/post/postings.ts'
import { membersIn } from '../../books/read/lineage.ts'
import { COMPUTED_CODES, decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { type Basis, COMPUTED_ROWS } from '../../contract/vocabulary.ts'
import { type Database, parquetSql, quoted } from '../../database/database.ts'
import { bookPath } from '../../snapshot/files/layout.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import type { Months } from './statements.ts'
import { type ColumnKind, countedTable, type ExportColumn, type ExportTable } from './table.ts'

export interface BooksScope {
  readonly basis: Basis
  readonly classId: string | null
  readonly departmentId: string | null
}

/** An account's opening balance, debits, credits and closing balance in one month; decimal text, debit positive. */
export interface MonthlyBalance {
  readonly month: string
  readonly id: string
  readonly number: string
  readonly name: string
  readonly classification: string
  readonly opening: string
  readonly debit: string
  readonly credit: string
  readonly closing: string
}

const columns = (kinds: Readonly<Record<string, ColumnKind>>): ExportColumn[] =>
  Object.entries(kinds).map(([name, kind]) => ({ name, kind }))

const BALANCES = columns({
  company: 'text',
  snapshot: 'text',
  basis: 'text',
  class: 'text',
  department: 'text',
  month: 'date',
  account: 'text',
  number: 'text',
  name: 'text',
  classification: 'text',
  currency: 'text',
  opening: 'money',
  debit: 'money',
  credit: 'money',
  closing: 'money',
})

/** A row per month and account, in the order of the chart. */
export async function balanceTable(
  db: Database,
  snapshot: Snapshot,
  frame: Frame,
  { basis, classId, departmentId }: BooksScope,
  balances: AsyncIterable<readonly MonthlyBalance[]>,
): Promise<ExportTable> {
  const decimals = decimalsOf(frame)
  await db.run(
    `CREATE TABLE balance (place BIGINT, ${BALANCES.map(({ name }) => `${name} VARCHAR`).join(', ')})`,
  )
  const head = [snapshot.company, snapshot.id, basis.toLowerCase(), classId, departmentId]
  let place = 0
  for await (const rows of balances)
    await db.append(
      'balance',
      rows.map((row) => [
        place++,
        ...head,
        `${row.month}-01`,
        row.id,
        row.number,
        row.name,
        row.classification,
        frame.currency,
        row.opening,
        row.debit,
        row.credit,
        row.closing,
      ]),
    )
  const money = BALANCES.filter(({ kind }) => kind === 'money').map(
    ({ name }) => `${name}::DECIMAL(18, ${decimals}) AS ${name}`,
  )
  const query = `SELECT * EXCLUDE place REPLACE (month::DATE AS month, ${money.join(', ')}) FROM balance ORDER BY place`
  return countedTable(db, { name: 'trial-balance', columns: BALANCES, query, decimals })
}

const POSTINGS = columns({
  company: 'text',
  snapshot: 'text',
  basis: 'text',
  transaction_id: 'text',
  line_id: 'text',
  date: 'date',
  account: 'text',
  number: 'text',
  name: 'text',
  class: 'text',
  department: 'text',
  currency: 'text',
  amount: 'money',
  debit: 'money',
  credit: 'money',
  kind: 'text',
  memo: 'text',
  reference: 'text',
  settles: 'text',
  journal: 'text',
  type: 'text',
  open_item: 'text',
  source_date: 'date',
  file: 'text',
  row: 'integer',
})

/**
 * Every posting of the scope in these months, in the order of the sources; `amount` is debit positive. Debits and
 * credits add up to those of the trial balance: pairs that only move amounts between rows of the cash flow are left out.
 */
export async function postingTable(
  db: Database,
  snapshot: Snapshot,
  frame: Frame,
  { basis, classId, departmentId }: BooksScope,
  months: Months,
): Promise<ExportTable> {
  await db.run(`CREATE TABLE account (id VARCHAR, number VARCHAR, name VARCHAR)`)
  await db.append('account', [
    ...frame.accounts.map(({ id, number, name }) => [id, number, name]),
    ...COMPUTED_CODES.map((id) => [id, null, COMPUTED_ROWS[id].name]),
  ])
  const own: Readonly<Record<string, string>> = {
    company: quoted(snapshot.company),
    snapshot: quoted(snapshot.id),
    currency: quoted(frame.currency),
    number: 'account.number',
    name: 'account.name',
    debit: 'CASE WHEN p.amount >= 0 THEN p.amount END',
    credit: 'CASE WHEN p.amount < 0 THEN -p.amount END',
  }
  const postings = parquetSql(join(snapshot.folder, bookPath('postings.parquet')))
  const extras = (await tableExtras(db, postings)).map(
    (name): ExportColumn => ({ name, kind: isExtraDay(name) ? 'date' : 'text' }),
  )
  const cells = [...POSTINGS, ...extras].map(({ name }) => `${own[name] ?? `p.${name}`} AS ${name}`)
  const query = `SELECT ${cells.join(', ')} FROM ${postings} p JOIN account ON p.account = account.id
    WHERE ${PUBLISHED_IN_BALANCES} AND p.basis = ${quoted(basis.toLowerCase())} AND ${membersIn(frame.classes, 'class', classId)}
      AND ${membersIn(frame.departments, 'department', departmentId)}
      AND strftime(p.date, '%Y-%m') BETWEEN ${quoted(months.from)} AND ${quoted(months.through)} ORDER BY p.seq`
  return countedTable(db, {
    name: 'postings',
    columns: [...POSTINGS, ...extras],
    query,
    decimals: decimalsOf(frame),
  })
}
