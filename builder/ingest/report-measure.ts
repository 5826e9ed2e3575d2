/**
 * The second pass over a report: its dates and figures exactly, whether its totals agree with its lines, and what it
 * states of each account. Keeps no line. The sign of some figures is decided after all reports have been measured.
 */
import { formatMinor } from '../contract/currency.ts'
import { error, type Finding } from '../workspace/finding.ts'
import type { Cells } from './delimited.ts'
import { formulaRemedy } from './formulas.ts'
import { EntryReader, type Grouping } from './report-entries.ts'
import { dateReader, type FigureReading, type Forms, figureReader } from './report-figures.ts'
import { keyOf } from './report-names.ts'
import type { ReportScan } from './report-scan.ts'
import { type Closed, Sections } from './report-sections.ts'
import { accountText, cellOf, type Step, walk } from './report-walk.ts'

/** A balance as it stands there: signed where it has sides, else in the report's own sign. */
export interface Stated {
  readonly minor: number
  readonly isSigned: boolean
  readonly row: number
}

export interface AccountMeasure {
  first: string
  last: string
  opening: Stated | null
  ending: Stated | null
  /** Of its own lines, where a total says so. */
  total: Stated | null
}

export interface MeasuredReport extends ReportScan {
  readonly forms: Forms
  /** Lines have a debit and a credit side; else one amount, whose sign may be that of the account's own side. */
  readonly hasSides: boolean
  readonly measures: ReadonlyMap<string, AccountMeasure>
  readonly span: { readonly first: string; readonly last: string } | null
  /** Running balances of accounts of the credit side that grow with a debit, and with a credit. */
  readonly votes: { readonly debit: number; readonly natural: number }
}

export interface MeasureContext {
  readonly decimals: number
  /** Account id of an account's text. */
  readonly idOf: (key: string) => string
  /** Liabilities, equity and income. */
  readonly isCredit: (id: string) => boolean
  /** Of lines without a number of their entry. */
  readonly grouping: Grouping
  /** Of amounts without sides: by day, accounts of the debit and of the credit side apart. */
  readonly days: Map<string, [debit: number, credit: number]>
}

/** The figures of one line: `net` is debit positive where there are sides, else the amount as it stands. */
export interface Figures {
  readonly debit: number
  readonly credit: number
  readonly net: number
}

export type Line = {
  readonly row: number
  readonly cells: Cells
  readonly id: string
  readonly date: string
  readonly number: string | null
  readonly entry: number
  readonly figures: Figures
  readonly section: number | null
}

/** What can be wrong with one row, as often as it is told. */
const MOST = 20

export async function measureReport(
  scan: ReportScan,
  forms: Forms,
  context: MeasureContext,
): Promise<MeasuredReport> {
  const measure = new Measure(scan, forms, context)
  const reader = new LineReader(scan, forms, context, (found) => measure.add(found))
  const step = ({ event, section, closed }: Step) => {
    const { kind, row, cells } = event
    const account = () => reader.account(cells, section)
    if (kind === 'line') {
      const line = reader.line(row, cells, section)
      if (line !== null) measure.line(line)
    } else if (kind === 'section') {
      if (scan.layout.kind === 'journal') reader.begin(event.label)
      else if (event.opening) measure.opening(row, cells, account())
    } else if (kind === 'opening') measure.opening(row, cells, account())
    else if (kind === 'closing') measure.closing(row, cells, account())
    else if (kind === 'total') {
      measure.total(row, cells, event.label, closed)
      reader.end()
    } else if (kind === 'grand') measure.grand(row, cells)
  }
  for await (const steps of walk(scan, new Sections())) steps.forEach(step)
  return measure.result()
}

/** Lines of one report in order, each with its account, its date and its figures. Call for every row, in order. */
export class LineReader {
  readonly #scan: ReportScan
  readonly #context: Pick<MeasureContext, 'decimals' | 'idOf'>
  readonly #date: (text: string) => string | null
  readonly #figure: (text: string) => FigureReading | null
  readonly #entries: EntryReader
  readonly #forms: Forms
  readonly #tell: (found: Finding) => void
  readonly #keys = new Map<number, string[]>()

  constructor(
    scan: ReportScan,
    forms: Forms,
    context: Pick<MeasureContext, 'decimals' | 'idOf'>,
    tell: (found: Finding) => void,
  ) {
    this.#scan = scan
    this.#context = context
    this.#forms = forms
    this.#tell = tell
    this.#date = dateReader(forms.dateFormat)
    this.#figure = figureReader(forms, context.decimals)
    this.#entries = new EntryReader(scan)
  }

  begin = (label: string): void => this.#entries.begin(label)
  end = (): void => this.#entries.end()

  /** Null where the row names none, which was told already. */
  account(cells: Cells, index: number | null): string | null {
    const { layout, sections } = this.#scan
    const section =
      index === null ? null : { label: sections.all[index]!.label, path: () => this.#pathOf(index) }
    const text = accountText(layout, cells, section)
    return text === null ? null : this.#context.idOf(keyOf(text))
  }

  #pathOf(index: number): string[] {
    const known = this.#keys.get(index)
    if (known !== undefined) return known
    const path = this.#scan.sections.pathOf(index)
    this.#keys.set(index, path)
    return path
  }

