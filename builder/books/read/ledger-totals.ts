/**
 * Finds total rows in a ledger, such as the last row of a spreadsheet. They have a figure, but neither a date nor an account. They
 * are checked against the rows above and left out with a warning.
 */
import { displayMinor } from '../../contract/currency.ts'
import { type Database, isAny } from '../../database/database.ts'
import type { LedgerInput } from '../../ingest/format/intake.ts'
import { LEDGER_COLUMNS } from '../../ingest/format/ledger-columns.ts'
import { isTotalLabel, NOT_CALCULATED } from '../../ingest/tables/totals.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { footerLeftOut } from '../../ingest/text/footer.ts'
import { error, type Finding, note, ofLedger } from '../../workspace/findings/finding.ts'
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
    const place = { file: input.file, row }
    const stated = figuresOf(candidate, decimals, { ...input, currency })
    const label = labelOf(candidate)
    const remark = stated === 'none' ? await remarkBelow(db, candidate) : null
    if (remark !== null) {
      await leaveOut(db, candidate)
      findings.push(footerLeftOut(input.file, row, remark))
    }
    if (stated === 'none' || stated === 'unreadable' || label === null) continue
    if (stated === 'uncalculated') {
      await leaveOut(db, candidate)
      findings.push(
        note('total-left-out', `"${ofLedger(label)}" was never calculated: left out, and it proves nothing`, {
          ...{ ...place, text: label, remedy: NOT_CALCULATED },
        }),
      )
      continue
    }
    const whole = await sumsAbove(db, candidate.file, row, 0)
    const part = await sumsAbove(db, candidate.file, row, lastTotal.get(candidate.file) ?? 0)
    const isSum = [whole, part].some((sums) => agrees(stated, sums) && (label !== '' || sums.rows >= 2))
    if (!isSum && (label === '' || !whole.isReadable)) continue
    lastTotal.set(candidate.file, row)
    await leaveOut(db, candidate)
    findings.push(
      isSum
        ? note(
            'total-left-out',
            `${label === '' ? 'the row' : `"${ofLedger(label)}"`} sums up rows above it: checked, and left out`,
            { ...place, text: label, remedy: 'nothing need be done' },
          )
        : error(
            'total-differs',
            `"${label}" is not the sum of the rows above it: ${sumText(whole, decimals)}`,
            {
              ...place,
              text: label,
              remedy: 'rows may be missing: export the file again; or remove the total, which is not needed',
            },
          ),
    )
  }
  return findings
}

type Figures = { readonly [figure in Figure]: bigint | null }

const leaveOut = (db: Database, { file, row }: Candidate): Promise<void> =>
  db.run(`DELETE FROM line WHERE file = ${file} AND row = ${row}`)

/** The only text of a row below all lines of its file, such as when and by whom it was printed; else null. */
async function remarkBelow(db: Database, candidate: Candidate): Promise<string | null> {
  const [text, ...others] = textsOf(candidate)
  if (text === undefined || others.length > 0) return null
  const letter = text.search(/\p{L}/u)
  if (letter === -1 || !/\s/.test(text.slice(letter))) return null
  const { file, row } = candidate
  const below = `line WHERE file = ${file} AND row > ${row} AND (entered IS NOT NULL OR account IS NOT NULL)`
  return (await isAny(db, below)) ? null : text
}

/**
 * The figures of a total, or why it has none. Formulas that were never calculated stand as their text; a program that leaves them to a
 * spreadsheet writes zeros.
 */
function figuresOf(
  candidate: Candidate,
  decimals: number,
  form: { readonly decimal: '.' | ','; readonly thousands: string; readonly currency: string },
): Figures | 'none' | 'unreadable' | 'uncalculated' {
  const figures: { [figure in Figure]: bigint | null } = { debit: null, credit: null, amount: null }
  const texts = FIGURES.map((figure) => ({ figure, text: String(candidate[figure] ?? '').trim() }))
  const given = texts.filter(({ text }) => text !== '')
  if (given.length === 0) return 'none'
  if (given.every(({ text }) => text.startsWith('='))) return 'uncalculated'
  for (const { figure, text } of given) {
    const { minor } = parseAmount(text, decimals, { ...form, isSigned: figure === 'amount' })
    if (minor === undefined) return 'unreadable'
    figures[figure] = BigInt(minor)
  }
  return figures.amount === null && given.every(({ figure }) => figures[figure] === 0n)
    ? 'uncalculated'
    : figures
}

/** The label of a total row; empty where the row holds figures only; null where it holds other text. */
function labelOf(candidate: Candidate): string | null {
  const texts = textsOf(candidate)
  return texts.find(isTotalLabel) ?? (texts.length === 0 ? '' : null)
}

const textsOf = (candidate: Candidate): string[] =>
  LEDGER_COLUMNS.filter((column) => !(FIGURES as readonly string[]).includes(column))
    .map((column) => String(candidate[column] ?? '').trim())
    .filter((text) => text !== '')

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
