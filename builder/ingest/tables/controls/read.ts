/** Reads the program's own reports in `controls/`: each figure with its account, period and class. The books compare them. */
import { basename, join } from 'node:path'
import { firstDay, monthOf } from '../../../contract/calendar.ts'
import { currencyDecimals, formatInteger } from '../../../contract/currency.ts'
import type { DateRange } from '../../../contract/document.ts'
import { isProfitAndLoss } from '../../../contract/vocabulary.ts'
import { sha256 } from '../../../system/hash.ts'
import { readFile } from '../../../system/plain-file.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { controlFiles } from '../../../workspace/source-files.ts'
import { type AccountRow, basisIn, type SourceRecord } from '../../format/intake.ts'
import type { Keys } from '../../format/keys.ts'
import type { OwnReport, ReportColumn } from '../../format/own-report.ts'
import { parseFigure } from '../../text/amount.ts'
import { DELIMITERS, firstRecords, type TextRow } from '../../text/csv.ts'
import { decodeText } from '../../text/decode.ts'
import { amountForm } from '../../text/forms.ts'
import { lastDayOf, parseDate, parsePeriod, periodOf } from '../../text/months.ts'
import { isCompoundFile, isZip, parseXlsx } from '../../workbook/xlsx.ts'
import { type FiscalCalendar, monthsOfPeriod } from '../periods.ts'
import { resolverOf } from '../trial-balance.ts'
import { dateOfTitle } from '../trial-balance-columns.ts'
import { type ReportLayout, reportLayout } from './layout.ts'
import { dimensionMemberOf, filterIn } from './titles.ts'

export interface ReportContext {
  readonly accounts: readonly AccountRow[]
  readonly classes: Keys
  readonly departments: Keys
  readonly calendar: FiscalCalendar
  /** The program that the ledger is of. */
  readonly program: string | null
}

