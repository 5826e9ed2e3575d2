/** Asks about openings: whether there are any, whether some are missing, and whether an entry of the first day is one. */

import type { Database } from '../../database/database.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, ofLedger, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { ONE_SIDED } from '../check/audit.ts'
import type { KnownMistakes } from '../check/known-mistakes.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { accountAt, type Frame, firstBasis } from '../reference/frame.ts'
import type { OpeningCell } from './openings.ts'
import { IN_BALANCES } from './postings.ts'

/**
 * Asks about opening balances once: about an unmarked entry that looks like one, or else about the whole ledger. Asks nothing where
 * company.yaml says `opening: none`. `isStated` says whether some source states openings.
 */
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

/** A ledger without openings may lack earlier years. Only the company can say whether it does. */
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

/** Names of the account against which programs book opening balances, one entry an account. */
const OPENING_EQUITY = /\bopening balance/i

/**
 * Asks about unmarked entries of the first day that have only balance sheet accounts, equity among them, where one of them
 * has cash, or the equity account of opening balances.
 */
async function entryQuestions(db: Database, frame: Frame, files: readonly string[]): Promise<Finding[]> {
  const telling = frame.accounts.flatMap((account, code) =>
    account.cashFlow === 'Cash' || (account.classification === 'Equity' && OPENING_EQUITY.test(account.name))
      ? [code]
      : [],
  )
  if (telling.length === 0) return []
  const isTelling = `bool_or(account IN (${telling.join(', ')}))`
  const rows = await db.rows<{ tx: string; file: number; row: string; day: string; tells: boolean }>(`
    SELECT tx, min(file) AS file, min(row) AS row, min(day)::VARCHAR AS day, ${isTelling} AS tells
    FROM posting JOIN account ON account = code
    WHERE day = (SELECT min(day) FROM posting) AND NOT EXISTS (FROM opening)
    GROUP BY basis, tx HAVING NOT bool_or(pl) AND bool_or(equity) AND (NOT bool_and(equity) OR ${isTelling})
    ORDER BY file, row`)
  const [first] = rows
  if (first === undefined || !rows.some(({ tells }) => tells)) return []
  const ids = ofLedger([...new Set(rows.map(({ tx }) => tx))].join(', '))
  const [what, are] =
    rows.length === 1 ? ['transaction', 'touches'] : [`${rows.length} transactions,`, 'touch']
  return [
    warning(
      'opening-or-activity',
      `${what} ${ids} on the first day (${first.day}) ${are} only balance sheet accounts, equity among them: ${rows.length === 1 ? 'is it the opening balance' : 'are they the opening balances'}?`,
      {
        file: files[first.file] ?? null,
        row: Number(first.row),
        text: first.tx,
        remedy: `if so, write "opening: { transactions: [${ids}] }" in company.yaml; as it stands it counts as activity and is on the cash flow`,
      },
    ),
  ]
}

/** An error where company.yaml says that there are no openings, but the ledger has some. */
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
 * Warns of accounts that must have had a balance before the first entry, such as a loan that is repaid before it was taken, or
 * depreciation of an asset that was never bought. It looks at the first month of each account and is meant for books
 * without stated openings. Cash, receivables and the like are left out, because abnormal-balance warns of them.
 */
export async function missingFindings(
  db: Database,
  frame: Frame,
  mistakes: KnownMistakes,
): Promise<Finding[]> {
  const begun = (await beginnings(db, frame)).filter(({ account }) => mistakes.of(account).length === 0)
  const named = begun
    .filter((each) => isOverdrawn(frame, each))
    .map(({ account, balance, day }) => {
      const side = balance > 0 ? 'debit' : 'credit'
      return `${nameOf(frame, account)} (${moneyText(frame, Math.abs(balance))} on the ${side} side, from ${day} on)`
    })
  const assets = begun.filter(({ account }) => FIXED.has(frame.accounts[account]?.type ?? ''))
  const value = assets.reduce((sum, { balance }) => sum + balance, 0)
  const [first] = assets
  if (first !== undefined && value < 0)
    named.push(
      `${assets.map(({ account }) => nameOf(frame, account)).join(', ')} (together ${moneyText(frame, value)}, from ${first.day} on)`,
    )
  return named.length === 0 ? [] : [missing(frame, named)]
}

/** An account with the sum of its first day and its balance at the end of that month, in minor units, debit positive. */
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
      WHERE basis = ${BASIS_CODE[firstBasis(frame)]} AND ${IN_BALANCES} GROUP BY ALL)
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

/** Judged together, because the cost of the assets and their depreciation offset each other. */
const FIXED = new Set(['FixedAsset', 'AccumulatedDepreciation'])
/** The message names at most this number of accounts. */
const NAMED = 8

const missing = (frame: Frame, named: readonly string[]): Finding =>
  warning(
    'openings-missing',
    `there are no opening balances, but ${named.length === 1 ? 'an account goes' : `${named.length} accounts go`} on from some: ${named.slice(0, NAMED).join('; ')}${named.length > NAMED ? '; and more' : ''}`,
    {
      file: COMPANY_FILE,
      column: 'opening',
      remedy: `export the ledger with the balances of ${frame.coverage.startDate}, and mark them under "opening"; or look for missing and doubled entries; nothing to do where the accounts did begin so`,
    },
  )

function nameOf(frame: Frame, account: number): string {
  const { id, number, name } = accountAt(frame, account)
  return [...new Set([number || id, name])].join(' ')
}
