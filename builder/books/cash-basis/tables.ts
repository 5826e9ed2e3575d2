/**
 * The derivation of the cash basis between the tables of the books: reads the accrual lines that it needs, and books what it gives. The
 * build and the verification of a snapshot both derive by this.
 */

import { type Database, valueAt } from '../../database/database.ts'
import { monthSql } from '../../database/date-sql.ts'
import type { AccountingRules } from '../post/accounting-rules.ts'
import { tableExtras } from '../post/extras.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { computedCode, type Frame } from '../reference/frame.ts'
import { type DerivedLine, deriveCashBasis } from './derivation.ts'
import { linkOpenItems, OPENING, ROLE, type Settled, type SourceLine, settle } from './settlements.ts'

type ComputedRow = Parameters<typeof computedCode>[1]

/** Creates `role`, the part that each account plays, and `entry`, which {@link dropEntries} removes. */
export async function createEntries(db: Database, frame: Frame): Promise<void> {
  const roles = frame.accounts.map(({ type, cashFlow, classification }) => {
    if (type === 'AccountsReceivable') return ROLE.receivable
    if (type === 'AccountsPayable') return ROLE.payable
    if (cashFlow === 'Cash') return ROLE.cash
    return type === 'SalesTax' || !['Asset', 'Liability', 'Equity'].includes(classification)
      ? ROLE.deferred
      : ROLE.other
  })
  await db.run('CREATE TABLE role (account INTEGER, role TINYINT)')
  await db.append(
    'role',
    roles.map((role, account) => [account, role]),
  )
  // Only entries with a receivable or payable line are derived. They are numbered in the order of their ids.
  await db.run(`
    CREATE TABLE entry AS SELECT tx, (row_number() OVER (ORDER BY tx))::INTEGER AS number FROM (
      SELECT DISTINCT tx FROM posting JOIN role USING (account)
      WHERE basis = ${BASIS_CODE.ACCRUAL} AND role IN (${ROLE.receivable}, ${ROLE.payable}))`)
}

/** Number in the place of a missing link or open item. */
const NONE = -3

/** What settles what in the entries of `entry`. */
export const settledEntries = async (db: Database, rules: AccountingRules): Promise<Settled> =>
  settle(await sourceLines(db), rules)

/** The lines of the cash basis that these entries give, on the computed rows of the frame where no account holds them. */
export function derivedLines(settled: Settled, frame: Frame): DerivedLine[] {
  const rowOf = (receivables: ComputedRow, payables: ComputedRow) => (role: number) =>
    computedCode(frame, role === ROLE.receivable ? receivables : payables)
  return deriveCashBasis(settled, {
    unapplied: rowOf('unapplied-receipts', 'unapplied-payments'),
    opening: rowOf('opening-receivables-collected', 'opening-payables-paid'),
  })
}