export interface ReportReading {
  readonly reports: readonly OwnReport[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** Far above any report, which has a row for each account or party. */
const RECORDS = 200_000

export async function readReports(
  folder: string,
  company: Company,
  context: ReportContext,
): Promise<ReportReading> {
  const reports: OwnReport[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  for (const file of await controlFiles(folder)) {
    const bytes = await readFile(join(folder, file))
    const { layout, encoding } = await layoutIn(bytes, file)
    const read =
      layout === null ? [notRead(file, 1, null, NO_REPORT)] : reportOf(layout, file, company, context)
    if (Array.isArray(read)) findings.push(...read)
    else reports.push(read)
    sources.push({
      ...{ file, bytes: bytes.length, sha256: sha256(bytes), encoding, role: 'control' },
      rows: layout?.lines.length ?? 0,
      stated: layout?.stated ?? [],
    })
  }
  return { reports, sources, findings }
}

const NO_REPORT =
  'is in controls/, and is no profit and loss, balance sheet, aged receivables or aged payables in a layout that is known'

/** The layout of the report in a file: in its first sheet that has one, or with the delimiter that shows one. */
async function layoutIn(
  bytes: Buffer,
  file: string,
): Promise<{ readonly layout: ReportLayout | null; readonly encoding: string }> {
  const first = (all: readonly (readonly [readonly TextRow[], string | null])[]) =>
    all.map(([rows, sheet]) => reportLayout(rows, [sheet, basename(file)])).find((each) => each !== null) ??
    null
  if (isZip(bytes) || isCompoundFile(bytes)) {
    const { sheets } = await parseXlsx(bytes, '.', file)
    const layout = first(sheets.map(({ rows, name }) => [rows, name]))
    const beside = sheets.filter(({ name }) => /^filters?$/i.test(name)).flatMap(({ rows }) => rows)
    const filters = beside.map(({ cells }) => cells.filter((cell) => cell !== '').join(': '))
    return {
      layout: layout && { ...layout, stated: [...layout.stated, ...filters] },
      encoding: 'xlsx',
    }
  }
  const { text, encoding } = decodeText(bytes, undefined)
  const rows = DELIMITERS.map((delimiter) =>
    firstRecords(text.replace(/^\uFEFF/, ''), delimiter, RECORDS).map(({ cells }, i) => ({
      row: i + 1,
      cells: cells.map((cell) => cell.trim()),
    })),
  )
  return { layout: first(rows.map((each) => [each, null])), encoding }
}

const AGAIN = 'export the report again as the program writes it, or remove it from controls/'
const notRead = (file: string, row: number, text: string | null, what: string, remedy = AGAIN): Finding =>
  error('report-not-read', what, { file, row, text, remedy })

function reportOf(
  layout: ReportLayout,
  file: string,
  company: Company,
  context: ReportContext,
): OwnReport | Finding[] {
  const { kind, row, stated } = layout
  const isAged = kind.startsWith('aged')
  const isFlow = kind === 'profit and loss'
  const member = dimensionMemberOf(context)
  const period = stated.map(periodIn).find((found) => found !== null) ?? null
  const day = period?.endDate ?? dateOfTitle(stated.join(' \n '))
  const at = (header: string): Omit<ReportColumn, 'header'> | null => {
    const months = rangeOf(header, context.calendar, period)
    const of = months === null ? member(header.replace(/^total(?: for)?\s+(?=\S)/i, '')) : null
    const isTotal = /^(total|balance|amount|net|total balance)$/i.test(header)
    const end = months?.endDate ?? (isTotal || of !== null || isAged ? day : null)
    const from = months?.startDate ?? (isTotal || of !== null ? (period?.startDate ?? null) : null)
    return end === null || (isFlow && from === null)
      ? null
      : { from: isFlow ? from : null, to: end, member: of }
  }
  const named = layout.headers.map(at)
  // Without a title a total is of all months before it.
  const months = named.filter((each) => each !== null && each.member === null)
  const whole = months[0] && { ...months[0], to: months.at(-1)?.to ?? '' }
  const findings: Finding[] = []
  const known = layout.headers.map((header, i): ReportColumn | null => {
    if (COMPUTED_COLUMN.test(header)) return null
    const found = named[i] ?? (/^total$/i.test(header) ? whole : null)
    const what = `the column "${header}" is of no period, class or department that is known, and no title says its period`
    if (!found) findings.push(notRead(file, row, header, what))
    return found ? { header, ...found } : null
  })
  const used = known.flatMap((column, i) => (column === null ? [] : [{ column, i }]))
  const amounts = amountsOf(
    layout,
    file,
    company,
    used.map(({ i }) => i),
    findings,
  )
  const { filter, finding } = filterIn(stated, member, file, 'remove it from controls/')
  if (finding !== null) findings.push(finding)
  if (findings.length > 0) return findings
  // A name that several accounts have is that of the account of this statement, within the sections around the line.
  const ofStatement = context.accounts.filter((each) => isProfitAndLoss(each.classification) === isFlow)
  const resolvers = [ofStatement, context.accounts].map(resolverOf)
  const accountOf = (label: string, inside: readonly string[]) =>
    resolvers
      .flatMap((resolve) =>
        [label, ...inside.map((_, i) => [...inside.slice(i), label].join(':'))].map((text) =>
          resolve(text.replace(/ \(deleted\)$/i, ''), ''),
        ),
      )
      .find((account) => account !== null) ?? null
  return {
    ...{ file, row, kind, filter, program: context.program },
    basis: basisIn(stated),
    madeOn: dateOfTitle(stated.find((text) => /\d:\d\d/.test(text)) ?? ''),
    columns: used.map(({ column }) => column),
    lines: layout.lines.map(({ row, label, closes, inside }, i) => ({
      ...{ row, label, closes },
      account: closes !== null || isAged ? null : accountOf(label, inside),
      amounts: amounts[i] ?? [],
    })),
  }
}

/** Columns that compare others of the same report. */
const COMPUTED_COLUMN = /%|change|variance|\bdifference\b/i

/** The exact amounts under the columns, as decimal text; null for empty cells. */
function amountsOf(
  { lines, headers }: ReportLayout,
  file: string,
  { currency }: Company,
  columns: readonly number[],
  findings: Finding[],
): (string | null)[][] {
  const form = amountForm(lines.flatMap(({ cells }) => columns.map((i) => cells[i] ?? '')))
  const decimals = currencyDecimals(currency)
  const number = {
    decimal: form.decimal ?? ('.' as const),
    thousands: form.thousands || (form.decimal === ',' ? '.' : ','),
    currency,
    isSigned: true,
  }
  return lines.map(({ row, cells }) =>
    columns.map((i) => {
      const text = cells[i] ?? ''
      if (text === '' || text === '-') return null
      const { minor, problem } = parseFigure(text, decimals, number)
      if (problem === undefined) return formatInteger(String(minor), decimals)
      findings.push(
        error('unreadable-amount', `is not an amount in ${currency}`, {
          ...{ file, row, column: headers[i] ?? null, text },
          remedy: AGAIN,
        }),
      )
      return null
    }),
  )
}

/** `From 01/01/2026 to 12/31/2026`, where only one order of day and month gives days, or both give the same. */
const NUMBERED =
  /^(?:from )?(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\s+(?:to|-)\s+(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/i

function periodIn(title: string): DateRange | null {
  const text = title.replace(/\s+/g, ' ').trim()
  const numbers = NUMBERED.exec(text)?.slice(1)
  if (numbers !== undefined) {
    const read = (format: string) => {
      const [from, to] = [0, 3].map((i) => parseDate(numbers.slice(i, i + 3).join('/'), format))
      return from && to && from <= to && from.endsWith('-01') ? { startDate: from, endDate: to } : null
    }
    const [american, other] = [read('M/D/YYYY'), read('D/M/YYYY')]
    return american !== null && other !== null && american.endDate !== other.endDate
      ? null
      : (american ?? other)
  }
  const found = periodOf(withCentury(text.replace(/^as (?:of|at) .*/i, '')))
  return found === 'all' ? null : found
}

/** QuickBooks Desktop writes `Jan - Dec 25` and `Dec 31, 25`. */
const withCentury = (text: string): string =>
  text
    .replace(/((?:-|–|\d,|through) ?[A-Za-z]{0,9}\.? ?(?:\d{1,2}, ?)?)(\d{2})$/, '$120$2')
    .replace(/(\d{1,2}, ?)(\d{2})$/, '$120$2')

/** The days that the header of a column names; a year is that of the title where it ends in it. */
function rangeOf(header: string, calendar: FiscalCalendar, title: DateRange | null): DateRange | null {
  const bare = header
    .replace(/ ?\((PY|PP|(PY )?YTD|previous (year|period))\)$/i, '')
    .replace(/^as (?:of|at) /i, '')
  const text = withCentury(bare.replace(/\s+/g, ' ').trim())
  if (/^\d{4}$/.test(text) && title?.endDate.startsWith(text)) return title
  const day = dateOfTitle(text)
  if (day !== null && /^\D*\d.*\d{4}$/.test(text) && periodIn(text) === null)
    return { startDate: firstDay(monthOf(day)), endDate: day }
  const period = parsePeriod(text)
  const months = period === null ? null : monthsOfPeriod(period, calendar)
  const [first, last] = [months?.[0], months?.at(-1)]
  return first === undefined || last === undefined
    ? periodIn(text)
    : { startDate: `${first}-01`, endDate: lastDayOf(last) }
}
