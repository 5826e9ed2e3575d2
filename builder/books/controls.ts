/** What a source states about itself (#UB, #RES, #PSALDO) against what the books make of its postings. */
import { addDays, monthOf } from '../contract/calendar.ts'
import { parseAmount } from '../ingest/amount.ts'
import type { ControlRow } from '../ingest/intake.ts'
import { error, type Finding } from '../workspace/finding.ts'
import type { Database } from './database.ts'
import { fiscalYearOf } from './fiscal.ts'
import { decimalsOf, type Frame, moneyText } from './frame.ts'
import type { LedgerKeys } from './ledger.ts'
import type { OpeningCell } from './openings.ts'
import { KIND } from './postings.ts'

interface Cell {
  readonly account: number
  readonly class: number
  readonly department: number
  readonly month: number
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
): Promise<{ agreed: number; findings: Finding[] }> {
  if (controls.length === 0) return { agreed: 0, findings: [] }
  const [account, classes, departments, month, amount] = (await db.columns(
    `SELECT account, class, department, month, sum(amount)::DOUBLE
     FROM posting WHERE basis = 0 AND kind <> ${KIND.grossUp} GROUP BY ALL`,
    5,
  )) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]
  const cells: Cell[] = Array.from(account, (code, i) => ({
    account: code,
    class: classes[i]!,
    department: departments[i]!,
    month: month[i]!,
    amount: amount[i]!,
  }))
  const opening = monthOf(frame.coverage.startDate) - 1
  for (const cell of openings) if (cell.basis === 'ACCRUAL') cells.push({ ...cell, month: opening })
  const byAccount = new Map<number, Cell[]>()
  for (const cell of cells) {
    const own = byAccount.get(cell.account)
    if (own) own.push(cell)
    else byAccount.set(cell.account, [cell])
  }
  const findings: Finding[] = []
  for (const control of controls) {
    const stated = parseAmount(control.amount, decimalsOf(frame)).minor
    const code = keys.accounts.get(control.account)
    const [from, to] = monthsOfControl(control, frame, opening)
    const found = (byAccount.get(code ?? -1) ?? [])
      .filter(
        (cell) =>
          cell.month >= from &&
          cell.month <= to &&
          (control.class === null || cell.class === keys.classes.get(control.class)) &&
          (control.department === null || cell.department === keys.departments.get(control.department)),
      )
      .reduce((total, cell) => total + cell.amount, 0)
    if (stated === found) continue
    const member = control.class ?? control.department
    findings.push(
      error(
        'control-differs',
        `the file states a ${WHAT[control.kind]} of ${control.amount} for account ${control.account}${member === null ? '' : ` with ${member}`} at ${control.date}; its postings give ${moneyText(frame, found)}`,
        {
          file: control.file,
          row: control.row,
          text: control.amount,
          remedy: 'the export is incomplete or was changed: export it again',
        },
      ),
    )
  }
  return { agreed: controls.length - findings.length, findings }
}

function monthsOfControl(control: ControlRow, frame: Frame, opening: number): [number, number] {
  const month = monthOf(control.date)
  if (control.kind === 'closing') return [opening, month]
  if (control.kind === 'movement') return [month, month]
  const year = fiscalYearOf(frame.fiscalYears, control.date)
  return [monthOf(year?.start ?? addDays(control.date, -364)), month]
}
