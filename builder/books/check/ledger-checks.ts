/** Checks ledger rows. The table ROW_CHECKS holds, for each possible mistake, the SQL that finds it and the message. */
import { present } from '../../contract/present.ts'
import { type Database, isAny, quoted } from '../../database/database.ts'
import { yamlText } from '../../ingest/claims/claims.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { amountRemedy, SHORTENED, shortened } from '../../ingest/text/amount-remedy.ts'
import { serialRemedy } from '../../ingest/text/months.ts'
import { capFindings, LISTED } from '../../workspace/findings/cap-findings.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import type { FindingCode } from '../../workspace/findings/finding-codes.ts'
import type { LedgerFacts } from '../read/engine/engine.ts'
import type { Keys } from '../read/key-sql.ts'
import { loadText, POSTING_PERIOD } from '../read/ledger.ts'
import { type Context, inputAt } from '../read/ledger-context.ts'
import { leaveOutTotals } from '../read/ledger-totals.ts'
import { motionless, unbalancedEntries } from './unbalanced.ts'

interface RawRow extends Record<string, unknown> {
  file: number
  row: string
  [column: string]: unknown
}

interface RowCheck {
  /** Rows with the same text in this column are reported once. */
  readonly by?: 'account' | 'class' | 'department' | 'period'
  /** SQL condition on `line` that is true for wrong rows, and false or NULL for others. */
  readonly where: (context: Pick<Context, 'currency'>) => string
  readonly say: (
    row: RawRow,
    context: Context,
  ) => { code: FindingCode; message: string; column: string; text: string | null; remedy: string }
}

/** Columns of `line` that hold ids, and their names in `raw`. */
const IDS = ['line.tx', 'line.line_id', 'line.settles']
const IDS_OF = ['transaction_id', 'line_id', 'settles']
const isShortened = (column: string): string =>
  `(contains(${column}, 'E+') AND regexp_full_match(${column}, ${quoted(SHORTENED)}))`

const text = (row: RawRow, column: string): string => String(row[column] ?? '').trim()

const ROW_CHECKS: readonly RowCheck[] = [
  {
    where: () => 'line.tx IS NULL',
    say: () => ({
      code: 'missing-transaction-id',
      message: 'the row has no transaction id',
      column: 'transaction_id',
      text: null,
      remedy: 'give all lines of one entry the same id, and each entry its own',
    }),
  },
  {
    by: 'period',
    where: () => `NOT regexp_full_match(line.period, '${POSTING_PERIOD}')`,
    say: (row) => {
      const said = text(row, 'period')
      const year = /(?<!\d)(?:19|20)\d\d(?!\d)/.exec(said)?.[0] ?? '2025'
      return {
        code: 'unreadable-period',
        message: `"${said}" is not a posting period`,
        column: 'period',
        text: said,
        remedy: `write the month, ${year}-07, or a closing period of the year, ${year}-13 to ${year}-16; or say in company.yaml which of them it is, such as "adjustmentPeriods: { ${yamlText(said)}: ${year}-13 }" for the last day of the fiscal year ${year}`,
      }
    },
  },
  {
    // A row with an unreadable period has a finding of its own already.
    where: () =>
      `line.entered IS NULL OR (line.day IS NULL AND coalesce(regexp_full_match(line.period, '${POSTING_PERIOD}'), true))`,
    say: (row, { inputs }) => ({
      code: 'unreadable-date',
      message:
        text(row, 'date') === ''
          ? 'the row has no date'
          : row.entered === null
            ? `"${text(row, 'date')}" is not a date of the form ${inputAt(inputs, row.file).dateFormat}`
            : `"${text(row, 'date')}" lies outside the years 1900 to 2199`,
      column: 'date',
      text: text(row, 'date'),
      remedy:
        serialRemedy(text(row, 'date')) ??
        'correct the date, or state the form of the file with "dateFormat" (for example DD.MM.YYYY)',
    }),
  },
  {
    // A spreadsheet that shortens long numbers makes several ids one, so that their entries would be taken for one.
    where: () => IDS.map(isShortened).join(' OR '),
    say: (row) => {
      const [fault] = IDS_OF.flatMap((column) => {
        const remedy = shortened(text(row, column))
        return remedy === null ? [] : [{ column, remedy }]
      })
      const { column, remedy } = present(fault, `shortened id in row ${row.row}`)
      return {
        code: 'shortened-number',
        message: `"${text(row, column)}" has lost its last digits`,
        column,
        text: text(row, column),
        remedy,
      }
    },
  },
  {
    by: 'account',
    where: () => 'line.account IS NULL',
    say: (row, { keys, likelyAccount }) =>
      text(row, 'account') === ''
        ? NO_ACCOUNT
        : member(row, 'account', 'the chart of accounts', keys.accounts, likelyAccount(text(row, 'account'))),
  },
  {
    by: 'class',
    where: () => 'line.class IS NULL',
    say: (row, { keys }) => member(row, 'class', 'the classes', keys.classes),
  },
  {
    by: 'department',
    where: () => 'line.department IS NULL',
    say: (row, { keys }) => member(row, 'department', 'the departments', keys.departments),
  },
  { where: () => 'line.amount IS NULL', say: (row, context) => amountFault(row, context) },
  {
    where: () => 'line.basis IS NULL',
    say: (row) => ({
      code: 'unreadable-basis',
      message:
        text(row, 'basis') === ''
          ? 'the row states no basis'
          : `"${text(row, 'basis')}" is not an accounting basis`,
      column: 'basis',
      text: text(row, 'basis'),
      remedy: 'write "accrual" or "cash"',
    }),
  },
  {
    where: ({ currency }) => `upper(line.currency) <> ${quoted(currency)}`,
    say: (row, { currency }) => ({
      code: 'mixed-currency',
      message: `the amount is in ${text(row, 'currency')}, the books are in ${currency}`,
      column: 'currency',
      text: text(row, 'currency'),
      remedy: `export amounts in ${currency}, the company's functional currency; foreign amounts belong in a column of their own`,
    }),
  },
]

