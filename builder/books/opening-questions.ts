/** What is asked about openings: whether there were any, whether some are missing, and whether an entry of the first day is one. */
import type { Company } from '../workspace/company.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { ONE_SIDED } from './audit.ts'
import { BASIS_CODE } from './codes.ts'
import type { Database } from './database.ts'
import type { Doubts } from './doubts.ts'
import { type Frame, firstBasis } from './frame.ts'
import { moneyText } from './money.ts'
import type { OpeningCell } from './openings.ts'
import { KIND } from './postings.ts'

/** What stood before the first entry is asked once: of an entry that looks like it, else of the ledger as a whole. */
export async function openingQuestions(
  db: Database,
  frame: Frame,
  files: readonly string[],
  { opening }: Pick<Company, 'opening'>,
  isStated: boolean,
): Promise<Finding[]> {
  if (opening?.none === true) return []
  const entries = await entryQuestions(db, frame, files)
  return entries.length > 0 || isStated ? entries : [await notStated(db, frame)]
}

/** A ledger that says nothing of what was before it may be cut off there: its owner says whether it is. */
async function notStated(db: Database, frame: Frame): Promise<Finding> {
  const first = await db.row<{ day: string }>('SELECT min(day)::VARCHAR AS day FROM posting')
  return warning(
    'openings-not-stated',
    `nothing says what the accounts stood at before the first entry, of ${first.day}: the books begin with nothing in every account`,
    {
      file: COMPANY_FILE,
      column: 'opening',
      remedy: `if that is so, write "opening: none" in company.yaml; else export the opening balances of ${frame.coverage.startDate} too, and mark them there: opening: { references: [OPENING] }, or { files: [ledger/opening.csv] }`,
    },
  )
}

/** An unmarked entry on the first day, on balance sheet accounts only, cash and equity among them, asks a question. */
async function entryQuestions(db: Database, frame: Frame, files: readonly string[]): Promise<Finding[]> {
  const cash = frame.accounts.flatMap((account, code) => (account.cashFlow === 'Cash' ? [code] : []))
  if (cash.length === 0) return []
  const rows = await db.rows<{ tx: string; file: number; row: string; day: string }>(`
    SELECT tx, min(file) AS file, min(row) AS row, min(day)::VARCHAR AS day FROM posting JOIN account ON account = code
    WHERE day = (SELECT min(day) FROM posting) AND NOT EXISTS (FROM opening)
    GROUP BY basis, tx HAVING NOT bool_or(pl) AND bool_or(equity) AND bool_or(account IN (${cash.join(', ')}))`)
  return rows.map((row) =>
    warning(
      'opening-or-activity',
      `transaction ${row.tx} on the first day (${row.day}) touches only balance sheet accounts, cash and equity among them: is it the opening balance?`,
      {
        file: files[row.file]!,
        row: Number(row.row),
        text: row.tx,
        remedy:
          'if so, list it under opening.transactions in company.yaml; as it stands it counts as activity and is on the cash flow',
      },
    ),
  )
}

/** Books that begin with the first entry have no openings: one of the two statements is wrong. */
export function contradictedFindings(
  openings: readonly OpeningCell[],
  { opening }: Pick<Company, 'opening'>,
): Finding[] {
  const first = openings.find(({ amount }) => amount !== 0)
  if (opening?.none !== true || first === undefined) return []
  return [
    error(
      'opening-contradicted',
      'company.yaml says that there are no opening balances (opening: none), but the ledger brings some',
      {
        file: first.file,
        row: first.row,
        remedy:
          'take "opening: none" out of company.yaml, or export a ledger that begins with the first entry',
      },
    ),
  ]
}

/**
 * A loan that is repaid before it was taken, depreciation of what was never bought: balances of before are missing,
 * whatever company.yaml says. Judged by the first month of each account, in books for which nothing states openings; cash,
 * receivables and the like have a warning of their own.
 */
export async function missingFindings(db: Database, frame: Frame, doubts: Doubts): Promise<Finding[]> {
  const begun = (await beginnings(db, frame)).filter(({ account }) => doubts.of(account).length === 0)
  const told = begun
    .filter((each) => isOverdrawn(frame, each))
    .map(({ account, balance, day }) => {
      const side = balance > 0 ? 'debit' : 'credit'
      return `${nameOf(frame, account)} (${moneyText(frame, Math.abs(balance))} on the ${side} side, from ${day} on)`
    })
  const assets = begun.filter(({ account }) => FIXED.has(frame.accounts[account]?.type ?? ''))
  const value = assets.reduce((sum, { balance }) => sum + balance, 0)
  if (value < 0)
    told.push(
      `${assets.map(({ account }) => nameOf(frame, account)).join(', ')} (together ${moneyText(frame, value)}, from ${assets[0]!.day} on)`,
    )
  return told.length === 0 ? [] : [missing(frame, told)]
}

/** An account at its first day, and at the end of that month. */
interface Beginning {
  readonly account: number
  readonly day: string
  readonly first: number
  readonly balance: number
}

async function beginnings(db: Database, frame: Frame): Promise<Beginning[]> {
  const rows = await db.rows<{ account: number; first: string; day: string; balance: string }>(`
    WITH moved AS (
      SELECT account, month, day, sum(amount) AS amount FROM posting
      WHERE basis = ${BASIS_CODE[firstBasis(frame)]} AND kind <> ${KIND.grossUp} GROUP BY ALL)
    SELECT account, arg_min(amount, day)::VARCHAR AS first, min(day)::VARCHAR AS day, sum(amount)::VARCHAR AS balance
    FROM moved JOIN (SELECT account, min(month) AS month FROM moved GROUP BY account) USING (account, month)
    GROUP BY account ORDER BY account`)
  return rows.map((row) => ({ ...row, first: Number(row.first), balance: Number(row.balance) }))
}

function isOverdrawn(frame: Frame, { account, first, balance }: Beginning): boolean {
  const { classification, type } = frame.accounts[account] ?? {}
  if (type === undefined || type === 'SalesTax' || FIXED.has(type) || ONE_SIDED[type]) return false
  if (classification === 'Asset') return first < 0 && balance < 0
  return classification === 'Liability' && first > 0 && balance > 0
}

/** Judged together: what was bought, less what was written off of it. */
const FIXED = new Set(['FixedAsset', 'AccumulatedDepreciation'])
const NAMED = 8

const missing = (frame: Frame, told: readonly string[]): Finding =>
  warning(
    'openings-missing',
    `there are no opening balances, but ${told.length === 1 ? 'an account goes' : `${told.length} accounts go`} on from some: ${told.slice(0, NAMED).join('; ')}${told.length > NAMED ? '; and more' : ''}`,
    {
      file: COMPANY_FILE,
      column: 'opening',
      remedy: `export the ledger with the balances of ${frame.coverage.startDate}, and mark them under "opening"; or look for missing and doubled entries; nothing to do where the accounts did begin so`,
    },
  )

function nameOf({ accounts }: Frame, account: number): string {
  const { id, number, name } = accounts[account]!
  return [...new Set([number || id, name])].join(' ')
}
