/**
 * The second pass over a report: its dates and figures exactly, whether its totals agree with its lines, and what it
 * states of each account. Keeps no line. The sign of some figures is decided after all reports have been measured.
 */

import { CappedFindings } from '../../../workspace/cap-findings.ts'
import type { Finding } from '../../../workspace/finding.ts'
import type { UnreadRow } from '../../format/intake.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import type { Cells } from '../../text/delimited.ts'
import { Balances, type Stated, type Written, writtenAs } from './balances.ts'
import type { Difference } from './differences.ts'
import { amountDiffers, duplicateOpening, totalDiffers } from './faults.ts'
import { LineDays } from './line-days.ts'
import { hasSides, type Line, LineReader, type LostLine } from './lines.ts'
import type { AccountMeasure, MeasureContext, MeasuredPart, MeasuredReport } from './measured.ts'
import { Repeats } from './repeats.ts'
import { RowFigures } from './row-figures.ts'
import { cellOf, columnAt } from './rows/cells.ts'
import { dateReader, type Forms } from './rows/figures.ts'
import type { Role } from './rows/layout.ts'
import type { RowEvent } from './rows/rows.ts'
import type { ReadableReport, ReportScan } from './rows/scan.ts'
import { type Step, type Stretch, walk } from './rows/walk.ts'
import { StatedFigures } from './stated.ts'
import { Sum } from './sum.ts'

const BALANCE = ['debit', 'credit', 'balance', 'amount'] as const satisfies readonly Role[]
const STATEMENT: Pick<UnreadRow, 'of' | 'account'> = { of: 'statement', account: null }

/** A figure of a total, and what its lines add up to. */
interface StatedFigure {
  readonly role: 'debit' | 'credit' | 'amount'
  readonly stated: number
  readonly found: number
}

/** Sees the rows of a report, or of a stretch of it, in order. */
export class Measure {
  readonly #report: ReadableReport
  readonly #reader: LineReader
  readonly #forms: Forms
  readonly #context: MeasureContext
  readonly #figures: RowFigures
  readonly #faults = new CappedFindings()
  readonly #accounts = new Map<string, AccountMeasure>()
  /** The sums of each section of a ledger. */
  readonly #sums: Sum[] = []
  /** The sums of a journal's entry, since the last total. */
  #entry = new Sum()
  readonly #all = new Sum()
  readonly #days: LineDays
  readonly #balances: Balances
  /** The balances in the rows of accounts with sub-accounts. */
  readonly #headings = new Map<number, { readonly id: string; readonly stated: Stated }>()
  readonly #isSided: boolean
  /** The figures that a program states which marks its rows; null for others. */
  readonly #statements: StatedFigures | null
  readonly #repeats = new Repeats()
  /** A total of the whole report states what its lines add up to. */
  #isTotalled = false
  #hasGrand = false
  readonly #unread = new UnreadRows()
  readonly #differences: Difference[] = []
  readonly #unsure = new Set<number | string>()

  constructor(report: ReadableReport, forms: Forms, context: MeasureContext) {
    this.#report = report
    this.#reader = new LineReader(report, forms, context, (found) => this.#faults.add(found))
    this.#forms = forms
    this.#context = context
    this.#figures = new RowFigures(report, forms, context.currency)
    this.#days = new LineDays(report)
    this.#balances = new Balances(report.sections, this.#unread)
    this.#isSided = hasSides(report)
    const { layout, file } = report
    const { marks } = layout
    this.#statements =
      marks === null
        ? null
        : new StatedFigures({
            ...context,
            file,
            layout,
            marks,
            unread: this.#unread,
            startsYear: (text) => {
              const date = dateReader(forms.dateFormat)(text)
              return date !== null && context.startsYear(date)
            },
            figure: (cells, role) => this.#figures.at(cells, layout.at[role]),
          })
  }

