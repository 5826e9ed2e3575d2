/**
 * Compares two snapshots: changed figures by statement, account and month, with the lines of the books that differ.
 * Months that only one snapshot covers are listed; their figures are not changes.
 */
import { join } from 'node:path'
import { METRIC_DECIMALS } from '../books/post/metric-values.ts'
import {
  type ComparedBooks,
  type DifferingLine,
  differingLines,
  type LineFilters,
} from '../books/read/line-diff.ts'
import type { Frame } from '../books/reference/frame.ts'
import { type Words, wordsIn } from '../books/reference/presentation.ts'
import { periodsOf } from '../contract/calendar.ts'
import { currencyDecimals, formatInteger, formatMinor } from '../contract/currency.ts'
import type { MetricScope, StatementScope } from '../contract/document.ts'
import { changesBetween, type DocumentChange, EMPTY_DOCUMENT } from '../contract/document-changes.ts'
import { BASES, type Basis, STATEMENTS, type StatementName } from '../contract/vocabulary.ts'
import { noFigure, publishedMinor, SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { readBudgetIds } from '../snapshot/files/documents.ts'
import { BOOKS, metricsPath, statementPath } from '../snapshot/files/layout.ts'
import type { Manifest, Restatement } from '../snapshot/files/manifest.ts'
import { openSnapshot, type Snapshot } from '../snapshot/files/open.ts'
import { millionthsText } from '../statements/metrics.ts'
import {
  failed,
  filterFindings,
  frameOfReadableBooks,
  publishedSnapshot,
  type Resolved,
  unknown,
} from './inspect.ts'

export interface FigureChange {
  readonly statement: StatementName | 'NonFinancial'
  /** Null for a metric. */
  readonly basis: Basis | null
  readonly budgetId: string | null
  /** Id of an account, computed row or metric, or the name of a total. */
  readonly id: string
  readonly name: string
  readonly total: boolean
  readonly month: string
  /** Decimal text; null where a budget or a metric states no figure. */
  readonly before: string | null
  readonly now: string | null
  readonly change: string
}

export interface FigureChanges {
  readonly changes: readonly FigureChange[]
  readonly newMonths: readonly string[]
  readonly goneMonths: readonly string[]
  /** Ids of budgets that only one of the two has; their figures are not listed as changes. */
  readonly newBudgets: readonly string[]
  readonly goneBudgets: readonly string[]
}

/** A snapshot after the older one, up to the newer one, that restates closed months. */
interface DiffRestatement extends Restatement {
  readonly snapshotId: string
}

export interface Diff extends FigureChanges {
  readonly company: string
  readonly before: string
  readonly now: string
  readonly currency: string
  readonly classId: string | null
  readonly departmentId: string | null
  readonly words?: Words
  /** Oldest first. */
  readonly restatements: readonly DiffRestatement[]
  /** Ledger lines that only one of the two holds, also in months that only one covers. */
  readonly lines: readonly DifferingLine[]
}

export interface DiffRequest extends LineFilters {
  readonly company: string
  /** Null: the snapshot that `now` followed. */
  readonly before: string | null
  /** Null: the current one. */
  readonly now: string | null
}

/** One of two snapshots that are compared, with its verified books. */
export interface ComparedSnapshot extends ComparedBooks {
  readonly snapshot: Snapshot
  readonly frame: Frame
}

/**
 * Opens the two snapshots of a comparison, and verifies their books. Unknown names, a first snapshot without one before it, and two
 * currencies are findings.
 */
export async function comparedSnapshots(
  root: string,
  request: Omit<DiffRequest, 'basis'>,
): Promise<Resolved<{ readonly before: ComparedSnapshot; readonly now: ComparedSnapshot }>> {
  const { company, classId, departmentId } = request
  const now = await publishedSnapshot(root, company, request.now)
  if (now.findings) return now
  const previous = request.before ?? now.value.manifest.Previous?.SnapshotId ?? null
  if (previous === null)
    return failed(
      unknown(
        'no-previous',
        `${now.value.id} is the first snapshot of ${company}`,
        now.value.id,
        'name the one to compare it with: tieout snapshots list',
      ),
    )
  const before = await publishedSnapshot(root, company, previous)
  if (before.findings) return before
  const currencies = [before.value.manifest.Currency, now.value.manifest.Currency]
  if (currencies[0] !== currencies[1])
    return failed(
      unknown(
        'other-currency',
        `${before.value.id} is in ${currencies[0]}, ${now.value.id} in ${currencies[1]}`,
        currencies.join(' '),
        'compare snapshots in one currency',
      ),
    )
  // Both books are checked against their manifests before anything is compared.
  const frames = [await frameOfReadableBooks(before.value), await frameOfReadableBooks(now.value)] as const
  const unknownIn = (frame: Frame) =>
    filterFindings(frame, { basis: null, budgetId: null, classId, departmentId })
  const unknownNow = unknownIn(frames[1])
  // A class or department that only one of the two knows is a valid filter: the difference is what the user asks for.
  if (unknownNow.length > 0 && unknownIn(frames[0]).length > 0) return failed(...unknownNow)
  const compared = (snapshot: Snapshot, frame: Frame): ComparedSnapshot => ({
    snapshot,
    frame,
    folder: join(snapshot.folder, BOOKS),
  })
  return { value: { before: compared(before.value, frames[0]), now: compared(now.value, frames[1]) } }
}

export async function diff(root: string, request: DiffRequest): Promise<Resolved<Diff>> {
  const opened = await comparedSnapshots(root, request)
  if (opened.findings) return opened
  const { before, now } = opened.value
  const { company, basis, classId, departmentId } = request
  const filters = { basis, classId, departmentId }
  return {
    value: {
      company,
      before: before.snapshot.id,
      now: now.snapshot.id,
      currency: now.snapshot.manifest.Currency,
      classId,
      departmentId,
      ...wordsIn(now.frame),
      restatements: await restatementsBetween(root, before.snapshot, now.snapshot),
      ...(await figureChanges(before.snapshot, now.snapshot, filters)),
      lines: await differingLines(before, now, filters),
    },
  }
}

/**
 * Restatements along the chain of snapshots between `a` and `b`, whichever is newer; none where the chain was cut
 * off.
 */
async function restatementsBetween(root: string, a: Snapshot, b: Snapshot): Promise<DiffRestatement[]> {
  for (const [head, end] of [
    [b, a],
    [a, b],
  ] as const) {
    const found: DiffRestatement[] = []
    for (let at: Snapshot | null = head; at; at = await previousOf(root, at)) {
      if (at.id === end.id) return found.reverse()
      if (at.manifest.Restatement) found.push({ snapshotId: at.id, ...at.manifest.Restatement })
    }
  }
  return []
}

async function previousOf(root: string, { company, manifest }: Snapshot): Promise<Snapshot | null> {
  const link = manifest.Previous
  if (!link) return null
  return openSnapshot(root, company, link.SnapshotId, link.ManifestSha256).catch((problem: unknown) => {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })
}

const UNFILTERED: LineFilters = { basis: null, classId: null, departmentId: null }

/** Documents whose figures can be compared: a snapshot, or what a build composed. */
export interface ComparableDocuments extends Pick<Snapshot, 'id' | 'has' | 'read'> {
  readonly manifest: Pick<Manifest, 'Coverage' | 'Currency'>
}

/**
 * Compares the figures of two snapshots of one currency under these filters, budgets and metrics included, in the months
 * that both cover. Figures are decimal text.
 */
export async function figureChanges(
  before: ComparableDocuments,
  now: ComparableDocuments,
  { basis: only, classId, departmentId }: LineFilters = UNFILTERED,
): Promise<FigureChanges> {
  const [old, young] = [monthsOf(before), monthsOf(now)]
  const covered = new Set([...old].filter((month) => young.has(month)))
  const decimals = currencyDecimals(now.manifest.Currency)
  const [was, is] = [await readBudgetIds(before), await readBudgetIds(now)]
  const changes: FigureChange[] = []
  for (const budgetId of [null, ...was.filter((id) => is.includes(id))]) {
    for (const basis of budgetId === null ? BASES : BASES.slice(0, 1))
      for (const statement of STATEMENTS) {
        if (budgetId === null && only !== null && basis !== only) continue
        const scope = { statement, basis, budgetId, classId, departmentId }
        changes.push(...(await statementChanges(before, now, scope, covered, decimals)))
      }
    changes.push(...(await metricChanges(before, now, { budgetId, classId, departmentId }, covered)))
  }
  return {
    changes,
    newMonths: [...young].filter((month) => !old.has(month)),
    goneMonths: [...old].filter((month) => !young.has(month)),
    newBudgets: is.filter((id) => !was.includes(id)),
    goneBudgets: was.filter((id) => !is.includes(id)),
  }
}

const monthsOf = ({ manifest: { Coverage } }: ComparableDocuments): Set<string> =>
  new Set(periodsOf({ startDate: Coverage.StartDate, endDate: Coverage.EndDate }).map(({ month }) => month))

async function statementChanges(
  before: ComparableDocuments,
  now: ComparableDocuments,
  scope: StatementScope,
  covered: ReadonlySet<string>,
  decimals: number,
): Promise<FigureChange[]> {
  const { statement, basis, budgetId } = scope
  const path = statementPath(scope)
  // Actuals leave out rows that are zero in every month, so that no figure means zero; for a budget it means no
  // figure.
  const minor = (value: number | null): number | null =>
    value === null ? (budgetId === null ? 0 : null) : publishedMinor(value, decimals, path)
  const text = (value: number | null): string | null => (value === null ? null : formatMinor(value, decimals))
  const found = await documentChanges(before, now, path)
  return found.flatMap(({ row, name, total, month, ...values }) => {
    const [was, is] = [minor(values.before), minor(values.now)]
    if (was === is || (budgetId === null && !covered.has(month))) return []
    // The difference may have one digit more than the figures; it is exact all the same.
    const change = formatInteger(String((is ?? 0) - (was ?? 0)), decimals)
    return [
      { statement, basis, budgetId, id: row, name, total, month, before: text(was), now: text(is), change },
    ]
  })
}

/** Sources state metrics of up to 15 digits, so that no sum comes near. */
const MOST_OF_A_METRIC = 1e20

async function metricChanges(
  before: ComparableDocuments,
  now: ComparableDocuments,
  scope: MetricScope,
  covered: ReadonlySet<string>,
): Promise<FigureChange[]> {
  const path = metricsPath(scope)
  const millionths = (value: number | null): bigint => {
    if (Math.abs(value ?? 0) > MOST_OF_A_METRIC) throw noFigure(path, value)
    return BigInt((value ?? 0).toFixed(METRIC_DECIMALS).replace('.', ''))
  }
  const text = (value: number | null): string | null =>
    value === null ? null : millionthsText(millionths(value))
  const found = await documentChanges(before, now, path)
  return found.flatMap(({ row, name, total, month, ...values }) => {
    if (!covered.has(month)) return []
    const change = millionthsText(millionths(values.now) - millionths(values.before))
    const figure = { statement: 'NonFinancial', basis: null, budgetId: scope.budgetId } as const
    return [
      { ...figure, id: row, name, total, month, before: text(values.before), now: text(values.now), change },
    ]
  })
}

/** A document that only one of the two has is compared with one without figures. */
async function documentChanges(
  before: ComparableDocuments,
  now: ComparableDocuments,
  path: string,
): Promise<DocumentChange[]> {
  const read = async (snapshot: ComparableDocuments) =>
    snapshot.has(path) ? (await snapshot.read(path)).toString('utf8') : EMPTY_DOCUMENT
  const found = changesBetween(await read(before), await read(now))
  if (found !== null) return found
  throw new SnapshotDamagedError(`${path} is no document of figures in both; "tieout verify" says where`)
}
