/** Compares the lines of a SAF-T file with its TotalDebit, TotalCredit and NumberOfEntries. */
import { displayMinor } from '../../../contract/currency.ts'
import { capFindings, LISTED } from '../../../workspace/cap-findings.ts'
import { error, type Finding, hasErrors, warning } from '../../../workspace/finding.ts'
import { notChecked } from '../../../workspace/not-checked.ts'
import { KnownDifferences } from '../../format/known-differences.ts'
import { parseAmount, parseFigure } from '../../text/amount.ts'
import type { SaftLine, SaftTotals } from './parse.ts'

type Side = 'debit' | 'credit'

/** What the lines of a file add up to. */
export interface Sums {
  readonly debit: bigint
  readonly credit: bigint
  /** The first lines whose amount cannot be read, by side. */
  readonly unread: Readonly<Record<Side, readonly number[]>>
  /** The first amounts that are too large, and how many are. All other mistakes in amounts are reported by the books. */
  readonly tooLarge: readonly TooLarge[]
  readonly tooLargeCount: number
  /** The differences of the first transactions that do not balance. */
  readonly off: readonly number[]
}

interface TooLarge {
  readonly row: number
  readonly text: string
  readonly column: 'CreditAmount' | 'DebitAmount'
}

/** Adds up lines. */
export class LineSums {
  readonly #decimals: number
  #debit = 0n
  #credit = 0n
  readonly #unread: Record<Side, number[]> = { debit: [], credit: [] }
  readonly #tooLarge: TooLarge[] = []
  #tooLargeCount = 0
  /** Of the open transaction: debits minus credits, as far as they can be read. */
  #open = { minor: 0, isWhole: true }
  readonly #off: number[] = []

  constructor(decimals: number) {
    this.#decimals = decimals
  }

  /** Debit and credit; nothing where the amount cannot be read. */
  line(line: SaftLine): readonly [debit: number, credit: number] {
    const debit = this.#read(line, 'debit')
    const credit = this.#read(line, 'credit')
    this.#debit += BigInt(debit)
    this.#credit += BigInt(credit)
    this.#open.minor += debit - credit
    return [debit, credit]
  }

  #read(line: SaftLine, side: Side): number {
    const text = line[side]
    if (text === '') return 0
    const { minor, problem } = parseFigure(text, this.#decimals)
    if (problem === 'amount-too-large' && ++this.#tooLargeCount <= LISTED)
      this.#tooLarge.push(tooLarge(line, text))
    if (minor !== undefined) return minor
    this.#open.isWhole = false
    if (this.#unread[side].length < LISTED) this.#unread[side].push(line.row)
    return 0
  }

  /** Ends the open transaction. */
  transaction(): void {
    const { minor, isWhole } = this.#open
    if (minor !== 0 && isWhole && this.#off.length < LISTED) this.#off.push(minor)
    this.#open = { minor: 0, isWhole: true }
  }

  sums(): Sums {
    return {
      ...{ debit: this.#debit, credit: this.#credit, unread: this.#unread, off: this.#off },
      ...{ tooLarge: this.#tooLarge, tooLargeCount: this.#tooLargeCount },
    }
  }
}

interface Summed {
  readonly sums: Sums
  /** Null where the file states none. */
  readonly totals: SaftTotals | null
  readonly transactions: number
  readonly rows: number
}

/** Where a file's own totals differ from its lines. */
export function sumFindings(
  file: string,
  { sums, totals, transactions, rows }: Summed,
  decimals: number,
): Finding[] {
  const findings = tooLargeFindings(file, sums)
  if (totals === null) return findings
  // Lines that cannot be read and entries that do not balance have findings of their own.
  const known = new KnownDifferences(sums.off)
  for (const [column, text, side] of [
    ['TotalDebit', totals.debit, 'debit'],
    ['TotalCredit', totals.credit, 'credit'],
  ] as const) {
    const found = sums[side]
    const unread = sums.unread[side].map((row) => ({ file, row }))
    const stated = parseAmount(text, decimals).minor
    const difference = stated === undefined ? null : Number(BigInt(stated) - found)
    if (text === '' || difference === 0) continue
    if (unread.length > 0) {
      findings.push(notChecked(column, unread))
      continue
    }
    if (difference !== null && known.explain(side === 'debit' ? difference : 0 - difference)) continue
    findings.push(
      error(
        'control-differs',
        `the file states a ${column} of ${stated === undefined ? text : displayMinor(stated, decimals)}; its lines add up to ${displayMinor(found, decimals)}`,
        {
          file,
          row: totals.row,
          column,
          text,
          remedy: 'the export is incomplete or was changed: export it again',
        },
      ),
    )
  }
  const count = Number(totals.entries || 'NaN')
  // By rule the number of transactions; some programs count the lines.
  if (!Number.isNaN(count) && count !== transactions && count !== rows)
    findings.push(
      warning(
        'entry-count-differs',
        `the file states ${count} entries (NumberOfEntries); it holds ${transactions} transactions with ${rows} lines`,
        {
          file,
          row: totals.row,
          column: 'NumberOfEntries',
          text: totals.entries,
          remedy: hasErrors(findings)
            ? 'export the file again'
            : 'nothing to do where the program counts otherwise: the totals agree',
        },
      ),
    )
  return findings
}

const tooLarge = ({ row, credit }: SaftLine, text: string): TooLarge => ({
  ...{ row, text },
  column: credit === text ? 'CreditAmount' : 'DebitAmount',
})

const tooLargeFindings = (file: string, { tooLarge, tooLargeCount }: Sums): Finding[] =>
  capFindings(
    tooLarge.map(({ row, column, text }) =>
      error('amount-too-large', `${text} is too large to be an exact amount`, {
        ...{ file, row, column, text },
        remedy: 'check the amount in the accounting program, and export again',
      }),
    ),
    tooLargeCount,
  )
