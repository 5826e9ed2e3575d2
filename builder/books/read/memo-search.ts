/** Finds lines of published books by their memos. It queries the Parquet files of a snapshot that the caller has verified. */
import { join } from 'node:path'
import type { Basis } from '../../contract/vocabulary.ts'
import { openDatabase, parquetSql, quoted } from '../../database/database.ts'
import { PUBLISHED_IN_BALANCES } from '../post/postings.ts'

export interface FoundMemo extends Record<string, unknown> {
  readonly account: string
  /** `YYYY-MM-DD` */
  readonly date: string
  readonly memo: string
}

/** The newest lines from `since` (`YYYY-MM-DD`) whose memo contains the text in capitals or small letters, at most `most` of them. */
export async function linesByMemo(
  books: string,
  { basis, text, since, most }: { basis: Basis; text: string; since: string; most: number },
): Promise<FoundMemo[]> {
  const db = await openDatabase({ folders: [books] })
  try {
    return await db.rows<FoundMemo>(`
      SELECT account, date::VARCHAR AS date, memo FROM ${parquetSql(join(books, 'postings.parquet'))}
      WHERE ${PUBLISHED_IN_BALANCES} AND basis = ${quoted(basis.toLowerCase())} AND date >= DATE ${quoted(since)}
        AND contains(lower(memo), lower(${quoted(text)}))
      ORDER BY date DESC, seq DESC LIMIT ${most}`)
  } finally {
    db.close()
  }
}
