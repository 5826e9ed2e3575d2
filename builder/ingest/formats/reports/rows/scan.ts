/** What a report says as a whole, before any of its figures is read: one pass that keeps no line. */
import type { Basis } from '../../../../contract/vocabulary.ts'
import { error, type Finding, warning } from '../../../../workspace/finding.ts'
import { quoteFault } from '../../../text/csv.ts'
import type { OnFault } from '../../../text/delimited.ts'
import type { DateForm } from '../../../text/forms.ts'
import { ISO_DATE, parseDate } from '../../../text/months.ts'
import { datesIn, FigureForms } from './figures.ts'
import type { ReportFamily } from './layout.ts'
import { type AccountText, keyOf } from './names.ts'
import { basisOf, periodOf, type ReportPeriod } from './period.ts'
import { Sections } from './sections.ts'
import { accountText, cellOf, kept, type OpenReport, type Step, walk } from './walk.ts'

export interface UsedText {
  readonly text: AccountText
  readonly row: number
  readonly type: string
  /** It begins with a balance brought forward that is not zero. */
  readonly isBroughtForward: boolean
}

/** How a journal shows where an entry ends; none: a journal or ledger that shows no entries at all. */
export type EntryForm = 'numbered' | 'continued' | 'totalled' | 'none'

export interface ReportScan extends OpenReport {
  readonly company: string | null
  readonly period: ReportPeriod | null
  readonly basis: Basis | null
  readonly rows: number
  /** Days of the first and the last entry, where the form of the dates is plain. */
  readonly span: { readonly first: string; readonly last: string } | null
  /** By {@link keyOf}. */
  readonly accounts: ReadonlyMap<string, UsedText>
  /** Dimension id → member → row where it stands first. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly sections: Sections
  readonly dates: DateForm
  readonly figures: ReturnType<FigureForms['form']>
  readonly entries: EntryForm
  readonly hasOpenings: boolean
  /** Currencies that lines name, with the row where each stands first. */
  readonly currencies: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

export async function scanReport(open: OpenReport, family: ReportFamily): Promise<ReportScan> {
  const { layout, file } = open
  const { at } = layout
  const sections = new Sections()
  const dates = new Map<string, number>()
  const figures = new FigureForms()
  const bySection = new Map<string, UsedText & { readonly section: number }>()
  const byText = new Map<string, UsedText>()
  const members = new Map(layout.dimensions.map(({ id }) => [id, new Map<string, number>()]))
  const currencies = new Map<string, number>()
  const { marks } = layout
  const findings: Finding[] = []
  const seen = {
    rows: 0,
    totals: 0,
    grand: false,
    footer: '',
    continued: false,
    numbered: at.id !== undefined,
  }
  /** Sections with lines of their own. */
  const lined = new Set<number>()
  const says = { openings: false, open: null as string | null, last: layout.headerRow }

  const isMoney = (cells: readonly string[]): boolean =>
    [at.debit, at.credit, at.amount, at.balance].some((position) => /[1-9]/.test(cellOf(cells, position)))
  const use = (row: number, cells: readonly string[], current: number | null, isOpening = false) => {
    const section = current === null ? null : { label: sections.all[current]!.label, path: () => [] }
    const text = accountText(layout, cells, section)
    if (text === null) {
      findings.push(noAccount(file, row))
      return
    }
    const isNamed = text.path.length > 0 || section === null
    // Where a section stands is known at the end.
    const key = isNamed ? keyOf(text) : `${current} ${text.code}`
    if (isNamed ? byText.has(key) : bySection.has(key)) return
    const own = { path: text.path.map(kept), code: kept(text.code) }
    const type = kept(cellOf(cells, at.accountType))
    const used = { text: own, row, type, isBroughtForward: isOpening && isMoney(cells) }
    if (isNamed) byText.set(kept(key), used)
    else bySection.set(key, { ...used, section: current! })
  }

  const step = ({ event, section, closed }: Step) => {
    const { row, cells } = event
    says.last = row
    for (const position of [at.debit, at.credit, at.amount, at.balance]) {
      const text = cellOf(cells, position)
      if (text !== '') figures.add(text)
    }
    if (event.kind === 'line') {
      seen.rows++
      const date = cellOf(cells, at.date)
      if (date === '') seen.continued = true
      else if (!dates.has(date)) dates.set(kept(date), row)
      use(row, cells, section)
      const currency = cellOf(cells, at.currency)
      if (currency !== '' && !currencies.has(currency)) currencies.set(kept(currency), row)
      for (const { id, at: position } of layout.dimensions) {
        const member = cellOf(cells, position)
        if (member !== '' && !members.get(id)!.has(member)) members.get(id)!.set(kept(member), row)
      }
      if (section !== null) lined.add(section)
      says.open = section === null ? 'the last entry' : sections.all[section]!.label
    } else if (event.kind === 'opening' || (event.kind === 'section' && event.opening)) {
      says.openings = true
      use(row, cells, section, true)
    } else if (event.kind === 'section') {
      if (layout.kind === 'journal') seen.numbered = true
    } else if (event.kind === 'total') {
      seen.totals++
      says.open = null
      if (layout.kind === 'ledger' && closed === null && event.label !== '')
        findings.push(unknownTotal(file, row, event.label))
    } else if (event.kind === 'closing' && marks?.ends === 'closing') says.open = null
    else if (event.kind === 'grand') seen.grand = true
    else if (event.kind === 'footer') seen.footer = event.label
    else if (event.kind === 'odd') findings.push(oddRow(file, row, cells))
  }
  const onFault: OnFault = (row, fault) => findings.push(quoteFault(file, row, fault))
  for await (const steps of walk(open, sections, onFault)) steps.forEach(step)

  const untotalled = seen.totals > 0 || lined.size > 0 ? sections.settle() : []
  const accounts = new Map(byText)
  for (const { section, ...used } of bySection.values()) {
    const text = { path: sections.pathOf(section), code: used.text.code }
    if (!accounts.has(keyOf(text))) accounts.set(keyOf(text), { ...used, text })
  }
  const periods = layout.titles.map(periodOf)
  const period = periods.find((each) => each !== null) ?? null
  const form = datesIn([...dates.keys()], period)
  const isTotalled = seen.totals > 0 || lined.size > 0
  // A program that marks its rows is known to write totals, or none: what is missing is told by what it states.
  if (marks !== null || family.ends === 'never') {
    if (untotalled.length > 0 && marks?.ends === 'total')
      findings.push(cutOff(file, says.last, sections.all[untotalled[0]!]!.label))
  } else if (isTotalled && says.open !== null && seen.footer === '' && !seen.grand)
    findings.push(cutOff(file, says.last, says.open))
  else if (untotalled.length > 0) findings.push(...noTotals(file, sections, untotalled, lined))
  else if (seen.rows > 0 && seen.footer === '' && !seen.grand)
    findings.push(
      noEnd(isTotalled && family.alwaysEnds?.(layout) === true ? error : warning, file, says.last),
    )
  return {
    ...open,
    company: companyOf(layout.titles, family),
    period,
    basis: [seen.footer, ...layout.titles].map(basisOf).find((basis) => basis !== null) ?? null,
    rows: seen.rows,
    accounts,
    members,
    sections,
    dates: form,
    span: spanOf([...dates.keys()], form),
    figures: figures.form(),
    entries: entryForm(open, seen),
    hasOpenings: says.openings,
    currencies,
    findings: findings.length > MOST ? [...findings.slice(0, MOST), andMore(findings, file)] : findings,
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

/** Of one kind of mistake in the form of a report, the first ones say what is wrong. */
const MOST = 20
const andMore = (findings: readonly Finding[], file: string): Finding =>
  error(findings[MOST]!.code, `and ${findings.length - MOST} more rows that cannot be read`, { file })

function entryForm(
  { layout }: OpenReport,
  seen: { readonly numbered: boolean; readonly continued: boolean; readonly totals: number },
): EntryForm {
  if (seen.numbered) return 'numbered'
  if (layout.kind !== 'journal') return 'none'
  return seen.continued ? 'continued' : seen.totals > 0 ? 'totalled' : 'none'
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

const EXPORT_AGAIN = 'export the report again, without changing it in a spreadsheet program'

const noAccount = (file: string, row: number): Finding =>
  error('missing-account', 'the line stands in no account', {
    file,
    row,
    remedy: 'export the report grouped by account, or with the column for it',
  })

const unknownTotal = (file: string, row: number, label: string): Finding =>
  error('unknown-total', `"${label}" is the total of no section above it: rows are missing`, {
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

const cutOff = (file: string, row: number, label: string): Finding =>
  error('report-cut-off', `the report ends inside ${label}, before its total: it was cut off`, {
    file,
    row,
    remedy: 'export it again, and look at its last row: a report ends with totals, basis and time',
  })

/** Without entries nothing is missing but the total; with some, any of them may be. */
function noTotals(
  file: string,
  { all }: Sections,
  untotalled: readonly number[],
  lined: ReadonlySet<number>,
): Finding[] {
  const told = (tell: typeof error, indexes: readonly number[]): Finding[] => {
    const labels = indexes.map((index) => all[index]!.label)
    const [first, ...others] = labels
    if (first === undefined) return []
    const which = others.length === 0 ? `${first} has` : `${labels.length} accounts have`
    const list = others.length === 0 ? '' : `: ${labels.join(', ').slice(0, 200)}`
    return [
      tell('section-without-total', `${which} no total below, unlike other accounts${list}`, {
        file,
        text: first,
        remedy: EXPORT_AGAIN,
      }),
    ]
  }
  return [
    ...told(
      error,
      untotalled.filter((index) => lined.has(index)),
    ),
    ...told(
      warning,
      untotalled.filter((index) => !lined.has(index)),
    ),
  ]
}

const noEnd = (tell: typeof error, file: string, row: number): Finding =>
  tell(
    'report-without-end',
    'the report has neither a grand total nor a last line with basis and time: nothing shows that it is whole',
    {
      file,
      row,
      remedy:
        'if rows were deleted or the export was cut off, export it again, with the total or the last line that the program writes',
    },
  )
