/**
 * Shows disposals of fixed assets gross on the cash flow, where company.yaml asks for it. The indirect method leaves the
 * sold asset in Investing at cost, its accumulated depreciation in Operating, and the gain or loss inside net income.
 * For each of these postings a pair of lines moves the amount into the asset's row, which then shows the proceeds, and adds
 * the gain or loss back under Operating. Each pair nets to zero in the posting's class and department, so no cash total changes.
 */
import { isProfitAndLoss } from '../../contract/vocabulary.ts'
import { error, type Finding } from '../../workspace/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { Database } from '../database.ts'
import { accountAt, type Frame } from '../frame.ts'
import type { Keys } from '../key-sql.ts'
import { KIND } from '../postings.ts'

/** The codes of the gain and loss accounts that company.yaml names. Names that are not P&L accounts become findings. */
export function disposalAccounts(
  named: readonly string[],
  accounts: Frame['accounts'],
  keys: Keys,
): { codes: number[]; findings: Finding[] } {
  const codes: number[] = []
  const findings: Finding[] = []
  for (const [i, id] of named.entries()) {
    const code = keys.get(id)
    if (code != null && isProfitAndLoss(accountAt({ accounts }, code).classification)) codes.push(code)
    else
      findings.push(
        error('unknown-account', `"${id}" is not an income or expense account of the chart`, {
          file: COMPANY_FILE,
          column: `disposals.gainsAndLosses.${i}`,
          text: id,
          remedy: 'name the accounts that gains and losses on disposals are booked to',
        }),
      )
  }
  return { codes, findings }
}

/** Adds the pairs of gross-up lines to `posting`, on every basis. `codes` are the gain and loss accounts. */
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
