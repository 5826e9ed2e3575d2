/**
 * Takes members in on the day on which they join, and out on that on which they leave. What they bring and take is no cash flow of the
 * group: balances come and go on the balance sheet alone, but for cash, which stands against the price on one investing row (IAS 7.39). A
 * member that leaves takes its translation difference to income (IAS 21.48), and what it earned is no part of what its sale did.
 */

import { TRANSLATION } from '../../books/post/postings.ts'
import type { Database } from '../../database/database.ts'
import { DIFFERENCE } from '../../workspace/group.ts'
import { addLines } from './lines.ts'
import { BEFORE_JOINING, INVESTMENTS, LEFT, NO_ACCOUNT } from './own-accounts.ts'

/** An entry of these lines (own, account, department, amount), which investments in members balance. */
const entry = (db: Database, i: number, tx: string, day: string, type: string, lines: string) =>
  addLines(
    db,
    i,
    `SELECT '${tx}' AS tx, DATE '${day}' AS day, own, account, department, amount, ${type} AS type, NULL AS memo FROM (
       WITH line AS (${lines})
       FROM line UNION ALL SELECT ${NO_ACCOUNT}, '${INVESTMENTS}', NULL, -sum(amount) FROM line)
     WHERE amount <> 0`,
  )
const ON_BALANCE_SHEET = `'${TRANSLATION}'`
const ACTIVITY = 'NULL'

/** Makes `opening_<i>` entries of the day on which the member joins. */
export async function join(db: Database, i: number, day: string): Promise<void> {
  const opening = `SELECT own, if(kind = 'result', '${BEFORE_JOINING}', account) AS account, department, amount FROM opening_${i} JOIN account_kind USING (account)`
  await entry(db, i, 'joining', day, ON_BALANCE_SHEET, `${opening} WHERE kind <> 'cash'`)
  await entry(db, i, 'joining, cash', day, ACTIVITY, `${opening} WHERE kind = 'cash'`)
  await db.run(`DELETE FROM opening_${i}`)
}

/** Adds to `line_<i>` the entries of the day at whose end the member leaves. */
export async function leave(db: Database, i: number, day: string): Promise<void> {
  await db.run(`
    CREATE OR REPLACE TABLE remaining AS
    SELECT own, account, department, kind, sum(amount)::BIGINT AS amount
    FROM (SELECT own, account, department, amount FROM moved_${i} UNION ALL FROM opening_${i}) JOIN account_kind USING (account)
    GROUP BY ALL`)
  const out = 'SELECT own, account, department, -amount AS amount FROM remaining WHERE'
  const isDifference = `account = '${DIFFERENCE}'`
  await entry(db, i, 'leaving', day, ON_BALANCE_SHEET, `${out} kind NOT IN ('cash', 'result')`)
  await entry(db, i, 'leaving, cash', day, ACTIVITY, `${out} kind = 'cash'`)
  // Net assets at the closing rate go, and what the rates made of them is income: both together are the results until now.
  const left = (amount: string, of: string) =>
    `SELECT ${NO_ACCOUNT} AS own, '${LEFT}' AS account, NULL AS department, ${amount} AS amount FROM remaining WHERE ${of}`
  const result = left('-coalesce(sum(amount), 0)', `kind = 'result' OR ${isDifference}`)
  const difference = left('coalesce(sum(amount), 0)', isDifference)
  await entry(db, i, 'leaving, result', day, ACTIVITY, `${difference} UNION ALL ${result}`)
}
