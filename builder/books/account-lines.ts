/**
 * Every line of published books by account, in the order in which the pages of accounts list them: what was brought
 * forward, then day by day. SQL over the Parquet of a snapshot, which its reader has verified.
 */
import { join } from 'node:path'
import { present } from '../contract/present.ts'
import { BASES, type Basis } from '../contract/vocabulary.ts'
import { openDatabase, quoted } from './database.ts'
import { decimalsOf, type Frame } from './frame.ts'
import type { KINDS } from './postings.ts'

export interface AccountLine {
  readonly basis: Basis
  readonly account: string
  /** `brought-forward`: the sum of all lines before the first day that was asked for. */
  readonly kind: 'opening' | 'brought-forward' | (typeof KINDS)[number]
  /** `YYYY-MM-DD`; null for what was there before the first posting. */
  readonly date: string | null
  readonly entry: string | null
  readonly memo: string | null
  readonly classId: string | null
  readonly departmentId: string | null
  /** Minor units, debit positive. */
  readonly amount: number
  /** Where it was read, null for a sum. */
  readonly file: string | null
  readonly row: string | null
}

/**
 * The lines of both bases, those of one account of one basis behind each other. Lines before `since` (`YYYY-MM-DD`) are
 * one sum for each account. `only` narrows them to one account. What only moves a disposal between rows of the cash flow is no line of an account.
 */
export async function* accountLines(
  books: string,
  frame: Frame,
  since: string,
  only: { readonly basis: Basis; readonly account: string } | null = null,
): AsyncGenerator<AccountLine> {
  const from = (name: string) => `read_parquet(${quoted(join(books, name))})`
  const minor = `(amount * ${10 ** decimalsOf(frame)})::DECIMAL(38, 0)::VARCHAR`
  const none = `NULL AS entry, NULL AS memo, NULL AS class, NULL AS department`
  const query = `
    SELECT basis, account, kind, date::VARCHAR, entry, memo, class, department, ${minor}, file, row::VARCHAR FROM (
      SELECT basis, account, 'opening' AS kind, 0 AS place, 0 AS seq, NULL::DATE AS date, NULL AS entry, NULL AS memo,
        class, department, amount, file, row
      FROM ${from('openings.parquet')}
      UNION ALL BY NAME
      SELECT basis, account, 'brought-forward' AS kind, 1 AS place, 0 AS seq, NULL::DATE AS date, ${none},
        sum(amount) AS amount, NULL AS file, NULL AS row
      FROM ${from('postings.parquet')} WHERE kind <> 'gross-up' AND date < DATE '${since}' GROUP BY basis, account
      UNION ALL BY NAME
      SELECT basis, account, kind, 2 AS place, seq, date, transaction_id AS entry, memo, class, department, amount, file, row
      FROM ${from('postings.parquet')} WHERE kind <> 'gross-up' AND date >= DATE '${since}')
    WHERE ${only ? `basis = ${quoted(only.basis.toLowerCase())} AND account = ${quoted(only.account)}` : 'true'}
    ORDER BY basis, account, place, date, seq, file, row`
  const db = await openDatabase()
  try {
    for await (const batch of db.texts(query))
      for (let i = 0; i < (batch[0]?.length ?? 0); i++) yield lineOf(batch.map((column) => column[i] ?? null))
  } finally {
    db.close()
  }
}

function lineOf(cells: readonly (string | null)[]): AccountLine {
  const [basis, account, kind, date, entry, memo, classId, departmentId, amount, file, row] = cells
  const text = (cell: string | null | undefined) => cell ?? null
  return {
    basis: present(
      BASES.find((each) => each.toLowerCase() === basis),
      `basis of a line of ${account}`,
    ),
    account: present(account, 'account of a line'),
    kind: kind as AccountLine['kind'],
    amount: Number(present(amount, `amount of a line of ${account}`)),
    ...{ date: text(date), entry: text(entry), memo: text(memo), file: text(file), row: text(row) },
    ...{ classId: text(classId), departmentId: text(departmentId) },
  }
}
