/**
 * Decides whether the books offer a cash basis: the one that the source exports, or one derived from settlement links where
 * enough receivables and payables carry them. Accrual figures are never published as cash basis.
 */

import { displayMinor } from '../../contract/currency.ts'
import { type Database, isAny } from '../../database/database.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import type { Company } from '../../workspace/company.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import type { AccountingRules } from '../post/accounting-rules.ts'
import { addOpenings, type OpeningCell } from '../post/openings.ts'
import { KIND } from '../post/postings.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { computedCode, decimalsOf, type Frame, NOT_CLOSED } from '../reference/frame.ts'
import { greatestDocument, undivided } from './derivation.ts'
import { type Money, ROLE, type Settled } from './settlements.ts'
import { book, createEntries, derivedLines, dropEntries, settledEntries } from './tables.ts'

/** Basis code for a derivation that is only compared with the exported cash basis and then deleted. */
const TRIAL = 2

export interface CashOffer {
  /** Whether the cash basis was derived; its lines are in the table `posting` then. */
  readonly derived: boolean
  readonly openings: readonly OpeningCell[]
  readonly findings: readonly Finding[]
}

/** Derives the cash basis if the books allow it, or compares an exported one with the derivation. The findings say why not. */
export async function offerCashBasis(
  db: Database,
  frame: Frame,
  setting: NonNullable<Company['cashBasis']>,
  openings: readonly OpeningCell[],
  rules: AccountingRules,
): Promise<CashOffer> {
  const exported = frame.bases.includes('CASH')
  const compared = exported && frame.bases.includes('ACCRUAL') ? await compareBank(db, frame) : []
  const nothing = (findings: readonly Finding[]): CashOffer => ({
    derived: false,
    openings,
    findings: [...compared, ...findings],
  })
  if (!frame.bases.includes('ACCRUAL') || setting.derive === 'never') return nothing([])
  const links = `posting WHERE basis = ${BASIS_CODE.ACCRUAL} AND (settles IS NOT NULL OR open_item IS NOT NULL)`
  if (!(await isAny(db, links))) return nothing([])
  await createEntries(db, frame)
  const settled = await settledEntries(db, rules)
  // Money is judged by the derivation. An exported cash basis can be checked only where money names its document.
  await db.run('CREATE TABLE judged_as_money (id INTEGER)')
  if (!exported)
    await db.append(
      'judged_as_money',
      settled.money.flatMap(({ line }) => (line.links.length === 0 ? [[line.seq]] : [])),
    )
  const unlinked = await unlinkedFindings(db, frame, setting.maxUnlinked ?? 0, exported)
  if (unlinked.length > 0) return nothing(unlinked)
  const large = await largeFindings(db, settled)
  if (large.length > 0) return nothing(large)
  const derived = derivedLines(settled, frame)
  const documents = undivided(settled, derived)
  if (documents.size > 0) return nothing([await undividedFinding(db, documents)])
  const findings = exported ? [] : await unappliedFindings(db, frame, settled.money)
  await book(db, derived, exported ? TRIAL : BASIS_CODE.CASH)
  await db.run('DROP TABLE judged_as_money')
  await dropEntries(db)
  if (!exported) {
    const own = cashOpenings(frame, openings)
    await addOpenings(db, own)
    if (rules >= 4) findings.push(...(await openingTaxFindings(db, frame, openings)))
    return { derived: true, openings: [...openings, ...own], findings }
  }
  const differences = await compareWithExport(db, frame)
  await db.run(`DELETE FROM posting WHERE basis = ${TRIAL}`)
  return nothing(differences)
}

/**
 * Warns of credits to receivables and debits to payables that no link connects with a document, unless they are money, which is unapplied
 * then. A document that nothing has settled yet is merely open. Where lines carry open-item references, a line without one counts as unlinked on
 * either side, opening balances included. `greatest` is the amount that may stay unlinked, as in company.yaml.
 */