const NO_ACCOUNT = {
  code: 'missing-account',
  message: 'the row has no account',
  column: 'account',
  text: null,
  remedy: 'name the account',
} as const

function member(
  row: RawRow,
  column: 'account' | 'class' | 'department',
  list: string,
  keys: Keys,
  likely: string | null = null,
) {
  const found = text(row, column)
  return keys.get(found) === null
    ? {
        code: `ambiguous-${column}` as const,
        message: `"${found}" means more than one entry of ${list}`,
        column,
        text: found,
        remedy: `use the id of the ${column}`,
      }
    : {
        code: `unknown-${column}` as const,
        message: `${column} "${found}" is not in ${list}`,
        column,
        text: found,
        remedy:
          likely === null
            ? `add it to ${list}, or correct the row`
            : `is it ${likely}? then write its number or its id alone; else add it to ${list}`,
      }
}

function amountFault(row: RawRow, { decimals, currency, inputs, rounding }: Context) {
  const form = { ...inputAt(inputs, row.file), currency, ...(rounding && { rounding: rounding.reach }) }
  const given = (['debit', 'credit', 'amount'] as const).filter((column) => text(row, column) !== '')
  const fault = (code: FindingCode, message: string, column: string, remedy: string) => ({
    code,
    message,
    column,
    text: text(row, column) || null,
    remedy,
  })
  for (const column of given) {
    const { problem } = parseAmount(text(row, column), decimals, { ...form, isSigned: column === 'amount' })
    const shown = text(row, column)
    if (problem === 'too-many-decimals')
      return fault(
        problem,
        `${shown} has more decimals than ${currency} has (${decimals})`,
        column,
        rounding === null
          ? 'export amounts with the currency’s own decimals; where the program keeps more, allow it with "rounding" in company.yaml'
          : `export amounts with the currency’s own decimals: to round this one changes it by more than the tolerance of ${rounding.tolerance}`,
      )
    if (problem === 'amount-too-large')
      return fault(problem, `${shown} is too large to be an exact amount`, column, 'correct the amount')
    if (problem === 'unreadable-amount')
      return fault(problem, `"${shown}" is not an amount`, column, amountRemedy(shown, form))
  }
  if (given.length === 0)
    return fault('missing-amount', 'the row has no amount', 'amount', 'fill in debit, credit or amount')
  if (given.includes('amount'))
    return fault(
      'two-amounts',
      'the row has an amount beside a debit or credit',
      'amount',
      'keep one of the two forms',
    )
  return fault(
    'debit-and-credit',
    `debit ${text(row, 'debit')} and credit ${text(row, 'credit')} stand in one row`,
    'debit',
    'write two rows, one for each',
  )
}

/** Findings about single rows, about whole entries and about the links between them. */
export async function checkLedger(
  db: Database,
  context: Context,
  /** What an engine has found already. */
  facts: LedgerFacts | null = null,
): Promise<Finding[]> {
  const findings: Finding[] = []
  if (facts === null && (await haveWrong(db, context))) {
    await loadText(db, context.inputs, context.decimals, anyWrong(context))
    findings.push(...(await leaveOutTotals(db, context)))
    for (const check of ROW_CHECKS) findings.push(...(await rowFindings(db, check, context)))
  }
  if (facts === null) findings.push(...(await duplicateLineIds(db, context)))
  if (facts?.settleUnknown ?? true) findings.push(...(await unknownSettlements(db, context)))
  findings.push(...(await unbalancedEntries(db, context, wrongRows(context, findings))))
  findings.push(...(await motionless(db, context)))
  return findings
}

const haveWrong = (db: Database, context: Context): Promise<boolean> =>
  isAny(db, `line WHERE ${anyWrong(context)}`)

