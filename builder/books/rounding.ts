/** Entries that a program lets differ by a stated tolerance: the difference is booked where company.yaml says, never dropped. */
import { parseAmount } from '../ingest/amount.ts'
import type { Company } from '../workspace/company.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import type { Database } from './database.ts'
import { type Frame, moneyText } from './frame.ts'
import type { Keys } from './ledger.ts'
import { KIND } from './postings.ts'

type Rounding = Company['rounding']

/** In whole minor units: half a cent is none. */
export function toleranceOf(rounding: Rounding, decimals: number): number {
  if (rounding === undefined) return 0
  const [whole, fraction = ''] = rounding.tolerance.split('.')
  return parseAmount(`${whole}.${fraction.slice(0, decimals)}`.replace(/\.$/, ''), decimals).minor ?? 0
}

/** One posting for each entry that does not balance; entries beyond the tolerance were refused before. */
export async function bookRounding(
  db: Database,
  frame: Frame,
  accounts: Keys,
  rounding: Rounding,
  files: readonly string[],
): Promise<Finding[]> {
  if (rounding === undefined) return []
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
  const [booked] = await db.rows<{
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
  if (booked!.file === null) return []
  const many = booked!.entries === '1' ? 'one entry does' : `${booked!.entries} entries do`
  return [
    warning(
      'rounding-booked',
      `${many} not balance by at most ${rounding.tolerance}: the differences, ${moneyText(frame, Number(booked!.net))} together (debit positive), are booked to account ${rounding.account}`,
      {
        file: files[booked!.file]!,
        row: Number(booked!.row),
        text: booked!.tx,
        remedy: `nothing to do; "tieout explain" on account ${rounding.account} lists them`,
      },
    ),
  ]
}
