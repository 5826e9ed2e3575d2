/** Turns the lines that could be read into postings: puts them in order and gives each one its kind. */

import { type Basis, isProfitAndLoss } from '../../contract/vocabulary.ts'
import { type Database, isAny } from '../../database/database.ts'
import { monthSql } from '../../database/date-sql.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { basisName } from '../read/codes.ts'
import type { LedgerFacts } from '../read/engine/engine.ts'
import { moneyText } from '../read/money.ts'
import type { Frame } from '../reference/frame.ts'

/**
 * The kinds of postings. Activity appears on every statement. A transfer inside equity, a translation and closing entries appear on
 * the balance sheet only (accounting.md §4, §5): of closing entries the kind says whether they reduce current-year earnings or
 * prior years not closed (closing.ts). The last three come in pairs that the program adds, move amounts between rows of the cash
 * flow, and stand nowhere else: gross-ups of disposals (until format 2 of snapshots), disposals and movements without cash (since format 3).
 */
export const KINDS = [
  'activity',
  'transfer',
  'closing-current',
  'closing-prior',
  'gross-up',
  'disposal',
  'without-cash',
] as const
/** The numbers of the kinds in tables: indexes into {@link KINDS}. */
export const KIND = {
  activity: 0,
  transfer: 1,
  closingCurrent: 2,
  closingPrior: 3,
  grossUp: 4,
  disposal: 5,
  withoutCash: 6,
} as const
/** The type of entries that state balances of a group's member at another rate: they are on the balance sheet only. */
export const TRANSLATION = 'translation'
/** The type of entries that eliminate what two members state of one matter, also on the cash flow: cash that moved between them. */
export const PAIR = 'elimination of a pair'
/** Types of entries that take the part of non-controlling interests out of the result of their month, and out of results before. */
export const ATTRIBUTION = ['attribution', 'attribution of earlier results'] as const
/** Types of entries that a group makes, with their kinds. But for those of pairs they are on the balance sheet only. */
export const GROUP_KINDS = {
  [PAIR]: KIND.activity,
  [TRANSLATION]: KIND.transfer,
  [ATTRIBUTION[0]]: KIND.closingCurrent,
  [ATTRIBUTION[1]]: KIND.closingPrior,
} as const
/** The kinds that only the cash flow shows. */
export const CASH_FLOW_KINDS = [KIND.grossUp, KIND.disposal, KIND.withoutCash] as const
/** SQL: whether a posting counts in balances, where its kind is a number. */
export const IN_BALANCES = `kind < ${KIND.grossUp}`
/** The same where its kind is a name, as in published books. */
export const PUBLISHED_IN_BALANCES = `kind NOT IN (${CASH_FLOW_KINDS.map((kind) => `'${KINDS[kind]}'`).join(', ')})`
/** SQL for the number of a kind that is a name. */
export const PUBLISHED_KIND = `(list_position([${KINDS.map((kind) => `'${kind}'`).join(', ')}], kind) - 1)::TINYINT`

/**
 * The lines of a file that are postings: their number, and the sums of the positive and of the negative amounts, without
 * sign, as integer text in minor units.
 */
export interface PostedLines {
  readonly lines: number
  readonly debit: string
  readonly credit: string
}

/** By the number of the file. Files without postings are missing. */
export type PostedByFile = ReadonlyMap<number, PostedLines>

/**
 * Renames the table `line` to `posting`, because a copy of all texts would cost more than all queries on them, and moves
 * opening lines to `opening_line`. `rowid` follows the order of files and rows, which is also the order of the published
 * Parquet. Returns the postings that there are before the program adds its own.
 */