  line(row: number, own: Cells, section: number | null): Line | null {
    const { cells, number, entry } = this.#entries.line(own)
    const id = this.account(cells, section)
    const { at, header } = this.#scan.layout
    const text = cellOf(cells, at.date)
    const date = this.#date(text)
    const figures = this.#figures(row, cells)
    if (date === null)
      this.#tell(
        error('unreadable-date', `"${text}" is no date of the form ${this.#forms.dateFormat}`, {
          file: this.#scan.file,
          row,
          column: header[at.date ?? -1] ?? 'date',
          text,
          remedy: 'correct the date, or state the form of all of them as "dateFormat" in company.yaml',
        }),
      )
    if (id === null || date === null || figures === null) return null
    return { row, cells, id, date, number, entry, figures, section }
  }

  #figures(row: number, cells: Cells): Figures | null {
    const { at } = this.#scan.layout
    if (!hasSides(this.#scan)) {
      const net = this.#read(row, cells, at.amount)
      return net === null ? null : { debit: 0, credit: 0, net }
    }
    const debit = this.#read(row, cells, at.debit)
    const credit = this.#read(row, cells, at.credit)
    return debit === null || credit === null ? null : { debit, credit, net: debit - credit }
  }

  /** An empty cell is nothing; null, with its finding, where the text is no figure. */
  #read(row: number, cells: Cells, position: number | undefined): number | null {
    const text = cellOf(cells, position)
    if (text === '') return 0
    const reading = this.#figure(text)
    if (reading !== null && reading.problem === undefined) return reading.minor
    const code = reading?.problem ?? 'unreadable-amount'
    const said =
      code === 'too-many-decimals'
        ? 'has more decimals than the currency'
        : code === 'amount-too-large'
          ? 'is too large'
          : 'is no amount'
    this.#tell(
      error(code, `"${text}" ${said}`, {
        file: this.#scan.file,
        row,
        column: this.#scan.layout.header[position!] ?? null,
        text,
        remedy:
          formulaRemedy(text) ??
          'correct the amount; where the file is right, state "decimal" and "thousands" in company.yaml',
      }),
    )
    return null
  }
}

export const hasSides = ({ layout: { at } }: ReportScan): boolean =>
  at.debit !== undefined && at.credit !== undefined

interface Sum {
  debit: number
  credit: number
  net: number
  lines: number
  /** The account of its lines; null where they are of several. */
  account: string | null
}
const nothing = (): Sum => ({ debit: 0, credit: 0, net: 0, lines: 0, account: null })

class Measure {
  readonly #scan: ReportScan
  readonly #forms: Forms
  readonly #context: MeasureContext
  readonly #figure: (text: string) => FigureReading | null
  readonly #findings: Finding[] = []
  #more = 0
  readonly #accounts = new Map<string, AccountMeasure>()
  /** Of the sections of a ledger. */
  readonly #sums: Sum[] = []
  /** Of a journal's entry, since the last total. */
  #entry = nothing()
  readonly #all = nothing()
  #span: { first: string; last: string } | null = null
  readonly #votes = { debit: 0, natural: 0 }

  constructor(scan: ReportScan, forms: Forms, context: MeasureContext) {
    this.#scan = scan
    this.#forms = forms
    this.#context = context
    this.#figure = figureReader(forms, context.decimals)
  }

