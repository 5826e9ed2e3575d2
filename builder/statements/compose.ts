/**
 * A slice into the three statements. Stored amounts are debit positive; here, and only here, they take the natural
 * sign of their section. Contra accounts stay in their section with the opposite sign: no abs(), no reclassifying.
 */
import { COMPUTED_CODES, type Frame, NOT_CLOSED, notClosedCode } from '../books/frame.ts'
import { KIND } from '../books/postings.ts'
import type {
  Figures,
  StatementDocument,
  StatementRow,
  StatementScope,
  SummaryRow,
} from '../contract/document.ts'
import { withFigures } from '../contract/encode.ts'
import { type BasisSource, COMPUTED_ROWS, type ComputedRow, type Section } from '../contract/vocabulary.ts'
import { type AccountSlice, isEarnings, type Slice } from './slice.ts'
import { BALANCE_SHEET, CASH_FLOW, PROFIT_AND_LOSS, type StatementSpec } from './specs.ts'

export interface Statements {
  readonly ProfitAndLoss: StatementBody
  readonly BalanceSheet: StatementBody
  readonly CashFlow: StatementBody
}

/** Rows and totals of a statement: all of them, also those that are zero throughout. */
export interface StatementBody {
  readonly rows: readonly StatementRow[]
  readonly summary: readonly SummaryRow[]
}

export const composeStatements = (frame: Frame, slice: Slice): Statements => ({
  ProfitAndLoss: composeProfitAndLoss(frame, slice),
  BalanceSheet: composeBalanceSheet(frame, slice),
  CashFlow: composeCashFlow(frame, slice),
})

const zeros = (slice: Slice): Figures => new Float64Array(slice.periods.length)

/** Activity in each period. Closing entries are never on the P&L. */
function composeProfitAndLoss(frame: Frame, slice: Slice): StatementBody {
  const sections = sectionsOf(PROFIT_AND_LOSS)
  for (const { code, movements } of slice.accounts) {
    const activity = movements[KIND.activity]
    // Results not closed are no activity of any period.
    if (!activity || !isEarnings(frame, code) || code === notClosedCode(frame)) continue
    const row = COMPUTED_CODES[code - frame.accounts.length]
    const section = (row ? COMPUTED_ROWS[row] : frame.accounts[code]!).classification as Section
    const values = signed(activity, PROFIT_AND_LOSS, section)
    sections
      .get(section)!
      .push(row ? computedRow(row, section, values) : accountRow(frame, code, section, values))
  }
  return bodyOf(PROFIT_AND_LOSS, sections, zeros(slice))
}

/** Balances at each period's end, with the earnings rows and, on a filtered slice, the balancing row. */
function composeBalanceSheet(frame: Frame, slice: Slice): StatementBody {
  const sections = sectionsOf(BALANCE_SHEET)
  for (const account of slice.accounts) {
    if (isEarnings(frame, account.code)) continue
    const section = frame.accounts[account.code]!.classification as Section
    sections
      .get(section)!
      .push(
        accountRow(frame, account.code, section, signed(balances(account, slice), BALANCE_SHEET, section)),
      )
  }
  const { current, prior } = earnings(frame, slice)
  const equity = sections.get('Equity')!
  equity.push(computedRow('current-year-earnings', 'Equity', signed(current, BALANCE_SHEET, 'Equity')))
  equity.push(computedRow(NOT_CLOSED, 'Equity', signed(prior, BALANCE_SHEET, 'Equity')))
  // From the ledger, not as a difference: the slice's postings, debit positive, are minus the other lines of the
  // same transactions (accounting.md §6). Unfiltered they add up to zero and the row does not appear.
  equity.push(
    computedRow(
      'balancing',
      'Equity',
      total(slice, (account) => balances(account, slice)),
    ),
  )
  return bodyOf(BALANCE_SHEET, sections, zeros(slice))
}

/** Indirect: net income, and minus the activity of every non-cash balance sheet account (accounting.md §5). */
function composeCashFlow(frame: Frame, slice: Slice): StatementBody {
  const sections = sectionsOf(CASH_FLOW)
  const activity = (account: AccountSlice): Figures | null => account.movements[KIND.activity] ?? null
  for (const account of slice.accounts) {
    const known = frame.accounts[account.code]
    if (!known || known.cashFlow === 'Cash') continue
    // Of a P&L account only what a disposal adds back; its activity is in net income.
    const own = isEarnings(frame, account.code) ? [account.grossUp] : [activity(account), account.grossUp]
    const parts = own.filter((figures) => figures !== null)
    if (parts.length === 0) continue
    const section: Section = known.cashFlow ?? 'Operating'
    const movement = zeros(slice)
    for (const part of parts) addTo(movement, part)
    sections
      .get(section)!
      .push(accountRow(frame, account.code, section, signed(movement, CASH_FLOW, section)))
  }
  const netIncome = total(slice, (account) => (isEarnings(frame, account.code) ? activity(account) : null))
  const operating = sections.get('Operating')!
  operating.push(computedRow('net-income', 'Operating', signed(netIncome, CASH_FLOW, 'Operating')))
  operating.push(computedRow('balancing', 'Operating', total(slice, activity)))
  return bodyOf(CASH_FLOW, sections, zeros(slice), cashOf(frame, slice))
}

