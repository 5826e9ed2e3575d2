/**
 * Takes the lines of unchanged files from published books. These lines are typed and checked already, so their text need
 * not be read again. It reverses the SQL by which store.ts writes them.
 */
import { present } from '../contract/present.ts'
import { minorOfDecimal } from './amount-sql.ts'
import { quoted, ROW_GROUP } from './database.ts'

/** The lines of one file, which are adjacent in the published books. */
export interface PublishedLines {
  /** `postings.parquet` of a snapshot, or a copy of it. */
  readonly books: string
  /** The name of the file in the published books. */
  readonly file: string
  /** `seq` of the first line. */
  readonly first: number
  /** The totals of the lines when they were published. */
  readonly totals: LineTotals
}

/** Minor units as integer text; debit and credit as they were written. Dates are `YYYY-MM-DD`. */
export interface LineTotals {
  readonly rows: number
  readonly debit: string
  readonly credit: string
  readonly firstDate: string | null
  readonly lastDate: string | null
}

/** The `seq` after the last line. */
const end = ({ first, totals }: PublishedLines): number => first + totals.rows

/**
 * Whether two runs of files can be read together: the lines of the second follow directly, and both have fewer rows than
 * a row group. DuckDB appends so few rows to the last row group of a table, as if the files were read one by one; more
 * rows would form row groups of their own and change the published Parquet.
 */
export function joins(run: readonly PublishedLines[], next: readonly PublishedLines[]): boolean {
  const [former, latter] = [extentOf(run), extentOf(next)]
  return former.books === latter.books && former.end === latter.first && latter.end - former.first < ROW_GROUP
}

/** The books that hold the lines of a run of files, the `seq` of its first line, and the `seq` after its last line. */
function extentOf(run: readonly PublishedLines[]) {
  const first = present(run[0], 'first file of a run')
  return { books: first.books, first: first.first, end: end(run.at(-1) ?? first) }
}

/**
 * The SQL statement that puts a run of files into `line`. The macro `published_file` gives their numbers. Currency, period and side
 * of a line are needed for checks only, which it passed before; they are not published and stay NULL. `opening` is the SQL condition
 * for lines of openings.
 */
export function publishedLinesSql(run: readonly PublishedLines[], opening: string, decimals: number): string {
  const { books, first, end } = extentOf(run)
  return `
  INSERT INTO line BY NAME
  WITH published AS (
    SELECT * RENAME (transaction_id AS tx, date AS day, source_date AS entered) FROM read_parquet(${quoted(books)})
    WHERE seq BETWEEN ${first} AND ${end - 1})
  SELECT * EXCLUDE (seq, kind) REPLACE (
      published_file(file) AS file,
      (basis = 'cash')::TINYINT AS basis,
      account_key(account) AS account,
      CASE WHEN class IS NULL THEN 0 ELSE class_key(class) END AS class,
      CASE WHEN department IS NULL THEN 0 ELSE department_key(department) END AS department,
      ${minorOfDecimal('amount', decimals)} AS amount),
    ${opening} AS opening, false AS closing
  FROM published`
}
