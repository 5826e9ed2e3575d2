/**
 * Reads the lines of published books account by account, as an account page lists them: the balance brought forward
 * first, then the postings by date. It queries the Parquet files of a snapshot that the caller has verified.
 */
import { join } from 'node:path'
import { present } from '../../contract/present.ts'
import { BASES, type Basis } from '../../contract/vocabulary.ts'
import { openDatabase, parquetSql, quoted } from '../../database/database.ts'
import { type KINDS, PUBLISHED_IN_BALANCES } from '../post/postings.ts'
import { decimalsOf, type Frame } from '../reference/frame.ts'

export interface AccountLine {
  readonly basis: Basis
  readonly account: string
  /** `brought-forward` is the sum of all postings before the first day that was asked for. */
  readonly kind: 'opening' | 'brought-forward' | (typeof KINDS)[number]
  /** `YYYY-MM-DD`; null for an opening balance and for an amount brought forward. */
  readonly date: string | null
  readonly entry: string | null
  readonly memo: string | null
  readonly classId: string | null
  readonly departmentId: string | null
  /** Minor units, debit positive. */
  readonly amount: number
  /** The source file and row of the line; null for an amount brought forward. */
  readonly file: string | null
  readonly row: string | null
}

/**
 * Yields the lines ordered by basis, account and date. Postings dated before `since` (`YYYY-MM-DD`) are added up into one
 * brought-forward line per account. `only` restricts the result to one account. Gross-up postings are left out: they move a
 * disposal between rows of the cash flow and do not belong to the account's ledger.
 */
export async function* accountLines(
  books: string,
  frame: Frame,
  since: string,
  only: { readonly basis: Basis; readonly account: string } | null = null,
): AsyncGenerator<AccountLine> {
  const from = (name: string) => parquetSql(join(books, name))
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
      FROM ${from('postings.parquet')} WHERE ${PUBLISHED_IN_BALANCES} AND date < DATE '${since}' GROUP BY basis, account
      UNION ALL BY NAME
      SELECT basis, account, kind, 2 AS place, seq, date, transaction_id AS entry, memo, class, department, amount, file, row
      FROM ${from('postings.parquet')} WHERE ${PUBLISHED_IN_BALANCES} AND date >= DATE '${since}')
    WHERE ${only ? `basis = ${quoted(only.basis.toLowerCase())} AND account = ${quoted(only.account)}` : 'true'}
    ORDER BY basis, account, place, date, seq, file, row`
  const db = await openDatabase({ folders: [books] })
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
