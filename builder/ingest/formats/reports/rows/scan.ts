/** The first pass over a report: accounts, dates, members and the forms of its figures. It reads no figure and keeps no line. */

import type { Basis } from '../../../../contract/vocabulary.ts'
import { capFindings } from '../../../../workspace/findings/cap-findings.ts'
import { error, type Finding } from '../../../../workspace/findings/finding.ts'
import { amountClaims, countValue, type UnreadColumn } from '../../../claims/claims.ts'
import { basisIn } from '../../../format/intake.ts'
import { quoteFault } from '../../../text/csv.ts'
import type { Cells, OnFault } from '../../../text/delimited.ts'
import type { DateForm } from '../../../text/forms.ts'
import { ISO_DATE, periodOf, type ReportPeriod } from '../../../text/months.ts'
import { swappedDays } from '../../../text/swapped-days.ts'
import { cellOf } from './cells.ts'
import { EXPORT_AGAIN, endingFindings, type SeenRows } from './ending.ts'
import { dateReader, datesIn, FigureForms } from './figures.ts'
import { type EntryForm, type Layout, plainHeader, type ReportFamily } from './layout.ts'
import { leftOutTest } from './left-out.ts'
import { type AccountText, keyOf } from './names.ts'
import { Sections } from './sections.ts'
import { accountText, askedOnce, kept, type OpenReport, type Step, walk } from './walk.ts'

export interface UsedText {
  readonly text: AccountText
  readonly row: number
  readonly type: string
  /** The first row of the account is a balance brought forward that is not zero. */
  readonly isBroughtForward: boolean
}

/** What reading the lines of a report takes. */
export interface ReadableReport extends OpenReport {
  readonly period: ReportPeriod | null
  readonly sections: Sections
  readonly entries: EntryForm
}

export interface ReportScan extends ReadableReport {
  readonly company: string | null
  readonly basis: Basis | null
  /** What stands above its header and in its last line. */
  readonly stated: readonly string[]
  readonly rows: number
  /** Days of the first and the last entry, where the form of the dates is plain. */
  readonly span: { readonly first: string; readonly last: string } | null
  /** By {@link keyOf}. */
  readonly accounts: ReadonlyMap<string, UsedText>
  /** Dimension id → member → row where it stands first. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly dates: DateForm
  readonly figures: ReturnType<FigureForms['form']>
  readonly hasOpenings: boolean
  readonly unclaimed: readonly UnreadColumn[]
  /** Currencies that lines name, with the row where each stands first. */
  readonly currencies: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

export async function scanReport(open: OpenReport, family: ReportFamily): Promise<ReportScan> {
  const scanner = new Scanner(open)
  for await (const steps of walk(open, scanner.sections, scanner.onFault))
    for (const step of steps) scanner.add(step)
  return scanner.result(family)
}

/** Collects what the rows of a report say together. */
class Scanner {
  readonly #open: OpenReport
  readonly sections = new Sections()
  readonly #findings: Finding[] = []
  readonly #accounts: AccountTexts
  readonly #isOfAccount: (cells: Cells, section: number | null) => boolean
  readonly #isLeftOut: (cells: Cells) => boolean
  readonly #dates = new Map<string, number>()
  readonly #figures = new FigureForms()
  readonly #figureColumns: readonly number[]
  readonly #currencies = new Map<string, number>()
  readonly #members = new Map<string, Map<string, number>>()
  /** The same by the position of the dimension's column. */
  readonly #dimensions: readonly { readonly at: number; readonly members: Map<string, number> }[]
  /** Of columns that nobody reads: position → how many lines hold each value. */
  readonly #values: ReadonlyMap<number, Map<string, number>>
  readonly #seen: SeenRows
  #footer = ''
  #hasOpenings = false
  /** Of a journal: a row of its own numbers the entry below it; and a line leaves out the date. */
  #hasHeadings = false
  #isContinued = false

