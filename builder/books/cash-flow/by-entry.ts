/**
 * Places movements on the cash flow by their entries (accounting.md §5), where the account alone says too little: a sold machine, one
 * bought by a loan, shares given to staff. Each move is a pair of postings of a kind that only the cash flow shows. A pair adds up to
 * zero in its class and department, so that no cash total changes and every identity holds under each filter. An entry here is what one
 * transaction posts in one month of one basis. `findings.ts` says what was moved, and asks what entries cannot tell.
 */
import { monthOf, monthText } from '../../contract/calendar.ts'
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../database.ts'
import {
  type Account,
  CASH_FLOW_ROWS,
  COMPUTED_CODES,
  computedCode,
  type Frame,
  isEarnings,
} from '../frame.ts'
import { KIND } from '../postings.ts'

/**
 * Adds the pairs to `posting`, on every basis. Returns the frame with the rows that these need. Leaves the tables `flow_line`,
 * `flow_entry`, `flow_moved` and `flow_cancelled`, which {@link dropFlowTables} removes.
 */
export async function placeByEntry(
  db: Database,
  frame: Frame,
  /** Codes of the accounts whose category somebody stated; that of the others follows from their type. Null for published books, whose frame says what follows from it. */
  stated: ReadonlySet<number> | null,
): Promise<Frame> {
  await createLines(db, frame, stated ?? new Set())
  const unclear = stated === null ? (frame.dividendOrTax ?? null) : await unclearFrom(db)
  await moveDisposals(db)
  await cancelWithoutCash(db, frame, unclear)
  await bookPairs(db, frame)
  return { ...(await withRows(db, frame)), ...(unclear !== null && { dividendOrTax: unclear }) }
}

