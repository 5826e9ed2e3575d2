/** Computes the control totals of ledger files, and compares them with those that the files state. */
import { displayMinor } from '../../contract/currency.ts'
import { byCodePoint } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { Intake, LedgerInput } from '../../ingest/format/intake.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import type { KnownMistakes } from '../check/known-mistakes.ts'
import type { PostedLines } from '../post/postings.ts'
import type { FileTotals } from './engine/engine.ts'
import type { LedgerReading } from './ledger.ts'
import { inputAt } from './ledger-context.ts'

/** Minor units as integer text; debit and credit as they were written. Dates are `YYYY-MM-DD`. */
export interface InputTotals {
  readonly file: string
  readonly rows: number
  readonly debit: string
  readonly credit: string
  readonly firstDate: string | null
  readonly lastDate: string | null
  readonly rejected: number
  /** The lines that became postings; the others are opening balances. Known once the books are made. */
  readonly posted?: PostedLines
}

/** The totals of the lines of each file, by its number. */
export const fileTotals = (db: Database): Promise<ReadonlyMap<number, FileTotals>> =>
  totalsIn(
    db,
    `(SELECT file, count(*) AS rows, coalesce(sum(amount) FILTER (NOT credited), 0) AS debit,
      coalesce(-sum(amount) FILTER (credited), 0) AS credit, min(day) AS first, max(day) AS last
    FROM line GROUP BY file)`,
  )

/** Reads totals by the number of the file. `from` has the columns of {@link FileTotals} and `file`, the sums as integers of any width. */
export async function totalsIn(db: Database, from: string): Promise<ReadonlyMap<number, FileTotals>> {
  const rows = await db.rows<Omit<FileTotals, 'rows'> & { file: number; rows: string }>(
    `SELECT file, rows, debit::VARCHAR AS debit, credit::VARCHAR AS credit, first::VARCHAR AS first, last::VARCHAR AS last FROM ${from}`,
  )
  return new Map(rows.map(({ file, ...totals }) => [Number(file), { ...totals, rows: Number(totals.rows) }]))
}

/** Control totals of each ledger file, in the order of their names. A format may make several inputs from one file. */
export function inputTotals(
  inputs: readonly LedgerInput[],
  readings: readonly LedgerReading[],
  totals: ReadonlyMap<number, FileTotals>,
): InputTotals[] {
  const byFile = new Map<string, InputTotals>()
  for (const [i, { rejected }] of readings.entries()) {
    const { file } = inputAt(inputs, i)
    const own = totals.get(i) ?? { rows: 0, debit: '0', credit: '0', first: null, last: null }
    const known = byFile.get(file)
    const days = [known?.firstDate, known?.lastDate, own.first, own.last].flatMap((day) => day ?? []).sort()
    byFile.set(file, {
      file,
      rows: (known?.rows ?? 0) + own.rows,
      rejected: (known?.rejected ?? 0) + rejected,
      debit: String(BigInt(known?.debit ?? 0) + BigInt(own.debit)),
      credit: String(BigInt(known?.credit ?? 0) + BigInt(own.credit)),
      firstDate: days[0] ?? null,
      lastDate: days.at(-1) ?? null,
    })
  }
  return [...byFile.values()].sort((a, b) => byCodePoint(a.file, b.file))
}

/** What all lines of the files add up to, and which files have lines whose amounts were rounded. */
export interface ReadSums {
  readonly totals: ReadonlyMap<number, FileTotals>
  readonly rounded: ReadonlySet<number>
}

/** `canRound`: company.yaml allows rounding, so that lines say whether they were rounded. */
export async function readSums(db: Database, canRound: boolean): Promise<ReadSums> {
  const rounded = canRound
    ? await db.rows<{ file: number }>('SELECT DISTINCT file FROM line WHERE rounded')
    : []
  return { totals: await fileTotals(db), rounded: new Set(rounded.map(({ file }) => Number(file))) }
}

/** Where the totals that files state differ from all lines that were read of them. */
export function totalFindings(
  { ledger, totals }: Pick<Intake, 'ledger' | 'totals'>,
  sums: ReadSums,
  decimals: number,
  mistakes: KnownMistakes,
): Finding[] {
  return totals.flatMap(({ file, row, side, column, amount, beside }) => {
    const inputs = [...ledger.keys()].filter((i) => inputAt(ledger, i).file === file)
    if (inputs.some((i) => sums.rounded.has(i)))
      return [
        warning('not-checked', `${column} was not checked, since amounts of lines were rounded`, {
          ...{ file, row, column, text: amount },
          remedy: 'nothing, where the program that wrote the file keeps more decimals than the currency has',
        }),
      ]
    const { minor: stated = null } = parseAmount(amount, decimals)
    const found = inputs.reduce((sum, i) => sum + BigInt(sums.totals.get(i)?.[side] ?? 0), BigInt(beside))
    const off = stated === null ? Number.NaN : Number(BigInt(stated) - found)
    if (!mistakes.isFault(null, '', side === 'debit' ? off : 0 - off, column, 'entry')) return []
    return [
      error(
        'control-differs',
        `the file states a ${column} of ${stated === null ? amount : displayMinor(stated, decimals)}; its lines add up to ${displayMinor(found, decimals)}`,
        {
          ...{ file, row, column, text: amount },
          remedy: 'the export is incomplete or was changed: export it again',
        },
      ),
    ]
  })
}
