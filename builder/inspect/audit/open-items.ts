/**
 * Which lines of receivables, payables and other accounts with open items belong together: what a line settles, its open item, its entry
 * and its party say it. Ageing and samples stand on it.
 */
import { join } from 'node:path'
import { PUBLISHED_IN_BALANCES } from '../../books/post/postings.ts'
import { decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { addDays } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import { minorOfDecimal } from '../../database/amount-sql.ts'
import { columnsOf, type Database, parquetSql, quoted } from '../../database/database.ts'
import { BOOKS } from '../../snapshot/files/layout.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'

export interface Scope {
  /** Ids of accounts, each with 1 for amounts debit positive or -1. */
  readonly signs: readonly (readonly [id: string, sign: 1 | -1])[]
  readonly basis: string
  readonly asOf: string
}

/**
 * Creates `placed`, the lines of the accounts up to a day and their openings: seq, date, account, amount, the item (`item`) and the
 * group within its party (`part`) that they belong to, party and words; `line`, the same with the names of parties; and `linked`:
 * whether the lines of an account say what settles what. Elsewhere the lines have no item and no part.
 */
export async function placeLines(
  db: Database,
  { folder }: Snapshot,
  frame: Frame,
  { signs, basis, asOf }: Scope,
): Promise<void> {
  const minor = minorOfDecimal('amount', decimalsOf(frame))
  const table = async (name: string): Promise<string> => {
    const source = parquetSql(join(folder, BOOKS, name))
    const columns = await columnsOf(db, source)
    const missing = LATER.filter((column) => !columns.includes(column))
    const nulls = missing.map(
      (column) => `, NULL::${column.endsWith('date') ? 'DATE' : 'VARCHAR'} AS ${column}`,
    )
    return `(SELECT *${nulls.join('')} FROM ${source} WHERE basis = ${quoted(basis.toLowerCase())})`
  }
  const day = (text: string): string => `DATE ${quoted(text)}`
  // An opening is the state before the first day of the books, unless its line states an earlier one.
  const before = day(addDays(present(frame.fiscalYears[0], 'fiscal year of the books').start, -1))
  const columns = `account, settles, open_item, due_date, memo, file, row, party AS party_name, CASE WHEN party_id IS NOT NULL THEN 'id ' || party_id ELSE 'name ' || party END AS party_key`
  await db.run(`
    CREATE TABLE aged (account VARCHAR, sign INTEGER);
    CREATE TABLE entry (id VARCHAR, line_id VARCHAR)`)
  await db.append('aged', signs)
  await db.run(`
    CREATE TABLE line AS
    SELECT seq, date, transaction_id, ${columns}, ${minor} * sign AS amount
    FROM ${await table('postings.parquet')} JOIN aged USING (account) WHERE ${PUBLISHED_IN_BALANCES}
    UNION ALL
    SELECT row_number() OVER (ORDER BY file, row) - 1000000000, least(coalesce(source_date, ${before}), ${before}),
      coalesce(transaction_id, 'opening balance'), ${columns}, ${minor} * sign
    FROM ${await table('openings.parquet')} JOIN aged USING (account);
    INSERT INTO entry SELECT transaction_id, line_id FROM (
      SELECT transaction_id, line_id FROM ${await table('postings.parquet')}
      UNION ALL SELECT transaction_id, line_id FROM ${await table('openings.parquet')})
    WHERE transaction_id IN (SELECT settles FROM line) OR line_id IN (SELECT settles FROM line)`)
  await db.run(`
    CREATE TABLE linked AS
    SELECT account, bool_or(settles IS NOT NULL OR open_item IS NOT NULL) AS linked FROM line GROUP BY account;
    DELETE FROM line WHERE date > ${day(asOf)};
    CREATE TABLE placed AS ${PLACED}`)
}

/** Columns that the books of some ledgers or of earlier versions lack, and openings. */
const LATER = [
  'party',
  'party_id',
  'due_date',
  'source_date',
  'transaction_id',
  'line_id',
  'settles',
  'open_item',
  'memo',
]

/**
 * A line that settles a document belongs to its item: the open item that the document names, else its entry. An entry may hold documents
 * of several parties (opening balances do): then its lines are told apart by party.
 */
const PLACED = `
  WITH target AS (SELECT key, min(id) AS id FROM (
      SELECT id AS key, id FROM entry
      UNION ALL SELECT line_id, id FROM entry WHERE line_id NOT IN (SELECT id FROM entry)) GROUP BY key),
    placed AS (
      SELECT line.*, linked, settles IS NOT NULL AS settling,
        CASE WHEN settles IS NULL THEN open_item END AS own_item, coalesce(target.id, settles, transaction_id) AS own_entry
      FROM line JOIN linked USING (account) LEFT JOIN target ON target.key = settles),
    document AS (
      SELECT account, own_entry, CASE WHEN count(DISTINCT own_item) = 1 THEN min(own_item) END AS document_item,
        CASE WHEN count(DISTINCT party_key) = 1 THEN min(party_key) END AS document_party
      FROM placed WHERE NOT settling GROUP BY ALL),
    named AS (
      SELECT placed.*, CASE WHEN linked THEN coalesce(own_item, CASE WHEN settling THEN document_item END) END AS item,
        coalesce(CASE WHEN linked AND settling THEN document_party END, party_key) AS party
      FROM placed LEFT JOIN document USING (account, own_entry))
  -- All lines of an open item are of the party of its first line that names one.
  SELECT * REPLACE (CASE WHEN item IS NULL THEN party ELSE first_value(party IGNORE NULLS)
        OVER (PARTITION BY account, item ORDER BY date, seq ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) END AS party_key),
    CASE WHEN item IS NOT NULL THEN 'item ' || item WHEN linked THEN 'entry ' || own_entry END AS part
  FROM named`
