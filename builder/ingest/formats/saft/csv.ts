/** SAF-T lines as the canonical CSV that the books read: one row for each part of a line, with the line's own number. */

import { formatInteger } from '../../../contract/currency.ts'
import { ROW } from '../../format/canonical-plan.ts'
import type { Years } from '../../format/fiscal-years.ts'
import { parseFigure } from '../../text/amount.ts'
import { csvCell } from '../../text/csv.ts'
import { isCostAccount } from './accounts.ts'
import type { Part, SaftDimensions } from './dimensions.ts'
import type { Covered } from './figures.ts'
import type { SaftLine, SaftTransaction, SaftVisitor } from './parse.ts'
import { postingPeriod } from './periods.ts'
import { CLOSING_TYPE, isClosing } from './survey.ts'

export const CANONICAL = [
  ROW,
  'transaction_id',
  'date',
  'account',
  'debit',
  'credit',
  'class',
  'department',
  'memo',
  'reference',
  'journal',
  'type',
  'period',
  'party',
  'party_id',
  'due_date',
  'entered_on',
  'entered_by',
] as const

/** Names of customers and suppliers that are kept; beyond them memos have the numbers alone. */
const MOST_PARTIES = 200_000

export const HEADER = `${CANONICAL.join(',')}\n`

/** Rows of the lines that it is told of. The file was read before: what is wrong with single lines the books report. */
export class SaftRows implements SaftVisitor {
  readonly #file: Covered
  readonly #years: Years
  readonly #decimals: number
  readonly #dimensions: SaftDimensions
  /** Accounts of cost accounting, whose lines are not written. */
  readonly #costAccounts: ReadonlySet<string>
  /** Of lines that are not written, in minor units. */
  readonly beside = { debit: 0n, credit: 0n }
  readonly #parties = new Map<string, string>()
  #transaction: SaftTransaction | null = null
  /** What all lines of the open transaction share. */
  #shared = { id: '', type: '', period: '' }
  #rows = ''

  constructor(file: Covered, years: Years, decimals: number, dimensions: SaftDimensions) {
    this.#file = file
    this.#years = years
    this.#decimals = decimals
    this.#dimensions = dimensions
    const accounts = [...file.survey.accounts.values()]
    this.#costAccounts = new Set(accounts.filter(isCostAccount).map(({ id }) => id))
  }

  onParty = (id: string, name: string): void => {
    if (this.#parties.size < MOST_PARTIES) this.#parties.set(id, name)
  }

  onLine = (line: SaftLine, transaction: SaftTransaction): void => {
    const decimals = this.#decimals
    if (this.#costAccounts.has(line.account)) {
      for (const side of ['debit', 'credit'] as const)
        if (line[side] !== '') this.beside[side] += BigInt(parseFigure(line[side], decimals).minor ?? 0)
      return
    }
    if (transaction !== this.#transaction) this.#begin(transaction)
    const side = line.debit === '' && line.credit !== '' ? 'credit' : 'debit'
    const minor = parseFigure(line[side], decimals).minor ?? null
    const parts = this.#dimensions.parts(line, this.#file.survey.file, side, minor)
    const party = line.party || transaction.party
    const who = party === '' ? '' : `(${[party, this.#parties.get(party) ?? ''].join(' ').trim()})`
    const memo = [line.text || transaction.text, who].filter((text) => text !== '').join(' ')
    for (const [i, part] of parts.entries()) {
      const [debit, credit] = this.#amounts(line, side, part)
      const cells = [
        String(line.row + i),
        this.#shared.id,
        transaction.date,
        line.account,
        debit,
        credit,
        part.class ?? '',
        part.department ?? '',
        memo,
        line.reference || transaction.document,
        transaction.journal,
        this.#shared.type,
        this.#shared.period,
        ...(party === '' ? ['', ''] : [this.#parties.get(party) ?? '', party]),
        line.due,
        line.entered || transaction.entered,
        line.user || transaction.user,
      ]
      this.#rows += `${cells.map(csvCell).join(',')}\n`
    }
  }

  /** The rows that were made since the last call. */
  written(): string {
    const rows = this.#rows
    this.#rows = ''
    return rows
  }

  #amounts(line: SaftLine, side: 'debit' | 'credit', { minor }: Part): readonly [string, string] {
    if (minor === null) return [line.debit, line.credit]
    const text = formatInteger(String(minor), this.#decimals)
    return side === 'debit' ? [text, ''] : ['', text]
  }

  #begin(transaction: SaftTransaction): void {
    const { header, notClosing } = this.#file.survey
    const { id, journal, period, date, type } = transaction
    const year = header.fiscalYear.slice(0, 4)
    this.#transaction = transaction
    this.#shared = {
      id: nameOf(id, journal, period.year || date.slice(0, 4)),
      type: isClosing(transaction, header) && notClosing.has(id) ? NOT_CLOSING : type,
      period: postingPeriod(period, year, date, this.#file.offset, this.#years),
    }
  }
}

/** Portugal: an entry of the closing's type that carries no result into equity, such as the tax of the year. */
const NOT_CLOSING = `${CLOSING_TYPE}, nothing closed`

/** Numbers of vouchers begin anew each year and in each journal; Portuguese numbers contain date and journal already. */
const nameOf = (id: string, journal: string, year: string): string =>
  id === '' || /^\d{4}-\d{2}-\d{2} /.test(id)
    ? id
    : [year, journal, id].filter((part) => part !== '').join(' ')
