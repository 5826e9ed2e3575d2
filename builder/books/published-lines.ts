/**
 * Lines of files that did not change, taken from the books that were published with them: typed and checked already, so
 * that nobody reads their text again. The other way round than in store.ts.
 */
import { minorOfDecimal } from './amount-sql.ts'
import { quoted, ROW_GROUP } from './database.ts'

/** The lines of one file, which stand together. */
export interface PublishedLines {
  /** `postings.parquet` of a snapshot, or a copy of it. */
  readonly books: string
  /** The file's name there. */
  readonly file: string
  /** `seq` of the first line. */
  readonly first: number
  /** What the lines add up to. */
  readonly totals: LineTotals
}

/** Minor units as decimal integer text, debit and credit as they were written. */
export interface LineTotals {
  readonly rows: number
  readonly debit: string
  readonly credit: string
  readonly firstDate: string | null
  readonly lastDate: string | null
}

const end = ({ first, totals }: PublishedLines): number => first + totals.rows

/**
 * Whether the lines of another file are read with those of a run: they stand right behind them, and all of them are less
 * than a row group. DuckDB appends so few rows to the last group of a table, as it does with those of each file by itself;
 * more make groups of their own, which the published Parquet would show.
 */
export const joins = (run: readonly PublishedLines[], next: PublishedLines): boolean =>
  run[0]!.books === next.books && end(run.at(-1)!) === next.first && end(next) - run[0]!.first < ROW_GROUP

/**
 * Puts a run of files into `line`; `published_file` gives their numbers. What only the checks of a line look at (its
 * currency, period and side) was found to be sound, and is not published: it stays NULL. `opening` says which lines are
 * openings.
 */
export const publishedLinesSql = (
  run: readonly PublishedLines[],
  opening: string,
  decimals: number,
): string => `
  INSERT INTO line BY NAME
  WITH published AS (
    SELECT * RENAME (transaction_id AS tx, date AS day, source_date AS entered) FROM read_parquet(${quoted(run[0]!.books)})
    WHERE seq BETWEEN ${run[0]!.first} AND ${end(run.at(-1)!) - 1})
  SELECT * EXCLUDE (seq, kind) REPLACE (
      published_file(file) AS file,
      (basis = 'cash')::TINYINT AS basis,
      account_key(account) AS account,
      CASE WHEN class IS NULL THEN 0 ELSE class_key(class) END AS class,
      CASE WHEN department IS NULL THEN 0 ELSE department_key(department) END AS department,
      ${minorOfDecimal('amount', decimals)} AS amount),
    ${opening} AS opening, false AS closing
  FROM published`
