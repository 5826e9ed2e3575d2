/**
 * A slice into the three statements. Stored amounts are debit positive; here, and only here, they take the natural
 * sign of their section. Contra accounts stay in their section with the opposite sign: no abs(), no reclassifying.
 */
import { COMPUTED_CODES, computedCode, type Frame, NOT_CLOSED } from '../books/frame.ts'
import { KIND } from '../books/postings.ts'
import type {
  Figures,
  StatementDocument,
  StatementRow,
  StatementScope,
  SummaryRow,
} from '../contract/document.ts'
import { withFigures } from '../contract/encode.ts'
import {
  type BasisSource,
  COMPUTED_ROWS,
  type ComputedRow,
  type Section,
  type StatementName,
} from '../contract/vocabulary.ts'
import { BALANCE_KINDS, isEarnings, moves, type Slice } from './slice.ts'
import { BALANCE_SHEET, CASH_FLOW, PROFIT_AND_LOSS, SPECS, type StatementSpec } from './specs.ts'

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

export const COMPOSE: {
  readonly [statement in StatementName]: (frame: Frame, slice: Slice) => StatementBody
} = {
  ProfitAndLoss: composeProfitAndLoss,
  BalanceSheet: composeBalanceSheet,
  CashFlow: composeCashFlow,
}

export const composeStatements = (frame: Frame, slice: Slice): Statements => ({
  ProfitAndLoss: composeProfitAndLoss(frame, slice),
  BalanceSheet: composeBalanceSheet(frame, slice),
  CashFlow: composeCashFlow(frame, slice),
})

/** Where an account stands on a statement. */
interface Place {
  readonly code: number
  readonly label: RowLabel
}

/** The rows that each statement can have for accounts, in wire order: the same for every slice of a frame. */
interface Plan {
  readonly places: { readonly [statement in StatementName]: readonly Place[] }
  /** Whether a code holds results, by code. */
  readonly earnings: readonly boolean[]
  readonly cash: readonly number[]
  readonly yearStarts: ReadonlySet<string>
}

const plans = new WeakMap<Frame, Plan>()

function planOf(frame: Frame): Plan {
  const known = plans.get(frame)
  if (known) return known
  const places = { ProfitAndLoss: [] as Place[], BalanceSheet: [] as Place[], CashFlow: [] as Place[] }
  for (const [code, { id, number, name, classification, cashFlow }] of frame.accounts.entries()) {
    const label = { accountId: id, accountNumber: number, accountName: name }
    const own = isEarnings(frame, code) ? places.ProfitAndLoss : places.BalanceSheet
    own.push({ code, label: { ...label, section: classification as Section } })
    if (cashFlow !== 'Cash')
      places.CashFlow.push({ code, label: { ...label, section: cashFlow ?? 'Operating' } })
  }
  // Results not closed are no activity of any period.
  for (const row of COMPUTED_CODES)
    if (row !== NOT_CLOSED)
      places.ProfitAndLoss.push({
        code: computedCode(frame, row),
        label: computedLabel(row, COMPUTED_ROWS[row].classification as Section),
      })
  for (const [statement, list] of Object.entries(places) as [StatementName, Place[]][]) {
    const order = SPECS[statement].sections as readonly Section[]
    list.sort((a, b) => order.indexOf(a.label.section) - order.indexOf(b.label.section) || a.code - b.code)
  }
  const plan: Plan = {
    places,
    earnings: Array.from({ length: frame.accounts.length + COMPUTED_CODES.length }, (_, code) =>
      isEarnings(frame, code),
    ),
    cash: frame.accounts.flatMap((account, code) => (account.cashFlow === 'Cash' ? [code] : [])),
    yearStarts: new Set(frame.fiscalYears.map((year) => year.start)),
  }
  plans.set(frame, plan)
  return plan
}

const zeros = (slice: Slice): Figures => new Float64Array(slice.periods.length)

/** Room for the figures of a statement's rows, given out one row after the other: one array costs less than hundreds. */
class Rows {
  readonly #figures: Figures
  readonly #width: number
  #used = 0

  constructor(slice: Slice, rows: number) {
    this.#width = slice.periods.length
    this.#figures = new Float64Array(rows * this.#width)
  }

  next(): Figures {
    const from = this.#used
    this.#used += this.#width
    return this.#figures.subarray(from, this.#used)
  }
}

