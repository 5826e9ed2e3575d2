/**
 * Finds entries that do not balance, and files whose entries all balance within one account. Openings are left out, because they only have to net to zero as a whole (openings.ts). Entries
 * with a wrong row are left out too, because that row is reported already.
 */
import { displayMinor } from '../../contract/currency.ts'
import { type Database, quoted } from '../../database/database.ts'
import { differingBy, KnownDifferences, withEvidence } from '../../ingest/format/known-differences.ts'
import { capFindings, LISTED } from '../../workspace/findings/cap-findings.ts'
import { error, type Finding, ofLedger, warning } from '../../workspace/findings/finding.ts'
import { notChecked, several } from '../../workspace/findings/not-checked.ts'
import { offWithin } from '../post/rounding.ts'
import { type Context, entryColumnOf, inputAt } from '../read/ledger-context.ts'

interface Unbalanced extends Record<string, unknown> {
  readonly file: number
  readonly row: string
  readonly tx: string
  readonly day: string
  readonly total: string
  readonly month: string
  readonly off: string
  readonly found: string
}

/**
 * An error for each entry that does not balance, as a whole or in a month. Where a row of an unknown entry cannot be read, the entries
 * cannot be judged, and one finding says so. `wrong` is the SQL condition for rows that have an error; null where none has.
 */
export async function unbalancedEntries(
  db: Database,
  context: Context,
  wrong: string | null,
): Promise<Finding[]> {
  if (!context.entries.haveDifferences && !context.entries.spanDays) return []
  // An entry that shares its number with one of another day has the day in its id.
  const whole = context.lacking
    .map((id) => `AND tx <> ${quoted(id)} AND NOT starts_with(tx, ${quoted(`${id} `)})`)
    .join(' ')
  const sound = wrong === null ? '' : `AND tx NOT IN (SELECT tx FROM line WHERE tx IS NOT NULL AND ${wrong})`
  const rows = await db.rows<Unbalanced>(`
    WITH monthly AS (
      SELECT basis, tx, date_trunc('month', day) AS month, sum(amount) AS off, min((file, row)) AS place, min(day) AS day,
        ${context.rounding === null ? '0' : 'count(*) FILTER (rounded)'} AS rounded
      FROM line WHERE NOT opening AND tx IS NOT NULL ${sound} ${whole} GROUP BY ALL HAVING sum(amount) <> 0),
    entry AS (
      SELECT basis, tx, min(place) AS place, min(day) AS day, sum(off) AS total, arg_min(off, month) AS off, min(month) AS month
      FROM monthly GROUP BY basis, tx HAVING count(*) > 1 OR NOT ${offWithin(context.rounding)})
    SELECT place[1] AS file, place[2] AS row, tx, day::VARCHAR AS day, total::VARCHAR AS total,
      strftime(month, '%Y-%m') AS month, off::VARCHAR AS off, count(*) OVER () AS found
    FROM entry ORDER BY place LIMIT ${LISTED}`)
  const [first] = rows
  if (first === undefined) return []
  const nameless = wrong === null ? [] : await withoutEntry(db, context)
  const missing = [...context.ofAnyEntry, ...nameless]
  const unread = [...context.rejected, ...missing.filter(({ amount }) => amount == null)]
  if (unread.length > 0) return [notJudged(rows, unread)]
  const lacking = new KnownDifferences(missing.map(({ amount }) => Number(amount)))
  const isOpen = ({ tx }: Unbalanced) => context.ofSomeEntry.some(({ begins }) => tx.startsWith(begins))
  const open = rows.filter(isOpen)
  const own = rows.filter(
    (row) => !isOpen(row) && (row.total === '0' || !lacking.explainEither(Number(row.total))),
  )
  return [
    ...capFindings(
      own.map((row) => doesNotBalance(row, context)),
      Number(first.found) - (rows.length - own.length),
    ),
    ...(open.length === 0 ? [] : [notJudged(open, context.ofSomeEntry)]),
  ]
}

/** Rows without a transaction id, with their amounts in minor units. Each of them is missing from some entry. */
async function withoutEntry(db: Database, { inputs }: Context) {
  const rows = await db.rows<{ file: number; row: string; amount: string | null }>(
    `SELECT file, row, amount::VARCHAR AS amount FROM line WHERE tx IS NULL AND NOT opening ORDER BY file, row LIMIT ${LISTED}`,
  )
  return rows.map(({ file, row, amount }) => ({ file: inputAt(inputs, file).file, row: Number(row), amount }))
}