/** The lines of all entries with a receivable or payable line, each with the documents that it settles. */
async function sourceLines(db: Database): Promise<SourceLine[]> {
  const columns = await db.columns(
    `WITH target AS (
       SELECT key, arg_min(number, rank) AS number FROM (
         SELECT tx AS key, number, 1 AS rank FROM entry
         UNION ALL SELECT line_id, number, 2 FROM posting JOIN entry USING (tx) WHERE basis = 0 AND line_id IS NOT NULL
         UNION ALL SELECT tx, ${OPENING}, 3 FROM opening_line WHERE tx IS NOT NULL
         UNION ALL SELECT line_id, ${OPENING}, 4 FROM opening_line WHERE line_id IS NOT NULL)
       GROUP BY key),
     item AS (
       SELECT account, open_item, row_number() OVER (ORDER BY account, open_item) AS number
       FROM (SELECT account, open_item FROM posting WHERE open_item IS NOT NULL AND basis = ${BASIS_CODE.ACCRUAL}
         UNION SELECT account, open_item FROM opening_line WHERE open_item IS NOT NULL AND basis = ${BASIS_CODE.ACCRUAL})),
     source AS (
       SELECT posting.rowid AS seq, entry.number AS transaction, day, account, class, department, amount, settles, open_item
       FROM posting JOIN entry USING (tx) WHERE basis = ${BASIS_CODE.ACCRUAL}
       UNION ALL
       -- Opening balances take part in open items as documents, but belong to no entry.
       SELECT -row_number() OVER (ORDER BY file, row), ${OPENING}, day, account, class, department, amount, NULL, open_item
       FROM opening_line JOIN role USING (account)
       WHERE basis = ${BASIS_CODE.ACCRUAL} AND open_item IS NOT NULL AND role IN (${ROLE.receivable}, ${ROLE.payable}))
     SELECT seq::INTEGER, transaction::INTEGER, (day - DATE '1970-01-01')::INTEGER, account, class, department, amount::DOUBLE, role,
       CASE WHEN settles IS NULL OR target.number = transaction THEN ${NONE} ELSE coalesce(target.number, ${NONE}) END::INTEGER,
       coalesce(item.number, ${NONE})::INTEGER
     FROM source JOIN role USING (account) LEFT JOIN target ON settles = target.key
     LEFT JOIN item ON item.account = source.account AND item.open_item = source.open_item AND settles IS NULL
     ORDER BY transaction, seq`,
    10,
  )
  const [seq = [], transaction = [], day = [], account = [], classes = [], ...others] = columns
  const [department = [], amount = [], role = [], settles = [], item = []] = others
  const read = Array.from(seq, (number, i) => ({
    seq: number,
    transaction: valueAt(transaction, i),
    day: valueAt(day, i),
    account: valueAt(account, i),
    class: valueAt(classes, i),
    department: valueAt(department, i),
    amount: valueAt(amount, i),
    role: valueAt(role, i),
    settles: valueAt(settles, i),
    item: valueAt(item, i),
  }))
  const items = linkOpenItems(read.map((line) => ({ ...line, item: line.item === NONE ? null : line.item })))
  return read
    .filter((line) => line.transaction !== OPENING)
    .map(({ settles, item: _, ...line }) => ({
      ...line,
      links: settles === NONE ? (items.get(line.seq) ?? []) : [{ to: settles, amount: line.amount }],
    }))
}

/** Puts the derived lines into `posting` with the code `basis`, and all entries that they do not touch. */
export async function book(db: Database, derived: readonly DerivedLine[], basis: number): Promise<void> {
  await db.run(
    'CREATE TABLE derived (nth INTEGER, origin INTEGER, entry INTEGER, day INTEGER, account INTEGER, class INTEGER, department INTEGER, amount BIGINT)',
  )
  await db.append(
    'derived',
    derived.map((line, nth) => [
      nth + 1,
      line.origin,
      line.entry,
      line.day,
      line.account,
      line.class,
      line.department,
      line.amount,
    ]),
  )
  const extras = await tableExtras(db)
  const own = extras.map((column) => `, ${column.startsWith('entered') ? 'settling' : 'origin'}.${column}`)
  const copied = extras.map((column) => `, ${column}`)
  // A derived row has the memo, party, file and row of the line that is recognised, and the transaction of the line that settles it.
  await db.run(`
    INSERT INTO posting BY NAME
    WITH cash AS (
      SELECT nth, settling.tx, origin.line_id, DATE '1970-01-01' + derived.day AS day, derived.account, derived.class,
        derived.department, derived.amount, origin.kind, origin.file, origin.row, origin.memo, settling.reference, settling.settles,
        settling.journal, settling.type, settling.entered, origin.closing${own.join('')}
      FROM derived JOIN posting origin ON origin.rowid = derived.origin JOIN posting settling ON settling.rowid = derived.entry
      UNION ALL
      SELECT 1000000000 + rowid, tx, line_id, day, account, class, department, amount, kind, file, row, memo, reference, settles,
        journal, type, entered, closing${copied.join('')}
      FROM posting WHERE basis = ${BASIS_CODE.ACCRUAL} AND tx NOT IN (SELECT tx FROM entry))
    SELECT * EXCLUDE (nth), ${basis} AS basis, ${monthSql('day')} AS month FROM cash ORDER BY nth`)
  await db.run('DROP TABLE derived')
}

export const dropEntries = (db: Database): Promise<void> => db.run('DROP TABLE entry; DROP TABLE role')
