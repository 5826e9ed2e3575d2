/**
 * A slice into the three statements. Stored amounts are debit positive; here, and only here, they take the natural
 * sign of their section. Contra accounts stay in their section with the opposite sign: no abs(), no reclassifying.
 */

import { startInside } from '../books/fiscal.ts'
import {
  accountAt,
  basisSourceOf,
  COMPUTED_CODES,
  codeCount,
  computedCode,
  type Frame,
  isEarnings,
  NOT_CLOSED,
} from '../books/frame.ts'
import { KIND, KINDS } from '../books/postings.ts'
import type {
  Figures,
  Period,
  StatementDocument,
  StatementRow,
  StatementScope,
} from '../contract/document.ts'
import { withFigures } from '../contract/encode.ts'
import { accumulate, addFigures, figureAt } from '../contract/figures.ts'
import { COMPUTED_ROWS, type ComputedRow, type Section, type StatementName } from '../contract/vocabulary.ts'
import { addMovement, BALANCE_KINDS, knows, moves, type Slice, setMovement } from './slice.ts'
import { SPECS, signOn } from './specs.ts'
import { type Cash, type StatementBody, Totals } from './totals.ts'

export type Statements = { readonly [statement in StatementName]: StatementBody }

export type RowLabel = Omit<StatementRow, 'values'>

/** Where an account stands on a statement. */
interface Place {
  readonly code: number
  readonly label: RowLabel
  /** What makes a debit-positive figure one of its section. */
  readonly sign: 1 | -1
}

/** A place with its row, once a slice had one there. */
interface Line extends Place {
  row: StatementRow | null
}

/** The rows that each statement can have for accounts, in wire order: the same for every slice of a frame. */
interface Plan {
  readonly places: { readonly [statement in StatementName]: readonly Place[] }
  /** Whether a code holds results, by code. */
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
    place(own, code, accountLabel(frame, code, classification as Section))
    if (cashFlow !== 'Cash') place('CashFlow', code, accountLabel(frame, code, cashFlow ?? 'Operating'))
  }
  // Results not closed are no activity of any period.
  for (const row of COMPUTED_CODES)
    if (row !== NOT_CLOSED)
      place(
        'ProfitAndLoss',
        computedCode(frame, row),
        computedLabel(row, COMPUTED_ROWS[row].classification as Section),
      )
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

/** Movements of results and of everything else, by kind (index into KINDS); null where nothing of the slice moves so. */
interface Sums {
  readonly results: readonly (Figures | null)[]
  readonly rest: readonly (Figures | null)[]
}

/**
 * Composes one slice after the other in the same memory: statements are sound until the composer makes the next. An
 * account keeps its row of each statement; which rows a slice has is all that changes, and their figures.
 */
export class Composer {
  readonly #plan: Plan
  readonly #periods: readonly Period[]
  /** Whether a fiscal year begins with or inside each period. */
  readonly #beginsYear: readonly boolean[]
  readonly #lines: { readonly [statement in StatementName]: readonly Line[] }
  readonly #totals: { readonly [statement in StatementName]: Totals }

  constructor(frame: Frame, periods: readonly Period[]) {
    this.#plan = planOf(frame)
    this.#periods = periods
    const starts = new Set(frame.fiscalYears.map((year) => year.start))
    // The first period carries on from what the slice brings: a year that begins with it has nothing before it.
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

  all(slice: Slice): Statements {
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

  /** Activity in each period. Closing entries are never on the P&L. */
  #profitAndLoss(slice: Slice): StatementBody {
    const rows: StatementRow[] = []
    for (const line of this.#lines.ProfitAndLoss) {
      const { code, sign } = line
      if (!moves(slice, code, KIND.activity)) continue
      const row = this.#row(line)
      setMovement(row.values, slice, code, KIND.activity, sign)
      rows.push(row)
    }
    return this.#totals.ProfitAndLoss.bodyOf(rows)
  }

  /** Balances at each period's end, with the earnings rows and, on a filtered slice, the balancing row. */
  #balanceSheet(slice: Slice, sums: Sums): StatementBody {
    const rows: StatementRow[] = []
    for (const line of this.#lines.BalanceSheet) {
      const { code, sign } = line
      if (!knows(slice, code)) continue
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
    // From the ledger, not as a difference: the slice's postings, debit positive, are minus the other lines of the
    // same transactions (accounting.md §6). Unfiltered they add up to zero and the row does not appear.
    const everything = this.#zeros()
    for (const kind of BALANCE_KINDS) addBoth(everything, sums, kind)
    let opening = 0
    for (const code of slice.codes) opening += figureAt(slice.opening, code)
    rows.push(computedRow('balancing', 'Equity', accumulate(everything, opening)))
    return this.#totals.BalanceSheet.bodyOf(rows)
  }

  /** Indirect: net income, and minus the activity of every non-cash balance sheet account (accounting.md §5). */
  #cashFlow(slice: Slice, sums: Sums): StatementBody {
    const { earnings } = this.#plan
    const rows: StatementRow[] = []
    let operating = 0
    for (const line of this.#lines.CashFlow) {
      const { code, label, sign } = line
      // Of a P&L account only what a disposal adds back; its activity is in net income.
      const own = !earnings[code] && moves(slice, code, KIND.activity)
      if (!own && !moves(slice, code, KIND.grossUp)) continue
      const row = this.#row(line)
      row.values.fill(0)
      if (own) addMovement(row.values, slice, code, KIND.activity, sign)
      addMovement(row.values, slice, code, KIND.grossUp, sign)
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
    return this.#totals.CashFlow.bodyOf(rows, this.#cash(slice))
  }

  /** The row that an account keeps from slice to slice: with the figures of the slice before, or zeros. */
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
        if (moves(slice, code, kind)) {
          const sum = into[kind] ?? this.#zeros()
          into[kind] = sum
          addMovement(sum, slice, code, kind)
        }
    }
    return sums
  }

  /**
   * Results as equity shows them, debit positive: of the fiscal year of each period, less what was closed of them, and
   * of all years before it that no closing entry has moved. Cells move what lies before a start inside a period from the one
   * to the other (books/year-cuts.ts).
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

/** Turns a row's figures into the sign of its section; a zero has no sign. */
function signed(row: StatementRow, statement: StatementName): StatementRow {
  const { values, section } = row
  if (signOn(statement, section) === -1)
    for (let p = 0; p < values.length; p++) values[p] = 0 - figureAt(values, p)
  return row
}

export function accountLabel(frame: Frame, code: number, section: Section): RowLabel {
  const { id, number, name } = accountAt(frame, code)
  return { accountId: id, accountNumber: number, accountName: name, section }
}

export const computedLabel = (id: ComputedRow, section: Section): RowLabel => ({
  accountId: id,
  accountNumber: '',
  accountName: COMPUTED_ROWS[id].name,
  section,
})

const computedRow = (id: ComputedRow, section: Section, values: Figures): StatementRow =>
  rowOf(computedLabel(id, section), values)

/** Field by field, so that all rows have one shape: every loop over them is faster for it. */
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

/** A composed statement as the document that goes on the wire: rows that are zero throughout are left out. */
export function documentOf(
  frame: Frame,
  scope: StatementScope,
  range: { readonly startDate: string; readonly endDate: string },
  periods: StatementDocument['periods'],
  composed: StatementBody & Pick<StatementDocument, 'notStated'>,
): StatementDocument {
  const basisSource = basisSourceOf(frame, scope)
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
  }
}
