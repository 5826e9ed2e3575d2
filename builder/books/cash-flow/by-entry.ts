/**
 * Places movements on the cash flow by their entries (accounting.md §5), where the account alone says too little: a sold machine, one
 * bought by a loan, shares given to staff. Each move is a pair of postings of a kind that only the cash flow shows. A pair adds up to
 * zero in its class and department, so that no cash total changes and every identity holds under each filter. An entry here is what one
 * transaction posts in one month of one basis. `findings.ts` says what was moved, and asks what entries cannot tell.
 */

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { monthOf, monthText } from '../../contract/calendar.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import { minorOfDecimal } from '../../database/amount-sql.ts'
import { type Database, isAny, parquetSql } from '../../database/database.ts'
import { monthSql } from '../../database/date-sql.ts'
import type { AccountingRules } from '../post/accounting-rules.ts'
import { KIND, PAIR, PUBLISHED_IN_BALANCES, PUBLISHED_KIND } from '../post/postings.ts'
import {
  type Account,
  CASH_FLOW_ROWS,
  COMPUTED_CODES,
  computedCode,
  decimalsOf,
  type Frame,
  isEarnings,
} from '../reference/frame.ts'
/**
 * Adds the pairs to `posting`, on every basis. Returns the frame with the rows that these need, and leaves the tables `flow_line`,
 * `flow_entry`, `flow_moved` and `flow_cancelled`, which {@link dropFlowTables} removes. Returns null where all entries of investing and
 * financing are of money and financing alone, such as capital that is paid in: nothing moves, and there is nothing to say.
 */
export async function placeByEntry(
  db: Database,
  frame: Frame,
  /** Codes of the accounts whose category somebody stated; that of the others follows from their type. Null for published books, whose frame says what follows from it. */
  stated: ReadonlySet<number> | null,
): Promise<Frame | null> {
  await createLines(db, frame, stated ?? new Set())
  if (!(await isAny(db, `flow_line WHERE place NOT IN ('Cash', 'Financing')`))) {
    await dropFlowTables(db)
    return null
  }
  await createEntries(db)
  const unclear = stated === null ? (frame.dividendOrTax ?? null) : await unclearFrom(db)
  await moveDisposals(db)
  await cancelWithoutCash(db, frame, unclear)
  const isMoved = (await isAny(db, 'flow_moved')) || (await isAny(db, 'flow_cancelled'))
  if (isMoved) await bookPairs(db, frame)
  return {
    ...(isMoved ? await withRows(db, frame) : frame),
    ...(unclear !== null && { dividendOrTax: unclear }),
  }
}

export const dropFlowTables = (db: Database): Promise<void> =>
  db.run(
    ['account', 'known', 'line', 'entry', 'moved', 'part', 'cancelled']
      .map((name) => `DROP TABLE IF EXISTS flow_${name}`)
      .join('; '),
  )

/** Accounts through which bills are settled. */
const SETTLEMENT = ['AccountsReceivable', 'AccountsPayable', 'CreditCard']
const TAX = ['SalesTax', 'IncomeTax']

/** What an account says about a line on it, as the columns of `flow_account`. */
function rolesOf({ type, classification, cashFlow }: Account, code: number, frame: Frame, isStated: boolean) {
  const isResult = isProfitAndLoss(classification)
  const named = isResult && frame.disposals.includes(code)
  const depreciation = isResult && type === 'Depreciation'
  const cash = cashFlow === 'Cash' || frame.overdrafts?.includes(code) === true
  return {
    /** Where its lines stand: a category of the cash flow, or `Result` in net income. */
    place: isResult ? 'Result' : (cashFlow ?? 'Operating'),
    cash,
    asset: classification === 'Asset' && cashFlow === 'Investing',
    equity: classification === 'Equity' && cashFlow === 'Financing',
    /** Accumulated depreciation in operating activities. */
    allowance: type === 'AccumulatedDepreciation' && (cashFlow ?? 'Operating') === 'Operating',
    depreciation,
    named,
    /** May be the gain or loss on a disposal, though nobody said so. */
    other: isResult && !named && !depreciation && !TAX.includes(type),
    settlement: SETTLEMENT.includes(type),
    tax: TAX.includes(type),
    /** May hold dividends that are owed, or tax. */
    unclear: type === 'OtherCurrentLiability' && !isStated,
    earned: type === 'RetainedEarnings' || type === 'Drawings',
  }
}

const COLUMNS = 'asset equity allowance depreciation named other settlement tax unclear earned cash'.split(
  ' ',
)

