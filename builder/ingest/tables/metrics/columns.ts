/**
 * Turns sheets with a row for each day or month and a column for each metric into tables with one value in each
 * row.
 */
import { error, type Finding } from '../../../workspace/finding.ts'
import { type Keys, resolve } from '../../format/keys.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { cellPlace, columnsNotRead, type Table } from '../table.ts'
import { isTotalLabel, type LeftOut, totalsLeftOut } from '../totals.ts'

export interface MetricColumns {
  /** Position of the date, and of each metric with its id. */
  readonly when: number
  readonly metrics: readonly { readonly column: number; readonly id: string }[]
  /** The table without rows that sum up others. */
  readonly table: Table
  readonly findings: readonly Finding[]
}

export interface ColumnsRule {
  readonly metrics: Keys
  /** Ids of the metrics whose total is the sum of their values. */
  readonly sums: ReadonlySet<string>
  readonly read: (text: string) => bigint | null
  readonly show: (value: bigint) => string
}

const SUMMARY = /^(average|avg|mean|min(imum)?|max(imum)?|medelvärde|durchschnitt|moyenne|genomsnitt)\b/i

/** Whether a row below the days summarises them: `Total`, `Average`. */
export const isSummaryLabel = (text: string): boolean => isTotalLabel(text) || SUMMARY.test(text.trim())

/** `others` are the columns besides the date, the members and the budget. */
export function metricColumns(
  table: Table,
  when: number,
  others: readonly number[],
  rule: ColumnsRule,
): MetricColumns {
  const findings: Finding[] = []
  const notRead: string[] = []
  const metrics = others.flatMap((column) => {
    const header = textAt(table.header, column)
    const { id } = resolve(rule.metrics, header)
    if (id !== undefined) return [{ column, id }]
    if (table.rows.some(({ cells }) => /^[-+(]?\d/.test(textAt(cells, column))))
      findings.push(
        error('unknown-metric', `"${header}" has values, but is not a metric`, {
          file: table.file,
          row: table.headerRow,
          column: header,
          text: header,
          remedy:
            'write the id or the name of a metric that "nonFinancial" in company.yaml lists; or remove the column',
        }),
      )
    else notRead.push(header)
    return []
  })
  const remedy = 'give a column of values the id or the name of its metric as header'
  findings.push(...columnsNotRead(table, notRead, remedy))
  const rows: TextRow[] = []
  const left: LeftOut[] = []
  for (const row of table.rows) {
    const label = textAt(row.cells, when)
    if (isSummaryLabel(label)) {
      const wrong = summed(table, row, when, metrics, rows, rule)
      if (wrong.length === 0) left.push({ row, label })
      findings.push(...wrong)
    } else if (metrics.some(({ column }) => row.cells[column] !== '')) rows.push(row)
  }
  findings.push(...totalsLeftOut(table, left, 'left out, and checked where the metric adds up'))
  return { when, metrics, table: { ...table, rows }, findings }
}

/** Checks a last row of totals against the rows above it, for metrics that add up. */
function summed(
  table: Table,
  row: TextRow,
  when: number,
  metrics: MetricColumns['metrics'],
  above: readonly TextRow[],
  rule: ColumnsRule,
): Finding[] {
  const label = textAt(row.cells, when)
  return metrics.flatMap(({ column, id }): Finding[] => {
    const text = textAt(row.cells, column)
    if (!isTotalLabel(label) || text === '' || !rule.sums.has(id)) return []
    const values = above
      .map(({ cells }) => textAt(cells, column))
      .map((value) => (value === '' ? 0n : rule.read(value)))
    const figures = values.filter((value) => value !== null)
    if (figures.length < values.length) return []
    const sum = figures.reduce((total, value) => total + value, 0n)
    const stated = rule.read(text)
    const shown = stated === null ? text : rule.show(stated)
    return stated === sum
      ? []
      : [
          error(
            'total-differs',
            `"${label}" is ${shown}, and the rows above it add up to ${rule.show(sum)}`,
            {
              ...cellPlace(table, row, column),
              remedy: 'correct the total or the rows; or remove the total, which is not needed',
            },
          ),
        ]
  })
}
