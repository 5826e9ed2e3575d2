/**
 * The second pass over a report: its dates and figures exactly, a row of the books for each line, whether its totals agree with its
 * lines, and what it states of each account. Keeps no line. The sign of some figures is decided after all reports have been measured.
 */
import { CappedFindings } from '../../../../workspace/findings/cap-findings.ts'
import { error, type Finding } from '../../../../workspace/findings/finding.ts'
import type { UnreadRow } from '../../../format/intake.ts'
import { UnreadRows } from '../../../format/unread-rows.ts'
import type { Cells } from '../../../text/delimited.ts'
import { hasSides, type Line, LineReader, type LostLine } from '../lines.ts'
import type { Forms } from '../rows/figures.ts'
import type { Role } from '../rows/layout.ts'
import type { RowEvent } from '../rows/rows.ts'
import type { ReportScan } from '../rows/scan.ts'
import { Sections } from '../rows/sections.ts'
import { type Step, walk } from '../rows/walk.ts'
import type { StatedRow } from './followed.ts'
import { LeftLines, LineDays, Repeats } from './line-facts.ts'
import { AccountMeasures, type MeasureContext, type MeasuredReport } from './measured.ts'
import { RowFigures } from './row-figures.ts'
import { StatedFigures } from './stated.ts'

const BALANCE = ['debit', 'credit', 'balance', 'amount'] as const satisfies readonly Role[]
const STATEMENT: Pick<UnreadRow, 'of' | 'account'> = { of: 'statement', account: null }

/** Sees the rows of a report in order. */
export class Measure {
  readonly #report: ReportScan
  readonly #rowOf: (line: Line) => string
  /** Of the lines since rows were taken last. */
  #rows = ''
  readonly #reader: LineReader
  readonly #context: MeasureContext
  readonly #figures: RowFigures
  readonly #faults = new CappedFindings()
  readonly #accounts = new AccountMeasures()
  readonly #days: LineDays
  readonly #isSided: boolean
  readonly #statements: StatedFigures
  /** Columns of the figures of totals. */
  readonly #ofTotals: readonly Role[]
  readonly #repeats = new Repeats()
  readonly #left: LeftLines
  readonly #unread = new UnreadRows()
  readonly #unsure = new Set<number | string>()

  /** `rowOf` makes the row of a line. */
  constructor(report: ReportScan, forms: Forms, context: MeasureContext, rowOf: (line: Line) => string) {
    this.#report = report
    this.#rowOf = rowOf
    this.#context = context
    this.#figures = new RowFigures(report, forms, context.currency)
    this.#reader = new LineReader(report, this.#figures, context, (found) => this.#faults.add(found))
    this.#days = new LineDays(report)
    this.#isSided = hasSides(report)
    this.#left = new LeftLines(report, this.#figures)
    this.#statements = new StatedFigures(report, context, this.#figures, this.#unread)
    const roles: Role[] = this.#isSided ? ['debit', 'credit'] : ['amount']
    this.#ofTotals = report.layout.marks === null ? roles : BALANCE
  }

  #step({ event, section, closed }: Step): void {
    const { kind, row, cells } = event
    const { layout } = this.#report
    if (kind === 'line') {
      if (this.#left.isLeftOut(cells)) this.#leaveOut(row, cells, section)
      else this.#read(this.#reader.line(row, cells, section))
    } else if (layout.kind === 'journal') this.#ofJournal(event)
    else this.#ofLedger({ event, section, closed })
  }

