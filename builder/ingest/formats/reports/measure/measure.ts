/**
 * The second pass over a report: its dates and figures exactly, whether its totals agree with its lines, and what it
 * states of each account. Keeps no line. The sign of some figures is decided after all reports have been measured.
 */
import { CappedFindings } from '../../../../workspace/cap-findings.ts'
import type { Finding } from '../../../../workspace/finding.ts'
import type { UnreadRow } from '../../../format/intake.ts'
import { UnreadRows } from '../../../format/unread-rows.ts'
import type { Cells } from '../../../text/delimited.ts'
import { hasSides, type Line, LineReader, type LostLine } from '../lines.ts'
import { cellOf } from '../rows/cells.ts'
import type { Forms } from '../rows/figures.ts'
import type { Role } from '../rows/layout.ts'
import type { RowEvent } from '../rows/rows.ts'
import type { ReportScan } from '../rows/scan.ts'
import { Sections } from '../rows/sections.ts'
import { type Step, walk } from '../rows/walk.ts'
import { Balances } from './balances.ts'
import { duplicateOpening } from './faults.ts'
import { LeftLines } from './left-lines.ts'
import { LineDays } from './line-days.ts'
import { AccountMeasures, type Heading, type MeasureContext, type MeasuredReport } from './measured.ts'
import { Repeats } from './repeats.ts'
import { RowFigures } from './row-figures.ts'
import type { StatedFigures } from './stated.ts'
import { statedFiguresOf } from './stated-context.ts'
import { Totals } from './totals.ts'
import { type Stated, type Written, writtenAs } from './written.ts'

const BALANCE = ['debit', 'credit', 'balance', 'amount'] as const satisfies readonly Role[]
const STATEMENT: Pick<UnreadRow, 'of' | 'account'> = { of: 'statement', account: null }

/** Sees the rows of a report in order. */
export class Measure {
  readonly #report: ReportScan
  readonly #reader: LineReader
  readonly #forms: Forms
  readonly #context: MeasureContext
  readonly #figures: RowFigures
  readonly #faults = new CappedFindings()
  readonly #accounts = new AccountMeasures()
  readonly #totals: Totals
  readonly #days: LineDays
  readonly #balances: Balances
  /** The balances in the rows of accounts with sub-accounts. */
  readonly #headings = new Map<number, Heading>()
  readonly #isSided: boolean
  /** The figures that a program states which marks its rows; null for others. */
  readonly #statements: StatedFigures | null
  readonly #repeats = new Repeats()
  readonly #left: LeftLines
  readonly #unread = new UnreadRows()
  readonly #unsure = new Set<number | string>()

