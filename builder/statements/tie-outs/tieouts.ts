/**
 * Checks every identity on every scope, records both sides and the largest difference, and forbids
 * publication where one does not hold. Owns the identities. Must not compute figures of its own: it compares
 * what others computed.
 */

import { moneyText } from '../../books/read/money.ts'
import { decimalsOf, type Frame } from '../../books/reference/frame.ts'
import { periodAt } from '../../contract/calendar.ts'
import type { Figures, Period } from '../../contract/document.ts'
import { figureAt } from '../../contract/figures.ts'
import { present } from '../../contract/present.ts'
import { type Basis, STATEMENTS, type StatementName } from '../../contract/vocabulary.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { BudgetBody } from '../budget.ts'
import type { ComposedStatements } from '../compose.ts'
import type { Slice } from '../slice.ts'
import { totalOf } from '../totals.ts'
import { type Compare, IDENTITIES, rowsAndTotals } from './identities.ts'
import { type MemberData, MemberSums } from './members.ts'
import { type PostedMonths, SECOND_PATHS } from './posted.ts'
import { inBasisOrder, type ScopedData, type ScopedRun, ScopedTieOuts, type TieOutScope } from './scoped.ts'
/** One identity over all scopes of a basis, as the manifest lists it. */
export interface TieOut {
  readonly identity: string
  readonly statement: string
  readonly basis: string
  scopes: number
  checks: number
  /**
   * Both sides of the unfiltered scope in the last period, in minor units; where several rows are compared,
   * their sums. Of several budgets, those of the last one. 0 as long as no unfiltered scope was observed.
   */
  left: number
  right: number
  hasUnfiltered: boolean
  largestDifference: number
}

const SAME_CASH = 'change in cash is the same on both bases'
const LISTED = 20

interface CashChange {
  readonly scope: TieOutScope
  readonly periods: readonly Period[]
  readonly change: Figures
}

/** The tie-outs of one batch as plain data, for {@link TieOuts.absorb}. */
export interface TieOutData {
  readonly entries: ReadonlyMap<string, TieOut>
  readonly scoped: ScopedData
  readonly failures: readonly Finding[]
  readonly members: MemberData
  readonly divided: MemberData
  readonly accrualCash: ReadonlyMap<string, CashChange>
}

/** Collects the tie-outs of one build: call `observe` for each combination, then `finish`. */
export class TieOuts {
  readonly #entries = new Map<string, TieOut>()
  #scoped: ScopedTieOuts
  readonly #failures: Finding[] = []
  readonly #members: MemberSums
  /** Unfiltered statements of the stretches of days into which fiscal years divide the books. */
  readonly #divided: MemberSums
  /**
   * The change in cash on the accrual basis by class and department, kept until the cash basis of the same
   * scope is checked.
   */
  readonly #accrualCash = new Map<string, CashChange>()
  readonly #frame: Frame

  constructor(frame: Frame) {
    this.#frame = frame
    this.#members = new MemberSums(frame)
    this.#divided = new MemberSums(frame)
    this.#scoped = new ScopedTieOuts(decimalsOf(frame))
  }

  /** What was observed so far, as plain data for {@link TieOuts.absorb}. */
  data(): TieOutData {
    return {
      entries: this.#entries,
      scoped: this.#scoped.data(),
      failures: this.#failures,
      members: this.#members.data(),
      divided: this.#divided.data(),
      accrualCash: this.#accrualCash,
    }
  }

  /** Adds what another instance observed, which must be both bases of whole combinations. It is not changed. */
  absorb(data: TieOutData): void {
    for (const [key, entry] of data.entries) {
      const own = this.#entries.get(key)
      this.#entries.set(key, own ? sumOf(own, entry) : { ...entry })
    }
    this.#scoped.absorb(data.scoped)
    this.#failures.push(...data.failures.slice(0, LISTED - this.#failures.length))
    this.#members.absorb(data.members)
    this.#divided.absorb(data.divided)
    for (const [key, change] of data.accrualCash) this.#accrualCash.set(key, change)
  }

  /** Checks the statements of one combination of actuals. */
  observe(scope: TieOutScope, slice: Slice, statements: ComposedStatements): void {
    const unfiltered = scope.classId === null && scope.departmentId === null
    const at = { frame: this.#frame, slice, statements, unfiltered }
    for (const identity of IDENTITIES)
      if (unfiltered || identity.on === 'every scope')
        this.#record(identity.id, identity.statement, scope, slice.periods, (compare) =>
          identity.check(at, compare),
        )
    for (const statement of STATEMENTS)
      this.#members.add(scope, statement, slice.periods, statements[statement])
    this.#compareCash(scope, slice, statements)
  }

