/**
 * Compares what a report states about itself with its own lines: the running balance of each row, what an account moved by, totals,
 * balances at the end, and the sums of the whole. Whether balances are debit positive or of the account's own side is known once all
 * reports have been read, so both are followed.
 */
import { error, type Finding } from '../../../../workspace/findings/finding.ts'
import type { UnreadRows } from '../../../format/unread-rows.ts'
import type { Cells } from '../../../text/delimited.ts'
import { hasSides, type Line } from '../lines.ts'
import { cellOf } from '../rows/cells.ts'
import type { RowMarks } from '../rows/layout.ts'
import type { ReadableReport } from '../rows/scan.ts'
import { CHANGED, type Difference, type FollowedBalances, type StatedBalance } from './differences.ts'
import { type At, Balances, type Followed, type StatedRow } from './followed.ts'
import type { MeasureContext } from './measured.ts'
import type { RowFigures } from './row-figures.ts'
import { StatedSums } from './stated-sums.ts'
import {
  RunningBalance,
  SIGNS,
  type Sides,
  type Stated,
  Sum,
  sidesOf,
  type Written,
  writtenAs,
} from './sums.ts'

type CountedLine = Pick<Line, 'section' | 'id' | 'figures' | 'row' | 'cells'>

export class StatedFigures {
  readonly #report: ReadableReport
  readonly #context: MeasureContext
  readonly #figures: RowFigures
  readonly #unread: UnreadRows
  readonly #isSided: boolean
  readonly #all = new Map<number | string, Followed>()
  #current: Followed | null = null
  readonly #parents: ReadonlySet<number>
  readonly #openings = new Sum()
  readonly #lines = new Sum()
  /** The lines of a journal since the last total. */
  #entry = new Sum()
  #wholeOpening: { readonly sum: Sum; readonly row: number } | null = null
  #hasGrand = false
  /** A total of the whole report states what its lines add up to. */
  isTotalled = false
  /** Moved without an entry at the beginning of a year: results into retained earnings. */
  #rolled: { readonly off: number; readonly row: number } = { off: 0, row: 0 }
  readonly #balances = new Balances()
  readonly #stated: StatedBalance[] = []
  readonly #found: Finding[] = []
  readonly #sums: StatedSums

  constructor(report: ReadableReport, context: MeasureContext, figures: RowFigures, unread: UnreadRows) {
    this.#report = report
    this.#context = context
    this.#figures = figures
    this.#unread = unread
    this.#isSided = hasSides(report)
    this.#parents = report.sections.parents()
    this.#sums = new StatedSums(report, figures, unread)
  }

