/**
 * Compares the control figures that a source states (in SIE: #UB, #RES, #PSALDO) with the same figures computed from
 * its postings.
 */
import { addDays, firstDay, monthOf } from '../../contract/calendar.ts'
import { displayMinor } from '../../contract/currency.ts'
import { byCodePoint } from '../../contract/vocabulary.ts'
import { type Database, valueAt } from '../../database/database.ts'
import type { ControlRow } from '../../ingest/format/intake.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { OpeningCell } from '../post/openings.ts'
import { IN_BALANCES } from '../post/postings.ts'
import type { LedgerKeys } from '../read/key-sql.ts'
import { moneyText } from '../read/money.ts'
import { cuttingStarts, fiscalYearOf } from '../reference/fiscal.ts'
import { accountAt, decimalsOf, type Frame } from '../reference/frame.ts'
import type { KnownMistakes } from './known-mistakes.ts'

interface Cell {
  readonly account: number
  readonly class: number
  readonly department: number
  readonly position: number
  readonly amount: number
}

const WHAT = { closing: 'closing balance', result: 'result', movement: 'movement' } as const

/**
 * Returns the number of control figures that agree, and a finding for each that differs. Only the accrual books are
 * compared, because the formats with control figures know no other basis.
 */
export async function checkControls(
  db: Database,
  frame: Frame,
  keys: LedgerKeys,
  openings: readonly OpeningCell[],
  controls: readonly ControlRow[],
  mistakes: KnownMistakes,
): Promise<{ agreed: number; findings: Finding[] }> {
  if (controls.length === 0) return { agreed: 0, findings: [] }
  const starts = cuttingStarts(frame.fiscalYears)
  const position = starts.map((start) => ` + (day >= DATE '${start}')::INTEGER`).join('')
  const [account = [], classes = [], departments = [], month = [], positions = [], amount = []] =
    await db.columns(
      `SELECT account, class, department, month, (month${position})::INTEGER AS position, sum(amount)::DOUBLE
     FROM posting WHERE basis = 0 AND ${IN_BALANCES} GROUP BY ALL`,
      6,
    )
  const cells: Cell[] = Array.from(account, (code, i) => ({
    account: code,
    class: valueAt(classes, i),
    department: valueAt(departments, i),
    position: valueAt(positions, i),
    amount: valueAt(amount, i),
  }))
  const opening = monthOf(frame.coverage.startDate) - 1
  for (const cell of openings) if (cell.basis === 'ACCRUAL') cells.push({ ...cell, position: opening })
  const byAccount = new Map<number, Cell[]>()
  for (const cell of cells) {
    const own = byAccount.get(cell.account)
    if (own) own.push(cell)
    else byAccount.set(cell.account, [cell])
  }
  const differing: Difference[] = []
  for (const control of controls) {
    const stated = parseAmount(control.amount, decimalsOf(frame)).minor
    const code = keys.accounts.get(control.account)
    const [from, to] = positionsOfControl(control, frame, starts, opening)
    const found = (byAccount.get(code ?? -1) ?? [])
      .filter(
        (cell) =>
          cell.position >= from &&
          cell.position <= to &&
          (control.class === null || cell.class === keys.classes.get(control.class)) &&
          (control.department === null || cell.department === keys.departments.get(control.department)),
      )
      .reduce((total, cell) => total + cell.amount, 0)
    if (stated !== found) differing.push({ control, code: code ?? null, stated: stated ?? 0, found })
  }
  const faults = differing.filter(({ control: { kind, account }, code, stated, found }) =>
    mistakes.isFault(
      code,
      account,
      stated - found,
      `the ${WHAT[kind]}`,
      kind === 'closing' ? 'any' : 'entry',
    ),
  )
  return {
    agreed: controls.length - differing.length,
    findings: differenceFindings(faults, frame, new Set(month)),
  }
}

interface Difference {
  readonly control: ControlRow
  readonly code: number | null
  readonly stated: number
  readonly found: number
}