/** Activity in each period. Closing entries are never on the P&L. */
function composeProfitAndLoss(frame: Frame, slice: Slice): StatementBody {
  const rows: StatementRow[] = []
  const room = new Rows(slice, slice.codes.length)
  for (const { code, label } of planOf(frame).places.ProfitAndLoss) {
    const row = slice.rowOf[code]!
    if (row < 0 || !moves(slice, row, KIND.activity)) continue
    const values = room.next()
    addMovement(values, slice, row, KIND.activity)
    rows.push({ ...label, values: signed(values, PROFIT_AND_LOSS, label.section) })
  }
  return bodyOf(PROFIT_AND_LOSS, rows, zeros(slice))
}

/** Balances at each period's end, with the earnings rows and, on a filtered slice, the balancing row. */
function composeBalanceSheet(frame: Frame, slice: Slice): StatementBody {
  const rows: StatementRow[] = []
  const room = new Rows(slice, slice.codes.length)
  for (const { code, label } of planOf(frame).places.BalanceSheet) {
    const row = slice.rowOf[code]!
    if (row < 0) continue
    rows.push({ ...label, values: signed(balances(slice, row, room.next()), BALANCE_SHEET, label.section) })
  }
  const { current, prior } = earnings(frame, slice)
  rows.push(computedRow('current-year-earnings', 'Equity', signed(current, BALANCE_SHEET, 'Equity')))
  rows.push(computedRow(NOT_CLOSED, 'Equity', signed(prior, BALANCE_SHEET, 'Equity')))
  // From the ledger, not as a difference: the slice's postings, debit positive, are minus the other lines of the
  // same transactions (accounting.md §6). Unfiltered they add up to zero and the row does not appear.
  const all = slice.codes.map(() => true)
  rows.push(
    computedRow(
      'balancing',
      'Equity',
      accumulated(totalOf(slice, BALANCE_KINDS, all), openingOf(slice, all)),
    ),
  )
  return bodyOf(BALANCE_SHEET, rows, zeros(slice))
}

/** Indirect: net income, and minus the activity of every non-cash balance sheet account (accounting.md §5). */
function composeCashFlow(frame: Frame, slice: Slice): StatementBody {
  const { places, earnings: isResult } = planOf(frame)
  const rows: StatementRow[] = []
  const room = new Rows(slice, slice.codes.length)
  for (const { code, label } of places.CashFlow) {
    const row = slice.rowOf[code]!
    if (row < 0) continue
    // Of a P&L account only what a disposal adds back; its activity is in net income.
    const own = !isResult[code] && moves(slice, row, KIND.activity)
    if (!own && !moves(slice, row, KIND.grossUp)) continue
    const values = room.next()
    if (own) addMovement(values, slice, row, KIND.activity)
    addMovement(values, slice, row, KIND.grossUp)
    rows.push({ ...label, values: signed(values, CASH_FLOW, label.section) })
  }
  const results = slice.codes.map((code) => isResult[code]!)
  const netIncome = signed(totalOf(slice, [KIND.activity], results), CASH_FLOW, 'Operating')
  const everything = totalOf(slice, [KIND.activity], results.fill(true))
  const operating = rows.findLastIndex((row) => row.section === 'Operating') + 1
  rows.splice(
    operating,
    0,
    computedRow('net-income', 'Operating', netIncome),
    computedRow('balancing', 'Operating', everything),
  )
  return bodyOf(CASH_FLOW, rows, zeros(slice), cashOf(frame, slice))
}

function addMovement(sum: Figures, slice: Slice, row: number, kind: number): void {
  const figures = slice.movements[kind]
  if (!figures || !moves(slice, row, kind)) return
  const from = row * sum.length
  for (let p = 0; p < sum.length; p++) sum[p] = sum[p]! + figures[from + p]!
}

/** Movements become balances at each period's end. */
function accumulated(figures: Figures, opening: number): Figures {
  let balance = opening
  for (let p = 0; p < figures.length; p++) {
    balance += figures[p]!
    figures[p] = balance
  }
  return figures
}

/** Balance at each period's end: the opening and every movement, of whatever kind, up to it. */
function balances(slice: Slice, row: number, into: Figures): Figures {
  for (const kind of BALANCE_KINDS) addMovement(into, slice, row, kind)
  return accumulated(into, slice.opening[row]!)
}

