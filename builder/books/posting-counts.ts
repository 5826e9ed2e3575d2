/** How many postings each month of the books holds. */
import type { Basis } from '../contract/vocabulary.ts'
import type { Books } from './books.ts'
import { basisName } from './ledger-checks.ts'
import { IN_BALANCES } from './postings.ts'

export interface PostingCount {
  readonly basis: Basis
  /** `YYYY-MM` */
  readonly month: string
  readonly postings: number
}

/** Of each basis, month by month; a month without a posting is left out. */
export async function postingCounts({ db }: Pick<Books, 'db'>): Promise<PostingCount[]> {
  const rows = await db.rows<{ basis: number; month: string; postings: number }>(
    `SELECT basis, strftime(day, '%Y-%m') AS month, count(*)::INTEGER AS postings FROM posting
     WHERE ${IN_BALANCES} GROUP BY ALL ORDER BY ALL`,
  )
  return rows.map(({ basis, ...rest }) => ({ basis: basisName(basis), ...rest }))
}
