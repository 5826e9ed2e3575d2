/** Derives the cash basis of published books again, from their accrual postings, and compares it with the one that was published. */
import { join } from 'node:path'
import { minorOfDecimal } from '../../database/amount-sql.ts'
import { type Database, parquetSql } from '../../database/database.ts'
import type { AccountingRules } from '../post/accounting-rules.ts'
import { tableExtras } from '../post/extras.ts'
import { PUBLISHED_IN_BALANCES, PUBLISHED_KIND } from '../post/postings.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { COMPUTED_CODES, computedCode, decimalsOf, type Frame, NOT_CLOSED } from '../reference/frame.ts'
import { ROLE } from './settlements.ts'
import { book, createEntries, derivedLines, dropEntries, settledEntries } from './tables.ts'

/** What a posting of the derived cash basis consists of: its place among the others is left out. */
const COLUMNS = `tx, line_id, day, account, class, department, amount, kind, memo, reference, settles, journal, type, open_item, entered,
  file, row`
/** The same, with the columns that only some books have. */
const columnsOf = (extras: readonly string[]): string => [COLUMNS, ...extras].join(', ')

const ACCRUAL = `basis = ${BASIS_CODE.ACCRUAL}`
const CASH = `basis = ${BASIS_CODE.CASH}`

/** What differs, in sentences. */
export interface CashDifferences {
  readonly postings: readonly string[]
  readonly openings: readonly string[]
}

/**
 * How the derived cash basis of the books in `folder` differs from what their accrual basis gives by these rules. Of openings that are lines
 * of the ledger the books do not say which open item they belong to: where there may be such lines, and receivables or payables have open
 * items, only those postings are compared that do not depend on what settles what. `db` holds the books.
 */
export async function cashDifferences(
  db: Database,
  folder: string,
  frame: Frame,
  rules: AccountingRules,
  mayHaveOpeningLines: boolean,
): Promise<CashDifferences> {
  if (frame.basisSources.CASH !== 'Derived') return { postings: [], openings: [] }
  const open = frame.accounts.flatMap(({ type }, code) =>
    type === 'AccountsReceivable' || type === 'AccountsPayable' ? [code] : [],
  )
  const isOpen = `account IN (${[-1, ...open].join(', ')})`
  const columns = columnsOf(await createViews(db, folder, frame))
  const copied = columns.replace('open_item', 'NULL AS open_item')
  await createTables(db, isOpen)
  await createEntries(db, frame)
  const { itemised, opened } = await db.row<{ itemised: boolean; opened: boolean }>(
    `SELECT (SELECT count(*) > 0 FROM posting WHERE open_item IS NOT NULL AND ${isOpen}) AS itemised,
       (SELECT count(*) > 0 FROM published_opening WHERE ${ACCRUAL} AND ${isOpen}) AS opened`,
  )
  const isWhole = !itemised || !(mayHaveOpeningLines || opened)
  if (isWhole) await book(db, derivedLines(await settledEntries(db, rules), frame), BASIS_CODE.CASH)
  const isKept = `account IN (SELECT account FROM role WHERE role IN (${ROLE.cash}, ${ROLE.other}))`
  const isTouched = 'tx IN (SELECT tx FROM entry)'
  const touched = await difference(
    db,
    isWhole
      ? `SELECT ${columns}, rowid AS nth FROM posting WHERE ${CASH}`
      : `SELECT ${copied}, rowid AS nth FROM posting WHERE ${isKept} AND amount <> 0`,
    `SELECT ${columns}, seq AS nth FROM published_posting WHERE ${CASH} AND ${isTouched} ${isWhole ? '' : `AND ${isKept}`}`,
    'day, tx, account',
    isWhole,
  )
  const copies = await difference(
    db,
    `SELECT ${copied}, seq AS nth FROM published_posting WHERE ${ACCRUAL} AND NOT ${isTouched}`,
    `SELECT ${columns}, seq AS nth FROM published_posting WHERE ${CASH} AND NOT ${isTouched}`,
    'day, tx, account',
    true,
  )
  const overdone = isWhole ? 0 : await recognisedTooMuch(db, isTouched)
  const opening = `account, class, department, amount, current, file, row`
  const openings = await difference(
    db,
    `SELECT ${opening.replace('account', `CASE WHEN ${isOpen} THEN ${computedCode(frame, NOT_CLOSED)} ELSE account END AS account`)}, 0 AS nth
     FROM published_opening WHERE ${ACCRUAL}`,
    `SELECT ${opening}, 0 AS nth FROM published_opening WHERE ${CASH}`,
    'account',
  )
  await dropEntries(db)
  await db.run(
    'DROP TABLE temp.posting; DROP TABLE temp.opening_line; DROP VIEW published_posting; DROP VIEW published_opening',
  )
  const where = (first: Difference, of: string): string => {
    const account = frame.accounts[first.account]?.id ?? COMPUTED_CODES[first.account - frame.accounts.length]
    return `or are missing; the first: ${moneyText(frame, first.amount)}${of} on account "${account}" (${first.missing ? 'missing' : 'does not follow'})`
  }
  const sentences = { postings: [] as string[], openings: [] as string[] }
  const found = [touched, copies].flatMap((each) => each ?? [])
  const first = found.find(({ count }) => count > 0) ?? found[0]
  if (first?.count === 0)
    sentences.postings.push(
      'the postings of the derived cash basis stand in another order than they are made in',
    )
  else if (first)
    sentences.postings.push(
      `${found.reduce((sum, { count }) => sum + count, 0)} of the postings of the derived cash basis do not follow from the accrual postings, ${where(first, ` of entry "${first.tx}", ${first.day},`)}`,
    )
  if (overdone > 0)
    sentences.postings.push(
      `${overdone} of the lines of income, expenses and tax count on the derived cash basis for more than they hold, or before their entry`,
    )
  if (openings !== null)
    sentences.openings.push(
      `${openings.count} of the openings of the derived cash basis do not follow from those of the accrual basis, ${where(openings, '')}`,
    )
  return sentences
}

