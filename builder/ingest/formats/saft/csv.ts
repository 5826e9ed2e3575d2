/** SAF-T lines as the canonical CSV that the books read: one row for each part of a line, with the line's own number. */

import { formatInteger } from '../../../contract/currency.ts'
import { parseFigure } from '../../text/amount.ts'
import { csvCell } from '../../text/csv.ts'
import { isCostAccount } from './accounts.ts'
import type { Part, SaftDimensions } from './dimensions.ts'
import type { Covered } from './figures.ts'
import { type SaftLine, type SaftTransaction, type SaftVisitor, saftSteps } from './parse.ts'
import { postingPeriod, type Years } from './periods.ts'
import { CLOSING_TYPE, isClosing } from './survey.ts'

export const CANONICAL = [
  'row',
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
] as const

export interface Writing {
  readonly dimensions: SaftDimensions
  readonly decimals: number
  readonly years: Years
}

/** Names of customers and suppliers that are kept; beyond them memos have the numbers alone. */
const MOST_PARTIES = 200_000

/** The file was read before, without an error as a whole; what is wrong with single lines the books report. */
export async function* canonicalSaft(file: Covered, writing: Writing): AsyncGenerator<string> {
  const rows = new Rows(file, writing)
  yield `${CANONICAL.join(',')}\n`
  for await (const _ of saftSteps(file.survey.source, file.survey.encoding, rows)) yield rows.written()
}

class Rows implements SaftVisitor {
  readonly #file: Covered
  readonly #writing: Writing
  readonly #parties = new Map<string, string>()
  #transaction: SaftTransaction | null = null
  /** What all lines of the open transaction share. */
  #shared = { id: '', type: '', period: '' }
  #rows = ''

  constructor(file: Covered, writing: Writing) {
    this.#file = file
    this.#writing = writing
  }

  party = (id: string, name: string): void => {
    if (this.#parties.size < MOST_PARTIES) this.#parties.set(id, name)
  }

  line = (line: SaftLine, transaction: SaftTransaction): void => {
    const { survey } = this.#file
    const account = survey.accounts.get(line.account)
    if (account !== undefined && isCostAccount(account)) return
    if (transaction !== this.#transaction) this.#begin(transaction)
    const side = line.debit === '' && line.credit !== '' ? 'credit' : 'debit'
    const minor = parseFigure(line[side], this.#writing.decimals).minor ?? null
    const parts = this.#writing.dimensions.parts(line, survey.file, side, minor)
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
    const text = formatInteger(String(minor), this.#writing.decimals)
    return side === 'debit' ? [text, ''] : ['', text]
  }

  #begin(transaction: SaftTransaction): void {
    const { survey, offset } = this.#file
    const { years } = this.#writing
    const { id, journal, period, date, type } = transaction
    const year = survey.header.fiscalYear.slice(0, 4)
    this.#transaction = transaction
    this.#shared = {
      id: nameOf(id, journal, period.year || date.slice(0, 4)),
      type: isClosing(transaction, survey.header) && survey.notClosing.has(id) ? NOT_CLOSING : type,
      period: postingPeriod(period, year, date, offset, years),
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