/** An account that differs once differs by the same amount in all later figures, so only the first difference is reported. */
function differenceFindings(
  differing: readonly Difference[],
  frame: Frame,
  months: ReadonlySet<number>,
): Finding[] {
  const known = new Set<string>()
  const first: Difference[] = []
  for (const each of [...differing].sort((a, b) => byCodePoint(a.control.date, b.control.date))) {
    const { kind, account, class: member, department } = each.control
    const key = [kind, account, member, department, each.stated - each.found].join('\u0001')
    if (!known.has(key)) first.push(each)
    known.add(key)
  }
  const findings: Finding[] = []
  const begun = new Map<string, Gap>()
  for (const each of first) {
    const { begins, file } = each.control
    if (begins === undefined) findings.push(differs(each, frame))
    else {
      const key = `${file}\u0001${begins}`
      const sameBegin = begun.get(key)
      if (sameBegin) sameBegin.others.push(each)
      else begun.set(key, { begins, first: each, others: [] })
    }
  }
  return [...[...begun.values()].map((each) => gap(each, frame, months)), ...findings]
}

/** The differences of a file that begins with other balances than the books hold on the day `begins`. */
interface Gap {
  readonly begins: string
  readonly first: Difference
  readonly others: Difference[]
}

function differs({ control, stated, found }: Difference, frame: Frame): Finding {
  const member = control.class ?? control.department
  return error(
    'control-differs',
    `the file states a ${WHAT[control.kind]} of ${moneyText(frame, stated)} for account ${control.account}${member === null ? '' : ` with ${member}`} at ${control.date}; its postings give ${moneyText(frame, found)}`,
    {
      file: control.file,
      row: control.row,
      text: control.amount,
      remedy: 'the export is incomplete or was changed: export it again',
    },
  )
}

/**
 * One finding for all accounts of such a file: a month is missing, or was changed after it was exported. The finding names an asset
 * account where one differs, because bank balances are checked most easily. `months` holds the months with postings.
 */
function gap({ begins: day, first, others }: Gap, frame: Frame, months: ReadonlySet<number>): Finding {
  const classOf = (code: number | null) => (code === null ? null : accountAt(frame, code).classification)
  const lead = [first, ...others].find(({ code }) => classOf(code) === 'Asset') ?? first
  const { control, code } = lead
  const isCredit = ['Liability', 'Equity', 'Income', 'OtherIncome'].includes(classOf(code) ?? '')
  const money = (minor: number) => displayMinor(isCredit ? 0 - minor : minor, decimalsOf(frame))
  const begins = monthOf(day)
  const before = begins - 1
  const last = Math.max(...[...months].filter((month) => month <= before))
  const isMissing = last < before
  const more = others.length
  return error(
    'control-differs',
    `${monthName(begins)} begins with ${money(lead.stated)} in ${control.account}; the books end ${monthName(before)} at ${money(lead.found)}${more === 0 ? '' : `, and ${more} more account${more === 1 ? ' differs' : 's differ'}`}. ${
      !isMissing
        ? `Was ${monthName(before)} or an earlier month changed after it was exported?`
        : last + 1 === before
          ? `Is ${monthName(before)} missing?`
          : `Are ${monthName(last + 1)} to ${monthName(before)} missing?`
    }`,
    {
      file: control.file,
      row: control.row,
      text: control.amount,
      remedy: isMissing
        ? 'add the export of what is missing between the two files'
        : 'export that month again, or the whole year in one file, and replace the old file',
    },
  )
}

const NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** The name of a month that is counted from year 0: `March 2026`. */
const monthName = (month: number): string => `${NAMES[month % 12]} ${Math.floor(month / 12)}`

/**
 * Numbers the months in order. Where a fiscal year starts inside a month, the days before and from that start have numbers of
 * their own.
 */
const positionOf = (date: string, starts: readonly string[]): number =>
  monthOf(date) + starts.filter((start) => start <= date).length

/** The first and last position of the postings that a control figure adds up. */
function positionsOfControl(
  control: ControlRow,
  frame: Frame,
  starts: readonly string[],
  opening: number,
): [number, number] {
  const at = (date: string) => positionOf(date, starts)
  const to = at(control.date)
  if (control.kind === 'closing') return [opening, to]
  if (control.kind === 'movement') return [at(control.from ?? firstDay(monthOf(control.date))), to]
  const year = fiscalYearOf(frame.fiscalYears, control.date)
  return [at(year?.start ?? addDays(control.date, -364)), to]
}
