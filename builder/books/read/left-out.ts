/**
 * Removes rows from the lines: those that cannot be read, so that checks which do not depend on them can still run; and those
 * on accounts that are in no statement (off the balance sheet, or statistical), which are counted and go no further.
 */

import { type Database, quoted } from '../../database/database.ts'
import type { Intake } from '../../ingest/format/intake.ts'
import { type Company, NOT_IN_STATEMENTS } from '../../workspace/company.ts'
import { capFindings, LISTED } from '../../workspace/findings/cap-findings.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { several } from '../../workspace/findings/not-checked.ts'
import type { LeftOut } from '../check/known-mistakes.ts'
import { REPEATED, wrongRows } from '../check/ledger-checks.ts'
import type { Keys } from './key-sql.ts'
import { type Context, inputAt } from './ledger-context.ts'
import { moneyText } from './money.ts'

interface Wrong extends Record<string, unknown> {
  readonly file: number
  readonly row: string
  readonly account: number | null
  readonly opening: boolean
  /** Whether the row is removed: an amount without account, day or basis cannot be counted. */
  readonly out: boolean
  readonly repeated: boolean
}

/** The table with the keys of the lines that were left out, for findings that name them. */
export const LEFT_OUT = 'left_out'

/** Books with more wrong rows are read in a wrong way altogether, so the other lines prove nothing. */
const MOST = LISTED

/**
 * Deletes unreadable rows from `line` and fills in missing ids and members of the others. `found` holds the findings about rows.
 * Returns the rows that were left out or are only partly read; none where there are too many.
 */
export async function leaveOutUnread(
  db: Database,
  context: Context,
  found: readonly Finding[],
): Promise<LeftOut[]> {
  const rejected = context.rejected.flatMap(({ code, file, row }): LeftOut[] =>
    code === 'malformed-row' && file !== null && row !== null
      ? [{ file, row, of: 'either', account: null }]
      : [],
  )
  const wrong = wrongRows(context, found)
  if (wrong === null) return rejected
  const repeated = found.some(({ code }) => code === 'duplicate-line-id') ? REPEATED : 'false'
  const out = `(account IS NULL OR day IS NULL OR amount IS NULL OR basis IS NULL
    OR coalesce(upper(currency) <> ${quoted(context.currency)}, false) OR ${repeated})`
  const rows = await db.rows<Wrong>(
    `SELECT file, row, account, opening, ${out} AS out, ${repeated} AS repeated FROM line WHERE ${wrong} ORDER BY file, row LIMIT ${MOST + 1}`,
  )
  if (rows.length > MOST) return []
  await db.run(`
    CREATE TABLE ${LEFT_OUT} AS SELECT file, row, tx, line_id FROM line WHERE ${out};
    DELETE FROM line WHERE ${out};
    UPDATE line SET tx = coalesce(tx, ''), class = coalesce(class, 0), department = coalesce(department, 0)
    WHERE tx IS NULL OR class IS NULL OR department IS NULL`)
  const kept = found.flatMap(({ file, row }): LeftOut[] =>
    file === null || row === null ? [] : [{ file, row, of: 'statement', account: null }],
  )
  return [
    ...rejected,
    ...kept,
    ...rows
      .filter((row) => row.out)
      .map(
        ({ file, row, account, opening, repeated }): LeftOut => ({
          file: inputAt(context.inputs, file).file,
          row: Number(row),
          // The first of two lines with the same line id stays in the books, so no entry lacks it.
          of: repeated ? 'statement' : opening ? 'opening' : 'entry',
          account,
        }),
      ),
  ]
}

/**
 * The differences of unbalanced entries in minor units, as a whole and by month, each once. Correcting such an entry changes some
 * account by its difference.
 */
export async function differencesOf(db: Database): Promise<number[]> {
  const rows = await db.rows<{ off: string }>(`
    WITH monthly AS (
      SELECT basis, tx, date_trunc('month', day) AS month, sum(amount) AS off FROM line
      WHERE NOT opening AND tx <> '' GROUP BY ALL HAVING sum(amount) <> 0)
    SELECT DISTINCT off::VARCHAR AS off FROM (
      SELECT off FROM monthly UNION ALL SELECT sum(off) AS off FROM monthly GROUP BY basis, tx)
    LIMIT ${MOST}`)
  return rows.map(({ off }) => Number(off))
}

type Accounts = Intake['accounts']

