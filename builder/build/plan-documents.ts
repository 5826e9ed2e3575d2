/** Composes, checks and encodes the statements of budgets, and the metrics, of one class filter and some department filters. */

import { type MetricValues, placesOf } from '../books/post/metric-values.ts'
import type { Frame } from '../books/reference/frame.ts'
import { spanOf } from '../books/reference/tree.ts'
import { periodsOf } from '../contract/calendar.ts'
import type { DateRange, Period } from '../contract/document.ts'
import { encodeMetrics, type StatementEncoder } from '../contract/encode.ts'
import { present } from '../contract/present.ts'
import { type Aggregation, BASES, STATEMENTS } from '../contract/vocabulary.ts'
import { ColumnRows } from '../ingest/format/column-rows.ts'
import { metricsPath, statementPath } from '../snapshot/files/layout.ts'
import { coverageOf } from '../statements/answer.ts'
import { composeBudget } from '../statements/budget.ts'
import { budgetSums } from '../statements/budget-sums.ts'
import { documentOf } from '../statements/compose.ts'
import { metricFigures, valuesByPeriod, valuesOfClass } from '../statements/metrics.ts'
import { sharedValue } from '../system/worker-pool.ts'
import type { BatchFilters, DocumentChecks, DocumentData, WriteBytes } from './document-batch.ts'
/** A budget is the same on both bases, and is published on both even if the books have only one. */
export class BudgetDocuments {
  readonly #data: DocumentData
  readonly #encoder: StatementEncoder
  /** The coverage and periods of each budget. Equal periods are one object, which the encoder recognises. */
  readonly #spans = new Map<string, { readonly coverage: DateRange; readonly periods: readonly Period[] }>()

  constructor(data: DocumentData, encoder: StatementEncoder) {
    this.#data = data
    this.#encoder = encoder
  }

  write(
    budgetId: string,
    { classId, departmentIds }: BatchFilters,
    checks: DocumentChecks,
    write: WriteBytes,
  ): void {
    const { frame, budgets } = this.#data
    const cells = present(budgets.get(budgetId), `figures of budget ${budgetId}`)
    const { coverage, periods } = this.#spanOf(budgetId)
    const classes = spanOf(frame.classes, classId)
    for (const departmentId of departmentIds) {
      const sums = budgetSums(cells, classes, spanOf(frame.departments, departmentId))
      if (sums.length === 0) continue
      for (const statement of STATEMENTS) {
        const body = composeBudget(frame, budgetId, statement, sums, periods)
        const scope = { budgetId, classId, departmentId }
        checks.tieOuts.observeBudget({ basis: 'BUDGET', ...scope }, statement, periods, body)
        if (!checks.limits.allow(statement, periods, body)) continue
        for (const basis of BASES) {
          const full = { ...scope, statement, basis }
          write(statementPath(full), this.#encoder.encode(documentOf(frame, full, coverage, periods, body)))
        }
      }
    }
  }

  #spanOf(budgetId: string) {
    const known = this.#spans.get(budgetId)
    if (known !== undefined) return known
    const coverage = present(coverageOf(this.#data.frame, budgetId), `coverage of budget ${budgetId}`)
    const span = { coverage, periods: periodsOf(coverage) }
    this.#spans.set(budgetId, span)
    return span
  }
}

interface Metric {
  readonly id: string
  readonly aggregation: Aggregation
  /** The places of its values among those of all metrics. */
  readonly places: readonly number[]
}

/** The metrics of actuals or of one budget. */
interface MetricsOf {
  readonly budgetId: string | null
  readonly coverage: DateRange
  readonly periods: readonly Period[]
  readonly values: MetricValues
  readonly metrics: readonly Metric[]
}

export class MetricDocuments {
  readonly #data: DocumentData
  /** The metrics of the last batch, since batches come budget by budget. */
  #last: MetricsOf | null = null

  constructor(data: DocumentData) {
    this.#data = data
  }

  write(budgetId: string | null, { classId, departmentIds }: BatchFilters, write: WriteBytes): void {
    const { frame } = this.#data
    const { coverage, periods, values, metrics } = this.#metricsOf(budgetId)
    // Metric by metric, since the values of all as objects would take ten times the memory.
    const figures = metrics.map(({ id, aggregation, places }) => {
      const own = valuesOfClass(frame, aggregation, values, places, classId)
      const byPeriod = valuesByPeriod(aggregation, own, periods)
      return departmentIds.map((departmentId) => ({
        metricId: id,
        values: metricFigures(frame, aggregation, byPeriod, { budgetId, classId, departmentId }),
      }))
    })
    for (const [i, departmentId] of departmentIds.entries()) {
      const scope = { budgetId, classId, departmentId }
      const rows = figures.map((of) => present(of[i], 'figures of a department'))
      if (rows.some((row) => row.values.some((value) => value !== null)))
        write(
          metricsPath(scope),
          encodeMetrics({ companyId: frame.companyId, ...coverage, ...scope, periods, rows }),
        )
    }
  }

  #metricsOf(budgetId: string | null): MetricsOf {
    if (this.#last?.budgetId === budgetId) return this.#last
    this.#last = metricsOf(this.#data.frame, ColumnRows.unpacked(sharedValue(this.#data.metrics)), budgetId)
    return this.#last
  }
}

function metricsOf(frame: Frame, values: MetricValues, budgetId: string | null): MetricsOf {
  const coverage = present(coverageOf(frame, budgetId), `coverage of ${budgetId ?? 'the books'}`)
  const periods = periodsOf(coverage)
  const metrics = frame.metrics.map(({ id, aggregation }) => ({
    ...{ id, aggregation },
    places: placesOf(values, id, budgetId),
  }))
  return { budgetId, coverage, periods, values, metrics }
}