/** SQL condition on `line` for the rows that the findings are about; null where none of them is an error. */
export function wrongRows(context: Context, findings: readonly Finding[]): string | null {
  const isRepeated = findings.some(({ code }) => code === 'duplicate-line-id')
  if (!findings.some(({ severity }) => severity === 'error')) return null
  return isRepeated ? `(${anyWrong(context)} OR ${REPEATED})` : `(${anyWrong(context)})`
}

/** SQL condition for lines whose line id occurs on an earlier line. */
export const REPEATED = `rowid IN (SELECT id FROM (
  SELECT rowid AS id, row_number() OVER (PARTITION BY basis, line_id ORDER BY file, row) AS nth FROM line WHERE line_id IS NOT NULL)
  WHERE nth > 1)`

/** SQL condition on `line` that is true for rows with a finding of their own, and false or NULL for others. */
export const anyWrong = (context: Pick<Context, 'currency'>): string =>
  ROW_CHECKS.map((check) => `(${check.where(context)})`).join(' OR ')

async function rowFindings(db: Database, check: RowCheck, context: Context): Promise<Finding[]> {
  const rows = await db.rows<RawRow>(
    `SELECT *, count(*) OVER () AS found FROM (
       SELECT raw.*, line.entered::VARCHAR AS entered,
         ${check.by === undefined ? '1' : `count(*) OVER (PARTITION BY trim(raw.${check.by}))`} AS times
       FROM line JOIN raw USING (file, row) WHERE ${check.where(context)}
       ${check.by === undefined ? '' : `QUALIFY row_number() OVER (PARTITION BY trim(raw.${check.by}) ORDER BY file, row) = 1`})
     ORDER BY file, row LIMIT ${LISTED}`,
  )
  const findings = rows.map((row) => {
    const { code, message: said, ...place } = check.say(row, context)
    const message = Number(row.times) > 1 ? `${said}; so it is on ${row.times} rows` : said
    return error(code, message, {
      file: inputAt(context.inputs, row.file).file,
      row: Number(row.row),
      ...place,
    })
  })
  return capFindings(findings, Number(rows[0]?.found ?? 0))
}

async function duplicateLineIds(db: Database, context: Context): Promise<Finding[]> {
  // If all hashes differ, all ids differ, and numbers are counted faster than texts.
  const ids = await db.row<{ repeated: boolean }>(
    `SELECT count(line_id) <> count(DISTINCT hash(basis, line_id)) FILTER (line_id IS NOT NULL) AS repeated FROM line`,
  )
  if (!ids.repeated) return []
  const rows = await db.rows<{
    file: number
    row: string
    line_id: string
    first_file: number
    first_row: string
    found: string
  }>(`
    SELECT file, row, line_id, first_file, first_row, count(*) OVER () AS found FROM (
      SELECT file, row, line_id, count(*) OVER same AS times, first_value(file) OVER (same ORDER BY file, row) AS first_file,
        first_value(row) OVER (same ORDER BY file, row) AS first_row, row_number() OVER (same ORDER BY file, row) AS nth
      FROM line WHERE line_id IS NOT NULL WINDOW same AS (PARTITION BY basis, line_id))
    WHERE nth > 1 ORDER BY file, row LIMIT ${LISTED}`)
  return capFindings(
    rows.map((row) => {
      const first = inputAt(context.inputs, row.first_file)
      const before = first.kind === 'parquet' ? first.file : `${first.file}:${row.first_row}`
      return error('duplicate-line-id', `line id "${row.line_id}" stands already in ${before}`, {
        file: inputAt(context.inputs, row.file).file,
        row: Number(row.row),
        column: 'line_id',
        text: row.line_id,
        remedy: 'is the same file loaded twice? each line must have an id of its own',
      })
    }),
    Number(rows[0]?.found ?? 0),
  )
}

/** A document may be loaded later: until then its settlements name nothing. By the rules before 4 they are refused. */
async function unknownSettlements(db: Database, { inputs, rules }: Context): Promise<Finding[]> {
  if (!(await isAny(db, 'line WHERE settles IS NOT NULL'))) return []
  const unknown = `settles IS NOT NULL
      AND NOT EXISTS (FROM line AS document WHERE document.basis = line.basis AND document.tx = line.settles)
      AND NOT EXISTS (FROM line AS document WHERE document.basis = line.basis AND document.line_id = line.settles)`
  const rows = await db.rows<{ file: number; row: string; settles: string; found: string }>(`
    SELECT file, row, settles, count(*) OVER () AS found FROM line WHERE ${unknown} ORDER BY file, row LIMIT ${LISTED}`)
  if (rows.length > 0 && rules >= 4) await db.run(`UPDATE line SET settles = NULL WHERE ${unknown}`)
  const say = rules < 4 ? error : warning
  return capFindings(
    rows.map((row) =>
      say('unknown-settles', `the line settles "${row.settles}", which is in none of the files`, {
        file: inputAt(inputs, row.file).file,
        row: Number(row.row),
        column: 'settles',
        text: row.settles,
        remedy: 'load the file that holds the document, or correct the id',
      }),
    ),
    Number(rows[0]?.found ?? 0),
  )
}
