/**
 * Explains one published figure of a metric: the values that it is made of, with file and row, and how they are
 * combined.
 */

import { join } from 'node:path'
import { METRIC_DECIMALS, type MetricValue } from '../books/post/metric-values.ts'
import type { Frame } from '../books/reference/frame.ts'
import { type Words, wordsIn } from '../books/reference/presentation.ts'
import { metricsFrom } from '../books/store/store.ts'
import type { MetricScope, Period } from '../contract/document.ts'
import { openDatabase, quoted } from '../database/database.ts'
import { readPublishedMetrics } from '../snapshot/files/documents.ts'
import { BOOKS, metricsPath } from '../snapshot/files/layout.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import { coverageOf } from '../statements/answer.ts'
import { countedIn, metricFigures, millionthsText, valuesByPeriod } from '../statements/metrics.ts'
import type { ExplainRequest } from './explain.ts'
import { namesFigure } from './figure.ts'
import {
  failed,
  filterFindings,
  frameOfReadableBooks,
  monthIn,
  oneOf,
  publishedSnapshot,
  type Resolved,
  unknown,
} from './inspect.ts'
import { type SourceRow, sourceRows } from './source-lines.ts'
import { sheetScales, type Unscaled, unscaled } from './unscaled.ts'

type Metric = Frame['metrics'][number]

export interface ExplainedValue {
  readonly date: string
  readonly wholeMonth: boolean
  readonly value: string
  readonly classId: string | null
  readonly departmentId: string | null
  /**
   * False where the figure does not include the value: it is superseded by a later day or by a total, or belongs to
   * other members.
   */
  readonly counts: boolean
  /** Null in books that an earlier version wrote. */
  readonly file: string | null
  readonly row: number | null
  /** What the sheet states, where it counts in thousands or millions; absent otherwise. */
  readonly unscaled?: Unscaled
}

export interface MetricExplanation extends MetricScope {
  readonly company: string
  readonly words?: Words
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly metric: Metric
  readonly month: string
  /** The document that states the figure; null where nothing was published for this combination. */
  readonly document: string | null
  /** Decimal text; null where there is no figure. */
  readonly published: string | null
  readonly values: readonly ExplainedValue[]
  /** The source rows of the values that count; null where they were not asked for. */
  readonly sources: readonly SourceRow[] | null
  /** The figure computed again from the values that count; decimal text, null where there is none. */
  readonly total: string | null
  readonly addsUp: boolean
}

export type MetricRequest = Omit<ExplainRequest, 'statement' | 'all' | 'basis'> & {
  /** Explains the metric even where an account, a computed row or a total has the same name. */
  readonly only: boolean
}

/**
 * Explains the metric that the request names. Null where the request names no metric, or names an account or a
 * total first. Unknown filters and months are findings; throws SnapshotDamagedError where the snapshot is not as
 * published.
 */
export async function explainMetric(
  root: string,
  request: MetricRequest,
): Promise<Resolved<MetricExplanation> | null> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return request.only ? opened : null
  const snapshot = opened.value
  const frame = await frameOfReadableBooks(snapshot)
  const metric = metricNamed(frame, request.account)
  if (!request.only && (metric === undefined || namesFigure(frame, request.account))) return null
  if (metric === undefined) return failed(unknownMetric(frame, request.account))
  const { budgetId, classId, departmentId } = request
  const scope = { budgetId, classId, departmentId }
  const findings = filterFindings(frame, { ...scope, basis: null })
  if (findings.length > 0) return failed(...findings)
  const whose = budgetId === null ? 'the books' : `the months of budget ${budgetId}`
  const month = monthIn(coverageOf(frame, budgetId), request.month, whose)
  if (month.findings) return month
  const period = { month: request.month, ...month.value }
  const explained = await explanationOf(snapshot, frame, metric, scope, period)
  if (!request.sources) return { value: explained }
  const counted = explained.values.filter(({ counts }) => counts)
  const sources = await sourceRows(
    snapshot,
    counted.map(({ file, row }) => ({ file, row: row ?? 0 })),
  )
  return sources.findings ? sources : { value: { ...explained, sources: sources.value } }
}