function doesNotBalance(row: Unbalanced, context: Context): Finding {
  const [message, remedy] = wordsOf(row, (minor) => displayMinor(minor, context.decimals))
  const input = inputAt(context.inputs, row.file)
  const found = error('unbalanced-transaction', message, {
    file: input.file,
    row: Number(row.row),
    column: entryColumnOf(input),
    text: row.tx,
    remedy,
  })
  return row.total === '0' ? found : withEvidence(found, differingBy(context.differing, Number(row.total)))
}

function wordsOf(
  { tx, day, total, month, off }: Unbalanced,
  money: (minor: string) => string,
): readonly [message: string, remedy: string] {
  if (total === '0')
    return [
      `transaction ${tx} balances only over several months: in ${month} debits minus credits are ${money(off)}`,
      'date all lines of an entry in one month, or split it into one balanced entry per month',
    ]
  // Lines without a number that balance with no others count in the group of all of their day.
  if (tx === day)
    return [
      `the entries of ${day} do not balance: ${money(total.replace('-', ''))} too much on the ${total.startsWith('-') ? 'credit' : 'debit'} side`,
      'export the file again, without filters, with all accounts and whole days; or correct the kind of an account in company.yaml: a wrong kind reverses signs',
    ]
  return [
    `transaction ${tx} of ${day} does not balance: debits minus credits are ${money(total)}`,
    'correct the amounts, or export the file again: a line may be missing',
  ]
}

/** One finding for entries that could not be checked, because rows that are unreadable or name no entry may belong to them. */
function notJudged(rows: readonly Unbalanced[], unread: readonly Pick<Finding, 'file' | 'row'>[]): Finding {
  const names = several(
    rows.map(({ tx }) => ofLedger(tx)),
    'entry',
    'entries',
  )
  return notChecked(`whether ${names} ${rows.length === 1 ? 'balances' : 'balance'}`, unread)
}

/**
 * Files in which nothing moves, since both sides of every entry are on one account, class and department: the column that was
 * read as the account is another one, such as that of the bank, which a program repeats on all lines of an entry. An error
 * where no file moves anything, since all statements would be zero; else a warning.
 */
export async function motionless(db: Database, { inputs }: Context): Promise<Finding[]> {
  // What moves nothing as a whole is looked at entry by entry.
  const still = await db.rows<{ file: number; others: boolean }>(`
    SELECT file, all_files > count(*) OVER () AS others FROM (
      SELECT file, bool_and(coalesce(moved = 0, false)) AS still, count(*) OVER () AS all_files FROM (
        SELECT file, basis, account, class, department, sum(amount) AS moved FROM line WHERE NOT opening GROUP BY ALL)
      GROUP BY file) WHERE still`)
  const [first] = still
  if (first === undefined) return []
  const rows = await db.rows<{ file: number; row: string; entries: string }>(`
    SELECT file, min(first) AS "row", count(DISTINCT tx) AS entries FROM (
      SELECT file, basis, tx, sum(amount) AS moved, max(abs(amount)) AS most, min("row") AS first FROM line
      WHERE NOT opening AND file IN (${still.map(({ file }) => file).join(', ')})
      GROUP BY file, basis, tx, account, class, department)
    GROUP BY file HAVING bool_and(coalesce(moved = 0, false)) AND max(most) > 0 ORDER BY file`)
  const isAll = !first.others && rows.length === still.length
  // One such entry in a file beside others is nothing strange.
  const told = rows.filter(({ entries }) => isAll || Number(entries) > 1)
  return told.map(({ file, row, entries }) =>
    (isAll ? error : warning)(
      'nothing-moves',
      `debit and credit of every entry are on one and the same account, in all ${entries} of the file: nothing moves between accounts`,
      {
        file: inputAt(inputs, file).file,
        row: Number(row),
        column: 'account',
        remedy:
          'is the column of the account another one, or that of the bank? name the right one as "account" under "columns" in company.yaml, or export the account of each line',
      },
    ),
  )
}