/** The accounts of the statements, and the others. A parent that is in no statement is none. */
export function apart(accounts: Accounts): { readonly rows: Accounts; readonly outside: Accounts } {
  const outside = accounts.filter(({ type }) => type === NOT_IN_STATEMENTS)
  if (outside.length === 0) return { rows: accounts, outside }
  const ids = new Set(outside.map(({ id }) => id))
  const rows = accounts
    .filter(({ id }) => !ids.has(id))
    .map((row) => (row.parentId !== null && ids.has(row.parentId) ? { ...row, parentId: null } : row))
  return { rows, outside }
}

/** What the sources state of accounts of the statements: balances, controls and budgets of others are left out. */
export function withinStatements(intake: Intake, accounts: Keys): Intake {
  const isWithin = ({ account }: { readonly account: string | null }) =>
    account === null || (accounts.get(account) ?? 0) >= 0
  return {
    ...intake,
    openings: intake.openings.filter(isWithin),
    controls: intake.controls.filter(isWithin),
    budgets: intake.budgets.map((budget) => ({ ...budget, rows: [...budget.rows].filter(isWithin) })),
    trialBalances: intake.trialBalances.map((each) => ({ ...each, rows: each.rows.filter(isWithin) })),
  }
}

interface Outside {
  readonly db: Database
  readonly company: Pick<Company, 'currency'>
  readonly outside: Accounts
  readonly files: readonly string[]
}

/** Deletes lines on accounts that are in no statement from `line`, and says how many there were. */
export async function leaveOutOutside({ db, company, outside, files }: Outside): Promise<Finding[]> {
  if (outside.length === 0) return []
  const mixed = await db.rows<{ tx: string; file: number; row: string; off: string }>(`
    CREATE TABLE mixed AS
    SELECT basis, tx, min(file) AS file, arg_min(row, (file, row)) AS row, sum(amount) FILTER (account >= 0) AS off FROM line
    WHERE NOT opening AND (basis, tx) IN (SELECT (basis, tx) FROM line WHERE account < 0)
    GROUP BY basis, tx HAVING sum(amount) = 0 AND off <> 0 AND count(*) = count(account);
    SELECT tx, file, row, off::VARCHAR AS off FROM mixed ORDER BY file, row`)
  const sums = await db.rows<{ account: number; lines: string; debit: string; credit: string }>(`
    SELECT account, count(*) AS lines, coalesce(sum(amount) FILTER (amount > 0), 0)::VARCHAR AS debit,
      coalesce(-sum(amount) FILTER (amount < 0), 0)::VARCHAR AS credit
    FROM line WHERE account < 0 GROUP BY account ORDER BY account DESC`)
  await db.run(
    `DELETE FROM line WHERE account < 0 OR (basis, tx) IN (SELECT (basis, tx) FROM mixed); DROP TABLE mixed`,
  )
  const errors = mixed.slice(0, LISTED).map(({ tx, file, row, off }) =>
    error(
      'not-in-statements-mixed',
      `entry ${tx} has lines on accounts that are in no statement, and its other lines add up to ${moneyText(company, off)}, not to zero`,
      {
        ...{ file: files[file] ?? null, row: Number(row), text: tx },
        remedy: `correct the entry so that its other lines balance; or give the accounts a classification that belongs on a statement`,
      },
    ),
  )
  const [first] = sums
  if (first === undefined) return errors
  const total = (of: 'lines' | 'debit' | 'credit') => sums.reduce((sum, each) => sum + BigInt(each[of]), 0n)
  const names = sums.flatMap(({ account }) => {
    const row = outside[-1 - account]
    return row === undefined ? [] : [[...new Set([row.number || row.id, row.name])].join(' ')]
  })
  return [
    ...capFindings(errors, mixed.length),
    warning(
      'not-in-statements',
      `${total('lines') === 1n ? 'a line' : `${total('lines')} lines`} on ${several(names, 'account', 'accounts')} ${total('lines') === 1n ? 'is' : 'are'} in no statement (off the balance sheet, or statistical): debits ${moneyText(company, total('debit'))}, credits ${moneyText(company, total('credit'))}`,
      {
        ...{ file: outside[-1 - first.account]?.file ?? null, row: outside[-1 - first.account]?.row ?? null },
        text: outside[-1 - first.account]?.id ?? null,
        remedy: 'nothing to do where that is right; else give the account a classification of a statement',
      },
    ),
  ]
}
