/**
 * Composes the three statements from a slice. Stored amounts are debit positive; only here do they take the
 * natural sign of their section. Contra accounts stay in their section with the opposite sign: nothing is
 * made absolute or reclassified.
 */

import { CASH_FLOW_KINDS, KIND, KINDS } from '../books/post/postings.ts'
import { startInside } from '../books/reference/fiscal.ts'
import {
  accountAt,
  basisSourceOf,
  COMPUTED_CODES,
  codeCount,
  computedCode,
  type Frame,
  isEarnings,
  NOT_CLOSED,
} from '../books/reference/frame.ts'
import type {
  Figures,
  Period,
  StatementDocument,
  StatementRow,
  StatementScope,
  WithoutCashRow,
} from '../contract/document.ts'
import { withFigures } from '../contract/encode.ts'
import { accumulate, addFigures, figureAt } from '../contract/figures.ts'
import { COMPUTED_ROWS, type ComputedRow, type Section, type StatementName } from '../contract/vocabulary.ts'
import {
  addMovement,
  BALANCE_KINDS,
  hasLines,
  hasMovement,
  hasMoves,
  type Slice,
  setMovement,
} from './slice.ts'
import { SPECS, signOn } from './specs.ts'
import { type Cash, type StatementBody, Totals } from './totals.ts'

export type ComposedStatements = { readonly [statement in StatementName]: StatementBody }

export type RowLabel = Omit<StatementRow, 'values'>

interface Place {
  readonly code: number
  readonly label: RowLabel
  /** The factor that turns a debit-positive figure into the sign of the section. */
  readonly sign: 1 | -1
}

/** A place with its row, which is created when a slice first needs it. */
interface Line extends Place {
  row: StatementRow | null
}

/** The rows that each statement can have, in wire order; the same for every slice of a frame. */
interface Plan {
  readonly places: { readonly [statement in StatementName]: readonly Place[] }
  /** By account code: whether its postings are results (P&L accounts and computed rows of results). */
  readonly earnings: readonly boolean[]
  readonly cash: readonly number[]
}

const plans = new WeakMap<Frame, Plan>()

function planOf(frame: Frame): Plan {
  const known = plans.get(frame)
  if (known) return known
  const places = { ProfitAndLoss: [] as Place[], BalanceSheet: [] as Place[], CashFlow: [] as Place[] }
  const place = (statement: StatementName, code: number, label: RowLabel): void =>
    void places[statement].push({ code, label, sign: signOn(statement, label.section) })
  for (const [code, { classification, cashFlow }] of frame.accounts.entries()) {
    const own = isEarnings(frame, code) ? 'ProfitAndLoss' : 'BalanceSheet'
    place(own, code, accountRowLabel(frame, code, classification as Section))
    if (cashFlow !== 'Cash') place('CashFlow', code, accountRowLabel(frame, code, cashFlow ?? 'Operating'))
  }
  for (const row of COMPUTED_CODES) {
    const { classification, cashFlow } = COMPUTED_ROWS[row]
    const code = computedCode(frame, row)
    if (cashFlow !== null) place('CashFlow', code, computedRowLabel(row, cashFlow))
    // Results of prior years that were not closed are not activity of any period.
    else if (row !== NOT_CLOSED) place('ProfitAndLoss', code, computedRowLabel(row, classification))
  }
  for (const [statement, list] of Object.entries(places) as [StatementName, Place[]][]) {
    const order = SPECS[statement].sections as readonly Section[]
    list.sort((a, b) => order.indexOf(a.label.section) - order.indexOf(b.label.section) || a.code - b.code)
  }
  const plan: Plan = {
    places,
    earnings: Array.from({ length: codeCount(frame) }, (_, code) => isEarnings(frame, code)),
    cash: frame.accounts.flatMap((account, code) => (account.cashFlow === 'Cash' ? [code] : [])),
  }
  plans.set(frame, plan)
  return plan
}

/**
 * Movements of results and of all other accounts, by kind (index into KINDS); null where nothing of the slice
 * moves in that kind.
 */
interface Sums {
  readonly results: readonly (Figures | null)[]
  readonly rest: readonly (Figures | null)[]
}

/**
 * Composes slices one after the other and reuses its memory for speed: a composed statement is valid until
 * the composer makes the next. Each account keeps its row objects; only their figures and the choice of rows
 * change.
 */
export class Composer {
  readonly #plan: Plan
  readonly #periods: readonly Period[]
  /** By period: whether a fiscal year begins with it or inside it. */
  readonly #beginsYear: readonly boolean[]
  readonly #lines: { readonly [statement in StatementName]: readonly Line[] }
  readonly #totals: { readonly [statement in StatementName]: Totals }