/** Creates `flow_line`, the activity of each entry that may hold a move. */
async function createLines(db: Database, frame: Frame, stated: ReadonlySet<number>): Promise<void> {
  await db.run(
    `CREATE TEMP TABLE flow_account (code INTEGER, place VARCHAR, ${COLUMNS.map((name) => `${name} BOOLEAN`).join(', ')})`,
  )
  const roles = frame.accounts.map((account, code) => ({
    code,
    ...rolesOf(account, code, frame, stated.has(code)),
  }))
  const computed = COMPUTED_CODES.map((row) => computedCode(frame, row)).filter((code) =>
    isEarnings(frame, code),
  )
  await db.append('flow_account', [
    ...roles.map(({ code, place, ...is }) => [
      code,
      place,
      ...COLUMNS.map((name) => is[name as keyof typeof is]),
    ]),
    ...computed.map((code) => [code, 'Result', ...COLUMNS.map(() => false)]),
  ])
  // A loan between members of a group is investing of one and financing of the other, and both are eliminated.
  const isOwn = frame.consolidation === undefined ? '' : `AND coalesce(type, '') <> '${PAIR}'`
  // An entry is known by the first of its lines that may move: joining texts again and again would take long.
  await db.run(`
    CREATE TEMP TABLE flow_known AS
    SELECT min(posting.rowid) AS entry, basis, tx, month FROM posting JOIN flow_account ON account = code
    WHERE kind = ${KIND.activity} AND (place IN ('Investing', 'Financing') OR named) ${isOwn} GROUP BY ALL;
    CREATE TEMP TABLE flow_line AS
    SELECT posting.rowid AS id, entry, account, amount, flow_account.* EXCLUDE (code)
    FROM posting JOIN flow_known USING (basis, tx, month) JOIN flow_account ON account = code
    WHERE kind = ${KIND.activity} AND amount <> 0`)
}

/** Creates `flow_entry`, what each of these entries holds. */
const createEntries = (db: Database): Promise<void> =>
  db.run(`
    CREATE TEMP TABLE flow_entry AS
    WITH held AS (
      SELECT entry, bool_or(asset AND amount < 0) AS credits, bool_or(asset AND amount > 0) AS debits,
        coalesce(sum(amount) FILTER (asset), 0) AS assets, bool_or(settlement AND place = 'Operating') AS settles,
        -- What depreciation moves in all: a charge and its credit on the allowance come to zero.
        coalesce(sum(amount) FILTER (allowance OR depreciation), 0) AS written,
        coalesce(sum(amount) FILTER (allowance), 0) AS off_allowance,
        arg_min(account, id) FILTER (allowance) AS allowance_account, bool_or(named) AS names,
        bool_or(place = 'Result' AND NOT depreciation) AS has_result,
        coalesce(min(account) FILTER (other) = max(account) FILTER (other), false) AS one_other,
        bool_and(asset OR allowance OR place = 'Result' OR cash OR settlement OR tax) AS all_known,
        bool_or(place = 'Financing' AND NOT cash) AS finances,
        bool_or(unclear AND amount < 0) AND bool_or(earned AND amount > 0) AS asks,
        bool_or(cash AND amount > 0) AS receives, bool_or(cash AND amount < 0) AS pays
      FROM flow_line GROUP BY entry)
    SELECT *, (written > 0 AND (credits OR names)) OR (written < 0 AND (names OR (debits AND NOT has_result))) OR assumes AS disposes
    FROM (
      -- The one other result beside cash, settlement and tax is the gain or loss.
      SELECT *, NOT names AND one_other AND all_known
        AND ((credits AND written > 0 AND off_allowance > 0) OR (debits AND written < 0 AND off_allowance < 0)) AS assumes
      FROM held JOIN flow_known USING (entry))`)

/**
 * The first month in which an entry without cash credits a current liability against earnings, and nobody stated where that account
 * belongs; null where there is none. From then on no equity is moved: a dividend that is owed is financing, tax on it is not.
 */
async function unclearFrom(db: Database): Promise<string | null> {
  const { first } = await db.row<{ first: number | null }>(
    'SELECT min(month) AS first FROM flow_entry WHERE asks AND NOT receives AND NOT pays',
  )
  return first === null ? null : monthText(first)
}

/**
 * Creates `flow_moved`: what moves to the row of proceeds. Every line on a named account; where an entry disposes of an asset, what it takes
 * off accumulated depreciation; and the asset's own line, so that its row keeps what was bought.
 */