  constructor(open: OpenReport) {
    const { layout } = open
    this.#open = open
    this.#accounts = new AccountTexts(layout, this.sections)
    this.#isOfAccount = askedOnce(layout, (cells, section) =>
      this.#accounts.add(this.#seen.last, cells, section, false),
    )
    this.#isLeftOut = leftOutTest(layout)
    this.#figureColumns = figuresOf(layout)
    this.#values = new Map(layout.unread.map((at) => [at, new Map()]))
    this.#dimensions = layout.dimensions.map(({ id, at }) => {
      const members = this.#members.get(id) ?? new Map<string, number>()
      this.#members.set(id, members)
      return { at, members }
    })
    this.#seen = {
      lines: 0,
      totals: 0,
      hasGrand: false,
      lined: new Set(),
      openPart: null,
      last: layout.headerRow,
    }
  }

  onFault: OnFault = (row, fault) => this.#findings.push(quoteFault(this.#open.file, row, fault))

  add(step: Step): void {
    const { row, cells, kind } = step.event
    this.#seen.last = row
    for (const position of this.#figureColumns) {
      const text = cellOf(cells, position)
      if (text !== '') this.#figures.add(text)
    }
    if (kind === 'line') this.#line(row, cells, step.section)
    else this.#event(step)
  }

  #line(row: number, cells: Cells, section: number | null): void {
    const { at, kind } = this.#open.layout
    const isLeftOut = this.#isLeftOut(cells)
    if (isLeftOut && kind === 'journal') return
    const date = cellOf(cells, at.date)
    // Lines below the first one of an entry may leave out what they share.
    const isFirst = kind === 'ledger' || date !== ''
    for (const [position, values] of isLeftOut ? [] : this.#values)
      if (isFirst || cellOf(cells, position) !== '') countValue(values, kept(cellOf(cells, position)))
    if (date === '') this.#isContinued = true
    else note(this.#dates, date, row)
    note(this.#currencies, cellOf(cells, at.currency), row)
    for (const dimension of this.#dimensions) note(dimension.members, cellOf(cells, dimension.at), row)
    this.#seen.lines++
    if (!this.#isOfAccount(cells, section)) this.#findings.push(noAccount(this.#open.file, row))
    if (section !== null) this.#seen.lined.add(section)
    this.#seen.openPart = section === null ? LAST_ENTRY : this.sections.labelOf(section)
  }

  #event({ event, section, closed }: Step): void {
    const { row, cells, kind } = event
    const { layout, file } = this.#open
    const isJournal = layout.kind === 'journal'
    if (kind === 'section' && isJournal) this.#hasHeadings = true
    else if (kind === 'opening' || (kind === 'section' && event.opening)) {
      this.#hasOpenings = true
      if (!this.#accounts.add(row, cells, section, true)) this.#findings.push(noAccount(file, row))
    } else if (kind === 'total') {
      this.#seen.totals++
      this.#seen.openPart = null
      if (closed === null && event.label !== '' && !isJournal)
        this.#findings.push(unknownTotal(file, row, event.label))
    } else if (kind === 'closing' && layout.marks?.ends === 'closing') this.#seen.openPart = null
    else if (kind === 'grand') this.#seen.hasGrand = true
    else if (kind === 'footer') this.#footer = event.label
    else if (kind === 'odd') this.#findings.push(oddRow(file, row, cells))
  }

  #unclaimed(): UnreadColumn[] {
    const { file, layout } = this.#open
    const { header, headerRow, unread, at } = layout
    const name = (position: number | undefined) => cellOf(header, position)
    const amounts = [at.debit, at.credit, at.amount].map(name)
    const { isExplained } = amountClaims(unread.map(name), amounts, null)
    return unread.map((position) => ({
      ...{ file, headerRow, header: name(position), isExplained },
      values: this.#values.get(position) ?? new Map(),
    }))
  }

  #entryForm(): EntryForm {
    const { kind, at } = this.#open.layout
    if (at.id !== undefined || this.#hasHeadings) return 'numbered'
    if (kind !== 'journal') return 'none'
    return this.#isContinued ? 'continued' : this.#seen.totals > 0 ? 'totalled' : 'none'
  }

  result(family: ReportFamily): ReportScan {
    const { layout, file } = this.#open
    const { totals, lined } = this.#seen
    const untotalled = totals > 0 || lined.size > 0 ? this.sections.settle() : []
    const period = layout.titles.map(periodOf).find((each) => each !== null) ?? null
    const dates = datesIn([...this.#dates.keys()], period)
    const hasEnd = this.#footer !== '' || this.#seen.hasGrand
    const stored = [...this.#dates].map(([text, row]) => [row, text] as const)
    const swapped = swappedDays(stored, dates.formats[0], { file, column: 'Date' })
    const ending = endingFindings(this.#open, family, this.sections, untotalled, { ...this.#seen, hasEnd })
    const found = [...this.#findings, ...ending, ...swapped]
    return {
      ...this.#open,
      company: companyOf(layout.titles, family),
      period,
      stated: [...layout.titles, this.#footer].filter((text) => text !== ''),
      basis: basisIn([this.#footer, ...layout.titles]),
      rows: this.#seen.lines,
      accounts: this.#accounts.named(),
      members: this.#members,
      sections: this.sections,
      dates,
      span: spanOf([...this.#dates.keys()], dates),
      figures: this.#figures.form(),
      entries: this.#entryForm(),
      hasOpenings: this.#hasOpenings,
      unclaimed: this.#unclaimed().filter(({ header }) => !family.harmless?.includes(plainHeader(header))),
      currencies: this.#currencies,
      findings: capFindings(found.slice(0, MOST), found.length),
    }
  }
}

const LAST_ENTRY = 'the last entry'

/** Notes where a text stands first; an empty one is nothing to note. */
function note(texts: Map<string, number>, text: string, row: number): void {
  if (text !== '' && !texts.has(text)) texts.set(kept(text), row)
}

const figuresOf = ({ at }: Layout): readonly number[] =>
  [at.debit, at.credit, at.amount, at.balance].filter((position) => position !== undefined)

/** The accounts that rows and sections name. */
class AccountTexts {
  readonly #layout: Layout
  readonly #sections: Sections
  /** By section and code, since it is known only at the end inside which others a section stands. */
  readonly #bySection = new Map<string, UsedText & { readonly section: number }>()
  readonly #byText = new Map<string, UsedText>()

  constructor(layout: Layout, sections: Sections) {
    this.#layout = layout
    this.#sections = sections
  }

  /** False where neither the row nor its section names an account. */
  add(row: number, cells: Cells, section: number | null, isOpening: boolean): boolean {
    const label = section === null ? null : { label: this.#sections.labelOf(section), path: () => [] }
    const text = accountText(this.#layout, cells, label)
    if (text === null) return false
    const ofSection = text.path.length === 0 ? section : null
    const key = ofSection === null ? keyOf(text) : `${ofSection} ${text.code}`
    if ((ofSection === null ? this.#byText : this.#bySection).has(key)) return true
    const isMoney = figuresOf(this.#layout).some((position) => /[1-9]/.test(cellOf(cells, position)))
    const used: UsedText = {
      text: { path: text.path.map(kept), code: kept(text.code) },
      row,
      type: kept(cellOf(cells, this.#layout.at.accountType)),
      isBroughtForward: isOpening && isMoney,
    }
    if (ofSection === null) this.#byText.set(kept(key), used)
    else this.#bySection.set(key, { ...used, section: ofSection })
    return true
  }

  /** By {@link keyOf}, after the last row. */
  named(): ReadonlyMap<string, UsedText> {
    const accounts = new Map(this.#byText)
    for (const { section, ...used } of this.#bySection.values()) {
      const text = { path: this.#sections.pathOf(section), code: used.text.code }
      if (!accounts.has(keyOf(text))) accounts.set(keyOf(text), { ...used, text })
    }
    return accounts
  }
}

function spanOf(texts: readonly string[], { formats }: DateForm): ReportScan['span'] {
  if (formats.length > 1) return null
  const days = texts.flatMap(dateReader(formats[0] ?? ISO_DATE)).flatMap((day) => day ?? [])
  const [first, last] = [days.sort()[0], days.at(-1)]
  return first === undefined || last === undefined ? null : { first, last }
}

/** Of the mistakes in the form of a report, the first ones show what is wrong. */
const MOST = 20

/** The first line of the title that is neither the report's own name nor period nor basis. */
const companyOf = (titles: readonly string[], family: ReportFamily): string | null =>
  titles.find(
    (title) =>
      !family.titles?.some(([pattern]) => pattern.test(title)) &&
      periodOf(title) === null &&
      basisIn([title]) === null &&
      !/^(?:as (?:of|at)|for the|from|since|exported|\d)\b/i.test(title),
  ) ?? null

const noAccount = (file: string, row: number): Finding =>
  error('missing-account', 'the line belongs to no account', {
    file,
    row,
    remedy: 'export the report grouped by account, or with the column for it',
  })

const unknownTotal = (file: string, row: number, label: string): Finding =>
  error('unknown-total', `"${label}" is not the total of a section above it: rows are missing`, {
    file,
    row,
    text: label,
    remedy: EXPORT_AGAIN,
  })

const oddRow = (file: string, row: number, cells: readonly string[]): Finding =>
  error('row-not-understood', 'the row holds figures, but is neither a line nor a total', {
    file,
    row,
    text: cells
      .filter((cell) => cell !== '')
      .join(', ')
      .slice(0, 200),
    remedy: EXPORT_AGAIN,
  })
