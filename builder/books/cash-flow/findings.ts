/** Says what entries moved on the cash flow, and asks what they cannot tell (accounting.md §5). Reads the tables of by-entry.ts. */

import type { Database } from '../../database/database.ts'
import type { Company } from '../../workspace/company.ts'
import { type Finding, note, ofLedger, warning } from '../../workspace/findings/finding.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { accountAt, accountLabel, type Frame, firstBasis } from '../reference/frame.ts'

export async function flowFindings(
  db: Database,
  frame: Frame,
  company: Pick<Company, 'disposals'>,
  files: readonly string[],
): Promise<Finding[]> {
  return [
    ...(await moved(db, frame)),
    ...(await results(db, frame, files, company.disposals !== undefined)),
    ...(frame.dividendOrTax ? await unclear(db, frame, files) : []),
  ]
}

/** SQL: of the first basis alone, since the other one holds the same entries. */
const ofFirst = (frame: Frame): string => `basis = ${BASIS_CODE[firstBasis(frame)]}`

/** One note with how many entries each rule moved, and how much. */
async function moved(db: Database, frame: Frame): Promise<Finding[]> {
  const own = ofFirst(frame)
  const moves = await db.rows<{ entries: number; amount: string | null; says: string }>(`
    SELECT entries::INTEGER AS entries, amount::VARCHAR AS amount, says FROM (
      SELECT 1, count(*), -sum(amount), 'with disposals or write-downs of assets, proceeds ' FROM (
        SELECT sum(amount) AS amount FROM flow_moved JOIN flow_entry USING (entry) WHERE ${own} GROUP BY entry HAVING bool_or(asset) OR sum(amount) <> 0)
      UNION ALL SELECT 2, count(DISTINCT entry) FILTER (NOT is_equity), sum(abs(amount)) FILTER (place = 'Investing'),
        'in which investing and financing moved no cash, ' FROM flow_cancelled JOIN flow_entry USING (entry) WHERE ${own}
      UNION ALL SELECT 3, count(DISTINCT entry), sum(abs(amount)), 'on equity without cash, ' FROM flow_cancelled JOIN flow_entry USING (entry) WHERE ${own} AND is_equity
      UNION ALL SELECT 4, count(*), NULL, 'with assets on account, which count as investing when they are booked and as operating when they are paid'
      FROM flow_entry WHERE ${own} AND (credits OR debits) AND settles AND NOT receives AND NOT pays
    ) AS rule(nth, entries, amount, says) WHERE entries > 0 ORDER BY nth`)
  if (moves.length === 0) return []
  const said = moves.map(
    ({ entries, amount, says }) =>
      `${entries} ${entries === 1 ? 'entry' : 'entries'} ${says}${amount === null ? '' : moneyText(frame, amount)}`,
  )
  return [
    note(
      'cash-flow-by-entry',
      `the cash flow follows these entries, not their accounts alone: ${said.join('; ')}`,
      {
        remedy:
          'nothing to do where that is right; where assets are bought or sold on account, give the payable or receivable of such bills the category Investing in "cashFlow" of company.yaml',
      },
    ),
  ]
}

interface Found extends Record<string, unknown> {
  readonly account: number
  readonly entries: number
  readonly amount: string
  readonly assumed: boolean
  readonly tx: string
  readonly file: number
  readonly row: string
}

/** Lines of entries by account, with the first of them. `which` is SQL. */
const linesFound = (db: Database, frame: Frame, which: string): Promise<Found[]> =>
  db.rows<Found>(`
    SELECT flow_line.account, count(DISTINCT entry)::INTEGER AS entries, sum(flow_line.amount)::VARCHAR AS amount, assumes AS assumed,
      arg_min(posting.tx, id) AS tx, arg_min(posting.file, id) AS file, arg_min(posting.row, id) AS row
    FROM flow_line JOIN flow_entry USING (entry) JOIN posting ON posting.rowid = id
    WHERE flow_entry.${ofFirst(frame)} AND ${which} GROUP BY flow_line.account, assumes ORDER BY ALL`)

/** Accounts beside the sale of an asset that nobody named: one finding each for those taken as its result, and those that may be. */
async function results(
  db: Database,
  frame: Frame,
  files: readonly string[],
  isAnswered: boolean,
): Promise<Finding[]> {
  // A charge that is booked straight on the asset sells nothing.
  const sold = 'assets < 0 AND (off_allowance > 0 OR assets + written <> 0)'
  const rows = await linesFound(db, frame, `other AND NOT names AND (assumes OR (${sold}))`)
  return rows.map(({ account, entries, amount, assumed, tx, file, row }) => {
    const found = accountAt(frame, account)
    const label = accountLabel(found)
    const setting = `disposals: { gainsAndLosses: ["${found.number || found.id}"] }`
    const place = { file: files[file] ?? null, row: Number(row), text: tx }
    const where = `${entries === 1 ? 'the entry' : `${entries} entries, first`} ${ofLedger(tx)}`
    if (assumed)
      return note(
        'disposal-result-assumed',
        `${label} is taken as the gain or loss on the asset in ${where}: a ${Number(amount) < 0 ? 'gain' : 'loss'} of ${moneyText(frame, Math.abs(Number(amount)))} counts in the proceeds`,
        { ...place, remedy: `to say so yourself, for every entry, write it in company.yaml: ${setting}` },
      )
    return (isAnswered ? note : warning)(
      'disposal-result-unclear',
      `an asset leaves the books and ${label} stands beside it, in ${where}, with ${moneyText(frame, amount)} (debit positive): is that a gain or loss on the disposal? It counts as operating`,
      {
        ...place,
        remedy: `if so, write it in company.yaml: ${setting}; if not, name the accounts that are, or none: disposals: { gainsAndLosses: [] }`,
      },
    )
  })
}

/** The accounts of which it is not known whether dividends or tax are owed. */
async function unclear(db: Database, frame: Frame, files: readonly string[]): Promise<Finding[]> {
  const which = 'asks AND NOT receives AND NOT pays AND unclear AND flow_line.amount < 0'
  const rows = await linesFound(db, frame, which)
  return rows.map(({ account, amount, tx, file, row }) => {
    const found = accountAt(frame, account)
    const name = found.number || found.id
    return warning(
      'dividend-or-tax',
      `${accountLabel(found)} is credited against earnings, first by ${ofLedger(tx)}, with ${moneyText(frame, `${-Number(amount)}`)} in all: are dividends owed there, or tax? Until that is known entries on equity without cash stay in financing from ${frame.dividendOrTax} on`,
      {
        file: files[file] ?? null,
        row: Number(row),
        text: tx,
        remedy: `write it in company.yaml: cashFlow: { "${name}": Financing } for dividends, Operating for tax`,
      },
    )
  })
}