/** The sum of some kinds over the rows that are wanted. */
function totalOf(slice: Slice, kinds: readonly number[], wanted: readonly boolean[]): Figures {
  const sum = zeros(slice)
  for (const kind of kinds)
    for (let row = 0; row < wanted.length; row++) if (wanted[row]) addMovement(sum, slice, row, kind)
  return sum
}

const openingOf = (slice: Slice, wanted: readonly boolean[]): number =>
  slice.opening.reduce((sum, amount, row) => (wanted[row] ? sum + amount : sum), 0)

/**
 * Results as equity shows them, debit positive: of the fiscal year of each period, less what was closed of them, and
 * of all years before it that no closing entry has moved.
 */
function earnings(frame: Frame, slice: Slice): { current: Figures; prior: Figures } {
  const { earnings: isResult, yearStarts } = planOf(frame)
  const results = slice.codes.map((code) => isResult[code]!)
  const ofYear = totalOf(slice, [KIND.activity, KIND.transfer, KIND.closingCurrent], results)
  const all = totalOf(slice, [KIND.closingPrior], results)
  for (let p = 0; p < all.length; p++) all[p] = all[p]! + ofYear[p]!
  accumulated(all, openingOf(slice, results))
  const current = zeros(slice)
  let soFar = slice.currentEarnings
  for (const [p, period] of slice.periods.entries()) {
    // The first period carries on from what the slice brings: a year that begins with it has nothing before it.
    if (p > 0 && yearStarts.has(period.startDate)) soFar = 0
    soFar += ofYear[p]!
    current[p] = soFar
  }
  return { current, prior: all.map((value, p) => value - current[p]!) }
}

function cashOf(frame: Frame, slice: Slice): Cash {
  const codes = new Set(planOf(frame).cash)
  const cash = slice.codes.map((code) => codes.has(code))
  const opening = openingOf(slice, cash)
  const ending = accumulated(totalOf(slice, BALANCE_KINDS, cash), opening)
  return { beginning: ending.map((_, p) => (p === 0 ? opening : ending[p - 1]!)), ending }
}

/** Adds figures; "no figure" (NaN) adds nothing, and a sum of none stays none. */
function addTo(sum: Figures, figures: Figures, factor: 1 | -1 = 1): void {
  for (let p = 0; p < sum.length; p++) {
    const value = figures[p]!
    if (!Number.isNaN(value)) sum[p] = (Number.isNaN(sum[p]!) ? 0 : sum[p]!) + factor * value
  }
}

/** Turns the figures into the sign of their section; a zero has no sign. */
function signed(figures: Figures, spec: StatementSpec, section: Section): Figures {
  if (spec.sign[section] !== 1) for (let p = 0; p < figures.length; p++) figures[p] = 0 - figures[p]!
  return figures
}

export type RowLabel = Omit<StatementRow, 'values'>

export const accountLabel = (frame: Frame, code: number, section: Section): RowLabel => {
  const { id, number, name } = frame.accounts[code]!
  return { accountId: id, accountNumber: number, accountName: name, section }
}

const computedLabel = (id: ComputedRow, section: Section): RowLabel => ({
  accountId: id,
  accountNumber: '',
  accountName: COMPUTED_ROWS[id].name,
  section,
})

const computedRow = (id: ComputedRow, section: Section, values: Figures): StatementRow => ({
  ...computedLabel(id, section),
  values,
})

interface Cash {
  readonly beginning: Figures
  readonly ending: Figures
}

/** Rows, which stand in section order, and the totals over them; `nothing` is what a total without rows shows: 0, or no figure. */
export function bodyOf(
  spec: StatementSpec,
  rows: readonly StatementRow[],
  nothing: Figures,
  cash?: Cash,
): StatementBody {
  const totals = new Map(spec.sections.map((section) => [section, nothing.slice()]))
  for (const row of rows) addTo(totals.get(row.section)!, row.values)
  const summary = spec.totals.map(([name, parts]): SummaryRow => {
    if (parts === 'cash')
      return { name, values: (name === 'BeginningCash' ? cash?.beginning : cash?.ending) ?? nothing }
    const values = nothing.slice()
    for (const [section, factor] of Object.entries(parts) as [Section, 1 | -1][])
      addTo(values, totals.get(section)!, factor)
    return { name, values }
  })
  return { rows, summary }
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
