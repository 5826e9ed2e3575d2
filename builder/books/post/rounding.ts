/**
 * Books the differences of entries that do not balance within the tolerance of company.yaml to the account named there. No
 * difference is dropped.
 */

import type { Database } from '../../database/database.ts'
import { type RoundingReach, reachOf, shiftPoint } from '../../ingest/text/amount.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, note, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { Keys } from '../read/key-sql.ts'
import { moneyText } from '../read/money.ts'
import type { Frame } from '../reference/frame.ts'
import { KIND } from './postings.ts'

type Rounding = Company['rounding']

/** The rounding that company.yaml allows, in terms of the currency. */
export interface RoundingRule {
  /** The tolerance as company.yaml states it. */
  readonly tolerance: string
  /** The tolerance in ten-thousandths of a minor unit: half a cent is 5000. */
  readonly share: string
  readonly reach: RoundingReach
}

/** Decimals of a minor unit to which the tolerance is compared. */
const SHARES = 4

/** The rounding rule of company.yaml for a currency with so many decimals; null where it allows no rounding. */
export function roundingRule(rounding: Rounding, decimals: number): RoundingRule | null {
  if (rounding === undefined) return null
  const { tolerance } = rounding
  const share = shiftPoint(tolerance, decimals + SHARES).replace(/[.].*/, '')
  return { tolerance, share, reach: reachOf(tolerance, decimals) }
}

/**
 * SQL aggregate over the months of one entry: whether its difference `off` is within the tolerance. The entry may differ by
 * the tolerance once, and once more for each line that was `rounded`.
 */
export const offWithin = (rule: RoundingRule | null): string =>
  `abs(sum(off)) * 1${'0'.repeat(SHARES)} <= ${rule?.share ?? '0'} * (1 + sum(rounded))`

/**
 * Books one posting for each entry that does not balance in a month; entries beyond the tolerance were refused before. Warns of
 * what was booked, and of amounts that were rounded.
 */
export async function bookRounding(
  db: Database,
  frame: Frame,
  accounts: Keys,
  rounding: Rounding,
  files: readonly string[],
): Promise<Finding[]> {
  if (rounding === undefined) return []
  const rounded = await roundedFindings(db, frame, rounding.tolerance, files)
  await db.run('ALTER TABLE posting DROP COLUMN rounded; ALTER TABLE opening_line DROP COLUMN rounded')
  const account = accounts.get(rounding.account)
  if (account == null)
    return [
      error('unknown-account', `there is no account "${rounding.account}", or more than one`, {
        file: COMPANY_FILE,
        column: 'rounding.account',
        text: rounding.account,
        remedy: 'write the id of the account that takes rounding differences',
      }),
    ]
  await db.run(`
    INSERT INTO posting BY NAME
    SELECT basis, tx, min(day) AS day, min(entered) AS entered, month, ${account} AS account, 0 AS class, 0 AS department,
      -sum(amount) AS amount, ${KIND.activity} AS kind, arg_min(file, rowid) AS file, arg_min("row", rowid) AS "row",
      'rounding difference of the entry' AS memo, 'rounding' AS type, false AS closing
    FROM posting GROUP BY basis, tx, month HAVING sum(amount) <> 0 ORDER BY min(rowid)`)
  const booked = await db.row<{
    entries: string
    net: string
    file: number | null
    row: string
    tx: string
  }>(
    `SELECT count(*) AS entries, coalesce(sum(amount), 0)::VARCHAR AS net, arg_min(file, rowid) AS file, arg_min("row", rowid) AS "row",
       arg_min(tx, rowid) AS tx
     FROM posting WHERE type = 'rounding' AND memo = 'rounding difference of the entry'`,
  )
  if (booked.file === null) return rounded
  const many = booked.entries === '1' ? 'one entry does' : `${booked.entries} entries do`
  const by = rounded.length === 0 ? rounding.tolerance : `${rounding.tolerance} and what was rounded`
  return [
    ...rounded,
    note(
      'rounding-booked',
      `${many} not balance by at most ${by}: the differences, ${moneyText(frame, Number(booked.net))} together (debit positive), are booked to account ${rounding.account}`,
      {
        file: files[booked.file] ?? null,
        row: Number(booked.row),
        text: booked.tx,
        remedy: `nothing to do; "tieout explain" on account ${rounding.account} lists them`,
      },
    ),
  ]
}

/** Warns of amounts with more decimals than the currency: how many there are, and their totals. */
async function roundedFindings(
  db: Database,
  frame: Frame,
  tolerance: string,
  files: readonly string[],
): Promise<Finding[]> {
  const found = await db.row<{
    lines: string
    debit: string
    credit: string
    file: number | null
    row: string | null
  }>(`
    SELECT * EXCLUDE (place), place[1]::INTEGER AS file, place[2] AS row FROM (
      SELECT count(*) AS lines, coalesce(sum(amount) FILTER (amount > 0), 0)::VARCHAR AS debit,
        coalesce(-sum(amount) FILTER (amount < 0), 0)::VARCHAR AS credit, min([file, row]) AS place
      FROM (SELECT file, row, amount FROM posting WHERE rounded UNION ALL SELECT file, row, amount FROM opening_line WHERE rounded))`)
  if (found.file === null) return []
  const money = (minor: string): string => moneyText(frame, Number(minor))
  const what = found.lines === '1' ? 'one amount has' : `${found.lines} amounts have`
  return [
    warning(
      'amounts-rounded',
      `${what} more decimals than ${frame.currency}; each is rounded by at most ${tolerance}: debits of ${money(found.debit)} and credits of ${money(found.credit)} as they count now`,
      {
        file: files[found.file] ?? null,
        row: Number(found.row),
        remedy:
          'nothing to do where the program keeps more decimals; otherwise take "rounding" out of company.yaml',
      },
    ),
  ]
}
