/**
 * The trial balance of a published snapshot, computed from its books: for each account the opening balance, debits,
 * credits and closing balance, debit positive.
 */

import { join } from 'node:path'
import {
  endedYear,
  openLineage,
  type Part,
  type Rule,
  type Term,
  type Turnover,
} from '../books/read/lineage.ts'
import { decimalsOf, type Frame, NOT_CLOSED } from '../books/reference/frame.ts'
import { formatInteger } from '../contract/currency.ts'
import type { DateRange } from '../contract/document.ts'
import { present } from '../contract/present.ts'
import { type Basis, COMPUTED_ROWS, isProfitAndLoss } from '../contract/vocabulary.ts'
import { BOOKS } from '../snapshot/files/layout.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import { POSTED_ROWS } from '../statements/terms.ts'
import {
  type AskedFilters,
  basisOf,
  failed,
  filterFindings,
  frameOfReadableBooks,
  monthIn,
  publishedSnapshot,
  type Resolved,
} from './inspect.ts'

export interface TrialBalanceRequest extends Omit<AskedFilters, 'budgetId'> {
  readonly company: string
  readonly snapshotId: string | null
  /** Null for all that the books cover, as one period. */
  readonly month: string | null
}

export interface TrialBalanceRow extends Omit<Turnover, 'part'> {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly classification: string
  readonly isComputed: boolean
}

export interface TrialBalance extends DateRange {
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly currency: string
  readonly basis: Basis
  readonly classId: string | null
  readonly departmentId: string | null
  /** In the order of the chart; accounts that are zero throughout are left out. */
  readonly rows: readonly TrialBalanceRow[]
  readonly totals: Omit<Turnover, 'part'>
  /**
   * True where debits equal credits and the opening and closing balances net to zero. Under a filter the books need
   * not balance.
   */
  readonly balances: boolean
}

export async function trialBalance(
  root: string,
  request: TrialBalanceRequest,
): Promise<Resolved<TrialBalance>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return opened
  const snapshot = opened.value
  const frame = await frameOfReadableBooks(snapshot)
  const filters = { ...request, budgetId: null }
  const range: Resolved<DateRange> =
    request.month === null
      ? { value: frame.coverage }
      : monthIn(frame.coverage, request.month, `the books of ${frame.companyId}`)
  const findings = [...filterFindings(frame, filters), ...(range.findings ?? [])]
  if (range.findings || findings.length > 0) return failed(...findings)
  const { classId, departmentId } = request
  const basis = basisOf(frame, filters)
  const of = { basis, classId, departmentId }
  const { rows, totals } = await turnoversOf(snapshot, frame, of, range.value, request.month !== null)
  const zero = formatInteger('0', decimalsOf(frame))
  return {
    value: {
      company: snapshot.company,
      snapshotId: snapshot.id,
      manifestSha256: snapshot.manifestHash,
      currency: frame.currency,
      ...of,
      ...range.value,
      rows,
      totals,
      balances: totals.opening === zero && totals.debit === totals.credit && totals.closing === zero,
    },
  }
}

/**
 * Sums the turnover of each account in the range. With `ofMonth`, P&L accounts show their balance within the fiscal
 * year of the range's last month, not of all time; where another fiscal year ends inside the month, they have a row of that one too.
 */
export async function turnoversOf(
  snapshot: Snapshot,
  frame: Frame,
  of: Pick<TrialBalance, 'basis' | 'classId' | 'departmentId'>,
  range: DateRange,
  ofMonth: boolean,
): Promise<Pick<TrialBalance, 'rows' | 'totals'>> {
  const scope = { ...of, budgetId: null }
  const parts = partsOf(frame, ofMonth ? { year: endedYear(frame, range) } : null)
  const lineage = await openLineage(join(snapshot.folder, BOOKS), frame, scope, range, parts)
  try {
    const sums = await lineage.turnover()
    const { part: _, ...totals } = present(sums.at(-1), 'sum of the trial balance')
    const zero = formatInteger('0', decimalsOf(frame))
    return {
      rows: sums
        .slice(0, -1)
        .filter((sum) => [sum.opening, sum.debit, sum.credit, sum.closing].some((each) => each !== zero))
        .map((sum) => rowOf(frame, sum)),
      totals,
    }
  } finally {
    lineage.close()
  }
}

const ENDED = ' of the year to '

/**
 * One part for each account. For a month, P&L accounts show their balance within its fiscal year; the results of
 * earlier years stand in one row of their own, even where no closing entry has moved them (accounting.md §4).
 */
function partsOf(frame: Frame, ofMonth: { readonly year: ReturnType<typeof endedYear> } | null): Part[] {
  const part = (id: string, rule: Rule): Part => ({ id, terms: [{ account: id, sign: 1, rule }] })
  const ended = ofMonth?.year
  const ofResults = (id: string): Part[] => [
    part(id, ofMonth ? 'current-year' : 'balance'),
    ...(ended ? [{ ...part(id, 'ended-year'), id: `${id}${ENDED}${ended.end}` }] : []),
  ]
  const parts = [
    ...frame.accounts.flatMap(({ id, classification }) =>
      isProfitAndLoss(classification) ? ofResults(id) : part(id, 'balance'),
    ),
    ...POSTED_ROWS.flatMap(({ id }) => ofResults(id)),
  ]
  const earlier = parts
    .flatMap(({ terms }) => terms)
    .filter(({ rule }) => rule === 'current-year')
    .map((term): Term => ({ ...term, rule: ended ? 'years-before' : 'prior-years' }))
  return [...parts, { id: NOT_CLOSED, terms: [...part(NOT_CLOSED, 'balance').terms, ...earlier] }]
}

function rowOf(frame: Frame, { part, ...amounts }: Turnover): TrialBalanceRow {
  const [of = part, year] = part.split(ENDED)
  const account = frame.accounts.find(({ id }) => id === of)
  const { number, name, classification } = account ?? {
    number: '',
    ...COMPUTED_ROWS[of as keyof typeof COMPUTED_ROWS],
  }
  return {
    id: of,
    number,
    name: year === undefined ? name : `${name}${ENDED}${year}`,
    classification,
    isComputed: account === undefined,
    ...amounts,
  }
}
