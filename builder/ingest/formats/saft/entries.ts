/** What the entries of a SAF-T file say, in one pass that keeps no line: dates, sums, used accounts. */
import type { Company } from '../../../workspace/company.ts'
import type { Finding } from '../../../workspace/findings/finding.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import { parseFigure } from '../../text/amount.ts'
import { classifySaftAccount } from './accounts.ts'
import { type Above, MOST_ACCOUNTS, tooMany } from './head.ts'
import type { SaftAccount, SaftHeader, SaftLine, SaftTotals, SaftTransaction, SaftVisitor } from './parse.ts'
import { isDate, PeriodVotes } from './periods.ts'

/** What a company.yaml says that is needed here. */
export type Context = Pick<Company, 'accounts'> & { readonly decimals: number }

/** All lines, and those of closing entries. */
export interface Moved {
  all: number
  closing: number
}

const MOST_TYPES = 1000

/** Portugal: entries that carry the year's result into equity (apuramento de resultados). */
export const CLOSING_TYPE = 'A'
export const isClosing = ({ type }: SaftTransaction, header: SaftHeader | null): boolean =>
  type === CLOSING_TYPE && header?.country === 'PT'

export const undeclared = (id: string): SaftAccount => ({
  row: 0,
  id,
  name: id,
  standard: '',
  category: '',
  code: '',
  opening: null,
  closing: null,
})

export const kindIn = (
  { header, accounts }: Above,
  id: string,
  stated: Company['accounts'],
): AccountKind | null =>
  classifySaftAccount(accounts.get(id) ?? undeclared(id), header?.country ?? null, stated)

export class SaftEntries {
  readonly #file: string
  readonly #above: Above
  readonly #context: Context
  /** Why the file cannot be read at all; null where it can. */
  refusal: Finding | null = null
  /** Types of analysis codes that lines carry. */
  readonly types = new Set<string>()
  /** Account → the first line that posts to it. */
  readonly used = new Map<string, number>()
  /** Portugal: minor units per account, debit positive. */
  readonly moved = new Map<string, Moved>()
  /** Ids of entries of type A (Portugal) that carry no result into equity, and so are not closing entries. */
  readonly notClosing = new Set<string>()
  readonly votes = new PeriodVotes()
  firstDate = ''
  lastDate = ''
  transactions = 0
  rows = 0
  totals: SaftTotals | null = null
  /** Of the open transaction, where it may be one that closes: what it moves, in minor units per account. */
  #entry: Map<string, number> | null = null

  /** `above` may still grow while the file is read. */
  constructor(file: string, above: Above, context: Context) {
    this.#file = file
    this.#above = above
    this.#context = context
  }

  /** What is to be told of the file. */
  readonly visitor: SaftVisitor = {
    line: (line, transaction) => this.#line(line, transaction),
    transaction: (transaction, lines) => this.#transaction(transaction, lines),
    totals: (totals) => {
      this.totals = totals
    },
  }

  #line(line: SaftLine, transaction: SaftTransaction): void {
    this.rows++
    let moved = this.moved.get(line.account)
    if (moved === undefined) {
      if (!this.#hasRoom(this.moved.size, MOST_ACCOUNTS, 'accounts')) return
      moved = { all: 0, closing: 0 }
      this.moved.set(line.account, moved)
      if (line.account !== '') this.used.set(line.account, line.row)
    }
    for (const { type } of line.analyses)
      if (!this.types.has(type) && this.#hasRoom(this.types.size, MOST_TYPES, 'types of analysis codes'))
        this.types.add(type)
    // Only there entries carry results into equity.
    if (this.#above.header?.country !== 'PT') return
    const minor = this.#minor(line.debit) - this.#minor(line.credit)
    moved.all += minor
    if (!isClosing(transaction, this.#above.header)) return
    this.#entry ??= new Map()
    this.#entry.set(line.account, (this.#entry.get(line.account) ?? 0) + minor)
  }

  /** What cannot be read the books report. */
  #minor = (text: string): number =>
    text === '' ? 0 : (parseFigure(text, this.#context.decimals).minor ?? 0)

  #hasRoom(size: number, most: number, what: string): boolean {
    if (size < most) return true
    this.refusal ??= tooMany(this.#file, most, what)
    return false
  }

  #transaction(transaction: SaftTransaction, lines: number): void {
    this.transactions++
    const { date, period } = transaction
    if (lines > 0 && isDate(date)) {
      if (this.firstDate === '' || date < this.firstDate) this.firstDate = date
      if (date > this.lastDate) this.lastDate = date
      this.votes.add(period, this.#above.header?.fiscalYear.slice(0, 4) ?? '', date)
    }
    const entry = this.#entry
    this.#entry = null
    if (entry === null) return
    // An entry of type A that books the tax of the year, for example, does not close it.
    if (![...entry.keys()].some((id) => this.#isEquity(id))) {
      this.notClosing.add(transaction.id)
      return
    }
    for (const [id, minor] of entry) {
      const moved = this.moved.get(id)
      if (moved) moved.closing += minor
    }
  }

  #isEquity(id: string): boolean {
    return kindIn(this.#above, id, this.#context.accounts)?.classification === 'Equity'
  }
}