const metricNamed = (frame: Frame, asked: string): Metric | undefined =>
  frame.metrics.find(({ id }) => id === asked) ??
  frame.metrics.find(({ name }) => name.toLowerCase() === asked.toLowerCase())

const unknownMetric = (frame: Frame, asked: string) =>
  unknown(
    'unknown-metric',
    `${frame.companyId} has no metric "${asked}"`,
    asked,
    frame.metrics.length === 0
      ? 'there are none'
      : oneOf(
          asked,
          frame.metrics.map(({ id }) => id),
        ),
  )

async function explanationOf(
  snapshot: Snapshot,
  frame: Frame,
  metric: Metric,
  scope: MetricScope,
  period: Period,
): Promise<MetricExplanation> {
  const own = await valuesOf(snapshot, metric.id, scope.budgetId, period)
  const coded = own.map((value) => ({ value, code: codedIn(frame, value, metric.id, scope.budgetId) }))
  const codes = coded.map(({ code }) => code)
  const byPeriod = valuesByPeriod(metric.aggregation, codes, [period])
  const scales = sheetScales(snapshot.manifest, own)
  const behind = new Set(byPeriod.flatMap(countedIn(frame, metric.aggregation, scope)))
  const [total = null] = metricFigures(frame, metric.aggregation, byPeriod, scope)
  const { document, published } = await publishedFigure(snapshot, metric.id, scope, period.month)
  return {
    company: snapshot.company,
    snapshotId: snapshot.id,
    manifestSha256: snapshot.manifestHash,
    metric,
    ...scope,
    ...wordsIn(frame),
    month: period.month,
    document,
    published,
    values: coded.map(({ value: { millionths, ...stored }, code }) => {
      const value = millionthsText(BigInt(millionths))
      return { ...stored, value, counts: behind.has(code), ...unscaled(scales, stored.file, value) }
    }),
    sources: null,
    total,
    addsUp: total === published,
  }
}

interface StoredValue extends Omit<ExplainedValue, 'value' | 'counts'> {
  readonly millionths: string
}

async function valuesOf(
  { folder }: Snapshot,
  metric: string,
  budgetId: string | null,
  { startDate, endDate }: Period,
): Promise<StoredValue[]> {
  const db = await openDatabase({ folders: [join(folder, BOOKS)] })
  try {
    const rows = await db.rows<Omit<StoredValue, 'row'> & { row: string | null } & Record<string, unknown>>(
      `SELECT date::VARCHAR AS date, whole_month AS "wholeMonth", (value * ${10 ** METRIC_DECIMALS})::DECIMAL(38, 0)::VARCHAR AS millionths,
         class AS "classId", department AS "departmentId", file, row
       FROM (${await metricsFrom(db, join(folder, BOOKS))})
       WHERE metric = ${quoted(metric)} AND budget IS NOT DISTINCT FROM ${budgetId === null ? 'NULL' : quoted(budgetId)} AND date BETWEEN DATE '${startDate}' AND DATE '${endDate}'
       ORDER BY date, class NULLS FIRST, department NULLS FIRST`,
    )
    return rows.map((row) => ({ ...row, row: row.row === null ? null : Number(row.row) }))
  } finally {
    db.close()
  }
}

/** The value with class and department as numbers (0 is none), which statements/metrics.ts expects. */
function codedIn(
  frame: Frame,
  { millionths, classId, departmentId, ...value }: StoredValue,
  metric: string,
  budget: string | null,
): MetricValue {
  const code = (members: readonly { readonly id: string }[], id: string | null) =>
    id === null ? 0 : members.findIndex((member) => member.id === id) + 1
  return {
    ...value,
    metric,
    budget,
    value: BigInt(millionths),
    class: code(frame.classes.members, classId),
    department: code(frame.departments.members, departmentId),
  }
}

/** The figure as the verified document states it, in decimal text; null where there is none. */
async function publishedFigure(
  snapshot: Snapshot,
  metric: string,
  scope: MetricScope,
  month: string,
): Promise<Pick<MetricExplanation, 'document' | 'published'>> {
  const metrics = await readPublishedMetrics(snapshot, scope)
  if (metrics === null) return { document: null, published: null }
  const value = metrics.values.get(metric)?.[metrics.months.indexOf(month)] ?? null
  return { document: metricsPath(scope), published: value }
}