const moveDisposals = (db: Database): Promise<void> =>
  db.run(`
    CREATE TEMP TABLE flow_moved AS
    SELECT id, entry, amount, asset,
      -- The charge of the month stays on the allowance, where it stands in other months.
      CASE WHEN depreciation THEN coalesce(allowance_account, account) ELSE account END AS account
    FROM flow_line JOIN flow_entry USING (entry)
    WHERE (disposes OR names) AND (named OR (disposes AND (allowance OR depreciation)) OR (assumes AND other)
      OR (asset AND CASE WHEN written < 0 OR (written = 0 AND NOT credits) THEN amount > 0 ELSE amount < 0 END))`)

/**
 * Creates `flow_cancelled`: what is taken out of investing and financing because no cash moved. First opposite amounts of both, in an
 * entry whose cash lines do not go both ways; then equity against operating activities and results, in an entry without cash.
 */
async function cancelWithoutCash(db: Database, frame: Frame, unclear: string | null): Promise<void> {
  const isClear = unclear === null ? 'true' : `month < ${monthOf(unclear)}`
  await db.run(`
    CREATE TEMP TABLE flow_part AS
    SELECT id, entry, month, flow_line.amount, equity, receives OR pays AS has_cash,
      CASE WHEN moved.id IS NOT NULL THEN 'Investing' WHEN place = 'Result' THEN 'Operating' ELSE place END AS place,
      CASE WHEN moved.id IS NOT NULL THEN ${computedCode(frame, 'disposal-proceeds')} ELSE account END AS account
    FROM flow_line JOIN flow_entry USING (entry) LEFT JOIN (SELECT id FROM flow_moved) AS moved USING (id)
    WHERE finances AND NOT cash AND NOT (receives AND pays);
    CREATE TEMP TABLE flow_cancelled (id BIGINT, entry BIGINT, account INTEGER, place VARCHAR, amount BIGINT, is_equity BOOLEAN)`)
  // Most small companies have no entry in which two amounts may go against each other.
  const opposed = 'SELECT entry FROM flow_part GROUP BY entry HAVING min(amount) < 0 AND max(amount) > 0'
  if (!(await isAny(db, `(${opposed})`))) return
  await db.run(`
    INSERT INTO flow_cancelled BY NAME
    WITH part AS (FROM flow_part WHERE place IN ('Investing', 'Financing')),
    ${SHARES}
    SELECT *, false AS is_equity FROM share;
    INSERT INTO flow_cancelled BY NAME
    WITH part AS (
      SELECT flow_part.* REPLACE (flow_part.amount - coalesce(gone.amount, 0) AS amount)
      FROM flow_part LEFT JOIN flow_cancelled AS gone USING (id)
      WHERE (equity OR flow_part.place = 'Operating') AND NOT has_cash AND ${isClear}),
    ${SHARES}
    SELECT *, true AS is_equity FROM share WHERE place = 'Financing'`)
}

/**
 * SQL: `share`, what each of the parts takes of the amount by which two places of an entry go against each other, which is the smaller one.
 * Parts of the sign of their place share, in proportion to their amounts, by largest remainder; on equal remainders the earlier posting has
 * the cent.
 */
const SHARES = `
    net AS (SELECT entry, place, sum(amount) AS net FROM part GROUP BY ALL),
    wanted AS (
      SELECT entry, own.place, sign(own.net) * least(abs(own.net), abs(other.net)) AS wanted
      FROM net AS own JOIN net AS other USING (entry) WHERE sign(own.net) * sign(other.net) < 0),
    weighed AS (
      SELECT part.*, wanted, abs(amount)::HUGEINT * abs(wanted) AS product, sum(abs(amount)) OVER (PARTITION BY entry, place) AS whole
      FROM part JOIN wanted USING (entry, place) WHERE sign(amount) = sign(wanted)),
    floored AS (SELECT *, product // whole AS floor, product % whole AS remainder FROM weighed),
    share AS (
      SELECT id, entry, account, place, (sign(wanted) * (floor + CASE
        WHEN row_number() OVER (PARTITION BY entry, place ORDER BY remainder DESC, id)
          <= abs(wanted) - sum(floor) OVER (PARTITION BY entry, place) THEN 1 ELSE 0 END))::BIGINT AS amount
      FROM floored)`