async function unlinkedFindings(
  db: Database,
  frame: Frame,
  greatest: number | string,
  exported: boolean,
): Promise<Finding[]> {
  const rows = await db.rows<{
    role: number
    unlinked: string
    turnover: string
    lines: string
    example: string | null
  }>(`
    WITH known AS (
      SELECT rowid AS id, tx, line_id, account, amount, settles, open_item FROM posting WHERE basis = ${BASIS_CODE.ACCRUAL}
      UNION ALL SELECT NULL, tx, line_id, account, amount, settles, open_item FROM opening_line WHERE basis = ${BASIS_CODE.ACCRUAL}),
    open AS (
      SELECT known.*, role, bool_or(open_item IS NOT NULL) OVER () AS itemised FROM known JOIN role USING (account)
      WHERE role IN (${ROLE.receivable}, ${ROLE.payable})),
    side AS (
      FROM open WHERE itemised OR (id IS NOT NULL AND ((role = ${ROLE.receivable} AND amount < 0) OR (role = ${ROLE.payable} AND amount > 0)))),
    target AS (SELECT DISTINCT settles FROM known WHERE settles IS NOT NULL),
    judged AS (
      SELECT *, open_item IS NULL AND settles IS NULL AND coalesce(tx NOT IN (FROM target), true)
        AND coalesce(line_id NOT IN (FROM target), true) AND coalesce(id NOT IN (FROM judged_as_money), true) AS alone FROM side)
    SELECT role, coalesce(sum(abs(amount)) FILTER (alone), 0)::VARCHAR AS unlinked, sum(abs(amount))::VARCHAR AS turnover,
      count(*) FILTER (alone) AS lines, arg_min(tx, coalesce(id, -1)) FILTER (alone) AS example
    FROM judged GROUP BY role ORDER BY role`)
  const limit = BigInt(parseAmount(String(greatest), decimalsOf(frame)).minor ?? 0)
  if (rows.reduce((sum, row) => sum + BigInt(row.unlinked), 0n) <= limit) return []
  const money = (minor: string): string => moneyText(frame, minor)
  return rows
    .filter((row) => row.unlinked !== '0')
    .map((row) => {
      const what = row.role === ROLE.receivable ? 'receivables' : 'payables'
      return warning(
        'cash-basis-unlinked',
        `${money(row.unlinked)} of ${money(row.turnover)} in ${what} (${row.lines} ${Number(row.lines) === 1 ? 'line' : 'lines'}) carry no link between document and settlement: ${exported ? 'the exported cash basis cannot be checked against them' : 'the cash basis is not offered'}`,
        {
          file: 'company.yaml',
          column: 'cashBasis.maxUnlinked',
          text: row.example,
          remedy:
            'fill in "settles" (or "open_item") on these lines, or raise cashBasis.maxUnlinked to the amount that may stay unrecognised',
        },
      )
    })
}

/** Warns of money that names no document: of what came in and was paid, less what went back. */
async function unappliedFindings(db: Database, frame: Frame, money: readonly Money[]): Promise<Finding[]> {
  const unnamed = money.filter(({ unnamed }) => unnamed !== 0)
  const [first] = unnamed
  if (first === undefined) return []
  const of = (role: number, sign: number) =>
    unnamed.reduce((sum, own) => sum + (own.line.role === role ? sign * own.unnamed : 0), 0)
  const receipts = moneyText(frame, of(ROLE.receivable, -1))
  const payments = moneyText(frame, of(ROLE.payable, 1))
  const { tx } = await db.row<{ tx: string }>(`SELECT tx FROM posting WHERE rowid = ${first.line.seq}`)
  return [
    warning(
      'cash-basis-unapplied',
      `${receipts} of receipts and ${payments} of payments, less what was paid back, name no document (${unnamed.length} ${unnamed.length === 1 ? 'line' : 'lines'}): on the cash basis they are unapplied receipts and payments`,
      {
        text: tx,
        remedy:
          'fill in "settles" (or "open_item") once the document is there: the money is taken back on its date',
      },
    ),
  ]
}

/** Warns of sales tax in opening receivables and payables: the cash basis counts it as income and expenses when they are settled. */
async function openingTaxFindings(
  db: Database,
  frame: Frame,
  openings: readonly OpeningCell[],
): Promise<Finding[]> {
  const of = (type: string) =>
    openings.filter(({ basis, account }) => basis === 'ACCRUAL' && frame.accounts[account]?.type === type)
  const receivables = of('AccountsReceivable').reduce((sum, { amount }) => sum + amount, 0)
  const payables = of('AccountsPayable').reduce((sum, { amount }) => sum - amount, 0)
  const taxes = frame.accounts.flatMap(({ type }, code) => (type === 'SalesTax' ? [code] : []))
  const [taxed] = await db.rows(`SELECT 1 FROM posting WHERE account IN (${[-1, ...taxes]}) LIMIT 1`)
  if (taxed === undefined || (receivables === 0 && payables === 0)) return []
  return [
    warning(
      'cash-basis-opening-tax',
      `opening receivables of ${moneyText(frame, receivables)} and payables of ${moneyText(frame, payables)} contain sales tax that no source states: settled, they count as income and expenses with it`,
      {
        remedy:
          'load the open documents as entries of an earlier fiscal year instead of their total, or take the tax off when you use these rows',
      },
    ),
  ]
}

/** How many postings settlements may give: so many, or so many times the lines that they come from where that is more. */
const LEAST_BOUND = 1_000_000
const BOUND = 50

/** Warns of documents of many lines with many settlements: each line counts at each settlement, and the books would be many times the ledger. */
async function largeFindings(db: Database, settled: Settled): Promise<Finding[]> {
  const { document, postings } = greatestDocument(settled)
  const lines = [...settled.entries.values()].reduce((sum, entry) => sum + entry.lines.length, 0)
  const [first] = document?.lines ?? []
  if (document === null || first === undefined || postings <= Math.max(LEAST_BOUND, BOUND * lines)) return []
  const { tx } = await db.row<{ tx: string }>(`SELECT tx FROM posting WHERE rowid = ${first.seq}`)
  return [
    warning(
      'cash-basis-size',
      `settlements would make up to ${displayMinor(postings, 0)} postings of ${displayMinor(lines, 0)} lines: the cash basis is not offered; the largest document has ${displayMinor(document.lines.length, 0)} lines and ${displayMinor(document.settlements.length, 0)} settlements`,
      {
        text: tx,
        remedy:
          'give each payment one line for this document, or split the document into one for each part that is paid',
      },
    ),
  ]
}

