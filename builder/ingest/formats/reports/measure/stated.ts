/**
 * Compares what a report states about itself with its own lines: balances after each line, what an account moved by, its
 * totals and its balance at the end, openings in the middle, and the sums of the whole. For programs with {@link RowMarks}.
 */
import { currencyDecimals, displayMinor } from '../../../../contract/currency.ts'
import { error, type Finding } from '../../../../workspace/finding.ts'
import type { UnreadRows } from '../../../format/unread-rows.ts'
import type { Cells } from '../../../text/delimited.ts'
import { cellOf, columnAt } from '../rows/cells.ts'
import type { Layout, Role, RowMarks } from '../rows/layout.ts'
import type { RowEvent } from '../rows/rows.ts'
import { netOf, nothing, plus, type Sides, sidesOf } from '../rows/sides.ts'
import { type Difference, RunningBalance } from './differences.ts'
import { type StatedAccount, statedAccount } from './stated-account.ts'
import {
  AGAIN,
  noEnd,
  noGrand,
  openingsIncomplete,
  openingWithoutAccount,
  resultsDiffer,
} from './stated-faults.ts'
import { type BalanceSign, SIGNS } from './written.ts'

export interface StatedContext {
  readonly file: string
  readonly currency: string
  readonly layout: Layout
  readonly marks: RowMarks
  readonly unread: UnreadRows
  readonly isCredit: (id: string) => boolean
  readonly isResult: (id: string) => boolean
  readonly isEquity: (id: string) => boolean
  /** Whether the text is the first day of a fiscal year. */
  readonly startsYear: (date: string) => boolean
  readonly figure: (cells: Cells, role: Role) => number | null
}

export class StatedFigures {
  readonly #context: StatedContext
  readonly #sections = new Map<string, StatedAccount>()
  readonly #found: Finding[] = []
  /** Balances that differ if they are debit positive, and if they are in the sign of the account's own side. */
  readonly #balances: Record<BalanceSign, Difference[]> = { debit: [], natural: [] }
  readonly #totals: Difference[] = []
  readonly #openings = nothing()
  readonly #lines = nothing()
  #wholeOpening: { readonly sum: Sides; readonly row: number } | null = null
  #hasGrand = false
  #current: StatedAccount | null = null
  #isLacking = false
  /** Moved without an entry at the beginning of a year: results into retained earnings. */
  #rolled = 0
  #rolledRow: number | null = null

  constructor(context: StatedContext) {
    this.#context = context
  }