/** Books each move: one posting takes the amount back from its account, the next one puts it on the computed row. */
const bookPairs = (db: Database, frame: Frame): Promise<void> =>
  db.run(`
    INSERT INTO posting BY NAME
    WITH move AS (
      SELECT id, account, amount, ${computedCode(frame, 'disposal-proceeds')} AS onto, ${KIND.disposal} AS kind FROM flow_moved
      UNION ALL
      SELECT id, account, sum(amount), ${computedCode(frame, 'without-cash')}, ${KIND.withoutCash} FROM flow_cancelled GROUP BY id, account),
    pair AS (
      SELECT id, account, -amount AS amount, kind, 0 AS nth FROM move WHERE amount <> 0
      UNION ALL SELECT id, onto, amount, kind, 1 FROM move WHERE amount <> 0)
    SELECT posting.* REPLACE (pair.account AS account, pair.amount::BIGINT AS amount, pair.kind::TINYINT AS kind)
    FROM pair JOIN posting ON posting.rowid = id ORDER BY pair.kind, id, nth`)

/** The frame with the results and computed rows that have such postings. */
async function withRows(db: Database, frame: Frame): Promise<Frame> {
  const posted = await db.rows<{ account: number }>(
    `SELECT DISTINCT account FROM posting WHERE kind IN (${KIND.disposal}, ${KIND.withoutCash})`,
  )
  const codes = new Set(posted.map(({ account }) => account))
  const results = frame.accounts.flatMap(({ id }, code) =>
    codes.has(code) && isEarnings(frame, code) ? [id] : [],
  )
  const rows = [...results, ...CASH_FLOW_ROWS.filter((row) => codes.has(computedCode(frame, row)))]
  return { ...frame, ...(rows.length > 0 && { cashFlowRows: rows }) }
}

/**
 * The rules of formats 1 and 2, for companies that keep them (accounting.md §13). They show disposals of fixed assets gross, where
 * company.yaml asks for it: the indirect method leaves the sold asset in Investing at cost, its accumulated depreciation in
 * Operating, and the gain or loss inside net income. For each of these postings a pair of lines moves the amount into the asset's
 * row, which then shows the proceeds, and adds the gain or loss back under Operating. Each pair nets to zero in the posting's
 * class and department, so no cash total changes. Adds the pairs to `posting`, on every basis; `codes` are the gain and loss accounts.
 */
export async function grossUpDisposals(db: Database, frame: Frame, codes: readonly number[]): Promise<void> {
  if (codes.length === 0) return
  const of = (type: string): string =>
    frame.accounts.flatMap((account, code) => (account.type === type ? [code] : [])).join(', ') || '-1'
  await db.run(`
    INSERT INTO posting BY NAME
    WITH disposal AS (
      -- The asset that was disposed of: among several, the one with the greatest cost, and then the first one posted.
      SELECT basis, tx, first(account ORDER BY amount, rowid) AS asset FROM posting
      WHERE account IN (${of('FixedAsset')}) AND amount < 0 AND kind = ${KIND.activity}
        AND (basis, tx) IN (SELECT (basis, tx) FROM posting WHERE account IN (${codes.join(', ')}))
      GROUP BY basis, tx),
    moved AS (
      SELECT posting.*, posting.rowid AS id, asset FROM posting JOIN disposal USING (basis, tx)
      WHERE kind = ${KIND.activity} AND account IN (${[...codes, of('AccumulatedDepreciation')].join(', ')})),
    pair AS (
      SELECT * EXCLUDE (id, asset) REPLACE (-amount AS amount), id * 2 AS nth FROM moved
      UNION ALL BY NAME
      SELECT * EXCLUDE (id, asset) REPLACE (asset AS account), id * 2 + 1 AS nth FROM moved)
    SELECT * EXCLUDE (nth) REPLACE (${KIND.grossUp}::TINYINT AS kind) FROM pair ORDER BY nth`)
}

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
  const columns = `(basis = 'cash')::TINYINT AS basis, transaction_id AS tx, ${monthSql('date')} AS month, date AS day,
    code AS account, class, department, type, ${minorOfDecimal('amount', decimalsOf(frame))} AS amount`
  // A temporary table stands in front of the one of the same name that holds the books.
  await db.run(`
    CREATE TEMP TABLE posting AS
    SELECT ${columns}, ${KIND.activity}::TINYINT AS kind FROM ${published} JOIN account_code ON account = id
    WHERE kind = 'activity' ORDER BY seq`)
  const cashFlowRows = (await placeByEntry(db, { ...frame, cashFlowRows: [] }, null))?.cashFlowRows
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