export async function createPostings(
  db: Database,
  frame: Frame,
  facts: LedgerFacts | null = null,
  isGroup = false,
): Promise<PostedByFile> {
  await db.run(`CREATE TABLE account (code INTEGER, equity BOOLEAN, pl BOOLEAN)`)
  await db.append(
    'account',
    frame.accounts.map((account, code) => [
      code,
      account.classification === 'Equity',
      isProfitAndLoss(account.classification),
    ]),
  )
  // Without openings, which some formats write below their lines, the others are in order nearly always.
  await db.run(
    'CREATE TABLE opening_line AS FROM line WHERE opening ORDER BY file, row; DELETE FROM line WHERE opening',
  )
  await orderLines(db)
  await db.run('ALTER TABLE line RENAME TO posting')
  // Columns that only the checks of lines need are dropped to free memory.
  for (const column of ['opening', 'credited', 'currency', 'period'])
    await db.run(`ALTER TABLE posting DROP COLUMN ${column}`)
  await db.run(`
    ALTER TABLE posting ADD COLUMN kind TINYINT DEFAULT ${KIND.activity};
    ALTER TABLE posting ADD COLUMN month INTEGER;
    ALTER TABLE posting ALTER month TYPE INTEGER USING ${monthSql('day')}`)
  if (facts !== null) await db.run('CREATE TABLE last_read AS SELECT max(rowid) AS id FROM posting')
  // A transaction that touches only equity accounts and nets to 0 moves the result inside equity.
  await db.run(`
    UPDATE posting SET kind = ${KIND.transfer} WHERE (basis, tx) IN (${facts === null ? TRANSFERS : 'SELECT (basis, tx) FROM transfer'})`)
  if (isGroup)
    for (const [type, kind] of Object.entries(GROUP_KINDS))
      await db.run(`UPDATE posting SET kind = ${kind} WHERE type = '${type}'`)
  const files = await db.rows<{ file: number; lines: string; debit: string; credit: string }>(
    `SELECT file, count(*) AS lines, coalesce(sum(amount) FILTER (amount > 0), 0)::VARCHAR AS debit,
       coalesce(-sum(amount) FILTER (amount < 0), 0)::VARCHAR AS credit
     FROM posting GROUP BY file ORDER BY file`,
  )
  return new Map(files.map(({ file, lines, ...sums }) => [file, { ...sums, lines: Number(lines) }]))
}

const TRANSFERS = `
  SELECT (basis, tx) FROM posting JOIN account ON account = code
  WHERE (basis, tx) IN (SELECT (basis, tx) FROM posting JOIN account ON account = code WHERE equity)
  GROUP BY basis, tx HAVING bool_and(equity) AND sum(amount) = 0`

/** Sorts `line` by file and row, unless it is in that order already, as nearly always: sorting lines with all their texts is slow. */
async function orderLines(db: Database): Promise<void> {
  const isMoved = await isAny(
    db,
    `(SELECT file, row, lag(file) OVER () AS file_before, lag(row) OVER () AS row_before FROM line)
     WHERE file < file_before OR (file = file_before AND row <= row_before)`,
  )
  if (isMoved)
    await db.run(`
      CREATE TABLE sorted AS FROM line ORDER BY file, row;
      DROP TABLE line;
      ALTER TABLE sorted RENAME TO line`)
}

/** Every whole number up to here is exact in a double. */
const LARGEST = 2n ** 53n - 1n

/** An error where all |amounts| of a basis add up to 2^53 or more. Below that limit every sum is exact in a double. */
export async function turnoverFindings(db: Database, frame: Frame): Promise<Finding[]> {
  const [row] = await db.rows<{ turnover: string | null }>(
    `SELECT max(turnover)::VARCHAR AS turnover FROM (
       SELECT sum(abs(amount::HUGEINT)) AS turnover FROM (SELECT basis, amount FROM posting UNION ALL SELECT basis, amount FROM opening) GROUP BY basis)`,
  )
  if (row?.turnover == null || BigInt(row.turnover) <= LARGEST) return []
  return [
    error(
      'turnover-too-large',
      `the amounts of the ledger add up to ${moneyText(frame, row.turnover)}, more than ${moneyText(frame, LARGEST)}: sums would no longer be exact`,
      {
        remedy: 'split the books into several companies, or load fewer years',
      },
    ),
  ]
}

/** How many postings a month of the books holds on a basis. */
export interface PostingCount {
  readonly basis: Basis
  /** `YYYY-MM` */
  readonly month: string
  readonly postings: number
}

/** Of each basis, month by month; a month without a posting is left out. */
export async function postingCounts({ db }: { readonly db: Database }): Promise<PostingCount[]> {
  const rows = await db.rows<{ basis: number; month: string; postings: number }>(
    `SELECT basis, strftime(day, '%Y-%m') AS month, count(*)::INTEGER AS postings FROM posting
     WHERE ${IN_BALANCES} GROUP BY ALL ORDER BY ALL`,
  )
  return rows.map(({ basis, ...rest }) => ({ basis: basisName(basis), ...rest }))
}
