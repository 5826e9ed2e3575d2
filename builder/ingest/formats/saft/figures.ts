/** What SAF-T files state about balances: which opening counts, and what the books must agree with. */
import { addDays, firstDay, lastDay, monthOf } from '../../../contract/calendar.ts'
import { formatInteger } from '../../../contract/currency.ts'
import { byCodePoint, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { fiscalYearAt, type Years } from '../../format/fiscal-years.ts'
import type { ControlRow, FiscalYear, OpeningRow, UnreadRow } from '../../format/intake.ts'
import { parseFigure } from '../../text/amount.ts'
import { isCostAccount, isHeaderAccount } from './accounts.ts'
import type { SaftAccount, SaftBalance } from './parse.ts'
import { type Offset, possibleOffsets, selectionOf } from './periods.ts'
import { isReadable, type ReadableSurvey, type SaftSurvey } from './survey.ts'

/** A file that can be read, and the days that it covers. */
export interface Covered {
  readonly survey: ReadableSurvey
  /** Null: its periods are not months, so that the dates alone count. */
  readonly offset: Offset | null
  readonly covers: FiscalYear
}

/** Files in order of what they cover. */
export function coverage(
  surveys: readonly SaftSurvey[],
  years: Years,
): { readonly files: readonly Covered[]; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const files = surveys.filter(isReadable).flatMap((survey): Covered[] => {
    const { header, votes, file, firstDate, lastDate } = survey
    // Where no entry is dated, the periods are taken to be those of the company's fiscal year.
    const offset = votes.count === 0 ? years.fiscalMonthEnd % 12 : votes.offset(possibleOffsets(years))
    if (offset === null)
      findings.push(
        warning(
          'periods-not-months',
          'the periods of the file are not the months that its entries are dated in; the dates alone count',
          {
            file,
            row: header.row,
            column: 'Period',
            remedy: 'is fiscalMonthEnd right? nothing to do where the books have other periods than months',
          },
        ),
      )
    const dated =
      firstDate === '' ? null : { start: firstDay(monthOf(firstDate)), end: lastDay(monthOf(lastDate)) }
    const covers = selectionOf(header, offset) ?? dated
    if (covers !== null) return [{ survey, offset, covers }]
    findings.push(
      error('no-period', 'the file does not say which days it covers, and has no dated entries', {
        file,
        row: header.row,
        column: 'SelectionCriteria',
        remedy: 'export it again, with a start and an end',
      }),
    )
    return []
  })
  files.sort(
    (a, b) => byCodePoint(a.covers.start, b.covers.start) || byCodePoint(a.survey.file, b.survey.file),
  )
  return { files, findings: [...findings, ...overlaps(files)] }
}

function overlaps(files: readonly Covered[]): Finding[] {
  return files.flatMap(({ survey: { file, header }, covers }, i) => {
    const before = files[i - 1]
    if (before === undefined || before.covers.end < covers.start) return []
    return [
      error(
        'duplicate-period',
        `the file covers ${covers.start} to ${covers.end}, which overlaps ${before.covers.start} to ${before.covers.end} in ${before.survey.file}: entries would count twice`,
        {
          file,
          row: header.row,
          column: 'SelectionCriteria',
          remedy:
            'keep one file for each period, the newest; "tieout add --replace" puts a newer one in its place',
        },
      ),
    ]
  })
}

export interface Figures {
  readonly openings: readonly OpeningRow[]
  readonly controls: readonly ControlRow[]
  /** Balances that cannot be read; each has its finding. */
  readonly unread: readonly UnreadRow[]
  readonly findings: readonly Finding[]
}

/** Figures while they are collected. */
type Found = { readonly [list in keyof Figures]: Figures[list][number][] }

/** What decides how the balances of one file are read. */
interface Balances {
  readonly file: Covered
  /** Its openings count: it is the first file, or begins a fiscal year. */
  readonly isOpening: boolean
  /** Its closings are comparable: inside a month the entries of the next file count too. */
  readonly closes: boolean
  /** Results are compared after this day: those of the first year may have begun before the first file. */
  readonly firstYearEnd: string
  readonly decimals: number
}

/**
 * The opening of the first file counts. One at the start of a later fiscal year must continue the year before (the books
 * check that); one inside a year is a control, as all closing balances are.
 */
export function figures(
  files: readonly Covered[],
  company: Pick<Company, keyof Years>,
  decimals: number,
): Figures {
  const found: Found = { openings: [], controls: [], unread: [], findings: [] }
  const [first] = files
  if (first === undefined) return found
  const firstYearEnd = fiscalYearAt(first.covers.start, company).end
  for (const file of files) {
    const { survey, covers } = file
    const balances: Balances = {
      file,
      isOpening: file === first || fiscalYearAt(covers.start, company).start === covers.start,
      closes: lastDay(monthOf(covers.end)) === covers.end || file === files.at(-1),
      firstYearEnd,
      decimals,
    }
    for (const account of survey.accounts.values())
      if (!isHeaderAccount(account) && !isCostAccount(account)) readAccount(account, balances, found)
  }
  return found
}

function readAccount(account: SaftAccount, balances: Balances, found: Found): void {
  const { file, isOpening, closes, decimals } = balances
  const { survey, covers } = file
  const place = { file: survey.file, row: account.row }
  const opening = netOf(account.opening, decimals, place, 'Opening', found.findings)
  const closing = netOf(account.closing, decimals, place, 'Closing', found.findings)
  const isUnread = account.opening !== null && opening === null
  if (isUnread || (account.closing !== null && closing === null))
    found.unread.push({
      ...place,
      of: isUnread && isOpening ? 'opening' : 'statement',
      account: account.id,
    })
  if (opening !== null && isOpening && opening !== 0)
    found.openings.push({
      ...place,
      account: account.id,
      class: null,
      department: null,
      amount: formatInteger(String(opening), decimals),
      yearStart: covers.start,
      basis: null,
    })
  if (opening !== null && !isOpening && covers.start.endsWith('-01'))
    found.controls.push(...control(account, addDays(covers.start, -1), opening, balances))
  if (closing !== null && closes && !isBeforeClosing(survey, account.id, opening ?? 0, closing))
    found.controls.push(...control(account, covers.end, closing, balances))
}

/** A stated balance as a check of the books; none where the kind of the account is not known. */
function control(
  account: SaftAccount,
  date: string,
  minor: number,
  { file: { survey }, firstYearEnd, decimals }: Balances,
): ControlRow[] {
  const kind = survey.kinds.get(account.id)
  if (kind == null) return []
  const isResult = isProfitAndLoss(kind.classification) && date > firstYearEnd
  return [
    {
      kind: isResult ? 'result' : 'closing',
      account: account.id,
      class: null,
      department: null,
      date,
      amount: formatInteger(String(minor), decimals),
      file: survey.file,
      row: account.row,
    },
  ]
}

/** Some programs state the balances before the result was carried into equity: such a balance does not contradict the entries. */
function isBeforeClosing({ moved }: SaftSurvey, account: string, opening: number, closing: number): boolean {
  const { all, closing: carried } = moved.get(account) ?? { all: 0, closing: 0 }
  return carried !== 0 && closing !== opening + all && closing === opening + all - carried
}

/** Debit less credit: Portugal states both, and some programs both as turnover. */
function netOf(
  balance: SaftBalance | null,
  decimals: number,
  place: { readonly file: string; readonly row: number },
  which: 'Opening' | 'Closing',
  findings: Finding[],
): number | null {
  if (balance === null) return null
  let net = 0
  for (const [side, text, sign] of [
    ['Debit', balance.debit, 1],
    ['Credit', balance.credit, -1],
  ] as const) {
    if (text === '') continue
    const { minor, problem } = parseFigure(text, decimals)
    if (problem === undefined) {
      net += sign * minor
      continue
    }
    findings.push(
      error(
        problem,
        problem === 'too-many-decimals'
          ? `${text} has more decimals than the currency has (${decimals})`
          : `"${text}" is not an exact amount`,
        {
          ...place,
          column: `${which}${side}Balance`,
          text,
          remedy: 'correct the balance in the accounting program and export again',
        },
      ),
    )
    return null
  }
  return net
}