/** How many result and tax lines are recognised for more than they hold, with another sign, or before their entry. */
async function recognisedTooMuch(db: Database, isTouched: string): Promise<number> {
  const line = 'account, class, department, kind, line_id, memo, file, row'
  const isDeferred = `account IN (SELECT account FROM role WHERE role = ${ROLE.deferred})`
  const { count } = await db.row<{ count: number }>(`
    SELECT count(*)::INTEGER AS count FROM (
      SELECT coalesce(sum(least(amount, 0)) FILTER (owed), 0) AS least, coalesce(sum(greatest(amount, 0)) FILTER (owed), 0) AS greatest,
        coalesce(sum(amount) FILTER (NOT owed), 0) AS recognised, min(day) FILTER (owed) AS entered, min(day) FILTER (NOT owed) AS begun
      FROM (
        SELECT ${line}, amount, min(day) OVER (PARTITION BY tx) AS day, true AS owed FROM posting
        UNION ALL SELECT ${line}, amount, day, false FROM published_posting WHERE ${CASH} AND ${isTouched})
      WHERE ${isDeferred} GROUP BY ${line})
    WHERE recognised NOT BETWEEN least AND greatest OR begun < entered`)
  return count
}

/** The published postings and openings in the columns and codes of the tables of the books. Returns the columns that only some books have. */
async function createViews(db: Database, folder: string, frame: Frame): Promise<string[]> {
  const amount = minorOfDecimal('amount', decimalsOf(frame))
  const codes = `(basis = 'cash')::TINYINT AS basis, account_code.code AS account, coalesce(class_code.code, 0) AS class,
    coalesce(department_code.code, 0) AS department, ${amount} AS amount, file, row`
  const from = (
    name: string,
  ) => `${parquetSql(join(folder, name))} t JOIN account_code ON t.account = account_code.id
    LEFT JOIN class_code ON t.class = class_code.id LEFT JOIN department_code ON t.department = department_code.id`
  const extras = await tableExtras(db, parquetSql(join(folder, 'postings.parquet')))
  await db.run(`
    CREATE TEMP VIEW published_posting AS
    SELECT ${codes}, seq, transaction_id AS tx, line_id, date AS day, ${PUBLISHED_KIND} AS kind, memo, reference, settles, journal, type,
      open_item, source_date AS entered${extras.map((column) => `, ${column}`).join('')}
    FROM ${from('postings.parquet')} WHERE ${PUBLISHED_IN_BALANCES};
    CREATE TEMP VIEW published_opening AS SELECT ${codes}, current FROM ${from('openings.parquet')}`)
  return extras
}

/**
 * Creates the tables that the derivation reads, in front of those of the same names that hold the books: the accrual postings of all entries
 * with a receivable or payable, and for each name that no posting has an opening of that name.
 */
const createTables = (db: Database, isOpen: string): Promise<void> =>
  db.run(`
    CREATE TEMP TABLE posting AS
    SELECT * EXCLUDE (seq), NULL::INTEGER AS month, false AS closing FROM published_posting
    WHERE ${ACCRUAL} AND tx IN (SELECT tx FROM published_posting WHERE ${ACCRUAL} AND ${isOpen}) ORDER BY seq;
    CREATE TEMP TABLE opening_line AS
    WITH name AS (SELECT DISTINCT settles AS tx FROM posting WHERE settles IS NOT NULL),
    known AS (
      SELECT tx FROM published_posting WHERE ${ACCRUAL}
      UNION ALL SELECT line_id FROM published_posting WHERE ${ACCRUAL} AND line_id IS NOT NULL)
    SELECT * FROM posting WHERE false UNION ALL BY NAME SELECT tx FROM name ANTI JOIN known USING (tx)`)

interface Difference extends Record<string, unknown> {
  count: number
  missing: boolean
  tx: string
  account: number
  day: string
  amount: string
}

const NO_ROWS: Difference = { count: 0, missing: false, tx: '', account: 0, day: '', amount: '' }

/**
 * How many rows of two queries differ, and the first of them in this order; null where both give the same. Row by row in the order of `nth`,
 * equal books are told in a fraction of the time that a comparison in any order takes. Where the order counts (`isOrdered`), rows that
 * stand in another one are a difference of none.
 */
async function difference(
  db: Database,
  made: string,
  stated: string,
  order: string,
  isOrdered = false,
): Promise<Difference | null> {
  const { same } = await db.row<{ same: boolean }>(`
    SELECT count(*) = 0 AS same FROM
      (SELECT * EXCLUDE (nth) FROM (${made}) ORDER BY nth) made
      POSITIONAL JOIN (SELECT * EXCLUDE (nth) FROM (${stated}) ORDER BY nth) stated
    WHERE made IS DISTINCT FROM stated`)
  if (same) return null
  const [first] = await db.rows<Difference>(`
    WITH made AS (SELECT * EXCLUDE (nth) FROM (${made})), stated AS (SELECT * EXCLUDE (nth) FROM (${stated}))
    SELECT * REPLACE (amount::VARCHAR AS amount), count(*) OVER ()::INTEGER AS count FROM (
      SELECT *, true AS missing FROM (FROM made EXCEPT ALL FROM stated)
      UNION ALL SELECT *, false FROM (FROM stated EXCEPT ALL FROM made))
    ORDER BY ${order}, missing LIMIT 1`)
  return first ?? (isOrdered ? NO_ROWS : null)
}
