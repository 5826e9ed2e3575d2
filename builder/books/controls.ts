/** What a source states about itself (#UB, #RES, #PSALDO) against what the books make of its postings. */
import { addDays, firstDay, monthOf } from '../contract/calendar.ts'
import { displayMinor } from '../contract/currency.ts'
import { byCodePoint } from '../contract/vocabulary.ts'
import type { ControlRow } from '../ingest/format/intake.ts'
import { parseAmount } from '../ingest/text/amount.ts'
import { error, type Finding } from '../workspace/finding.ts'
import type { Database } from './database.ts'
import type { Doubts } from './doubts.ts'
import { cuttingStarts, fiscalYearOf } from './fiscal.ts'
import { accountAt, decimalsOf, type Frame } from './frame.ts'
import type { LedgerKeys } from './ledger.ts'
import { moneyText } from './money.ts'
import type { OpeningCell } from './openings.ts'
import { KIND } from './postings.ts'

interface Cell {
  readonly account: number
  readonly class: number
  readonly department: number
  readonly position: number
  readonly amount: number
}

const WHAT = { closing: 'closing balance', result: 'result', movement: 'movement' } as const

/** Controls speak of the accrual books: the formats that carry them know no other basis. */
export async function checkControls(
  db: Database,
  frame: Frame,
  keys: LedgerKeys,
  openings: readonly OpeningCell[],
  controls: readonly ControlRow[],
  doubts: Doubts,
): Promise<{ agreed: number; findings: Finding[] }> {
  if (controls.length === 0) return { agreed: 0, findings: [] }
  const starts = cuttingStarts(frame.fiscalYears)
  const position = starts.map((start) => ` + (day >= DATE '${start}')::INTEGER`).join('')
  const [account, classes, departments, month, positions, amount] = (await db.columns(
    `SELECT account, class, department, month, (month${position})::INTEGER AS position, sum(amount)::DOUBLE
     FROM posting WHERE basis = 0 AND kind <> ${KIND.grossUp} GROUP BY ALL`,
    6,
  )) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]
  const cells: Cell[] = Array.from(account, (code, i) => ({
    account: code,
    class: classes[i]!,
    department: departments[i]!,
    position: positions[i]!,
    amount: amount[i]!,
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
    doubts.isFault(code, account, stated - found, `the ${WHAT[kind]}`, kind === 'closing' ? 'any' : 'entry'),
  )
  return { agreed: controls.length - differing.length, findings: told(faults, frame, new Set(month)) }
}

interface Difference {
  readonly control: ControlRow
  readonly code: number | null
  readonly stated: number
  readonly found: number
}

/** An account that differs goes on differing by the same amount: that is told where it begins. */
function told(differing: readonly Difference[], frame: Frame, months: ReadonlySet<number>): Finding[] {
  const known = new Set<string>()
  const first: Difference[] = []
  for (const each of [...differing].sort((a, b) => byCodePoint(a.control.date, b.control.date))) {
    const { kind, account, class: member, department } = each.control
    const key = [kind, account, member, department, each.stated - each.found].join('\u0001')
    if (!known.has(key)) first.push(each)
    known.add(key)
  }
  const findings: Finding[] = []
  const begun = new Map<string, Difference[]>()
  for (const each of first) {
    const { begins, file } = each.control
    if (begins === undefined) findings.push(differs(each, frame))
    else begun.set(`${file}\u0001${begins}`, [...(begun.get(`${file}\u0001${begins}`) ?? []), each])
  }
  return [...[...begun.values()].map((each) => gap(each, frame, months)), ...findings]
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

/** All accounts of a file that begins with other balances than the books end with: one missing or changed month. */
function gap(differing: readonly Difference[], frame: Frame, months: ReadonlySet<number>): Finding {
  const classOf = (code: number | null) => (code === null ? null : accountAt(frame, code).classification)
  const lead = differing.find(({ code }) => classOf(code) === 'Asset') ?? differing[0]!
  const { control, code } = lead
  const isCredit = ['Liability', 'Equity', 'Income', 'OtherIncome'].includes(classOf(code) ?? '')
  const money = (minor: number) => displayMinor(isCredit ? 0 - minor : minor, decimalsOf(frame))
  const begins = monthOf(control.begins!)
  const before = begins - 1
  const last = Math.max(...[...months].filter((month) => month <= before))
  const isMissing = last < before
  const more = differing.length - 1
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
/** Of a month counted from year 0. */
const monthName = (month: number): string => `${NAMES[month % 12]} ${Math.floor(month / 12)}`

/** Months are told apart, and in a month that the start of a fiscal year cuts what lies before it and from it on. */
const positionOf = (date: string, starts: readonly string[]): number =>
  monthOf(date) + starts.filter((start) => start <= date).length

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
