/**
 * Reads non-financial metrics from spreadsheets: values of days or of whole months. An empty cell is no value,
 * which is not zero.
 */
import type { Aggregation } from '../../../contract/vocabulary.ts'
import type { Company, MetricSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { MetricDefinition, MetricRow } from '../../format/intake.ts'
import { shiftPoint } from '../../text/amount.ts'
import { keptMetrics } from '../kept-rows.ts'
import { withoutParents } from '../parents/parents.ts'
import type { Table } from '../table.ts'
import { mergedMembers } from '../tags.ts'
import { ownOfMonths } from '../unread/cumulative.ts'
import { Percentages } from './percentages.ts'
import { inMillionths } from './readings.ts'
import { type MetricContext, MetricSheet } from './sheet.ts'

/** Words of company.yaml → words of the contract. */
const AGGREGATION = {
  sum: 'Sum',
  average: 'Average',
  last: 'Last',
  min: 'Min',
  max: 'Max',
} as const satisfies Record<string, Aggregation>

/** The metrics defined by `nonFinancial` of company.yaml. */
export function defineMetrics(company: Company): {
  readonly definitions: readonly MetricDefinition[]
  readonly findings: Finding[]
} {
  const metrics = company.nonFinancial ?? []
  return {
    definitions: metrics.map(({ id, name, unit, aggregation }) => ({
      id,
      name,
      unit: unit ?? '',
      aggregation: AGGREGATION[aggregation],
    })),
    findings: repeatedIds(metrics, 'nonFinancial'),
  }
}

/** Findings about ids that stand twice in a list of company.yaml. */
export const repeatedIds = (entries: readonly { readonly id: string }[], key: string): Finding[] =>
  entries.flatMap(({ id }, i) =>
    entries.findIndex((entry) => entry.id === id) === i
      ? []
      : [
          error('duplicate-id', `the id "${id}" stands twice under ${key}`, {
            file: COMPANY_FILE,
            column: `${key}.${i}.id`,
            text: id,
            remedy: 'give each its own id',
          }),
        ],
  )

export function readMetrics(
  tables: readonly Table[],
  setting: MetricSetting,
  context: MetricContext,
): { readonly rows: ColumnRows<MetricRow>; readonly findings: readonly Finding[] } {
  const values = keptMetrics()
  const percentages = new Percentages()
  const inSheets = tables.flatMap((table) => {
    const sheet = new MetricSheet(values, percentages, setting, context)
    sheet.read(table)
    return sheet.findings
  })
  const monthly = ownOfMonths(setting.figures, values, keptMetrics(), context.calendar, {
    place: ({ metric, class: class_, department, budget, date, value }) => ({
      ...{ of: JSON.stringify([metric, class_, department, budget]), date, figure: value },
    }),
    with: (row, value) => ({ ...row, value }),
  })
  // Only values of metrics whose members add up can be sums of others.
  const { rows, findings: ofParents } = withoutParents(monthly.rows, keptMetrics, {
    key: tables[0]?.key ?? '',
    trees: { ...context.parents, account: new Map() },
    isOwn: () => setting.parents === 'own',
    figureOf: ({ metric, budget, class: class_, department, date, value }) =>
      context.added.has(metric)
        ? {
            about: { account: budget === null ? metric : `${metric} ${budget}`, class: class_, department },
            period: date,
            figure: BigInt(shiftPoint(value, 6)),
          }
        : null,
    show: inMillionths(setting).show,
  })
  return {
    rows,
    findings: mergedMembers([...inSheets, ...percentages.findings(), ...monthly.findings, ...ofParents]),
  }
}