  /** Returns the number of the last row. */
  async read(stretch: Stretch): Promise<number> {
    let row = stretch.rows
    for await (const { steps, last } of walk(this.#report, stretch)) {
      for (const step of steps) this.#step(step)
      row = last
    }
    return row
  }

  #step({ event, section, closed }: Step): void {
    const { kind, row, cells } = event
    const { layout, sections } = this.#report
    const account = () => this.#reader.account(cells, section)
    if (layout.marks !== null && kind !== 'line') {
      const inside = closed === null ? [] : sections.inside(closed)
      const ids = inside.flatMap((index) => this.#reader.account([], index) ?? [])
      this.#stated(event, kind === 'total' ? (ids[0] ?? null) : account(), ids)
    }
    if (kind === 'line') {
      const line = this.#reader.line(row, cells, section)
      if (line.figures !== null) this.#line(line)
      else this.#lose(line)
    } else if (kind === 'section') {
      if (layout.kind === 'journal') this.#reader.begin(event.label)
      else if (event.opening) this.#opening(row, cells, account(), section, true)
    } else if (layout.marks !== null) return
    else if (kind === 'opening') this.#opening(row, cells, account(), section, false)
    else if (kind === 'closing') this.#closing(row, cells, account(), section)
    else if (kind === 'total') {
      this.#total(row, cells, event.label, closed)
      this.#reader.end()
    } else if (kind === 'grand') this.#grand(row, cells)
  }

  #line(line: Line): void {
    if (this.#isContradicted(line)) {
      this.#lose({ ...line, figures: null, net: null })
      return
    }
    const { id, date, figures, cells, row } = line
    const isCredit = this.#context.isCredit(id)
    const account = this.#account(id)
    if (account.first === '' || date < account.first) account.first = date
    if (date > account.last) account.last = date
    this.#days.add(date, row)
    const own = line.section === null ? this.#entry : this.#sumOf(line.section)
    for (const sum of [this.#all, own]) sum.add(id, figures)
    const isUnknown = this.#context.isUnknown(id)
    if (isUnknown) this.#seeUnknown(line)
    if (!this.#isSided && !isUnknown) {
      const day = this.#context.days.get(date) ?? [0, 0]
      day[isCredit ? 1 : 0] += figures.net
      this.#context.days.set(date, day)
    }
    if (this.#report.entries === 'none' || (line.number === null && this.#report.layout.kind === 'ledger')) {
      const { grouping } = this.#context
      const isOpen = !this.#isSided && isCredit
      grouping.entries.add(
        grouping.finestOf(this.#report.layout, cells, date),
        row,
        isOpen ? 0 : figures.net,
        isOpen ? figures.net : 0,
      )
    }
    if (this.#statements !== null) {
      this.#statements.line(id, figures, row, cells)
      return
    }
    if (this.#report.layout.kind === 'journal') {
      if (this.#report.entries === 'none') return
      const { type, num, name } = this.#report.layout.at
      this.#repeats.line(
        line,
        [type, num, name].map((at) => cellOf(cells, at)),
      )
      return
    }
    const balance = this.#figures.at(cells, this.#report.layout.at.balance)
    if (balance === null) this.#checkReadable(row, cells, ['balance'])
    const written = writtenAs(figures.net, this.#isSided, isCredit)
    this.#balances.line(line.section, id, row, written, balance)
    if (balance !== null) account.ending = { minor: balance, isSigned: false, row }
  }

  /** Without a kind of account, the sign of an amount without sides is unknown, and that of balances in the account's own sign. */
  #seeUnknown({ id, date, section }: Line): void {
    this.#unsure.add(section ?? id)
    if (this.#isSided) return
    this.#context.grouping.doubt(date, null)
  }

  /** A line that cannot be read: the sums and balances that include it are not compared. */
  #lose({ row, cells, section, id: account, number, net }: LostLine): void {
    const { file, layout } = this.#report
    this.#unread.add({
      file,
      row,
      of: 'entry',
      account,
      entry: this.#report.entries === 'none' ? undefined : number,
    })
    const own = section === null ? this.#entry : this.#sumOf(section)
    for (const sum of [this.#all, own]) sum.lose()
    this.#context.grouping.doubt(dateReader(this.#forms.dateFormat)(cellOf(cells, layout.at.date)), net)
    this.#statements?.lose(account)
    this.#balances.lose(section, account)
  }

  /** A row of a program that marks its rows, other than a line. */
  #stated(event: RowEvent, id: string | null, ids: readonly string[]): void {
    const { row, cells, kind } = event
    const statements = this.#statements
    if (statements === null) return
    if (kind !== 'opening') this.#checkReadable(row, cells, BALANCE)
    else if (this.#isLost(row, cells, id)) statements.loseOpening(id)
    const stated = kind === 'opening' || kind === 'closing' ? this.#figures.stated(row, cells) : null
    if (id !== null && stated !== null) {
      if (kind === 'closing') this.#account(id).ending = stated
      else if (statements.isFirst(id)) this.#account(id).opening = stated
    }
    statements.event(event, id, ids)
  }

  /** Whether a column that repeats debit less credit contradicts them: it is not known which of the two is right. */
  #isContradicted({ row, cells, figures }: Line): boolean {
    const { repeated, header } = this.#report.layout
    if (repeated === undefined) return false
    this.#tell(row, this.#figures.unreadable(row, cells, [repeated]))
    const stated = this.#figures.at(cells, repeated)
    if (stated === null || stated === figures.net) return false
    const place = { file: this.#report.file, row, column: columnAt(header, repeated) }
    this.#faults.add(amountDiffers(stated, figures.net, this.#context.currency, place))
    return true
  }

  /** `isHeading`: it stands in the row of the account, where a parent has the sum of its sub-accounts. */
  #opening(row: number, cells: Cells, id: string | null, section: number | null, isHeading: boolean): void {
    if (this.#isLost(row, cells, id)) this.#balances.lose(section, id)
    const stated = this.#figures.stated(row, cells)
    if (id === null || stated === null) return
    if (isHeading && section !== null && this.#balances.isParent(section)) {
      this.#balances.heading(section, row, stated)
      this.#headings.set(section, { id, stated })
      return
    }
    const account = this.#account(id)
    if (account.opening !== null && account.opening.minor !== 0)
      this.#faults.add(duplicateOpening(id, account.opening.row, { file: this.#report.file, row }))
    account.opening = stated
    this.#balances.opening(section, id, row, this.#writtenOf(stated, id), this.#beside(stated, cells))
  }

  /** An opening that cannot be read. */
  #isLost = (row: number, cells: Cells, account: string | null): boolean =>
    this.#checkReadable(row, cells, BALANCE, { of: 'opening', account })

  #closing(row: number, cells: Cells, id: string | null, section: number | null): void {
    this.#checkReadable(row, cells, BALANCE)
    const stated = this.#figures.stated(row, cells)
    if (id === null || stated === null) return
    this.#account(id).ending = stated
    this.#balances.closing(section, id, row, this.#writtenOf(stated, id), this.#beside(stated, cells))
  }

  #writtenOf = ({ minor, isSigned }: Stated, id: string): Written =>
    writtenAs(minor, isSigned, this.#context.isCredit(id))

  /** A balance that stands beside the sides of the same balance. */
  #beside = ({ minor, isSigned }: Stated, cells: Cells): number | null =>
    isSigned && minor !== 0 ? this.#figures.at(cells, this.#report.layout.at.balance) : null

  #total(row: number, cells: Cells, label: string, closed: number | null): void {
    if (this.#report.layout.kind === 'journal') {
      // The total below the last entry's own is that of them all.
      if (this.#entry.lines === 0) this.#grand(row, cells)
      else this.#agree(row, cells, [this.#entry], label || 'the total of the entry above it', [row])
      this.#entry = new Sum()
      this.#repeats.end()
      return
    }
    if (closed === null) return
    const balance = this.#figures.at(cells, this.#report.layout.at.balance)
    const heading = this.#headings.get(closed)
    if (this.#balances.total(closed, label, row, balance) && heading !== undefined)
      this.#account(heading.id).opening = heading.stated
    const own = this.#sumOf(closed)
    const inside = new Sum()
    const sections = this.#report.sections.inside(closed)
    for (const index of sections) inside.join(this.#sumOf(index))
    const agreed = this.#agree(row, cells, [own, inside], label, sections)
    const { at } = this.#report.layout
    const isStated = this.#isSided
      ? this.#figures.at(cells, at.debit) !== null && this.#figures.at(cells, at.credit) !== null
      : this.#figures.at(cells, at.amount) !== null
    if (agreed !== own || own.account === null || !isStated) return
    this.#account(own.account).total = { minor: own.net, isSigned: this.#isSided, row }
  }

  #grand(row: number, cells: Cells): void {
    this.#hasGrand = true
    // The sum of amounts in the sign of each account's own side has no meaning.
    if (!this.#isSided) return
    const isStated = this.#figures.at(cells, this.#report.layout.at.debit) !== null
    this.#isTotalled =
      this.#agree(row, cells, [this.#all], 'the total of the report', null) !== null && isStated
    if (this.#report.layout.kind === 'ledger')
      this.#balances.grand(row, this.#figures.at(cells, this.#report.layout.at.balance))
  }

  /** The first of the sums that the row states; null, with a difference, where it states none of them. */
  #agree(row: number, cells: Cells, sums: readonly Sum[], label: string, of: Difference['of']): Sum | null {
    const { at, header } = this.#report.layout
    this.#checkReadable(row, cells, this.#isSided ? ['debit', 'credit'] : ['amount'])
    let first: StatedFigure | null = null
    for (const sum of sums) {
      const different = this.#differing(cells, sum)
      if (different === null) return sum
      first ??= different
    }
    if (sums.some(({ lacks }) => lacks)) this.#unread.leave(label)
    else if (first !== null) {
      const { role, stated, found } = first
      const finding = totalDiffers(label, stated, found, this.#context.currency, {
        file: this.#report.file,
        row,
        column: columnAt(header, at[role]),
        text: cellOf(cells, at[role]),
      })
      this.#differences.push({ finding, off: role === 'credit' ? found - stated : stated - found, of })
    }
    return null
  }

  /** The first figure of the row that states another amount than the sum; null where there is none. */
  #differing(cells: Cells, { debit, credit, net }: Sum): StatedFigure | null {
    const sums: readonly (readonly [StatedFigure['role'], number])[] = this.#isSided
      ? [
          ['debit', debit],
          ['credit', credit],
        ]
      : [['amount', net]]
    for (const [role, found] of sums) {
      const stated = this.#figures.at(cells, this.#report.layout.at[role])
      if (stated !== null && stated !== found) return { role, stated, found }
    }
    return null
  }

  /** True where one of the cells cannot be read, which is reported. */
  #checkReadable(row: number, cells: Cells, roles: readonly Role[], what = STATEMENT): boolean {
    const positions = roles.map((role) => this.#report.layout.at[role])
    return this.#tell(row, this.#figures.unreadable(row, cells, positions), what)
  }

  #tell(row: number, found: readonly Finding[], what = STATEMENT): boolean {
    if (found.length === 0) return false
    this.#unread.add({ file: this.#report.file, row, ...what })
    for (const each of found) this.#faults.add(each)
    return true
  }

  #account(id: string): AccountMeasure {
    let account = this.#accounts.get(id)
    if (account === undefined) {
      account = { first: '', last: '', opening: null, ending: null, total: null }
      this.#accounts.set(id, account)
    }
    return account
  }

  #sumOf(index: number): Sum {
    const sum = this.#sums[index] ?? new Sum()
    this.#sums[index] = sum
    return sum
  }