  constructor(frame: Frame, periods: readonly Period[]) {
    this.#plan = planOf(frame)
    this.#periods = periods
    const starts = new Set(frame.fiscalYears.map((year) => year.start))
    // The first period continues the year-to-date earnings of the slice, which are zero where a fiscal year
    // begins with it.
    this.#beginsYear = periods.map(
      (period, p) =>
        (p > 0 && starts.has(period.startDate)) || startInside(frame.fiscalYears, period) !== undefined,
    )
    const lines = (statement: StatementName): Line[] =>
      this.#plan.places[statement].map((place) => ({ ...place, row: null }))
    this.#lines = {
      ProfitAndLoss: lines('ProfitAndLoss'),
      BalanceSheet: lines('BalanceSheet'),
      CashFlow: lines('CashFlow'),
    }
    const totals = (statement: StatementName) => new Totals(SPECS[statement], this.#zeros())
    this.#totals = {
      ProfitAndLoss: totals('ProfitAndLoss'),
      BalanceSheet: totals('BalanceSheet'),
      CashFlow: totals('CashFlow'),
    }
  }

  all(slice: Slice): ComposedStatements {
    const sums = this.#sumsOf(slice)
    return {
      ProfitAndLoss: this.#profitAndLoss(slice),
      BalanceSheet: this.#balanceSheet(slice, sums),
      CashFlow: this.#cashFlow(slice, sums),
    }
  }

  one(statement: StatementName, slice: Slice): StatementBody {
    if (statement === 'ProfitAndLoss') return this.#profitAndLoss(slice)
    const sums = this.#sumsOf(slice)
    return statement === 'BalanceSheet' ? this.#balanceSheet(slice, sums) : this.#cashFlow(slice, sums)
  }

  /** Activity in each period. Closing entries never appear on the P&L. */
  #profitAndLoss(slice: Slice): StatementBody {
    const rows: StatementRow[] = []
    for (const line of this.#lines.ProfitAndLoss) {
      const { code, sign } = line
      if (!hasMovement(slice, code, KIND.activity)) continue
      const row = this.#row(line)
      setMovement(row.values, slice, code, KIND.activity, sign)
      rows.push(row)
    }
    return this.#totals.ProfitAndLoss.bodyOf(rows)
  }

  /**
   * Balances at the end of each period, with the earnings rows and, for a filtered slice, the balancing row.
   */
  #balanceSheet(slice: Slice, sums: Sums): StatementBody {
    const rows: StatementRow[] = []
    for (const line of this.#lines.BalanceSheet) {
      const { code, sign } = line
      if (!hasLines(slice, code)) continue
      const row = this.#row(line)
      row.values.fill(0)
      for (const kind of BALANCE_KINDS) addMovement(row.values, slice, code, kind, sign)
      rows.push(row)
      accumulate(row.values, sign * figureAt(slice.opening, code))
    }
    const { current, prior } = this.#earnings(slice, sums)
    rows.push(
      signed(computedRow('current-year-earnings', 'Equity', current), 'BalanceSheet'),
      signed(computedRow(NOT_CLOSED, 'Equity', prior), 'BalanceSheet'),
    )
    // The balancing row is computed from the postings, not as a difference: the sum of the slice's postings
    // (debit positive) is minus the sum of the other lines of the same transactions (accounting.md §6).
    // Unfiltered it is zero and is left out.
    const everything = this.#zeros()
    for (const kind of BALANCE_KINDS) addBoth(everything, sums, kind)
    let opening = 0
    for (const code of slice.codes) opening += figureAt(slice.opening, code)
    rows.push(computedRow('balancing', 'Equity', accumulate(everything, opening)))
    return this.#totals.BalanceSheet.bodyOf(rows)
  }

  /**
   * Cash flow by the indirect method: net income, less the activity of every non-cash balance sheet account
   * (accounting.md §5).
   */
  #cashFlow(slice: Slice, sums: Sums): StatementBody {
    const { earnings } = this.#plan
    const rows: StatementRow[] = []
    let operating = 0
    for (const line of this.#lines.CashFlow) {
      const { code, label, sign } = line
      // A P&L account appears only with what is moved out of net income; its activity is part of net income.
      const own = !earnings[code] && hasMovement(slice, code, KIND.activity)
      if (!own && !hasMoves(slice, code)) continue
      const row = this.#row(line)
      row.values.fill(0)
      if (own) addMovement(row.values, slice, code, KIND.activity, sign)
      for (const kind of CASH_FLOW_KINDS) addMovement(row.values, slice, code, kind, sign)
      rows.push(row)
      if (label.section === 'Operating') operating = rows.length
    }
    const netIncome = this.#zeros()
    addKind(netIncome, sums.results, KIND.activity)
    const everything = this.#zeros()
    addBoth(everything, sums, KIND.activity)
    rows.splice(
      operating,
      0,
      signed(computedRow('net-income', 'Operating', netIncome), 'CashFlow'),
      computedRow('balancing', 'Operating', everything),
    )
    return { ...this.#totals.CashFlow.bodyOf(rows, this.#cash(slice)), withoutCash: this.#withoutCash(slice) }
  }

  /**
   * What entries without cash would have shown under investing and financing. The postings that take it out of a
   * row are minus its debit-positive figure, which is its sign on the cash flow.
   */
  #withoutCash(slice: Slice): WithoutCashRow[] {
    const rows: WithoutCashRow[] = (['Investing', 'Financing'] as const).map((section) => ({
      section,
      values: this.#zeros(),
    }))
    for (const { code, label } of this.#lines.CashFlow)
      for (const { section, values } of rows)
        if (section === label.section) addMovement(values, slice, code, KIND.withoutCash)
    return rows
  }

  /**
   * The row that an account keeps from slice to slice; it still holds the figures of an earlier slice, or
   * zeros.
   */
  #row(line: Line): StatementRow {
    line.row ??= rowOf(line.label, this.#zeros())
    return line.row
  }

  #zeros(): Figures {
    return new Float64Array(this.#periods.length)
  }

  #sumsOf(slice: Slice): Sums {
    const sums = {
      results: KINDS.map((): Figures | null => null),
      rest: KINDS.map((): Figures | null => null),
    }
    for (const code of slice.codes) {
      const into = this.#plan.earnings[code] ? sums.results : sums.rest
      for (let kind = 0; kind < KINDS.length; kind++)
        if (hasMovement(slice, code, kind)) {
          const sum = into[kind] ?? this.#zeros()
          into[kind] = sum
          addMovement(sum, slice, code, kind)
        }
    }
    return sums
  }

  /**
   * Computes the earnings rows of equity, debit positive. `current` is the result of each period's fiscal
   * year so far, less what was closed of it; `prior` is what no closing entry has moved of earlier years.
   * Where a year begins inside a period, separate cells move the earlier part from one to the other
   * (books/sums/year-cuts.ts).
   */
  #earnings(slice: Slice, { results }: Sums): { current: Figures; prior: Figures } {
    const { earnings } = this.#plan
    const current = this.#zeros()
    for (const kind of [KIND.activity, KIND.transfer, KIND.closingCurrent]) addKind(current, results, kind)
    const prior = current.slice()
    addKind(prior, results, KIND.closingPrior)
    let opening = 0
    for (const code of slice.codes) if (earnings[code]) opening += figureAt(slice.opening, code)
    accumulate(prior, opening)
    let soFar = slice.currentEarnings
    for (let p = 0; p < current.length; p++) {
      if (this.#beginsYear[p]) soFar = 0
      soFar += figureAt(current, p)
      current[p] = soFar
      prior[p] = figureAt(prior, p) - soFar
    }
    return { current, prior }
  }

  #cash(slice: Slice): Cash {
    const ending = this.#zeros()
    let opening = 0
    for (const code of this.#plan.cash) {
      opening += figureAt(slice.opening, code)
      for (const kind of BALANCE_KINDS) addMovement(ending, slice, code, kind)
    }
    accumulate(ending, opening)
    const beginning = this.#zeros()
    for (let p = 0; p < ending.length; p++) beginning[p] = p === 0 ? opening : figureAt(ending, p - 1)
    return { beginning, ending }
  }
}