  line(id: string, { debit, credit }: Sides, row: number, cells: Cells): void {
    const section = this.#sectionOf(id, row)
    for (const sum of [section.moved, section.change, this.#lines]) {
      sum.debit += debit
      sum.credit += credit
    }
    section.is.debit.move(debit - credit)
    section.is.natural.move(this.#turned(id, debit - credit))
    section.lines++
    const stated = this.#figure(cells, 'balance')
    if (stated !== null) this.#compare(section, stated, row, 'after this line')
  }

  /** A line that cannot be read. */
  lose(id: string | null): void {
    this.#isLacking = true
    const all = id === null ? [...this.#sections.values()] : [this.#sectionOf(id, 0)]
    for (const section of all) {
      section.lines++
      section.lacks = { line: true, balance: true, change: true }
    }
  }

  /** A balance brought forward that cannot be read. */
  loseOpening(id: string | null): void {
    this.#isLacking = true
    if (id !== null) this.#sectionOf(id, 0).lacks = { line: true, balance: true, change: false }
  }

  /** `ids`: of a total, the account itself, which comes first, and its sub-accounts. */
  event(event: RowEvent, id: string | null, ids: readonly string[]): void {
    const { kind, row, cells } = event
    if (kind === 'wholeOpening') this.#wholeOpening = { sum: this.#sidesOf(cells) ?? nothing(), row }
    else if (kind === 'grand') this.#grand(row, cells)
    else if (kind === 'wholeClosing') this.#wholeClosing(row, cells)
    else if (kind === 'unnamed') this.#unnamed(row, cells)
    else if (id === null) return
    else if (kind === 'opening') this.#opening(id, row, cells)
    else if (kind === 'change') this.#change(this.#sectionOf(id, row), row, cells)
    else if (kind === 'closing') this.#closing(this.#sectionOf(id, row), row, cells)
    else if (kind === 'total') {
      const subs = ids.slice(1).map((each) => this.#sectionOf(each, row))
      this.#total(this.#sectionOf(id, row), subs, row, cells)
    } else if (kind === 'section' && this.#context.marks.headings === 'totals')
      this.#sectionOf(id, row).heading = { cells, row }
  }

  /** True where the balance brought forward is the account's first: it opens the books. */
  isFirst = (id: string): boolean => {
    const section = this.#sections.get(id)
    return section === undefined || (section.lines === 0 && netOf(section.opening) === 0)
  }

  finish(): Finding[] {
    const { marks, file } = this.#context
    const anyEnd = [...this.#sections.values()].some(({ hasEnd }) => hasEnd)
    for (const section of this.#sections.values())
      if (section.heading !== null) this.#heading(section, section.heading)
    for (const section of this.#sections.values()) {
      const mayLack = marks.headings === 'totals' && !anyEnd && section.heading !== null
      if (marks.ends !== null && !section.hasEnd && !mayLack)
        this.#found.push(noEnd(section.id, { file, row: section.row }))
    }
    if (marks.hasGrand && !this.#hasGrand) this.#found.push(noGrand({ file }))
    if (this.#rolled !== 0)
      this.#found.push(resultsDiffer(this.#money(this.#rolled), { file, row: this.#rolledRow }))
    return this.#found
  }

  /** After {@link finish}. */
  differences = (): Difference[] => [...this.#balances[this.isNatural ? 'natural' : 'debit'], ...this.#totals]

  /** Balances of liabilities, equity and income are positive where they are on the credit side. */
  get isNatural(): boolean {
    return this.#balances.natural.length < this.#balances.debit.length
  }

  #opening(id: string, row: number, cells: Cells): void {
    const sides = this.#sidesOf(cells)
    const balance = this.#figure(cells, 'balance')
    if (!this.isFirst(id)) {
      const section = this.#sectionOf(id, row)
      this.#reopened(section, balance ?? (sides === null ? 0 : netOf(sides)), row, cells)
      return
    }
    const section = this.#sectionOf(id, row)
    section.opening = sides ?? (balance === null ? nothing() : sidesOf(balance))
    section.is.natural.set(sides === null ? (balance ?? 0) : this.#turned(id, netOf(sides)))
    section.is.debit.set(netOf(section.opening))
    this.#openings.debit += section.opening.debit
    this.#openings.credit += section.opening.credit
    if (sides !== null && balance !== null) this.#compare(section, balance, row, 'as the opening')
  }

  /** A balance brought forward inside the report repeats the last one, except at the start of a year, when results are moved. */
  #reopened(section: StatedAccount, stated: number, row: number, cells: Cells): void {
    const { startsYear, isResult, isEquity, layout } = this.#context
    const { id } = section
    const date = cellOf(cells, layout.at.date)
    if ((isResult(id) || isEquity(id)) && startsYear(date)) {
      this.#rolled += stated - section.is.debit.value
      this.#rolledRow = row
      section.is.debit.set(stated)
      section.is.natural.set(this.#turned(id, stated))
      return
    }
    this.#compare(section, stated, row, 'at its beginning')
  }

  #change(section: StatedAccount, row: number, cells: Cells): void {
    this.#agree(section.change, cells, row, `what account ${section.id} moved by`, section.lacks.change, [
      section.id,
    ])
    section.change = nothing()
    section.lacks.change = false
  }

  #closing(section: StatedAccount, row: number, cells: Cells): void {
    section.hasEnd = true
    const sides = this.#sidesOf(cells)
    if (sides !== null)
      this.#agree(
        plus(section.opening, section.moved),
        cells,
        row,
        `the closing of account ${section.id}`,
        section.lacks.line,
        [section.id],
      )
    const balance = this.#figure(cells, 'balance')
    if (balance !== null) this.#compare(section, balance, row, 'at its end')
    else if (sides === null) section.hasEnd = cellOf(cells, this.#context.layout.at.balance) !== ''
  }

  #heading(section: StatedAccount, { cells, row }: NonNullable<StatedAccount['heading']>): void {
    this.#agreeTotals(section, cells, row, 'the heading of', [section.id])
    const balance = this.#figure(cells, 'balance')
    if (balance !== null) this.#compare(section, balance, row, 'in its heading')
  }

  #total(own: StatedAccount, subs: readonly StatedAccount[], row: number, cells: Cells): void {
    own.hasEnd = true
    if (subs.length === 0) {
      this.#agreeTotals(own, cells, row, 'the total of', [own.id])
      const balance = this.#figure(cells, 'balance')
      if (balance !== null) this.#compare(own, balance, row, 'at its end')
      return
    }
    const is = { debit: new RunningBalance(), natural: new RunningBalance() }
    const all: StatedAccount = { ...own, opening: nothing(), moved: nothing(), is }
    const sections = [own, ...subs]
    for (const each of sections) {
      all.opening = plus(all.opening, each.opening)
      all.moved = plus(all.moved, each.moved)
      for (const sign of SIGNS) is[sign].move(each.is[sign].value)
    }
    all.lacks = {
      line: sections.some(({ lacks }) => lacks.line),
      balance: sections.some(({ lacks }) => lacks.balance),
      change: false,
    }
    const of = sections.map(({ id }) => id)
    this.#agreeTotals(all, cells, row, 'the total, with sub-accounts, of', of)
    const balance = this.#figure(cells, 'balance')
    if (balance !== null) this.#compare(all, balance, row, 'at its end, with sub-accounts,', of)
  }

  #agreeTotals(
    { id, opening, moved, lacks }: StatedAccount,
    cells: Cells,
    row: number,
    what: string,
    of: readonly string[],
  ): void {
    const { marks } = this.#context
    const sums = marks.totalsWithOpening ? plus(opening, moved) : moved
    this.#agree(sums, cells, row, `${what} account ${id}`, lacks.line, of)
  }

  #grand(row: number, cells: Cells): void {
    this.#hasGrand = true
    const { marks } = this.#context
    const sums = marks.totalsWithOpening ? plus(this.#openings, this.#lines) : this.#lines
    this.#agree(sums, cells, row, 'the total of all accounts', this.#isLacking, null)
  }

  #wholeClosing(row: number, cells: Cells): void {
    const opening = this.#wholeOpening?.sum ?? nothing()
    this.#agree(plus(opening, this.#lines), cells, row, 'the closing of all accounts', this.#isLacking, null)
  }

  /**
   * A finding where the report leaves out openings of accounts without lines, so that it cannot open the books.
   */
  missingOpenings(): Finding | null {
    if (this.#wholeOpening === null) return null
    const { sum, row } = this.#wholeOpening
    if (sum.debit === this.#openings.debit && sum.credit === this.#openings.credit) return null
    const shown = ({ debit, credit }: Sides) => ({ debit: this.#money(debit), credit: this.#money(credit) })
    return openingsIncomplete(shown(sum), shown(this.#openings), { file: this.#context.file, row })
  }

  #unnamed(row: number, cells: Cells): void {
    const sides = this.#sidesOf(cells)
    if (sides === null || netOf(sides) === 0) return
    this.#found.push(openingWithoutAccount(this.#money(netOf(sides)), { file: this.#context.file, row }))
  }

  /** Adds a finding where debit or credit is stated otherwise. `lacks`: a line of the sum cannot be read. */
  #agree(sum: Sides, cells: Cells, row: number, what: string, lacks: boolean, of: Difference['of']): void {
    const { layout, file } = this.#context
    for (const role of ['debit', 'credit'] as const) {
      const stated = this.#figure(cells, role)
      if (stated === null || stated === sum[role]) continue
      if (lacks) {
        this.#context.unread.leave(what)
        return
      }
      const finding = error(
        'total-differs',
        `${what} is stated as ${this.#money(stated)} (${role}); its lines add up to ${this.#money(sum[role])}`,
        { file, row, column: columnAt(layout.header, layout.at[role]), remedy: AGAIN },
      )
      const more = stated - sum[role]
      this.#totals.push({ finding, off: role === 'debit' ? more : 0 - more, of })
      return
    }
  }

  #compare(section: StatedAccount, stated: number, row: number, where: string, of = [section.id]): void {
    const { file, layout } = this.#context
    for (const sign of SIGNS) {
      const balance = section.is[sign]
      if (section.lacks.balance) balance.set(stated)
      const known = balance.value
      if (!balance.follows(stated)) {
        const finding = error(
          'balance-differs',
          `account ${section.id}: the balance ${where} is stated as ${this.#money(stated)}; opening and lines give ${this.#money(known)}`,
          { file, row, column: columnAt(layout.header, layout.at.balance), remedy: AGAIN },
        )
        this.#balances[sign].push({ finding, off: stated - known, of })
      }
      balance.goOn(stated)
    }
    section.lacks.balance = false
  }

  #sectionOf(id: string, row: number): StatedAccount {
    if (this.#current?.id === id) return this.#current
    let section = this.#sections.get(id)
    if (section === undefined) {
      section = statedAccount(id, row)
      this.#sections.set(id, section)
    }
    this.#current = section
    return section
  }

  #sidesOf(cells: Cells): Sides | null {
    const debit = this.#figure(cells, 'debit')
    const credit = this.#figure(cells, 'credit')
    return debit === null && credit === null ? null : { debit: debit ?? 0, credit: credit ?? 0 }
  }

  #figure = (cells: Cells, role: Role): number | null => this.#context.figure(cells, role)
  #turned = (id: string, net: number): number => (this.#context.isCredit(id) ? 0 - net : net)
  #money = (minor: number): string => displayMinor(minor, currencyDecimals(this.#context.currency))
}