  /**
   * Checks the statements of stretches of days, of which parts of months are published. The manifest does not list these checks: it
   * lists those of whole months, and a difference here forbids publication as it does there.
   */
  observeDivided(scope: TieOutScope, slice: Slice, statements: ComposedStatements): void {
    const at = { frame: this.#frame, slice, statements, unfiltered: false }
    for (const { id, statement, on, check } of IDENTITIES)
      if (on === 'every scope')
        this.#compared(id, statement, scope, slice.periods, (compare) => check(at, compare))
    for (const statement of STATEMENTS)
      this.#divided.add(scope, statement, slice.periods, statements[statement])
  }

  /** Identity 9: what the stretches of a month state of each account adds up to the month; a balance is that of the last one. */
  #dividedMonths(basis: Basis): void {
    const scope: TieOutScope = { basis, budgetId: null, classId: null, departmentId: null }
    for (const statement of STATEMENTS) {
      const whole = this.#members.unfiltered(scope, statement)
      const parts = this.#divided.unfiltered(scope, statement)
      if (!whole || !parts) continue
      this.#compared('parts of a month add up to it', statement, scope, whole.periods, (compare) => {
        for (const id of new Set([...whole.rows.keys(), ...parts.rows.keys()])) {
          const months = whole.rows.get(id) ?? new Float64Array(whole.periods.length)
          compare(sumsOfParts(statement, whole.periods, parts.periods, parts.rows.get(id), months), months)
        }
      })
    }
  }

  /**
   * Identity 8: a derived cash basis has the same change in cash as the accrual basis, under every filter.
   */
  #compareCash(scope: TieOutScope, slice: Slice, statements: ComposedStatements): void {
    if (this.#frame.basisSources.CASH !== 'Derived') return
    const change = totalOf(statements.CashFlow, 'NetChangeInCash')
    const key = JSON.stringify([scope.classId, scope.departmentId])
    if (scope.basis === 'ACCRUAL')
      this.#accrualCash.set(key, { scope, periods: slice.periods, change: change.slice() })
    else {
      const accrual = this.#accrualCash.get(key)?.change ?? new Float64Array(change.length)
      this.#record(SAME_CASH, 'CashFlow', scope, slice.periods, (compare) => compare(change, accrual))
      this.#accrualCash.delete(key)
    }
  }

  /** Checks one statement of a budget. A budget need not balance, but its rows have to add up. */
  observeBudget(
    scope: TieOutScope,
    statement: StatementName,
    periods: readonly Period[],
    body: BudgetBody,
  ): void {
    this.#record('rows add up to the totals', statement, scope, periods, (compare) =>
      rowsAndTotals(statement, body, compare),
    )
    const { proof } = body
    if (proof !== null)
      this.#record(proof.identity, statement, scope, proof.periods, (compare) =>
        compare(proof.left, proof.right),
      )
    // A member's budgeted balance sheet need not balance; then it has no cash flow, and members do not add up
    // to the whole.
    if (statement !== 'CashFlow') this.#members.add(scope, statement, periods, body)
  }

  /**
   * Adds the checks that need all scopes, and those against the postings. A finding means that an identity
   * does not hold.
   */
  finish(posted: PostedMonths): {
    tieOuts: readonly TieOut[]
    /** All entries of `tie-outs.json`, in its order. */
    scoped: readonly ScopedRun[]
    findings: readonly Finding[]
  } {
    const observed = this.#scoped
    this.#scoped = new ScopedTieOuts(decimalsOf(this.#frame))
    // Identity 6: root members plus unassigned equal the unfiltered rows.
    for (const { axis, scope, statement, periods, sides } of this.#members.results())
      this.#record(`sum over ${axis} = unfiltered`, statement, scope, periods, each(sides))
    // A combination with postings on the accrual basis only has no cash on the cash basis: its change has to
    // be zero.
    for (const { scope, periods, change } of this.#accrualCash.values())
      this.#record(SAME_CASH, 'CashFlow', { ...scope, basis: 'CASH' }, periods, (compare) =>
        compare(new Float64Array(change.length), change),
      )
    for (const basis of this.#frame.bases) {
      this.#againstPostings(posted, basis)
      this.#dividedMonths(basis)
    }
    return {
      tieOuts: [...this.#entries.values()],
      scoped: [...inBasisOrder(observed.runs(), ({ basis }) => basis), ...this.#scoped.runs()],
      findings: this.#failures,
    }
  }

  /**
   * Identities 4 and 7 on a second path: the postings of each account are compared with the months of the
   * statements.
   */
  #againstPostings(posted: PostedMonths, basis: Basis): void {
    const scope: TieOutScope = { basis, budgetId: null, classId: null, departmentId: null }
    const published = (statement: StatementName) => this.#members.unfiltered(scope, statement)
    const periods = published('ProfitAndLoss')?.periods
    if (!periods) return
    for (const { identity, statement, isWhole, sides } of SECOND_PATHS)
      this.#record(
        identity,
        statement,
        scope,
        isWhole ? periods.slice(-1) : periods,
        each(
          sides(present(posted.get(basis), `postings of ${basis}`), published(statement)?.rows ?? new Map()),
        ),
      )
  }

  #record(
    identity: string,
    statement: string,
    scope: TieOutScope,
    periods: readonly Period[],
    check: (compare: Compare) => void,
  ): void {
    const { checks, largest, left, right } = this.#compared(identity, statement, scope, periods, check)
    if (checks === 0) return
    const key = `${identity}|${statement}|${scope.basis}`
    let entry = this.#entries.get(key)
    if (!entry) {
      entry = {
        identity,
        statement,
        basis: scope.basis,
        scopes: 0,
        checks: 0,
        left: 0,
        right: 0,
        hasUnfiltered: false,
        largestDifference: 0,
      }
      this.#entries.set(key, entry)
    }
    this.#scoped.add(scope, { identity, statement, checks, left, right, difference: largest })
    entry.scopes++
    entry.checks += checks
    entry.largestDifference = Math.max(entry.largestDifference, largest)
    if (scope.classId === null && scope.departmentId === null) {
      entry.left = left
      entry.right = right
      entry.hasUnfiltered = true
    }
  }

  /** Records the check of an identity; a difference is a failure. */
  #compared(
    identity: string,
    statement: string,
    scope: TieOutScope,
    periods: readonly Period[],
    check: (compare: Compare) => void,
  ) {
    let checks = 0
    let largest = 0
    // The sides that people see: those of the last period, and sums where several things are compared.
    let left = 0
    let right = 0
    check((one, other) => {
      checks += one.length
      left += figureAt(one, one.length - 1)
      right += figureAt(other, other.length - 1)
      if (areEqual(one, other)) return
      for (const [p, value] of one.entries()) {
        const against = figureAt(other, p)
        if (value === against) continue
        largest = Math.max(largest, Math.abs(value - against))
        this.#fail(identity, statement, scope, periodAt(periods, p), value, against)
      }
    })
    return { checks, largest, left, right }
  }

  #fail(
    identity: string,
    statement: string,
    scope: TieOutScope,
    period: Period,
    left: number,
    right: number,
  ): void {
    if (this.#failures.length >= LISTED) return
    const money = (minor: number): string =>
      Number.isSafeInteger(minor) ? moneyText(this.#frame, minor) : String(minor)
    const filters = [
      scope.budgetId && `budget ${scope.budgetId}`,
      scope.classId && `class ${scope.classId}`,
      scope.departmentId && `department ${scope.departmentId}`,
    ].filter(Boolean)
    this.#failures.push(
      error(
        'tie-out-failed',
        `${statement}, ${scope.basis}${filters.length ? `, ${filters.join(', ')}` : ''}, ${period.month}: "${identity}" does not hold: ${money(left)} against ${money(right)}, a difference of ${money(left - right)}`,
        {
          text: money(left - right),
          remedy:
            'nothing was published; please report this with the company’s files: the books were accepted, so the program is at fault',
        },
      ),
    )
  }
}

