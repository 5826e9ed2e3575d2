/** The first pass over a report: accounts, dates, members and the forms of its figures. It reads no figure and keeps no line. */

import type { Basis } from '../../../../contract/vocabulary.ts'
import { error, type Finding } from '../../../../workspace/finding.ts'
import { amountClaims, moreValues, type UnreadColumn } from '../../../claims/claims.ts'
import { addFirst } from '../../../format/first-rows.ts'
import { quoteFault } from '../../../text/csv.ts'
import type { Cells, OnFault } from '../../../text/delimited.ts'
import type { DateForm } from '../../../text/forms.ts'
import { ISO_DATE, parseDate } from '../../../text/months.ts'
import { swappedDays } from '../../../text/swapped-days.ts'
import { periodOf, type ReportPeriod } from '../../../text/title-period.ts'
import { cellOf } from './cells.ts'
import {
  entryFormOf,
  type FormFacts,
  figuresOf,
  type LinesDigest,
  type Piece,
  RowDigest,
  type RowFacts,
} from './digest.ts'
import { EXPORT_AGAIN, endingFindings, type SeenRows } from './ending.ts'
import { datesIn, FigureForms } from './figures.ts'
import type { EntryForm, Layout, ReportFamily } from './layout.ts'
import { LedgerPlaces } from './ledger-places.ts'
import { type AccountText, keyOf } from './names.ts'
import { basisOf } from './period.ts'
import { KeptPlaces, type Place } from './places.ts'
import { Sections } from './sections.ts'
import { accountText, follow, kept, type OpenReport, readRows, type Step, WHOLE } from './walk.ts'

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
  readonly places: KeptPlaces | null
  /** Where it may be divided. */
  readonly totals: readonly TotalRow[]
  readonly dates: DateForm
  readonly figures: ReturnType<FigureForms['form']>
  readonly hasOpenings: boolean
  readonly unclaimed: readonly UnreadColumn[]
  /** Currencies that lines name, with the row where each stands first. */
  readonly currencies: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

/** As a whole, by this thread. `partBytes`: how large others may read parts of it later; null where it is not to be divided. */
export async function scanReport(
  open: OpenReport,
  family: ReportFamily,
  partBytes: number | null,
): Promise<ReportScan> {
  const scanner = new Scanner(open, partBytes)
  const digest = new RowDigest(open.layout, partBytes)
  for await (const batch of readRows(open, WHOLE, scanner.onFault)) scanner.take(digest.piecesOf(batch), 0)
  scanner.join(digest.facts, 0)
  return scanner.result(family)
}

/** Collects what the rows of a report say together; complete when all pieces were taken and all facts joined. */
export class Scanner {
  readonly #open: OpenReport
  readonly #sections = new Sections()
  readonly #placeOf: ReturnType<typeof follow>
  readonly #findings: Finding[] = []
  readonly #accounts: AccountTexts
  readonly #dates = new Map<string, number>()
  readonly #figures = new FigureForms()
  readonly #currencies = new Map<string, number>()
  readonly #members: ReadonlyMap<string, Map<string, number>>
  readonly #values = new Map<number, ReadonlyMap<string, number>>()
  /** Of a journal, those of its parts. */
  readonly #places: KeptPlaces | null
  readonly #ledgerPlaces: LedgerPlaces | null
  readonly #totals: TotalRow[] = []
  readonly #seen: SeenRows
  /** The total of the whole was joined, which is compared with all that is above. */
  #isOver = false
  #footer = ''
  #hasOpenings = false
  /** {@link FormFacts} of all rows. */
  #form: FormFacts = { hasHeadings: false, isContinued: false, totals: 0 }

