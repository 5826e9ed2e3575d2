/**
 * Holds the program's own reports (profit and loss, balance sheet, aged lists) against the books: each figure of an account by period,
 * class and basis, and each total against the lines that it adds up.
 */
import { addDays } from '../../../contract/calendar.ts'
import type { Basis } from '../../../contract/vocabulary.ts'
import type { OwnReport, ReportColumn, ReportMember } from '../../../ingest/format/own-report.ts'
import { parseAmount } from '../../../ingest/text/amount.ts'
import { capFindings, LISTED } from '../../../workspace/findings/cap-findings.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { moneyText } from '../../read/money.ts'
import { accountLabel, decimalsOf, type Frame, firstBasis } from '../../reference/frame.ts'
import { causesOf, type Differing } from './causes.ts'
import { agedFigures, type Figures, statementFigures } from './lines.ts'
import { membersWith, type Part, type Probe, type ReportBooks, type Sums, sumsOf } from './sums.ts'

/** A report of which all figures agree with the books. */
export interface AgreedReport {
  readonly file: string
  readonly kind: OwnReport['kind']
  /** The program that the ledger is of; null where its format does not say it. */
  readonly program: string | null
  readonly figures: number
  /** Basis, class or department, where it is not the first basis of the whole company. */
  readonly of: string | null
}

interface Checked {
  readonly agreed: readonly AgreedReport[]
  readonly findings: readonly Finding[]
}

export async function checkReports(books: ReportBooks, reports: readonly OwnReport[]): Promise<Checked> {
  const checked: Checked[] = []
  for (const report of reports) checked.push(await checkReport(books, report))
  return {
    agreed: checked.flatMap(({ agreed }) => agreed),
    findings: checked.flatMap(({ findings }) => findings),
  }
}

async function checkReport(books: ReportBooks, report: OwnReport): Promise<Checked> {
  const { frame } = books
  const { file, row, kind, program, filter } = report
  const basis = report.basis ?? firstBasis(frame)
  const refuse = (finding: Finding): Checked => ({ agreed: [], findings: [finding] })
  if (!frame.bases.includes(basis))
    return refuse(
      error('report-basis', `is of the ${basis.toLowerCase()} basis, which the books do not have`, {
        ...{ file, row, remedy: 'export it on the basis of the books, or remove it from controls/' },
      }),
    )
  const outside = outsideFinding(frame, report)
  if (outside?.severity === 'error') return refuse(outside)
  const asked = { basis, member: filter }
  const found = await compare(books, report, asked)
  const part = found.differences.length === 0 ? asked : await otherPart(books, report, asked, found.probe)
  const findings = outside === null ? [] : [outside]
  if (part === null)
    return {
      agreed: [],
      findings: [...findings, ...(await differs(books, report, found.differences, asked))],
    }
  if (part !== asked || filter !== null) findings.push(partFinding(frame, report, part, basis, found.figures))
  return { agreed: [{ file, kind, program, figures: found.figures, of: partText(frame, part) }], findings }
}

/** Says that a report is of another basis than the one asked for, or of a class or department alone. */
export function partFinding(
  frame: Frame,
  { file, row, kind }: { readonly file: string; readonly row: number; readonly kind: string },
  part: Part,
  asked: Basis,
  figures: number,
): Finding {
  return warning(
    part.basis === asked ? 'report-filtered' : 'report-basis',
    `the ${kind} is of ${partText(frame, part) ?? 'the whole company'} alone: all ${figures} figures agree with that`,
    { file, row, remedy: 'nothing to do where that is meant; else export it of the whole company' },
  )
}

/** Whether the books hold the days of a column. */
const isWithin = ({ coverage }: Frame, { from, to }: ReportColumn): boolean =>
  from === null
    ? to >= addDays(coverage.startDate, -1)
    : from >= coverage.startDate && from <= coverage.endDate

/** Says which columns are of days that the books do not hold. It is an error where all are. */
function outsideFinding(frame: Frame, { file, row, columns }: OwnReport): Finding | null {
  const outside = columns.filter((column) => !isWithin(frame, column)).map(({ header }) => `"${header}"`)
  if (outside.length === 0) return null
  const { startDate, endDate } = frame.coverage
  const say = outside.length === columns.length ? error : warning
  return say(
    'report-outside',
    `not compared: ${outside.join(', ')}. The books hold ${startDate} to ${endDate}`,
    { file, row, remedy: 'nothing to do where other columns are compared; else export it for those days' },
  )
}

/** The other basis, or the class or department, with which all figures of the report agree; null where there is none. */
async function otherPart(
  books: ReportBooks,
  report: OwnReport,
  { basis, member }: Part,
  probe: Probe | null,
): Promise<Part | null> {
  // Zeros agree with any part in which nothing happened.
  if (probe === null) return null
  const isWhole = member === null && report.columns.every((column) => column.member === null)
  const parts: Part[] = [
    ...books.frame.bases.filter((each) => each !== basis).map((each) => ({ basis: each, member })),
    ...(isWhole ? await membersWith(books, basis, probe) : []).map((each) => ({ basis, member: each })),
  ]
  for (const part of parts) if ((await compare(books, report, part)).differences.length === 0) return part
  return null
}

