/** Compares the lines of a SAF-T file with its TotalDebit, TotalCredit and NumberOfEntries. */
import { displayMinor } from '../../../contract/currency.ts'
import { CappedFindings, LISTED } from '../../../workspace/cap-findings.ts'
import { error, type Finding, hasErrors, warning } from '../../../workspace/finding.ts'
import { notChecked } from '../../../workspace/not-checked.ts'
import { KnownDifferences } from '../../format/known-differences.ts'
import { parseAmount, parseFigure } from '../../text/amount.ts'
import type { SaftLine, SaftTotals } from './parse.ts'

type Side = 'debit' | 'credit'

export class SaftSums {
  readonly #file: string
  readonly #decimals: number
  #debit = 0n
  #credit = 0n
  /** Lines whose amount cannot be read, by side. */
  readonly #unread: Record<Side, Pick<Finding, 'file' | 'row'>[]> = { debit: [], credit: [] }
  /** All other mistakes in amounts are reported by the books. */
  readonly #tooLarge = new CappedFindings()
  /** Of the open transaction: debits minus credits, as far as they can be read. */
  #open = { minor: 0, isWhole: true }
  /** The differences of transactions that do not balance. */
  readonly #off: number[] = []

  constructor(file: string, decimals: number) {
    this.#file = file
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
    if (problem === 'amount-too-large') this.#tooLarge.add(tooLarge(this.#file, line, text))
    if (minor !== undefined) return minor
    this.#open.isWhole = false
    if (this.#unread[side].length < LISTED) this.#unread[side].push({ file: this.#file, row: line.row })
    return 0
  }

  /** Ends the open transaction. */
  transaction(): void {
    const { minor, isWhole } = this.#open
    if (minor !== 0 && isWhole && this.#off.length < LISTED) this.#off.push(minor)
    this.#open = { minor: 0, isWhole: true }
  }

  /** Where the file's own totals differ from its lines. */
  findings(
    totals: SaftTotals | null,
    { transactions, rows }: { readonly transactions: number; readonly rows: number },
  ): Finding[] {
    const findings = this.#tooLarge.list()
    if (totals === null) return findings
    const decimals = this.#decimals
    // Lines that cannot be read and entries that do not balance have findings of their own.
    const known = new KnownDifferences(this.#off)
    for (const [column, text, found, side] of [
      ['TotalDebit', totals.debit, this.#debit, 'debit'],
      ['TotalCredit', totals.credit, this.#credit, 'credit'],
    ] as const) {
      const stated = parseAmount(text, decimals).minor
      const difference = stated === undefined ? null : Number(BigInt(stated) - found)
      if (text === '' || difference === 0) continue
      if (this.#unread[side].length > 0) {
        findings.push(notChecked(column, this.#unread[side]))
        continue
      }
      if (difference !== null && known.explain(side === 'debit' ? difference : 0 - difference)) continue
      findings.push(
        error(
          'control-differs',
          `the file states a ${column} of ${stated === undefined ? text : displayMinor(stated, decimals)}; its lines add up to ${displayMinor(found, decimals)}`,
          {
            file: this.#file,
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
            file: this.#file,
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
}

const tooLarge = (file: string, line: SaftLine, text: string): Finding =>
  error('amount-too-large', `${text} is too large to be an exact amount`, {
    file,
    row: line.row,
    column: line.credit === text ? 'CreditAmount' : 'DebitAmount',
    text,
    remedy: 'check the amount in the accounting program, and export again',
  })