  line({ section, id, figures, row, cells }: CountedLine): void {
    const { natural } = writtenAs(figures.net, this.#isSided, this.#context.isCredit(id))
    const isJournal = this.#report.layout.kind === 'journal'
    this.#lines.add(id, figures, natural)
    if (isJournal) return void this.#entry.add(id, figures, natural)
    const own = this.#of({ section, id }, row)
    own.moved.add(id, figures, natural)
    own.change.add(id, figures, natural)
    own.is.net.move(figures.net)
    own.is.natural.move(natural)
    const balance = this.#balance(cells)
    if (balance !== null) this.#balances.line(own, row, balance)
  }

  /** A line that cannot be read. */
  lose({ section, id }: At, row: number): void {
    this.#lines.lose()
    if (this.#report.layout.kind === 'journal') return void this.#entry.lose()
    const all = section === null && id === null ? [...this.#all.values()] : [this.#of({ section, id }, row)]
    for (const own of all) {
      own.moved.lose()
      own.change.lose()
      own.lacksBalance = true
    }
  }

  /** A balance brought forward that cannot be read. */
  loseOpening(at: At, row: number): void {
    this.#openings.lacks = true
    if (at.section === null && at.id === null) return
    const own = this.#of(at, row)
    own.opening.lacks = true
    own.lacksBalance = true
  }

  /** True where nothing is above it: it opens the books. */
  isFirst({ section, id }: At): boolean {
    const own = this.#all.get(section ?? id ?? '')
    return own === undefined || (own.moved.lines === 0 && own.opening.net === 0)
  }

  isParent = (section: number | null): section is number => section !== null && this.#parents.has(section)

  /** What stands in the row of an account that has sub-accounts: the sum of what these bring forward. */
  parentHeading(at: At, stated: Stated): void {
    this.#of(at, stated.row).parentHeading = stated
  }

  heading(at: StatedRow): void {
    if (at.id !== null) this.#of(at, at.row).heading = at
  }

  opening(at: StatedRow & { readonly id: string }, stated: Stated): void {
    const { id, row, cells } = at
    const own = this.#of(at, row)
    const { minor } = stated
    if (this.#report.layout.marks !== null && !this.isFirst(at)) {
      this.#reopened(own, this.#balance(cells) ?? minor, at)
      return
    }
    const written = this.#writtenOf(stated, id)
    const sides = stated.isSigned ? this.#sidesOf(cells) : sidesOf(minor)
    for (const sum of [own.opening, this.#openings]) sum.add(id, { ...sides, net: minor }, written.natural)
    for (const sign of SIGNS) own.is[sign].set(written[sign])
    own.isKnown = true
    this.#beside(own, stated, cells)
  }

  /** A balance brought forward inside the report repeats the last one, except at the start of a year, when results are moved. */
  #reopened(own: Followed, stated: number, { row, cells }: StatedRow): void {
    const { startsYear, isResult, isEquity, isCredit } = this.#context
    const { id, is, opening } = own
    const date = cellOf(cells, this.#report.layout.at.date)
    if (!(isResult(id) || isEquity(id)) || !startsYear(this.#figures.day(date) ?? '')) {
      this.#balances.compare(own, row, stated)
      return
    }
    const off = stated - is.net.value
    this.#rolled = { off: this.#rolled.off + off, row }
    const after = writtenAs(stated, true, isCredit(id))
    opening.net += off
    opening.natural += after.natural - is.natural.value
    for (const sign of SIGNS) is[sign].set(after[sign])
  }

  change(at: StatedRow): void {
    const own = this.#of(at, at.row)
    this.#sums.agree(at, [own.change], `what ${own.label} moved by`, [own.key])
    own.change = new Sum()
  }

  closing(at: StatedRow & { readonly id: string }, stated: Stated | null): void {
    const { marks, at: places } = this.#report.layout
    const own = this.#of(at, at.row)
    own.hasEnd = stated !== null || cellOf(at.cells, places.balance) !== ''
    if (stated === null || !own.isKnown) return
    if (marks !== null)
      this.#sums.agree(at, [Sum.of([own.opening, own.moved])], `the closing of ${own.label}`, [own.key])
    if (own.lacksBalance) {
      this.#unread.leave(`the closing balance of ${own.label}`)
      return
    }
    if (!stated.isSigned) return void this.#balances.compare(own, at.row, stated.minor)
    const written = this.#writtenOf(stated, at.id)
    for (const sign of SIGNS) this.#balances.expect(own, sign, at.row, written[sign])
    this.#beside(own, stated, at.cells)
  }

  /**
   * The total of a section: of its own lines, or with its sub-accounts. Returns what the section brings forward where its heading turns out
   * to be that instead of the sum of its sub-accounts: only the total can prove it; and the account and the sum that it states, if it
   * states one alone.
   */
  total({ row, cells, id }: Omit<StatedRow, 'section'>, label: string, closed: number) {
    const { sections, layout } = this.#report
    const own = this.#of({ section: closed, id }, row)
    own.hasEnd = true
    const balance = this.#balance(cells)
    const opened = this.#ownOpening(own, balance)
    const of = sections.inside(closed)
    const all = of.flatMap((index) => this.#all.get(index) ?? [])
    const ownSums = this.#totalled(own)
    const sums = [ownSums, Sum.of(all.map((each) => this.#totalled(each)))]
    const agreed = this.#sums.agree({ row, cells }, sums, label, of)
    const inside = Sum.of(all.flatMap(({ opening, moved }) => [opening, moved]))
    const alone = Sum.of([own.opening, own.moved])
    if (balance !== null) this.#ending(row, label, balance, [inside, alone], of)
    const isStated = this.#sums.roles.every((role) => this.#figures.at(cells, role) !== null)
    const isOwn = layout.marks === null && agreed === ownSums && ownSums.account !== null && isStated
    return { opened, agreed: isOwn ? ownSums : null }
  }

  /** The total of an entry of a journal. True where no line is above: the total below the last entry's own is that of them all. */
  entry(at: Pick<StatedRow, 'row' | 'cells'>, label: string): boolean {
    const entry = this.#entry
    this.#entry = new Sum()
    if (entry.lines === 0) return true
    this.#sums.agree(at, [entry], label || 'the total of the entry above it', [at.row])
    return false
  }

  /** The total of the whole report. The sum of figures in the sign of each account's own side has no meaning. */
  grand(at: Pick<StatedRow, 'row' | 'cells'>): void {
    this.#hasGrand = true
    if (!this.#isSided) return
    const { marks, kind } = this.#report.layout
    const label = 'the total of the report'
    const whole = Sum.of([this.#openings, this.#lines])
    const agreed = this.#sums.agree(at, [marks?.totalsWithOpening ? whole : this.#lines], label, null)
    this.isTotalled = agreed !== null && this.#figures.at(at.cells, 'debit') !== null
    const stated = this.#balance(at.cells)
    // A report that leaves out accounts without entries may state zero, which is the sum of all accounts.
    if (marks !== null || kind !== 'ledger' || stated === null || stated === 0) return
    if (whole.lacks) return void this.#unread.leave(label)
    const expected = [{ net: whole.net, natural: stated }]
    this.#stated.push({ kind: 'total', row: at.row, label, stated, expected, of: null })
  }

  wholeOpening({ row, cells }: StatedRow): void {
    const sum = new Sum()
    const sides = this.#sidesOf(cells)
    sum.add('', { ...sides, net: sides.debit - sides.credit }, 0)
    this.#wholeOpening = { sum, row }
  }

  wholeClosing(at: StatedRow): void {
    const opening = this.#wholeOpening?.sum ?? new Sum()
    this.#sums.agree(at, [Sum.of([opening, this.#lines])], 'the closing of all accounts', null)
  }

  /** A balance brought forward without an account. */
  unnamed({ row, cells }: StatedRow): void {
    const { debit, credit } = this.#sidesOf(cells)
    if (debit === credit) return
    const message = `an opening of ${this.#figures.money(debit - credit)} stands above no line, so that its account is unknown`
    const remedy = 'export the report from an earlier day, so that the account has entries in it'
    this.#found.push(error('opening-without-account', message, { file: this.#report.file, row, remedy }))
  }

  /** The report leaves out openings of accounts without lines, so that it cannot open the books. */
  missingOpenings(): Finding | null {
    if (this.#wholeOpening === null) return null
    const { sum, row } = this.#wholeOpening
    const own = this.#openings
    if (sum.debit === own.debit && sum.credit === own.credit) return null
    return error(
      'openings-incomplete',
      `the report opens with debits of ${this.#figures.money(sum.debit)} and credits of ${this.#figures.money(sum.credit)}; the openings of its accounts are ${this.#figures.money(own.debit)} and ${this.#figures.money(own.credit)}`,
      {
        file: this.#report.file,
        row,
        remedy:
          'export it grouped by account, and from the day of the first entry: accounts without entries in the period are left out with their openings',
      },
    )
  }

  get differences(): readonly Difference[] {
    return this.#sums.differences
  }

  /** After the last row. */
  finish(): { readonly balances: FollowedBalances; readonly findings: readonly Finding[] } {
    const all = [...this.#all.values()]
    for (const own of all) if (own.heading !== null) this.#repeated(own, own.heading)
    const { marks } = this.#report.layout
    return {
      balances: {
        ...this.#balances,
        isMarked: marks !== null,
        chains: all.filter(({ breaks }) => SIGNS.some((sign) => breaks[sign].length > 0)),
        stated: [...all.flatMap((own) => this.#parent(own)), ...this.#stated],
      },
      findings: marks === null ? this.#found : [...this.#found, ...this.#missing(marks, all)],
    }
  }

  /** Totals that a program writes always. */
  #missing({ headings, ends, hasGrand }: RowMarks, all: readonly Followed[]): Finding[] {
    const { file } = this.#report
    const anyEnd = all.some(({ hasEnd }) => hasEnd)
    const open = all.filter(
      ({ hasEnd, heading }) => !hasEnd && (headings !== 'totals' || anyEnd || heading === null),
    )
    const found = (ends === null ? [] : open).map(({ id, row }) =>
      error('total-missing', `account ${id} has no total, which the program writes below every account`, {
        ...{ file, row, text: id },
        remedy: `rows were deleted, or the report was cut off: ${CHANGED}`,
      }),
    )
    if (hasGrand && !this.#hasGrand)
      found.push(
        error('report-cut-off', 'the total of all accounts is missing at the end: the report was cut off', {
          file,
          remedy: CHANGED,
        }),
      )
    const { off, row } = this.#rolled
    if (off !== 0)
      found.push(
        error(
          'opening-differs',
          `at the beginning of the year results and equity change by ${this.#figures.money(off)} in total; moving a result into equity would leave their sum as it was`,
          { file, row, remedy: CHANGED },
        ),
      )
    return found
  }

  /** A heading that repeats the totals of its account. */
  #repeated(own: Followed, at: StatedRow): void {
    this.#sums.agree(at, [this.#totalled(own)], `the heading of ${own.label}`, [own.key])
    const balance = this.#balance(at.cells)
    const sums = [Sum.of([own.opening, own.moved])]
    if (balance !== null) this.#ending(at.row, `the heading of ${own.label}`, balance, sums, [own.key])
  }

  /** The balance that a total states, with sub-accounts or without. */
  #ending(row: number, label: string, stated: number, expected: readonly Sum[], of: Difference['of']): void {
    const [all] = expected
    if (all?.lacks) return void this.#unread.leave(label)
    if (all !== undefined) this.#balances.vote(all, stated)
    this.#stated.push({ kind: 'total', row, label, stated, expected, of })
  }

  /** A heading of an account that has sub-accounts, and what these begin with. */
  #parent({ key, label, parentHeading }: Followed): StatedBalance[] {
    if (parentHeading === null || typeof key === 'string') return []
    const { minor: stated, row } = parentHeading
    const of = this.#report.sections.inside(key)
    const expected = [Sum.of(of.flatMap((index) => this.#all.get(index)?.opening ?? []))]
    return [{ kind: 'heading', row, label, stated, expected, of }]
  }

  #ownOpening(own: Followed, total: number | null): Stated | null {
    const heading = own.parentHeading
    if (heading === null || typeof own.key === 'string') return null
    const all = this.#report.sections.inside(own.key).flatMap((index) => this.#all.get(index) ?? [])
    const below = Sum.of(all.map(({ opening }) => opening))
    const inside = Sum.of([below, ...all.map(({ moved }) => moved)])
    if (inside.lacks) return null
    const { minor } = heading
    this.#balances.vote(below, minor)
    if (!SIGNS.every((sign) => below[sign] !== minor && inside[sign] + minor === total)) return null
    own.parentHeading = null
    for (const sum of [own.opening, this.#openings]) sum.add('', { ...sidesOf(minor), net: minor }, minor)
    return heading
  }

  /** A balance that stands beside the sides of the same balance. */
  #beside(own: Followed, { minor, isSigned, row }: Stated, cells: Cells): void {
    const balance = isSigned && minor !== 0 ? this.#balance(cells) : null
    if (balance !== null) this.#balances.compare(own, row, balance)
  }

  #totalled = ({ opening, moved }: Followed): Sum =>
    this.#report.layout.marks?.totalsWithOpening ? Sum.of([opening, moved]) : moved

  #of({ section, id }: At, row: number): Followed {
    const key = section ?? id ?? ''
    if (this.#current?.key === key) return this.#current
    let own = this.#all.get(key)
    if (own === undefined) {
      const isMarked = this.#report.layout.marks !== null
      own = {
        ...{ key, id: id ?? '', row, isKnown: isMarked, lacksBalance: false, hasEnd: false },
        label: section === null || isMarked ? `account ${id}` : this.#report.sections.labelOf(section),
        ...{ opening: new Sum(), moved: new Sum(), change: new Sum(), heading: null, parentHeading: null },
        is: { net: new RunningBalance(), natural: new RunningBalance() },
        breaks: { net: [], natural: [] },
      }
      this.#all.set(key, own)
    }
    this.#current = own
    return own
  }

  #writtenOf = ({ minor, isSigned }: Stated, id: string): Written =>
    writtenAs(minor, isSigned, this.#context.isCredit(id))

  #sidesOf = (cells: Cells): Sides => ({
    debit: this.#figures.at(cells, 'debit') ?? 0,
    credit: this.#figures.at(cells, 'credit') ?? 0,
  })

  #balance = (cells: Cells): number | null => this.#figures.at(cells, 'balance')
}