function partText(frame: Frame, { basis, member }: Part): string | null {
  const ofBasis = basis === firstBasis(frame) ? [] : [`the ${basis.toLowerCase()} basis`]
  return [...ofBasis, ...(member === null ? [] : [memberText(frame, member)])].join(', ') || null
}

export function memberText({ classes, departments }: Frame, { of, id }: ReportMember): string {
  const { members } = of === 'class' ? classes : departments
  return id === '' ? `no ${of}` : `${of} ${members.find((each) => each.id === id)?.name ?? id}`
}

/** A figure of a report that differs from the books, in minor units and signed as in the report. */
interface Difference extends Pick<Differing, 'column' | 'accounts' | 'sums'> {
  /** Row of the report; null for an account that has none. */
  readonly row: number | null
  readonly label: string
  readonly stated: number
  /** Null where the line is neither an account nor a sum. */
  readonly found: number | null
}

interface Compared {
  readonly figures: number
  readonly differences: readonly Difference[]
  /** The largest figure that is of accounts alone. */
  readonly probe: Probe | null
}

async function compare(books: ReportBooks, report: OwnReport, part: Part): Promise<Compared> {
  const { frame, keys } = books
  const sums: Sums[] = []
  for (const column of report.columns) sums.push(await sumsOf(books, report, column, part))
  const stated = report.lines.map(
    ({ amounts }): Figures =>
      amounts.map((text) => (text === null ? null : (parseAmount(text, decimalsOf(frame)).minor ?? null))),
  )
  const isAged = report.kind.startsWith('aged')
  const found = (isAged ? agedFigures : statementFigures)(frame, keys, report, stated, sums)
  const differences: Difference[] = []
  let figures = 0
  let probe: Probe | null = null
  for (const [c, column] of report.columns.entries()) {
    const of = sums[c]
    if (of === undefined || !isWithin(frame, column)) continue
    const about = { column, sums: of.accounts }
    for (const [code, amount] of found.missing(c)) {
      const account = frame.accounts[code]
      const result = code < 0 ? 'Result of the year' : 'Results of earlier years'
      const label = account === undefined ? result : accountLabel(account)
      const accounts = code < 0 ? [] : [code]
      if (amount !== 0) differences.push({ ...about, row: null, label, accounts, stated: 0, found: amount })
    }
    for (const [i, { row, label }] of report.lines.entries()) {
      const figure = stated[i]?.[c] ?? null
      const is = found.expected[i]?.[c] ?? null
      if (figure !== null) figures++
      const accounts = found.accountsOf(i, c)
      if (accounts.length > 0 && Math.abs(figure ?? 0) > Math.abs(probe?.amount ?? 0))
        probe = { column, accounts, amount: figure ?? 0 }
      if (is === null ? (figure ?? 0) !== 0 : is !== (figure ?? 0))
        differences.push({ ...about, row, label, accounts, stated: figure ?? 0, found: is })
    }
  }
  return { figures, differences, probe }
}

async function differs(
  books: ReportBooks,
  report: OwnReport,
  differences: readonly Difference[],
  part: Part,
): Promise<Finding[]> {
  const { frame } = books
  const { file, kind } = report
  const money = (minor: number) => moneyText(frame, minor)
  // A line that nobody understands is said once.
  const all = differences.filter(
    (each, i) => each.found !== null || differences.findIndex(({ row }) => row === each.row) === i,
  )
  const causes = await causesOf(
    books,
    all.map(({ stated, found, ...each }) => ({ ...each, report, part, amount: stated - (found ?? stated) })),
  )
  const listed = all.slice(0, LISTED).map(({ row, label, column, stated, found }, i) => {
    const place = { file, row: row ?? report.row, column: column.header, text: label }
    if (found === null)
      return error(
        'report-not-read',
        `"${label}" is no account of the books, and no sum of lines around it`,
        {
          ...place,
          remedy: 'call the account in the chart as the program does; or does the ledger lack it?',
        },
      )
    const figures = `states ${money(stated)}, the books give ${money(found)}, a difference of ${money(stated - found)}`
    return error(
      'report-differs',
      `${label}, ${daysText(frame, column)}: the ${kind} ${row === null ? `has no such line, the books give ${money(found)}` : figures}${causes[i] ?? ''}`,
      {
        ...place,
        remedy:
          'export the ledger and the report again, of the same days and basis and without a filter: entries are missing, or were changed in between',
      },
    )
  })
  return capFindings(listed, all.length)
}

function daysText(frame: Frame, { from, to, member }: ReportColumn): string {
  const isMonth = from !== null && from.slice(0, 7) === to.slice(0, 7)
  const days = from === null ? to : isMonth ? to.slice(0, 7) : `${from} to ${to}`
  return member === null ? days : `${days}, ${memberText(frame, member)}`
}