export const dropFlowTables = (db: Database): Promise<void> =>
  db.run(
    ['account', 'line', 'entry', 'moved', 'part', 'cancelled']
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

/** Creates `flow_line`, the activity of each entry that may hold a move, and `flow_entry`, what each of these entries holds. */
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
  await db.run(`
    CREATE TEMP TABLE flow_line AS
    WITH entry AS (
      SELECT DISTINCT basis, tx, month FROM posting JOIN flow_account ON account = code
      WHERE kind = ${KIND.activity} AND (place IN ('Investing', 'Financing') OR named))
    SELECT posting.rowid AS id, basis, tx, month, account, amount, flow_account.* EXCLUDE (code)
    FROM posting JOIN entry USING (basis, tx, month) JOIN flow_account ON account = code
    WHERE kind = ${KIND.activity} AND amount <> 0;
    CREATE TEMP TABLE flow_entry AS
    WITH held AS (
      SELECT basis, tx, month, bool_or(asset AND amount < 0) AS credits, bool_or(asset AND amount > 0) AS debits,
        -- What depreciation moves in all: a charge and its credit on the allowance come to zero.
        coalesce(sum(amount) FILTER (allowance OR depreciation), 0) AS written, coalesce(sum(amount) FILTER (allowance), 0) AS off_allowance,
        arg_min(account, id) FILTER (allowance) AS allowance_account, bool_or(named) AS names,
        bool_or(place = 'Result' AND NOT depreciation) AS has_result, count(DISTINCT account) FILTER (other) AS others,
        bool_and(asset OR allowance OR place = 'Result' OR cash OR settlement OR tax) AS all_known,
        bool_or(unclear AND amount < 0) AND bool_or(earned AND amount > 0) AS asks, bool_or(cash AND amount > 0) AS receives, bool_or(cash AND amount < 0) AS pays
      FROM flow_line GROUP BY ALL)
    SELECT *, (written > 0 AND (credits OR names)) OR (written < 0 AND (names OR (debits AND NOT has_result))) OR assumes AS disposes
    FROM (
      -- The one other result beside cash, settlement and tax is the gain or loss.
      SELECT *, NOT names AND others = 1 AND all_known
        AND ((credits AND written > 0 AND off_allowance > 0) OR (debits AND written < 0 AND off_allowance < 0)) AS assumes
      FROM held)`)
}

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
    SELECT id, basis, tx, month, amount, place, asset,
      -- The charge of the month stays on the allowance, where it stands in other months.
      CASE WHEN depreciation THEN coalesce(allowance_account, account) ELSE account END AS account
    FROM flow_line JOIN flow_entry USING (basis, tx, month)
    WHERE named OR (disposes AND (allowance OR depreciation)) OR (assumes AND other)
      OR ((disposes OR names) AND asset
        AND CASE WHEN written < 0 OR (written = 0 AND NOT credits) THEN amount > 0 ELSE amount < 0 END)`)

/**
 * Creates `flow_cancelled`: what is taken out of investing and financing because no cash moved. First opposite amounts of both, in an
 * entry whose cash lines do not go both ways; then equity against operating activities and results, in an entry without cash.
 */
async function cancelWithoutCash(db: Database, frame: Frame, unclear: string | null): Promise<void> {
  await db.run(`
    CREATE TEMP TABLE flow_part AS
    SELECT id, basis, tx, month, ${computedCode(frame, 'disposal-proceeds')} AS account, 'Investing' AS place, false AS equity, amount
    FROM flow_moved
    UNION ALL BY NAME
    SELECT id, basis, tx, month, account, place, equity, amount FROM flow_line
    WHERE place IN ('Investing', 'Financing') AND NOT cash AND id NOT IN (SELECT id FROM flow_moved);
    CREATE TEMP TABLE flow_cancelled AS
    WITH net AS (
      SELECT basis, tx, month, coalesce(sum(amount) FILTER (place = 'Investing'), 0) AS investing,
        coalesce(sum(amount) FILTER (place = 'Financing'), 0) AS financing
      FROM flow_part JOIN flow_entry USING (basis, tx, month) WHERE NOT (receives AND pays) GROUP BY ALL),
    opposite AS (
      SELECT *, least(abs(investing), abs(financing)) AS least FROM net WHERE sign(investing) * sign(financing) < 0),
    wanted AS (
      SELECT basis, tx, month, 'Investing' AS place, sign(investing) * least AS wanted FROM opposite
      UNION ALL SELECT basis, tx, month, 'Financing', sign(financing) * least FROM opposite),
    part AS (FROM flow_part),
    ${SHARES}
    SELECT *, false AS is_equity FROM share`)
  const isClear = unclear === null ? 'true' : `month < ${monthOf(unclear)}`
  await db.run(`
    INSERT INTO flow_cancelled BY NAME
    WITH part AS (
      SELECT flow_part.* REPLACE (flow_part.amount - coalesce(gone.amount, 0) AS amount)
      FROM flow_part LEFT JOIN flow_cancelled AS gone USING (id) WHERE equity),
    net AS (
      SELECT basis, tx, month, (sum(amount) FILTER (is_equity)) AS financing, (sum(amount) FILTER (NOT is_equity)) AS operating
      FROM (
        SELECT basis, tx, month, amount, true AS is_equity FROM part
        UNION ALL
        SELECT basis, tx, month, amount, false FROM flow_line
        WHERE place IN ('Operating', 'Result') AND id NOT IN (SELECT id FROM flow_moved))
      JOIN flow_entry USING (basis, tx, month) WHERE NOT receives AND NOT pays AND ${isClear} GROUP BY ALL),
    wanted AS (
      SELECT basis, tx, month, 'Financing' AS place, sign(financing) * least(abs(financing), abs(operating)) AS wanted
      FROM net WHERE sign(financing) * sign(operating) < 0),
    ${SHARES}
    SELECT *, true AS is_equity FROM share`)
}

/**
 * SQL: `share`, what each of the parts has in the amount `wanted` of its entry and place. Only parts of its sign share, in proportion to
 * their amounts, by largest remainder; on equal remainders the earlier posting has the cent.
 */
const SHARES = `
    weighed AS (
      SELECT part.*, wanted, abs(amount)::HUGEINT * abs(wanted) AS product, sum(abs(amount)) OVER (PARTITION BY basis, tx, month, place) AS whole
      FROM part JOIN wanted USING (basis, tx, month, place) WHERE sign(amount) = sign(wanted)),
    floored AS (SELECT *, product // whole AS floor, product % whole AS remainder FROM weighed),
    share AS (
      SELECT id, basis, tx, month, account, place, (sign(wanted) * (floor + CASE
        WHEN row_number() OVER (PARTITION BY basis, tx, month, place ORDER BY remainder DESC, id)
          <= abs(wanted) - sum(floor) OVER (PARTITION BY basis, tx, month, place) THEN 1 ELSE 0 END))::BIGINT AS amount
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
