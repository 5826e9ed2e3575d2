/** The first pass over a report: accounts, dates, members and the forms of its figures. It reads no figure and keeps no line. */
import type { Basis } from '../../../../contract/vocabulary.ts'
import { error, type Finding } from '../../../../workspace/finding.ts'
import { quoteFault } from '../../../text/csv.ts'
import type { Cells, OnFault } from '../../../text/delimited.ts'
import type { DateForm } from '../../../text/forms.ts'
import { ISO_DATE, parseDate } from '../../../text/months.ts'
import { cellOf } from './cells.ts'
import { EXPORT_AGAIN, endingFindings, type SeenRows } from './ending.ts'
import { datesIn, FigureForms } from './figures.ts'
import { JournalPlaces } from './journal-places.ts'
import type { EntryForm, Layout, ReportFamily } from './layout.ts'
import { LedgerPlaces } from './ledger-places.ts'
import { type AccountText, keyOf } from './names.ts'
import { basisOf, periodOf, type ReportPeriod } from './period.ts'
import type { Places } from './places.ts'
import { Sections } from './sections.ts'
import {
  AccountAbove,
  accountText,
  kept,
  type OpenReport,
  type Step,
  type Steps,
  WHOLE,
  walk,
} from './walk.ts'

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

/** The total of a section of a ledger. */
export interface TotalRow {
  readonly row: number
  readonly cells: Cells
  readonly label: string
  readonly closed: number | null
}

export interface ReportScan extends ReadableReport {
  readonly company: string | null
  readonly basis: Basis | null
  readonly rows: number
  /** Days of the first and the last entry, where the form of the dates is plain. */
  readonly span: { readonly first: string; readonly last: string } | null
  /** By {@link keyOf}. */
  readonly accounts: ReadonlyMap<string, UsedText>
  /** Dimension id → member → row where it stands first. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Null where the report is not to be divided. */
  readonly places: Places | null
  /** Where it may be divided. */
  readonly totals: readonly TotalRow[]
  readonly dates: DateForm
  readonly figures: ReturnType<FigureForms['form']>
  readonly hasOpenings: boolean
  /** Currencies that lines name, with the row where each stands first. */
  readonly currencies: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

/** `partBytes`: a part of it should be as large as that, about; null where it is not to be divided. */
export async function scanReport(
  open: OpenReport,
  family: ReportFamily,
  partBytes: number | null,
): Promise<ReportScan> {
  const scanner = new Scanner(open, partBytes)
  for await (const batch of walk(open, WHOLE, scanner.sections, scanner.onFault))
    for (const step of batch.steps) scanner.step(step, batch)
  return scanner.result(family)
}

/** Collects what the rows of a report say together; complete after the last one. */
class Scanner {
  readonly sections = new Sections()
  readonly #open: OpenReport
  readonly #findings: Finding[] = []
  readonly #accounts: AccountTexts
  /** Whether a row names an account. */
  readonly #above: AccountAbove<boolean>
  readonly #dates = new Map<string, number>()
  readonly #figures = new FigureForms()
  readonly #currencies = new Map<string, number>()
  readonly #members = new Map<string, Map<string, number>>()
  /** The same by the position of the dimension's column. */
  readonly #dimensions: readonly { readonly at: number; readonly members: Map<string, number> }[]
  readonly #places: Places | null
  readonly #totals: TotalRow[] = []
  readonly #seen: SeenRows
  #footer = ''
  #hasOpenings = false
  /** A line of a journal leaves out the date. */
  #isContinued = false
  /** Entries have a number, in a column or on a row of their own. */
  #isNumbered: boolean

  constructor(open: OpenReport, partBytes: number | null) {
    const { layout } = open
    this.#open = open
    this.#places = partBytes === null ? null : placesIn(layout, this.sections, partBytes)
    this.#accounts = new AccountTexts(layout, this.sections)
    this.#above = new AccountAbove(layout)
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
    this.#isNumbered = layout.at.id !== undefined
  }

  onFault: OnFault = (row, fault) => this.#findings.push(quoteFault(this.#open.file, row, fault))