  constructor(report: ReportScan, forms: Forms, context: MeasureContext) {
    this.#report = report
    this.#reader = new LineReader(report, forms, context, (found) => this.#faults.add(found))
    this.#forms = forms
    this.#context = context
    this.#figures = new RowFigures(report, forms, context.currency)
    this.#days = new LineDays(report)
    this.#balances = new Balances(report.sections, this.#unread)
    this.#isSided = hasSides(report)
    this.#left = new LeftLines(report, context.currency)
    this.#totals = new Totals(report, this.#figures, context.currency, this.#unread, (row, cells, roles) => {
      this.#checkReadable(row, cells, roles)
    })
    this.#statements = statedFiguresOf(report, forms, context, this.#unread, this.#figures)
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
    if (kind === 'line' && this.#left.isLeftOut(cells)) this.#leaveOut(row, cells, section)
    else if (kind === 'line') {
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

  /** A line that does not count. Totals and balances include it. */
  #leaveOut(row: number, cells: Cells, section: number | null): void {
    const { kind, at } = this.#report.layout
    const figureAt = (position: number | undefined) => this.#figures.at(cells, position) ?? 0
    const [debit, credit, amount] = [figureAt(at.debit), figureAt(at.credit), figureAt(at.amount)]
    this.#left.add(row, [debit, credit, amount])
    const figures = { debit, credit, net: debit - credit || amount }
    // Its account may be one of orders alone.
    if (kind === 'journal') return void this.#totals.line({ section, id: '', figures })
    const line = this.#reader.line(row, cells, section)
    if (line.figures === null) this.#lose(line)
    else {
      this.#left.accounts.add(line.id)
      this.#compare(line)
    }
  }

  #line(line: Line): void {
    if (this.#isContradicted(line)) {
      this.#lose({ ...line, figures: null, net: null })
      return
    }
    const { id, date, figures, row } = line
    const isCredit = this.#context.isCredit(id)
    const account = this.#accounts.of(id)
    if (account.first === '' || date < account.first) account.first = date
    if (date > account.last) account.last = date
    this.#days.add(date, row)
    const isUnknown = this.#context.isUnknown(id)
    if (isUnknown) this.#seeUnknown(line)
    if (!this.#isSided && !isUnknown) {
      const day = this.#context.days.get(date) ?? [0, 0]
      day[isCredit ? 1 : 0] += figures.net
      this.#context.days.set(date, day)
    }
    this.#compare(line)
  }

  /** What the report states beside its lines. */
  #compare(line: Line): void {
    const { id, figures, cells, row } = line
    this.#totals.line(line)
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
    const written = writtenAs(figures.net, this.#isSided, this.#context.isCredit(id))
    this.#balances.line(line.section, id, row, written, balance)
    if (balance !== null) this.#accounts.of(id).ending = { minor: balance, isSigned: false, row }
  }

  /** Without a kind of account, the sign of an amount without sides is unknown, and that of balances in the account's own sign. */
  #seeUnknown({ id, date, number, section }: Line): void {
    this.#unsure.add(section ?? id)
    if (this.#isSided) return
    this.#context.doubtful.add(date)
    this.#accounts.of(id).unsigned.add(number ?? date)
  }

  /** A line that cannot be read: the sums and balances that include it are not compared. */
  #lose({ row, section, id: account, date, number, net }: LostLine): void {
    const { file, layout, entries } = this.#report
    // The books find by its day what lines without a number are together.
    const entry = number ?? (entries === 'none' || layout.kind === 'ledger' ? date : null)
    this.#unread.add({ file, row, of: 'entry', account, entry, amount: net ?? undefined })
    this.#totals.lose(section)
    this.#context.doubtful.add(date)
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
      if (kind === 'closing') this.#accounts.of(id).ending = stated
      else if (statements.isFirst(id)) this.#accounts.of(id).opening = stated
    }
    statements.event(event, id, ids)
  }

  /** Whether a column that repeats debit less credit contradicts them: it is not known which of the two is right. */
  #isContradicted({ row, cells, figures }: Line): boolean {
    const { repeated } = this.#report.layout
    if (repeated === undefined) return false
    this.#tell(row, this.#figures.unreadable(row, cells, [repeated]))
    const found = this.#figures.contradiction(row, cells, figures.net, repeated)
    if (found === null) return false
    this.#faults.add(found)
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
    const account = this.#accounts.of(id)
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
    this.#accounts.of(id).ending = stated
    this.#balances.closing(section, id, row, this.#writtenOf(stated, id), this.#beside(stated, cells))
  }

  #writtenOf = ({ minor, isSigned }: Stated, id: string): Written =>
    writtenAs(minor, isSigned, this.#context.isCredit(id))

  /** A balance that stands beside the sides of the same balance. */
  #beside = ({ minor, isSigned }: Stated, cells: Cells): number | null =>
    isSigned && minor !== 0 ? this.#figures.at(cells, this.#report.layout.at.balance) : null

  #total(row: number, cells: Cells, label: string, closed: number | null): void {
    if (this.#report.layout.kind === 'journal') {
      const isOfAll = this.#totals.entry(row, cells, label)
      if (isOfAll) this.#grand(row, cells)
      this.#repeats.end()
      return
    }
    if (closed === null) return
    const balance = this.#figures.at(cells, this.#report.layout.at.balance)
    const heading = this.#headings.get(closed)
    if (this.#balances.total(closed, label, row, balance) && heading !== undefined)
      this.#accounts.of(heading.id).opening = heading.stated
    const agreed = this.#totals.section(row, cells, label, closed)
    if (agreed !== null)
      this.#accounts.of(agreed.account).total = { minor: agreed.minor, isSigned: this.#isSided, row }
  }

  #grand(row: number, cells: Cells): void {
    this.#totals.grand(row, cells)
    if (this.#isSided && this.#report.layout.kind === 'ledger')
      this.#balances.grand(row, this.#figures.at(cells, this.#report.layout.at.balance))
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

  /** Call once. */
  async report(): Promise<MeasuredReport> {
    for await (const steps of walk(this.#report, new Sections())) for (const step of steps) this.#step(step)
    for (const found of this.#statements?.finish() ?? []) this.#faults.add(found)
    if (this.#statements?.isNatural) this.#balances.votes.natural++
    // They state what the books do not hold.
    for (const id of this.#left.accounts) Object.assign(this.#accounts.of(id), { ending: null, total: null })
    return {
      ...this.#report,
      forms: this.#forms,
      hasSides: this.#isSided,
      measures: this.#accounts,
      span: this.#days.span,
      balances: this.#balances.followed(),
      missingOpenings: this.#statements?.missingOpenings() ?? null,
      unread: this.#unread.rows,
      unsure: this.#unsure,
      differences: [...this.#totals.differences, ...(this.#statements?.differences() ?? [])],
      findings: [
        ...this.#report.findings,
        ...this.#faults.list(),
        ...this.#days.findings(),
        ...this.#unread.findings(),
        ...this.#left.findings,
        ...(this.#totals.isTotalled ? [] : this.#repeats.findings(this.#report.file)),
      ],
    }
  }
}