function addKind(sum: Figures, byKind: Sums['results'], kind: number): void {
  const figures = byKind[kind]
  if (figures) addFigures(sum, figures)
}

function addBoth(sum: Figures, { results, rest }: Sums, kind: number): void {
  addKind(sum, results, kind)
  addKind(sum, rest, kind)
}

/** Turns a row's debit-positive figures into the sign of its section; 0 − x avoids negative zeros. */
function signed(row: StatementRow, statement: StatementName): StatementRow {
  const { values, section } = row
  if (signOn(statement, section) === -1)
    for (let p = 0; p < values.length; p++) values[p] = 0 - figureAt(values, p)
  return row
}

/** The columns of a row before its figures, for an account of the chart. */
export function accountRowLabel(frame: Frame, code: number, section: Section): RowLabel {
  const { id, number, name } = accountAt(frame, code)
  return { accountId: id, accountNumber: number, accountName: name, section }
}

/** The columns of a row before its figures, for a computed row. */
export const computedRowLabel = (id: ComputedRow, section: Section): RowLabel => ({
  accountId: id,
  accountNumber: '',
  accountName: COMPUTED_ROWS[id].name,
  section,
})

const computedRow = (id: ComputedRow, section: Section, values: Figures): StatementRow =>
  rowOf(computedRowLabel(id, section), values)

/**
 * Lists the fields in one order, so that all rows have the same hidden class in V8: every loop over them is
 * faster.
 */
const rowOf = (
  { accountId, accountNumber, accountName, section }: RowLabel,
  values: Figures,
): StatementRow => ({
  accountId,
  accountNumber,
  accountName,
  section,
  values,
})

/** Makes the wire document of a composed statement; rows that are zero in every period are left out. */
export function documentOf(
  frame: Frame,
  scope: StatementScope,
  range: { readonly startDate: string; readonly endDate: string },
  periods: StatementDocument['periods'],
  composed: StatementBody & Pick<StatementDocument, 'notStated'>,
): StatementDocument {
  const basisSource = basisSourceOf(frame, scope)
  const withoutCash = withFigures(composed.withoutCash ?? [])
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
    ...(composed.notStated === undefined ? {} : { notStated: composed.notStated }),
    ...(withoutCash.length > 0 && { withoutCash }),
  }
}