/** Balance at each period's end: the opening and every movement, of whatever kind, up to it. */
export function balances(account: AccountSlice, slice: Slice): Figures {
  const result = zeros(slice)
  let balance = account.opening
  for (let p = 0; p < result.length; p++) {
    for (const movement of account.movements) if (movement) balance += movement[p]!
    result[p] = balance
  }
  return result
}

/**
 * Results as equity shows them, debit positive: of the fiscal year of each period, less what was closed of them, and
 * of all years before it that no closing entry has moved.
 */
function earnings(frame: Frame, slice: Slice): { current: Figures; prior: Figures } {
  const all = total(slice, (account) => (isEarnings(frame, account.code) ? balances(account, slice) : null))
  const starts = new Set(frame.fiscalYears.map((year) => year.start))
  const current = zeros(slice)
  let soFar = slice.currentEarnings
  for (const [p, period] of slice.periods.entries()) {
    // The first period carries on from what the slice brings: a year that begins with it has nothing before it.
    if (p > 0 && starts.has(period.startDate)) soFar = 0
    for (const account of slice.accounts)
      if (isEarnings(frame, account.code))
        for (const [kind, movement] of account.movements.entries())
          if (kind !== KIND.closingPrior) soFar += movement?.[p] ?? 0
    current[p] = soFar
  }
  return { current, prior: all.map((value, p) => value - current[p]!) }
}

function cashOf(frame: Frame, slice: Slice): Cash {
  const cash = slice.accounts.filter((account) => frame.accounts[account.code]?.cashFlow === 'Cash')
  const ending = zeros(slice)
  for (const account of cash) addTo(ending, balances(account, slice))
  const beginning = zeros(slice)
  for (let p = 0; p < beginning.length; p++)
    beginning[p] = p === 0 ? cash.reduce((sum, account) => sum + account.opening, 0) : ending[p - 1]!
  return { beginning, ending }
}

function total(slice: Slice, figures: (account: AccountSlice) => Figures | null): Figures {
  const result = zeros(slice)
  for (const account of slice.accounts) {
    const own = figures(account)
    if (own) addTo(result, own)
  }
  return result
}

/** Adds figures; "no figure" (NaN) adds nothing, and a sum of none stays none. */
function addTo(sum: Figures, figures: Figures, factor: 1 | -1 = 1): void {
  for (let p = 0; p < sum.length; p++) {
    const value = figures[p]!
    if (!Number.isNaN(value)) sum[p] = (Number.isNaN(sum[p]!) ? 0 : sum[p]!) + factor * value
  }
}

/** The figures in the sign of their section; a zero has no sign. */
function signed(figures: Figures, spec: StatementSpec, section: Section): Figures {
  return spec.sign[section] === 1 ? figures : figures.map((value) => 0 - value)
}

export type Sections = Map<Section, StatementRow[]>
export const sectionsOf = (spec: StatementSpec): Sections =>
  new Map(spec.sections.map((section) => [section, []]))

export const accountRow = (frame: Frame, code: number, section: Section, values: Figures): StatementRow => {
  const { id, number, name } = frame.accounts[code]!
  return { accountId: id, accountNumber: number, accountName: name, section, values }
}

const computedRow = (id: ComputedRow, section: Section, values: Figures): StatementRow => ({
  accountId: id,
  accountNumber: '',
  accountName: COMPUTED_ROWS[id].name,
  section,
  values,
})

interface Cash {
  readonly beginning: Figures
  readonly ending: Figures
}

/** Rows in section order and the totals over them; `nothing` is what a total without rows shows: 0, or no figure. */
export function bodyOf(
  spec: StatementSpec,
  sections: Sections,
  nothing: Figures,
  cash?: Cash,
): StatementBody {
  const totals = new Map([...sections].map(([section, rows]) => [section, sumOf(rows, nothing)]))
  const summary = spec.totals.map(([name, parts]): SummaryRow => {
    if (parts === 'cash')
      return { name, values: (name === 'BeginningCash' ? cash?.beginning : cash?.ending) ?? nothing }
    const values = nothing.slice()
    for (const [section, factor] of Object.entries(parts) as [Section, 1 | -1][])
      addTo(values, totals.get(section)!, factor)
    return { name, values }
  })
  return { rows: [...sections.values()].flat(), summary }
}

function sumOf(rows: readonly StatementRow[], nothing: Figures): Figures {
  const sum = nothing.slice()
  for (const row of rows) addTo(sum, row.values)
  return sum
}

/** A composed statement as the document that goes on the wire: rows that are zero throughout are left out. */
export function documentOf(
  frame: Frame,
  scope: StatementScope,
  range: { readonly startDate: string; readonly endDate: string },
  periods: StatementDocument['periods'],
  composed: StatementBody,
): StatementDocument {
  const basisSource: BasisSource = scope.budgetId === null ? frame.basisSources[scope.basis]! : 'Budget'
  return {
    companyId: frame.companyId,
    basisSource,
    currency: frame.currency,
    ...scope,
    startDate: range.startDate,
    endDate: range.endDate,
    periods,
    rows: withFigures(composed.rows),
    summary: composed.summary,
  }
}