  add(found: Finding): void {
    if (this.#findings.length < MOST) this.#findings.push(found)
    else this.#more++
  }

  line(line: Line): void {
    const { id, date, figures, cells, row } = line
    const isCredit = this.#context.isCredit(id)
    const account = this.#account(id)
    if (account.first === '' || date < account.first) account.first = date
    if (date > account.last) account.last = date
    this.#span ??= { first: date, last: date }
    if (date < this.#span.first) this.#span.first = date
    if (date > this.#span.last) this.#span.last = date
    const own = line.section === null ? this.#entry : this.#sumOf(line.section)
    for (const sum of [this.#all, own]) {
      sum.account = sum.lines === 0 || sum.account === id ? id : null
      sum.lines++
      sum.debit += figures.debit
      sum.credit += figures.credit
      sum.net += figures.net
    }
    const sided = hasSides(this.#scan)
    if (!sided) {
      const day = this.#context.days.get(date) ?? [0, 0]
      day[isCredit ? 1 : 0] += figures.net
      this.#context.days.set(date, day)
    }
    if (this.#scan.entries === 'none' || (line.number === null && this.#scan.layout.kind === 'ledger')) {
      const { grouping } = this.#context
      const isOpen = !sided && isCredit
      grouping.entries.add(
        grouping.finestOf(this.#scan, cells, date),
        row,
        isOpen ? 0 : figures.net,
        isOpen ? figures.net : 0,
      )
    }
    this.#follow(account, cells, row, sided && isCredit ? figures.net : 0)
  }

  /** Whether the running balance of an account of the credit side grows with its debits. */
  #follow(account: AccountMeasure, cells: Cells, row: number, net: number): void {
    const balance = this.#cell(cells, this.#scan.layout.at.balance)
    if (balance === null) return
    const before = account.ending ?? account.opening
    if (net !== 0 && before !== null && !before.isSigned) {
      if (balance - before.minor === net) this.#votes.debit++
      if (balance - before.minor === -net) this.#votes.natural++
    }
    account.ending = { minor: balance, isSigned: false, row }
  }

  opening(row: number, cells: Cells, id: string | null): void {
    const stated = this.#stated(row, cells)
    if (id !== null && stated !== null) this.#account(id).opening = stated
  }

  closing(row: number, cells: Cells, id: string | null): void {
    const stated = this.#stated(row, cells)
    if (id !== null && stated !== null) this.#account(id).ending = stated
  }

  total(row: number, cells: Cells, label: string, closed: Closed | null): void {
    if (this.#scan.layout.kind === 'journal') {
      // The total below the last entry's own is that of them all.
      if (this.#entry.lines === 0) this.grand(row, cells)
      else this.#agree(row, cells, [this.#entry], label === '' ? 'the total of the entry above it' : label)
      this.#entry = nothing()
      return
    }
    if (closed === null) return
    const own = this.#sumOf(closed.index)
    const inside = nothing()
    for (let i = closed.index; i < this.#sums.length; i++) {
      if (!this.#scan.sections.isIn(i, closed.index)) continue
      const { debit, credit, net } = this.#sumOf(i)
      inside.debit += debit
      inside.credit += credit
      inside.net += net
    }
    const agreed = this.#agree(row, cells, [own, inside], label)
    const { at } = this.#scan.layout
    const isStated = hasSides(this.#scan)
      ? this.#cell(cells, at.debit) !== null && this.#cell(cells, at.credit) !== null
      : this.#cell(cells, at.amount) !== null
    if (agreed !== own || own.account === null || !isStated) return
    this.#account(own.account).total = { minor: own.net, isSigned: hasSides(this.#scan), row }
  }

  grand(row: number, cells: Cells): void {
    // Amounts in the sign of each account's own side add up to nothing that means anything.
    if (hasSides(this.#scan)) this.#agree(row, cells, [this.#all], 'the total of the report')
  }

  /** The sums that the row states; a finding where it states none of them. */
  #agree(row: number, cells: Cells, sums: readonly Sum[], label: string): Sum | null {
    const { at } = this.#scan.layout
    const sides = ['debit', 'credit'] as const
    const roles = hasSides(this.#scan) ? sides : (['amount'] as const)
    const of = (sum: Sum, role: 'debit' | 'credit' | 'amount') => (role === 'amount' ? sum.net : sum[role])
    const differing = (sum: Sum) =>
      roles.find((role) => {
        const stated = this.#cell(cells, at[role])
        return stated !== null && stated !== of(sum, role)
      })
    const agreed = sums.find((sum) => differing(sum) === undefined)
    if (agreed !== undefined) return agreed
    const role = differing(sums[0]!)!
    const money = (minor: number) => formatMinor(minor, this.#context.decimals)
    const text = cellOf(cells, at[role])
    this.add(
      error(
        'total-differs',
        `${label} is stated as ${money(this.#cell(cells, at[role])!)}, its lines add up to ${money(of(sums[0]!, role))}`,
        {
          file: this.#scan.file,
          row,
          column: this.#scan.layout.header[at[role]!] ?? null,
          text,
          remedy: 'rows are missing or were changed: export the report again',
        },
      ),
    )
    return null
  }

  #stated(row: number, cells: Cells): Stated | null {
    const { at } = this.#scan.layout
    const debit = this.#cell(cells, at.debit)
    const credit = this.#cell(cells, at.credit)
    if ((debit ?? 0) !== 0 || (credit ?? 0) !== 0)
      return { minor: (debit ?? 0) - (credit ?? 0), isSigned: true, row }
    const minor = this.#cell(cells, at.balance) ?? this.#cell(cells, at.amount)
    if (minor !== null) return { minor, isSigned: minor === 0, row }
    return debit === null && credit === null ? null : { minor: 0, isSigned: true, row }
  }

  #cell(cells: Cells, position: number | undefined): number | null {
    const reading = this.#figure(cellOf(cells, position))
    return reading === null || reading.problem !== undefined ? null : reading.minor
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
    const sum = this.#sums[index] ?? nothing()
    this.#sums[index] = sum
    return sum
  }

  result(): MeasuredReport {
    const rest =
      this.#more === 0
        ? []
        : [
            error(this.#findings.at(-1)!.code, `and ${this.#more} more of such rows`, {
              file: this.#scan.file,
            }),
          ]
    return {
      ...this.#scan,
      forms: this.#forms,
      hasSides: hasSides(this.#scan),
      measures: this.#accounts,
      span: this.#span,
      votes: this.#votes,
      findings: [...this.#scan.findings, ...this.#findings, ...rest],
    }
  }
}
