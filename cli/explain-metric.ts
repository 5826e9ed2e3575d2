/** `tieout explain` for a metric: the values behind a published figure, and which of them count. */
import { filterTexts, headingOf, wordOf } from '../builder/books/reference/presentation.ts'
import type { ExplainedValue, MetricExplanation } from '../builder/inspect/explain-metric.ts'
import { csvText } from './terminal/csv.ts'
import { visible } from './terminal/money.ts'
import { lineTable } from './terminal/narrow.ts'
import { sourcesText, unscaledText } from './terminal/source-rows.ts'
import { type Terminal, wrap } from './terminal/terminal.ts'

/** How the values of a month are combined, by the metric's rule. */
const RULES: Record<MetricExplanation['metric']['aggregation'], string> = {
  Sum: 'the sum of the values',
  Average: 'the average of the values',
  Last: 'the last value of the month, of several members their sum',
  Min: 'the least of the values',
  Max: 'the greatest of the values',
}

export function metricText(explained: MetricExplanation, terminal: Terminal): string {
  const { metric, month, company, budgetId, document, snapshotId, published, words } = explained
  const { paint, width } = terminal
  const scope = [
    company,
    'metric',
    ...(budgetId === null ? [] : [`budget ${budgetId}`]),
    ...filterTexts(explained),
    RULES[metric.aggregation],
  ]
  const unit = metric.unit ? ` ${metric.unit}` : ''
  return [
    paint.bold(wrap(`${visible(metric.name)}, ${month}`, width)),
    wrap(visible(scope.join(', ')), width),
    paint.dim(
      wrap(
        `${document ?? `there is no value in this ${wordOf('class', words)} and ${wordOf('department', words)}`}, snapshot ${snapshotId}`,
        width,
      ),
    ),
    '',
    ...(explained.values.length === 0
      ? ['No value of the books is behind this figure.']
      : [valuesText(explained, terminal)]),
    ...(explained.values.some(({ file }) => file === null)
      ? [
          paint.dim(
            wrap(
              'An earlier version of Tieout made these books: they do not say where a value stands.',
              width,
            ),
          ),
        ]
      : []),
    '',
    ...sourcesText(explained, terminal),
    `Published  ${published === null ? 'no value' : `${published}${unit}`}`,
    explained.addsUp
      ? `${paint.green('Follows from these values')}: yes`
      : `${paint.red('Does not follow from these values')}: they give ${explained.total ?? 'none'}; please report this`,
  ].join('\n')
}

const valuesText = ({ values, words }: MetricExplanation, terminal: Terminal): string =>
  lineTable(
    values,
    [
      { title: 'Date', of: ({ date, wholeMonth }) => (wholeMonth ? date.slice(0, 7) : date) },
      { title: headingOf('class', words), of: ({ classId }) => classId ?? '', dispensable: 2, flexible: 12 },
      {
        title: headingOf('department', words),
        of: ({ departmentId }) => departmentId ?? '',
        dispensable: 1,
        flexible: 12,
      },
      { title: 'In the sheet', of: unscaledText, right: true, dispensable: 1 },
      { title: 'Value', of: ({ value }) => value, right: true },
      { title: 'Counts', of: ({ counts }) => (counts ? 'yes' : 'no') },
      { title: 'Source', of: ({ file, row }) => (file === null ? '' : `${file}:${row}`) },
    ],
    terminal,
  ).text

export const metricCsv = (values: readonly ExplainedValue[]): string =>
  csvText(
    ['date', 'whole_month', 'class', 'department', 'value', 'counts', 'file', 'row'],
    values.map((value) => [
      value.date,
      value.wholeMonth,
      value.classId,
      value.departmentId,
      value.value,
      value.counts,
      value.file,
      value.row,
    ]),
  )
