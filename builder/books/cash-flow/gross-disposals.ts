/**
 * The rules of formats 1 and 2, for companies that keep them (accounting.md §13); by-entry.ts has the newer ones. Shows disposals
 * of fixed assets gross on the cash flow, where company.yaml asks for it. The indirect method leaves the sold asset in
 * Investing at cost, its accumulated depreciation in Operating, and the gain or loss inside net income.
 * For each of these postings a pair of lines moves the amount into the asset's row, which then shows the proceeds, and adds
 * the gain or loss back under Operating. Each pair nets to zero in the posting's class and department, so no cash total changes.
 */
import type { Database } from '../../database/database.ts'
import { KIND } from '../post/postings.ts'
import type { Frame } from '../reference/frame.ts'

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