  /** What was found of the rows above. False where it cannot be taken over. */
  goOnFrom({ measures, span, balances, figures, all, lines, numbers }: MeasuredPart): boolean {
    for (const [id, above] of measures) {
      const account = this.#account(id)
      if (above.opening !== null && (account.opening?.minor ?? 0) !== 0) return false
      if (account.first === '' || (above.first !== '' && above.first < account.first))
        account.first = above.first
      if (above.last > account.last) account.last = above.last
      account.opening = above.opening ?? account.opening
      account.ending = above.ending ?? account.ending
      account.total = above.total ?? account.total
    }
    if (span !== null) this.#days.goOnFrom(span)
    this.#balances.goOnFrom(balances)
    if (figures !== null) this.#statements?.goOnFrom(figures)
    this.#all.addAll(all, lines)
    return this.#repeats.goOnFrom(numbers)
  }

  /** Null where a mistake was found, or where what is above or below decides. */
  part(): MeasuredPart | null {
    const figures = this.#statements?.agreed() ?? null
    const numbers = this.#repeats.numbers()
    if (!this.isClean || numbers === null || this.#hasGrand || this.#balances.hasLoose) return null
    if (this.#statements !== null && figures === null) return null
    return {
      measures: this.#accounts,
      span: this.#days.span,
      balances: this.#balances.followed(),
      figures,
      all: { debit: this.#all.debit, credit: this.#all.credit, net: this.#all.net },
      lines: this.#all.lines,
      numbers,
      groups: this.#context.grouping.entries.grouped(),
      days: this.#context.days,
    }
  }

  /** No mistake was found. */
  get isClean(): boolean {
    return (
      this.#findings().length === 0 &&
      this.#unread.rows.length === 0 &&
      this.#unsure.size === 0 &&
      this.#differences.length === 0
    )
  }

  /** After {@link report}. */
  get dependsOnAbove(): boolean {
    return this.#statements?.dependsOnAbove ?? false
  }

  #findings = (): Finding[] => [
    ...this.#faults.list(),
    ...this.#days.findings(),
    ...this.#unread.findings(),
    ...(this.#isTotalled ? [] : this.#repeats.findings(this.#report.file)),
  ]

  report(scan: ReportScan, stretches: readonly Stretch[]): MeasuredReport {
    for (const found of this.#statements?.finish() ?? []) this.#faults.add(found)
    if (this.#statements?.isNatural) this.#balances.votes.natural++
    return {
      ...scan,
      stretches,
      forms: this.#forms,
      hasSides: this.#isSided,
      measures: this.#accounts,
      span: this.#days.span,
      balances: this.#balances.followed(),
      missingOpenings: this.#statements?.missingOpenings() ?? null,
      unread: this.#unread.rows,
      unsure: this.#unsure,
      differences: [...this.#differences, ...(this.#statements?.differences() ?? [])],
      findings: [...scan.findings, ...this.#findings()],
    }
  }
}