  constructor(open: OpenReport, partBytes: number | null) {
    const { layout } = open
    this.#open = open
    this.#placeOf = follow(layout, this.#sections)
    const isLedger = layout.kind === 'ledger'
    const form = entryFormOf(layout, this.#form)
    this.#ledgerPlaces =
      partBytes !== null && isLedger ? new LedgerPlaces(layout, this.#sections, partBytes, form) : null
    this.#places = this.#ledgerPlaces?.kept ?? (partBytes === null ? null : new KeptPlaces(partBytes))
    this.#accounts = new AccountTexts(layout, this.#sections)
    this.#members = new Map(layout.dimensions.map(({ id }) => [id, new Map<string, number>()]))
    this.#seen = {
      lines: 0,
      totals: 0,
      hasGrand: false,
      lined: new Set(),
      openPart: null,
      last: layout.headerRow,
    }
  }

  get headerRow(): number {
    return this.#open.layout.headerRow
  }

  onFault: OnFault = (row, fault) => this.#findings.push(quoteFault(this.#open.file, row, fault))

  /** Pieces in their order; their rows count from `above`. */
  take(pieces: readonly Piece[], above: number): void {
    for (const piece of pieces)
      if (piece.kind === 'lines') this.#lines(above === 0 ? piece : linesBelow(piece, above))
      else {
        const { own, start } = piece
        const event = above === 0 ? piece.event : { ...piece.event, row: above + piece.event.row }
        this.#event({ event, own, ...this.#placeOf(event) }, start)
      }
  }

  /** What the rows of a part say, when its pieces were taken. */
  join(
    { last, dates, currencies, members, figures, isContinued, journal, values }: RowFacts,
    above: number,
  ): void {
    for (const [at, own] of values) this.#values.set(at, moreValues(this.#values.get(at) ?? new Map(), own))
    if (last !== null) this.#seen.last = above + last
    addFirst(this.#dates, dates, above)
    addFirst(this.#currencies, currencies, above)
    for (const [id, own] of this.#members) addFirst(own, members.get(id) ?? new Map(), above)
    for (const figure of figures) this.#figures.add(figure)
    const { hasHeadings, totals, isOpen, places } = journal
    this.#joinPlaces(places, totals, above)
    this.#form = {
      hasHeadings: this.#form.hasHeadings || hasHeadings,
      isContinued: this.#form.isContinued || isContinued,
      totals: this.#form.totals + totals,
    }
    this.#seen.totals += totals
    if (isOpen !== null) this.#seen.openPart = isOpen ? 'the last entry' : null
    this.#isOver = this.#seen.hasGrand
  }

  /** Where entries have totals, it must have shown that a place is not inside of one. */
  #joinPlaces(places: readonly Place[], totals: number, above: number): void {
    if (this.#places === null || this.#open.layout.kind !== 'journal' || this.#isOver) return
    if (totals > 0 && this.#form.totals === 0) this.#places.leaveAll()
    if (totals === 0 && this.#form.totals > 0) return
    for (const place of places) this.#places.add({ ...place, rows: above + place.rows })
  }

  #event(step: Step, start: number | null): void {
    const { event, section, closed } = step
    const { row, cells, kind } = event
    this.#ledgerPlaces?.event(step, start)
    const { layout, file } = this.#open
    if (kind === 'opening' || (kind === 'section' && event.opening)) {
      this.#hasOpenings = true
      if (!this.#accounts.add(row, cells, section, true)) this.#findings.push(noAccount(file, row))
    } else if (kind === 'total') {
      this.#seen.totals++
      this.#seen.openPart = null
      if (this.#places !== null && layout.marks === null)
        this.#totals.push({ row, cells: cells.map(kept), label: event.label, closed })
      if (closed === null && event.label !== '') this.#findings.push(unknownTotal(file, row, event.label))
    } else if (kind === 'closing' && layout.marks?.ends === 'closing') this.#seen.openPart = null
    else if (kind === 'grand') this.#seen.hasGrand = true
    else if (kind === 'footer') this.#footer = event.label
    else if (kind === 'odd') this.#findings.push(oddRow(file, row, cells))
  }

  #lines(lines: LinesDigest): void {
    const section = this.#sections.current
    this.#ledgerPlaces?.lines(lines, section, this.#sections.depth)
    this.#seen.lines += lines.count
    for (const { row, cells, unnamed } of lines.accounts)
      if (!this.#accounts.add(row, cells, section, false))
        for (const [first, last] of unnamed ?? [])
          for (let each = first; each <= last; each++) this.#findings.push(noAccount(this.#open.file, each))
    if (this.#open.layout.kind === 'journal') return
    if (section !== null) this.#seen.lined.add(section)
    this.#seen.openPart = section === null ? 'the last entry' : this.#sections.labelOf(section)
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

  result(family: ReportFamily): ReportScan {
    const { layout, file } = this.#open
    const { totals, lined } = this.#seen
    const untotalled = totals > 0 || lined.size > 0 ? this.#sections.settle() : []
    const period = layout.titles.map(periodOf).find((each) => each !== null) ?? null
    const dates = datesIn([...this.#dates.keys()], period)
    const hasEnd = this.#footer !== '' || this.#seen.hasGrand
    const stored = [...this.#dates].map(([text, row]) => [row, text] as const)
    const swapped = swappedDays(stored, dates.formats[0], { file, column: 'Date' })
    const ending = endingFindings(this.#open, family, this.#sections, untotalled, { ...this.#seen, hasEnd })
    return {
      ...this.#open,
      company: companyOf(layout.titles, family),
      period,
      basis: [this.#footer, ...layout.titles].map(basisOf).find((basis) => basis !== null) ?? null,
      rows: this.#seen.lines,
      accounts: this.#accounts.named(),
      members: this.#members,
      sections: this.#sections,
      places: this.#places,
      totals: this.#totals,
      dates,
      span: spanOf([...this.#dates.keys()], dates),
      figures: this.#figures.form(),
      entries: entryFormOf(layout, this.#form),
      hasOpenings: this.#hasOpenings,
      unclaimed: this.#unclaimed(),
      currencies: this.#currencies,
      findings: capped([...this.#findings, ...ending, ...swapped], file),
    }
  }
}

const linesBelow = (lines: LinesDigest, above: number): LinesDigest => ({
  ...lines,
  first: above + lines.first,
  accounts: lines.accounts.map(({ row, cells, unnamed }) => ({
    row: above + row,
    cells,
    unnamed: unnamed?.map(([first, last]) => [above + first, above + last]) ?? null,
  })),
})

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