  step(step: Step, batch: Steps): void {
    const { event, section, closed } = step
    const { row, cells, kind } = event
    this.#places?.step(step, batch, this.#entryForm())
    const { layout, file } = this.#open
    this.#seen.last = row
    for (const position of figuresOf(layout)) {
      const text = cellOf(cells, position)
      if (text !== '') this.#figures.add(text)
    }
    if (kind === 'line') this.#line(row, cells, section)
    else if (kind === 'opening' || (kind === 'section' && event.opening)) {
      this.#hasOpenings = true
      this.#use(row, cells, section, true)
    } else if (kind === 'section') this.#isNumbered ||= layout.kind === 'journal'
    else if (kind === 'total') {
      this.#seen.totals++
      this.#seen.openPart = null
      if (this.#places !== null && layout.kind === 'ledger' && layout.marks === null)
        this.#totals.push({ row, cells: cells.map(kept), label: event.label, closed })
      if (layout.kind === 'ledger' && closed === null && event.label !== '')
        this.#findings.push(unknownTotal(file, row, event.label))
    } else if (kind === 'closing' && layout.marks?.ends === 'closing') this.#seen.openPart = null
    else if (kind === 'grand') this.#seen.hasGrand = true
    else if (kind === 'footer') this.#footer = event.label
    else if (kind === 'odd') this.#findings.push(oddRow(file, row, cells))
  }

  #line(row: number, cells: Cells, section: number | null): void {
    const { at } = this.#open.layout
    this.#seen.lines++
    const date = cellOf(cells, at.date)
    if (date === '') this.#isContinued = true
    else note(this.#dates, date, row)
    this.#use(row, cells, section, false)
    note(this.#currencies, cellOf(cells, at.currency), row)
    for (const dimension of this.#dimensions) note(dimension.members, cellOf(cells, dimension.at), row)
    if (section !== null) this.#seen.lined.add(section)
    this.#seen.openPart = section === null ? 'the last entry' : this.sections.labelOf(section)
  }

  #use(row: number, cells: Cells, section: number | null, isOpening: boolean): void {
    const add = () => this.#accounts.add(row, cells, section, isOpening)
    if (!this.#above.of(cells, section, add)) this.#findings.push(noAccount(this.#open.file, row))
  }

  result(family: ReportFamily): ReportScan {
    const { layout, file } = this.#open
    const { totals, lined } = this.#seen
    const untotalled = totals > 0 || lined.size > 0 ? this.sections.settle() : []
    const period = layout.titles.map(periodOf).find((each) => each !== null) ?? null
    const dates = datesIn([...this.#dates.keys()], period)
    const hasEnd = this.#footer !== '' || this.#seen.hasGrand
    const ending = endingFindings(this.#open, family, this.sections, untotalled, { ...this.#seen, hasEnd })
    return {
      ...this.#open,
      company: companyOf(layout.titles, family),
      period,
      basis: [this.#footer, ...layout.titles].map(basisOf).find((basis) => basis !== null) ?? null,
      rows: this.#seen.lines,
      accounts: this.#accounts.named(),
      members: this.#members,
      sections: this.sections,
      places: this.#places,
      totals: this.#totals,
      dates,
      span: spanOf([...this.#dates.keys()], dates),
      figures: this.#figures.form(),
      entries: this.#entryForm(),
      hasOpenings: this.#hasOpenings,
      currencies: this.#currencies,
      findings: capped([...this.#findings, ...ending], file),
    }
  }

  #entryForm(): EntryForm {
    if (this.#isNumbered) return 'numbered'
    if (this.#open.layout.kind !== 'journal') return 'none'
    return this.#isContinued ? 'continued' : this.#seen.totals > 0 ? 'totalled' : 'none'
  }
}

const placesIn = (layout: Layout, sections: Sections, bytes: number): Places =>
  layout.kind === 'journal' ? new JournalPlaces(layout, bytes) : new LedgerPlaces(layout, sections, bytes)

/** Notes where a text stands first; an empty one is nothing to note. */
function note(texts: Map<string, number>, text: string, row: number): void {
  if (text !== '' && !texts.has(text)) texts.set(kept(text), row)
}

const figuresOf = ({ at }: Layout) => [at.debit, at.credit, at.amount, at.balance]

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
  const days = texts.flatMap(
    (text) => parseDate(text, ISO_DATE) ?? parseDate(text, formats[0] ?? ISO_DATE) ?? [],
  )
  return days.length === 0
    ? null
    : { first: days.reduce((a, b) => (a < b ? a : b)), last: days.reduce((a, b) => (a > b ? a : b)) }
}

/** Of the mistakes in the form of a report, the first ones show what is wrong. */
const MOST = 20
function capped(findings: readonly Finding[], file: string): readonly Finding[] {
  const next = findings[MOST]
  if (next === undefined) return findings
  const more = error(next.code, `and ${findings.length - MOST} more rows that cannot be read`, { file })
  return [...findings.slice(0, MOST), more]
}

/** The first line of the title that is neither the report's own name nor period nor basis. */
const companyOf = (titles: readonly string[], family: ReportFamily): string | null =>
  titles.find(
    (title) =>
      !family.titles.some(([pattern]) => pattern.test(title)) &&
      periodOf(title) === null &&
      basisOf(title) === null &&
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
