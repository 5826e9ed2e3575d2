/**
 * Finds total rows in a ledger, such as the last row of a spreadsheet. They have a figure, but neither a date nor an account. They
 * are checked against the rows above and left out with a warning.
 */
import { displayMinor } from '../contract/currency.ts'
import { LEDGER_COLUMNS, type LedgerInput } from '../ingest/format/intake.ts'
import { isTotalLabel } from '../ingest/tables/totals.ts'
import { parseAmount } from '../ingest/text/amount.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import type { Database } from './database.ts'
import { inputAt } from './ledger-context.ts'

const FIGURES = ['debit', 'credit', 'amount'] as const
type Figure = (typeof FIGURES)[number]

/** A ledger with more such rows has another mistake, and its rows are reported one by one. */
const MOST = 50

interface Candidate extends Record<string, unknown> {
  readonly file: number
  readonly row: string
}

/**
 * Deletes total rows from `line`; their text is in `raw`. A labelled total that differs from the sums above is an error. Rows that may be
 * something else stay and are checked as ordinary rows.
 */
export async function leaveOutTotals(
  db: Database,
  { inputs, decimals, currency }: { inputs: readonly LedgerInput[]; decimals: number; currency: string },
): Promise<Finding[]> {
  const candidates = await db.rows<Candidate>(
    `SELECT raw.* FROM line JOIN raw USING (file, row) WHERE line.entered IS NULL AND line.account IS NULL
     ORDER BY file, row LIMIT ${MOST + 1}`,
  )
  if (candidates.length > MOST) return []
  const findings: Finding[] = []
  const lastTotal = new Map<number, number>()
  for (const candidate of candidates) {
    const input = inputAt(inputs, candidate.file)
    const row = Number(candidate.row)
    const stated = figuresOf(candidate, decimals, { ...input, currency })
    if (stated === null) continue
    const label = labelOf(candidate)
    if (label === null) continue
    const whole = await sumsAbove(db, candidate.file, row, 0)
    const part = await sumsAbove(db, candidate.file, row, lastTotal.get(candidate.file) ?? 0)
    const isSum = [whole, part].some((sums) => agrees(stated, sums) && (label !== '' || sums.rows >= 2))
    if (!isSum && (label === '' || !whole.isReadable)) continue
    lastTotal.set(candidate.file, row)
    await db.run(`DELETE FROM line WHERE file = ${candidate.file} AND row = ${row}`)
    const place = { file: input.file, row, text: label }
    findings.push(
      isSum
        ? warning(
            'total-left-out',
            `${label === '' ? 'the row' : `"${label}"`} sums up rows above it: checked, and left out`,
            { ...place, remedy: 'nothing need be done; export without totals to be rid of this warning' },
          )
        : error(
            'total-differs',
            `"${label}" is not the sum of the rows above it: ${sumText(whole, decimals)}`,
            {
              ...place,
              remedy: 'rows may be missing: export the file again; or remove the total, which is not needed',
            },
          ),
    )
  }
  return findings
}

type Figures = { readonly [figure in Figure]: bigint | null }

/** Null where the row has no figure, or one that cannot be read. */
function figuresOf(
  candidate: Candidate,
  decimals: number,
  form: { readonly decimal: '.' | ','; readonly thousands: string; readonly currency: string },
): Figures | null {
  const figures: { [figure in Figure]: bigint | null } = { debit: null, credit: null, amount: null }
  for (const figure of FIGURES) {
    const text = String(candidate[figure] ?? '').trim()
    if (text === '') continue
    const { minor } = parseAmount(text, decimals, { ...form, isSigned: figure === 'amount' })
    if (minor === undefined) return null
    figures[figure] = BigInt(minor)
  }
  return FIGURES.every((figure) => figures[figure] === null) ? null : figures
}

/** The label of a total row; empty where the row holds figures only; null where it holds other text. */
function labelOf(candidate: Candidate): string | null {
  const texts = LEDGER_COLUMNS.filter((column) => !(FIGURES as readonly string[]).includes(column))
    .map((column) => String(candidate[column] ?? '').trim())
    .filter((text) => text !== '')
  return texts.find(isTotalLabel) ?? (texts.length === 0 ? '' : null)
}

/** Sums of the rows above a total, in minor units; debit and credit both without sign. */
interface Sums {
  readonly debit: bigint
  readonly credit: bigint
  readonly rows: number
  /** Whether all amounts above could be read. */
  readonly isReadable: boolean
}

async function sumsAbove(db: Database, file: number, row: number, from: number): Promise<Sums> {
  const sums = await db.row<{ debit: string; credit: string; rows: string; unread: string }>(
    `SELECT coalesce(sum(amount) FILTER (NOT credited), 0)::VARCHAR AS debit, coalesce(-sum(amount) FILTER (credited), 0)::VARCHAR AS credit,
       count(*) AS rows, count(*) FILTER (amount IS NULL) AS unread FROM line WHERE file = ${file} AND row < ${row} AND row > ${from}`,
  )
  const { debit, credit, rows, unread } = sums
  return { debit: BigInt(debit), credit: BigInt(credit), rows: Number(rows), isReadable: unread === '0' }
}

const agrees = ({ debit, credit, amount }: Figures, sums: Sums): boolean =>
  (debit === null || debit === sums.debit) &&
  (credit === null || credit === sums.credit) &&
  (amount === null || amount === sums.debit - sums.credit)

const sumText = ({ debit, credit }: Sums, decimals: number): string =>
  `debits are ${displayMinor(debit, decimals)}, credits ${displayMinor(credit, decimals)}`