  #ofLedger({ event, section, closed }: Pick<Step, 'event' | 'section' | 'closed'>): void {
    const { kind, row, cells } = event
    const { layout } = this.#report
    const isNamed =
      kind !== 'total' && kind !== 'grand' && (kind !== 'section' || event.opening || layout.marks)
    const id = isNamed ? this.#reader.account(cells, section) : null
    const at = { section, id, row, cells }
    if (kind === 'opening') this.#opening(at, false)
    else if (kind === 'section' && event.opening) this.#opening(at, true)
    else if (kind === 'section') this.#heading(at)
    else if (kind === 'closing') this.#closing(at)
    else if (kind === 'total') this.#total(at, event.label, closed)
    else if (kind === 'grand') this.#grand(at)
    else if (kind === 'change' || kind === 'wholeOpening' || kind === 'wholeClosing' || kind === 'unnamed') {
      this.#checkReadable(row, cells, BALANCE)
      if (kind !== 'change' || id !== null) this.#statements[kind](at)
    }
  }

  #ofJournal(event: RowEvent): void {
    const { kind, row, cells } = event
    if (kind === 'section') this.#reader.begin(event.label)
    if (kind === 'grand') this.#grand(event)
    if (kind !== 'total') return
    this.#checkReadable(row, cells, this.#ofTotals)
    if (this.#statements.entry(event, event.label)) this.#grand(event)
    this.#repeats.end()
    this.#reader.end()
  }

  /** A line that does not count. Totals and balances include it. */
  #leaveOut(row: number, cells: Cells, section: number | null): void {
    const { kind } = this.#report.layout
    const [debit = 0, credit = 0, amount = 0] = (['debit', 'credit', 'amount'] as const).map(
      (role) => this.#figures.at(cells, role) ?? 0,
    )
    this.#left.add(row, [debit, credit, amount])
    const figures = { debit, credit, net: debit - credit || amount }
    // Its account may be one of orders alone.
    if (kind === 'journal') return void this.#statements.line({ section, id: '', figures, row, cells })
    const line = this.#reader.line(row, cells, section)
    if (line.figures === null) this.#lose(line)
    else {
      this.#left.accounts.add(line.id)
      this.#compare(line)
    }
  }

  #read(line: Line | LostLine): void {
    if (line.figures === null) return void this.#lose(line)
    this.#rows += this.#rowOf(line)
    this.#line(line)
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
    const { id, cells, row } = line
    const { layout, entries } = this.#report
    this.#statements.line(line)
    if (layout.kind === 'journal') {
      if (entries !== 'none' && line.number === null) this.#repeats.line(line)
      return
    }
    if (layout.marks !== null) return
    const balance = this.#figures.at(cells, 'balance')
    if (balance === null) this.#checkReadable(row, cells, ['balance'])
    else this.#accounts.of(id).ending = { minor: balance, isSigned: false, row }
  }

  /** Without a kind of account, the sign of an amount without sides is unknown, and that of balances in the account's own sign. */
  #seeUnknown({ id, date, number, section }: Line): void {
    this.#unsure.add(section ?? id)
    if (this.#isSided) return
    this.#context.doubtful.add(date)
    this.#accounts.of(id).unsigned.add(number ?? date)
  }

  /** A line that cannot be read: the sums and balances that include it are not compared. */
  #lose({ row, section, id: account, date, number, name, net }: LostLine): void {
    const { file, layout, entries } = this.#report
    // The books find by its day what lines without a number are together.
    const entry = number ?? name ?? (entries === 'none' || layout.kind === 'ledger' ? date : null)
    this.#unread.add({ file, row, of: 'entry', account, entry, amount: net ?? undefined })
    this.#context.doubtful.add(date)
    this.#statements.lose({ section, id: account }, row)
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
  #opening(at: StatedRow, isHeading: boolean): void {
    const { section, id, row, cells } = at
    if (this.#checkReadable(row, cells, BALANCE, { of: 'opening', account: id }))
      this.#statements.loseOpening(at, row)
    const stated = this.#figures.stated(row, cells)
    if (id === null || stated === null) return
    const own = { ...at, id }
    if (isHeading && this.#statements.isParent(section))
      return void this.#statements.parentHeading(own, stated)
    const account = this.#accounts.of(id)
    const isMarked = this.#report.layout.marks !== null
    if (!isMarked && account.opening !== null && account.opening.minor !== 0)
      this.#faults.add(duplicateOpening(id, account.opening.row, { file: this.#report.file, row }))
    if (!isMarked || this.#statements.isFirst(at)) account.opening = stated
    this.#statements.opening(own, stated)
  }

  #heading(at: StatedRow): void {
    const { marks } = this.#report.layout
    if (marks === null) return
    this.#checkReadable(at.row, at.cells, BALANCE)
    if (marks.headings === 'totals') this.#statements.heading(at)
  }

  #closing(at: StatedRow): void {
    const { row, cells, id } = at
    this.#checkReadable(row, cells, BALANCE)
    const stated = this.#figures.stated(row, cells)
    if (id === null) return
    if (stated !== null) this.#accounts.of(id).ending = stated
    this.#statements.closing({ ...at, id }, stated)
  }

  #total(at: StatedRow, label: string, closed: number | null): void {
    const { row, cells } = at
    this.#checkReadable(row, cells, this.#ofTotals)
    if (closed === null) return
    const id = this.#reader.account([], closed)
    const { opened, agreed } = this.#statements.total({ row, cells, id }, label, closed)
    if (opened !== null && id !== null) this.#accounts.of(id).opening = opened
    if (agreed?.account != null)
      this.#accounts.of(agreed.account).total = { minor: agreed.net, isSigned: this.#isSided, row }
  }

  #grand(at: Pick<StatedRow, 'row' | 'cells'>): void {
    if (this.#isSided) this.#checkReadable(at.row, at.cells, this.#ofTotals)
    this.#statements.grand(at)
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

  /** Reads the report, and gives the rows of its lines. */
  async *rows(): AsyncGenerator<string> {
    for await (const steps of walk(this.#report, new Sections())) {
      for (const step of steps) this.#step(step)
      yield this.#rows
      this.#rows = ''
    }
  }

  /** Call once, after the last row; `path` is where the rows were written. */
  report(path: string): MeasuredReport {
    const { balances, findings } = this.#statements.finish()
    for (const found of findings) this.#faults.add(found)
    // They state what the books do not hold.
    for (const id of this.#left.accounts) Object.assign(this.#accounts.of(id), { ending: null, total: null })
    return {
      ...this.#report,
      path,
      hasSides: this.#isSided,
      measures: this.#accounts,
      span: this.#days.span,
      balances,
      missingOpenings: this.#statements.missingOpenings(),
      unread: this.#unread.rows,
      unsure: this.#unsure,
      differences: this.#statements.differences,
      isTotalled: this.#statements.isTotalled,
      findings: [
        ...this.#report.findings,
        ...this.#faults.list(),
        ...this.#days.findings(),
        ...this.#unread.findings(),
        ...this.#left.findings,
        ...(this.#statements.isTotalled ? [] : this.#repeats.findings(this.#report.file)),
      ],
    }
  }
}

const duplicateOpening = (id: string, before: number, place: Pick<Finding, 'file' | 'row'>): Finding =>
  error('duplicate-opening', `account ${id} has another balance brought forward, in row ${before}`, {
    ...{ ...place, text: id },
    remedy: 'export the report again, grouped by account alone',
  })