async function undividedFinding(db: Database, documents: ReadonlySet<number>): Promise<Finding> {
  const first = await db.row<{ tx: string }>(`SELECT tx FROM entry WHERE number = ${Math.min(...documents)}`)
  const count = documents.size
  return warning(
    'cash-basis-dates',
    `${count} ${count === 1 ? 'document has' : 'documents have'} lines on several days, and it cannot be told which part of the receivable or payable belongs to which day: the cash basis is not offered`,
    {
      text: first.tx,
      remedy: 'give all lines of such an entry one date in the ledger, or make it an entry for each date',
    },
  )
}

/** The cash basis has no receivables and payables: their opening balances go to prior years not closed. */
const cashOpenings = (frame: Frame, openings: readonly OpeningCell[]): OpeningCell[] =>
  openings
    .filter((cell) => cell.basis === 'ACCRUAL')
    .map((cell) => {
      const type = frame.accounts[cell.account]?.type ?? ''
      const account = ['AccountsReceivable', 'AccountsPayable'].includes(type)
        ? computedCode(frame, NOT_CLOSED)
        : cell.account
      return { ...cell, basis: 'CASH', account }
    })

/** Warns of months in which the exported cash basis moves cash by another amount than the accrual books: both must agree. */
async function compareBank(db: Database, frame: Frame): Promise<Finding[]> {
  const cash = frame.accounts.flatMap((account, code) => (account.cashFlow === 'Cash' ? [code] : []))
  const rows = await db.rows<{ month: string; accrual: string; exported: string; found: string }>(`
    WITH change AS (
      SELECT month, coalesce(sum(amount) FILTER (basis = ${BASIS_CODE.ACCRUAL}), 0) AS accrual,
        coalesce(sum(amount) FILTER (basis = ${BASIS_CODE.CASH}), 0) AS exported
      FROM posting WHERE account IN (${cash.join(', ')}) GROUP BY month HAVING accrual <> exported)
    SELECT printf('%04d-%02d', month // 12, month % 12 + 1) AS month, accrual::VARCHAR AS accrual, exported::VARCHAR AS exported,
      count(*) OVER () AS found
    FROM change ORDER BY abs(accrual - exported) DESC, month LIMIT 5`)
  const [first] = rows
  if (first === undefined) return []
  const money = (minor: string): string => moneyText(frame, minor)
  const examples = rows.map(
    (row) => `${row.month}: ${money(row.accrual)} accrual, ${money(row.exported)} cash`,
  )
  return [
    warning(
      'cash-change-differs',
      `the change in cash of the exported cash basis differs from the accrual books in ${first.found} ${first.found === '1' ? 'month' : 'months'}; the largest: ${examples.join('; ')}`,
      { remedy: 'export both bases from the same books and for the same months' },
    ),
  ]
}

/** Warns of account months in which the exported cash basis differs from the derived one. The exported figures are published. */
async function compareWithExport(db: Database, frame: Frame): Promise<Finding[]> {
  const rows = await db.rows<{
    account: number
    month: string
    exported: string
    derived: string
    found: string
    net: string
  }>(`
    WITH figure AS (
      SELECT account, month, coalesce(sum(amount) FILTER (basis = ${BASIS_CODE.CASH}), 0) AS exported,
        coalesce(sum(amount) FILTER (basis = ${TRIAL}), 0) AS derived
      FROM posting LEFT JOIN account ON account = code
      WHERE kind = ${KIND.activity} AND basis IN (${BASIS_CODE.CASH}, ${TRIAL}) AND coalesce(pl, account > ${frame.accounts.length})
      GROUP BY account, month HAVING exported <> derived)
    SELECT account, printf('%04d-%02d', month // 12, month % 12 + 1) AS month, exported::VARCHAR AS exported, derived::VARCHAR AS derived,
      count(*) OVER () AS found, (sum(exported - derived) OVER ())::VARCHAR AS net
    FROM figure ORDER BY abs(exported - derived) DESC, month, account LIMIT 5`)
  const [first] = rows
  if (first === undefined) return []
  const money = (minor: string): string => moneyText(frame, minor)
  const examples = rows.map((row) => {
    const account = frame.accounts[row.account]
    const name = account === undefined ? 'unapplied' : account.number || account.id
    return `${row.month} ${name}: ${money(row.exported)} exported, ${money(row.derived)} derived`
  })
  return [
    warning(
      'cash-basis-differs',
      `the exported cash basis differs from the one that the settlement links give in ${first.found} account months, ${money(first.net)} in all (debit positive); the largest: ${examples.join('; ')}`,
      { remedy: 'the export is what is published; look at these months, or set cashBasis.derive to never' },
    ),
  ]
}