/**
 * Compares exactly, in a plain loop since every figure passes here several times. NaN equals nothing, not
 * even NaN.
 */
function areEqual(one: Figures, other: Figures): boolean {
  for (let p = 0; p < one.length; p++) if (one[p] !== other[p]) return false
  return true
}

/** The figures of an account in the months that stretches divide, made of those of the stretches; other months stay as they are. */
function sumsOfParts(
  statement: StatementName,
  months: readonly Period[],
  stretches: readonly Period[],
  figures: Figures | undefined,
  whole: Figures,
): Figures {
  return whole.map((figure, m) => {
    const { startDate, endDate } = periodAt(months, m)
    const inside = stretches.flatMap((stretch, i) =>
      stretch.startDate >= startDate && stretch.endDate <= endDate ? [figures?.[i] ?? 0] : [],
    )
    if (inside.length < 2) return figure
    return statement === 'BalanceSheet' ? (inside.at(-1) ?? 0) : inside.reduce((sum, part) => sum + part, 0)
  })
}

/** Returns a check that compares each pair of sides. */
const each =
  (sides: readonly (readonly [Figures, Figures])[]) =>
  (compare: Compare): void => {
    for (const [left, right] of sides) compare(left, right)
  }

/**
 * Adds up two tie-outs of one identity. The sides are those of the later one with an unfiltered scope: of actuals only
 * one has it, of budgets each.
 */
const sumOf = (a: TieOut, b: TieOut): TieOut => ({
  ...(b.hasUnfiltered ? b : a),
  scopes: a.scopes + b.scopes,
  checks: a.checks + b.checks,
  largestDifference: Math.max(a.largestDifference, b.largestDifference),
})
