/**
 * Disposals of fixed assets shown gross on the cash flow, where company.yaml asks for it. The indirect method leaves an
 * asset sold in Investing at cost, its accumulated depreciation in Operating, and the gain or loss inside net income.
 * A pair of lines per such posting moves both into the asset's row, which then shows the proceeds, and adds the gain or
 * loss back under Operating. The pairs net to zero and carry the posting's members: every total of cash stays.
 */
import { error, type Finding } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import type { Database } from './database.ts'
import type { Frame } from './frame.ts'
import type { Keys } from './ledger.ts'
import { KIND } from './postings.ts'

/** Codes of the gain and loss accounts that company.yaml names; findings for what is no P&L account. */
export function disposalAccounts(
  named: readonly string[],
  accounts: Frame['accounts'],
  keys: Keys,
): { codes: number[]; findings: Finding[] } {
  const codes: number[] = []
  const findings: Finding[] = []
  for (const [i, id] of named.entries()) {
    const code = keys.get(id)
    if (code != null && !['Asset', 'Liability', 'Equity'].includes(accounts[code]!.classification))
      codes.push(code)
    else
      findings.push(
        error('unknown-account', `"${id}" is no income or expense account of the chart`, {
          file: COMPANY_FILE,
          column: `disposals.gainsAndLosses.${i}`,
          text: id,
          remedy: 'name the accounts that gains and losses on disposals are booked to',
        }),
      )
  }
  return { codes, findings }
}

/** Adds the pairs, for every basis in the books. */
export async function grossUpDisposals(db: Database, frame: Frame, codes: readonly number[]): Promise<void> {
  if (codes.length === 0) return
  const of = (type: string): string =>
    frame.accounts.flatMap((account, code) => (account.type === type ? [code] : [])).join(', ') || '-1'
  await db.run(`
    INSERT INTO posting BY NAME
    WITH disposal AS (
      -- The asset that left: of several, the one with the greatest cost; of equal ones the first that is posted.
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
