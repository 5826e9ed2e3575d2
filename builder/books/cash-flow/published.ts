/** Makes the moves on the cash flow of published books again, from their activity, and compares them with those that were published. */
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { minorOfDecimal } from '../../database/amount-sql.ts'
import { type Database, parquetSql } from '../../database/database.ts'
import type { AccountingRules } from '../post/accounting-rules.ts'
import { KIND, PUBLISHED_IN_BALANCES, PUBLISHED_KIND } from '../post/postings.ts'
import { decimalsOf, type Frame } from '../reference/frame.ts'
import { dropFlowTables, placeByEntry } from './by-entry.ts'

/**
 * How many postings of the books in `folder` are not the moves that their entries give by these rules, or are missing. `db` holds the
 * books. The rules of before know no such moves.
 */
export async function differingMoves(
  db: Database,
  folder: string,
  frame: Frame,
  rules: AccountingRules,
): Promise<number> {
  const published = parquetSql(join(folder, 'postings.parquet'))
  if (rules === 2) return countOf(db, `SELECT 1 FROM ${published} WHERE kind IN ('disposal', 'without-cash')`)
  const columns = `(basis = 'cash')::TINYINT AS basis, transaction_id AS tx, (year(date) * 12 + month(date) - 1)::INTEGER AS month, date AS day,
    code AS account, class, department, ${minorOfDecimal('amount', decimalsOf(frame))} AS amount`
  // A temporary table stands in front of the one of the same name that holds the books.
  await db.run(`
    CREATE TEMP TABLE posting AS
    SELECT ${columns}, ${KIND.activity}::TINYINT AS kind FROM ${published} JOIN account_code ON account = id
    WHERE kind = 'activity' ORDER BY seq`)
  const { cashFlowRows } = await placeByEntry(db, { ...frame, cashFlowRows: [] }, null)
  const made = 'SELECT basis, tx, day, account, class, department, amount, kind FROM posting WHERE kind > 0'
  const stated = `SELECT basis, tx, day, account, class, department, amount, kind FROM (
    SELECT ${columns}, ${PUBLISHED_KIND} AS kind
    FROM ${published} JOIN account_code ON account = id WHERE NOT (${PUBLISHED_IN_BALANCES}))`
  const count = await countOf(db, `(${made} EXCEPT ALL ${stated}) UNION ALL (${stated} EXCEPT ALL ${made})`)
  await db.run('DROP TABLE temp.posting')
  await dropFlowTables(db)
  return count + (isDeepStrictEqual(cashFlowRows ?? [], frame.cashFlowRows ?? []) ? 0 : 1)
}

async function countOf(db: Database, rows: string): Promise<number> {
  const { count } = await db.row<{ count: string }>(`SELECT count(*)::VARCHAR AS count FROM (${rows})`)
  return Number(count)
}
