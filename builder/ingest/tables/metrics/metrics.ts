/**
 * Reads non-financial metrics from spreadsheets: values of days or of whole months. An empty cell is no value,
 * which is not zero.
 */
import type { Aggregation } from '../../../contract/vocabulary.ts'
import type { Company, MetricSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { MetricDefinition, MetricRow } from '../../format/intake.ts'
import { type Keys, resolve } from '../../format/keys.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { COLUMNS } from '../header.ts'
import { withYears } from '../header-years.ts'
import { joinedRows, keptMetrics } from '../kept-rows.ts'
import { filesWithoutFigures } from '../no-figures.ts'
import { withoutParentValues } from '../parents/in-metrics.ts'
import { type FiscalCalendar, periodColumns } from '../periods.ts'
import { scaleOf } from '../stated-scale.ts'
import { checkSubtotals, otherYears, subtotalColumns } from '../subtotal-columns.ts'
import { cellPlace, columnsNotRead, findColumns, missingColumn, type Table } from '../table.ts'
import { type Dimensions, memberColumns, mergedMembers, readTags } from '../tags.ts'
import { withoutTotals } from '../totals.ts'
import { ownOfMonths } from '../unread/cumulative.ts'
import { claimFigures, withLetters } from '../unread/figures.ts'
import { withoutSkipped } from '../unread/unread.ts'
import { metricColumns } from './columns.ts'
import { type Day, longReadings, ofWeeks, type Reading, WEEK, wideReadings } from './readings.ts'
import { inMillionths, readValue } from './values.ts'

type Positions = { readonly [name in (typeof COLUMNS.metrics)[number]]?: number }

export interface MetricContext extends Dimensions {
  /** Metrics by id, else by name. */
  readonly metrics: Keys
  readonly budgets: ReadonlySet<string>
  /** Ids of the metrics that add up. */
  readonly sums: ReadonlySet<string>
  /** Ids of the metrics whose members add up: sums and last values. */
  readonly added: ReadonlySet<string>
  /** Ids of the metrics whose unit is %. */
  readonly percents: ReadonlySet<string>
  readonly calendar: FiscalCalendar
}

/** Words of company.yaml → words of the contract. */
const AGGREGATION = {
  sum: 'Sum',
  average: 'Average',
  last: 'Last',
  min: 'Min',
  max: 'Max',
} as const satisfies Record<string, Aggregation>

interface MetricReading {
  readonly rows: ColumnRows<MetricRow>
  readonly findings: readonly Finding[]
}

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
): MetricReading {
  const readings = tables.map((table) => readSheet(table, setting, context))
  const joined = joinedRows(
    readings.flatMap((reading) => reading.groups),
    keptMetrics,
  )
  const monthly = ownOfMonths(setting.figures, joined, keptMetrics(), context.calendar, {
    place: ({ metric, class: class_, department, budget, date, value }) => ({
      ...{ of: JSON.stringify([metric, class_, department, budget]), date, figure: value },
    }),
    with: (row, value) => ({ ...row, value }),
  })
  const key = tables[0]?.key ?? ''
  const { rows, findings: ofParents } = withoutParentValues(monthly.rows, setting, context, key)
  const inSheets = readings.flatMap((reading) => reading.findings)
  const findings = mergedMembers([...inSheets, ...monthly.findings, ...ofParents])
  return { rows, findings: [...findings, ...filesWithoutFigures(tables, rows, findings)] }
}

interface SheetMetrics {
  /** The values of each metric that has a column of its own; else all of them, in the order of rows. */
  readonly groups: readonly ColumnRows<MetricRow>[]
  readonly findings: readonly Finding[]
}

function readSheet(source: Table, setting: MetricSetting, context: MetricContext): SheetMetrics {
  const { table: counted, findings: ofSkipped } = withoutSkipped(withLetters(source), setting)
  const isStated = setting.dateFormat !== undefined
  const dated = isStated ? { table: counted, findings: [] } : withYears(counted, context.calendar)
  if (dated.findings.length > 0) return { groups: [], findings: dated.findings }
  const given = dated.table
  const { findings: columnFindings, ...columns } = findColumns(given, COLUMNS.metrics, [], setting.columns)
  const { at, others: unnamed } = memberColumns(given, columns, context)
  // Where rows name their budget, a title that says so changes nothing.
  const said = at.budget === undefined ? given : { ...given, above: [], sheet: null }
  const facts = { of: 'metrics', currency: null, isCumulative: setting.figures !== undefined } as const
  const { others, ...claims } = claimFigures(said, unnamed, setting, facts)
  const findings = [...ofSkipped, ...columnFindings, ...claims.findings]
  const when = at.date ?? at.month
  if (at.metric === undefined && when !== undefined && at.value === undefined)
    return readColumns(given, { ...at, when }, others, setting, context, findings)
  if (at.metric === undefined)
    return { groups: [], findings: [...findings, missingColumn(given, 'metric', 'metric')] }
  const keyed = { ...at, metric: at.metric }
  const sheet: MetricSheet = { given, at: keyed, others, setting, context, findings }
  const { table, readings } =
    when === undefined || at.value === undefined
      ? readMonthColumns(sheet)
      : readValueColumn(sheet, when, at.value)
  const rows = keptMetrics()
  // Values of a row follow one another.
  let [last, owner]: [TextRow | null, Owner | null] = [null, null]
  for (const reading of readings) {
    const { row, column } = reading
    if (row !== last) [last, owner] = [row, readOwner(table, row, keyed, context, findings)]
    const isInPercent = context.percents.has(owner?.metric ?? '')
    const read = readValue(table, row, column, setting, findings, isInPercent)
    if (owner !== null && read !== null) rows.push(rowOf(table, row, owner, reading, read))
  }
  return { groups: [rows], findings }
}

function rowOf(
  { file }: Table,
  { row }: TextRow,
  { metric, class: class_, department, budget }: Owner,
  { date, wholeMonth }: Day,
  { value, scale }: Pick<MetricRow, 'value' | 'scale'>,
): MetricRow {
  const own = { file, row, metric, class: class_, department, budget, date, wholeMonth, value }
  return scale === undefined ? own : { ...own, scale }
}

/** A sheet whose rows name their metric; `findings` collects what is wrong with it. */
interface MetricSheet {
  readonly given: Table
  readonly at: Positions & { readonly metric: number }
  readonly others: readonly number[]
  readonly setting: MetricSetting
  readonly context: MetricContext
  readonly findings: Finding[]
}

/** The table without its totals, and the values in it. */
interface SheetReading {
  readonly table: Table
  readonly readings: readonly Reading[]
}

/** One value in each row, with its date or month in a column of its own. */
function readValueColumn(sheet: MetricSheet, when: number, value: number): SheetReading {
  const { at, others, setting, findings } = sheet
  const table = checkedTable(sheet, [value])
  const readings = longReadings(table, when, value, when === at.month, setting.dateFormat, findings)
  findings.push(
    ...columnsNotRead(
      table,
      others.map((i) => textAt(table.header, i)),
      COLUMNS.metrics,
    ),
  )
  return { table, readings }
}

/** A column for each month; columns that sum up months are checked and left out. */
function readMonthColumns(sheet: MetricSheet): SheetReading {
  const { given, at, setting, context, findings } = sheet
  const week = sheet.others.find((column) => WEEK.test(textAt(given.header, column)))
  if (week !== undefined && at.value !== undefined) {
    findings.push(ofWeeks(given, week))
    return { table: given, readings: [] }
  }
  const form = { dateFormat: setting.dateFormat, calendar: context.calendar }
  const years = otherYears(given, sheet.others, form)
  const others = sheet.others.filter((column) => !years.columns.includes(column))
  findings.push(...years.findings)
  const subtotals = subtotalColumns(given, others, form)
  const isSubtotal = new Set(subtotals.map(({ column }) => column))
  const addsUp = ({ cells }: TextRow) =>
    context.sums.has(resolve(context.metrics, textAt(cells, at.metric)).id ?? '')
  const sums = (row: TextRow) => (addsUp(row) ? 'added' : null)
  findings.push(...checkSubtotals(given, subtotals, { ...inMillionths(setting), ...form, sums }))
  const wide = others.filter((column) => !isSubtotal.has(column))
  const table = checkedTable(sheet, periodColumns(given, wide, setting.dateFormat))
  const unused = [at.date, at.month, at.value].flatMap((i) => (i === undefined ? [] : [i]))
  return { table, readings: wideReadings(table, [...unused, ...wide], setting.dateFormat, findings) }
}

/** Checks the stated scale and the totals of the columns with figures, and leaves the totals out. */
function checkedTable(
  { given, at, setting, context, findings }: MetricSheet,
  figures: readonly number[],
): Table {
  findings.push(...scaleOf(given, figures, setting.scale, { follow: false }).findings)
  const { table, findings: totals } = withoutTotals(given, {
    figures,
    key: at.metric,
    meaning: ({ cells }) => (context.metrics.has(textAt(cells, at.metric)) ? { inResult: 0 } : null),
    ...inMillionths(setting),
  })
  findings.push(...totals)
  return table
}

/** Reads a sheet with a row for each day and a column for each metric. */
function readColumns(
  given: Table,
  { when, ...at }: Positions & { readonly when: number },
  others: readonly number[],
  setting: MetricSetting,
  context: MetricContext,
  findings: Finding[],
): SheetMetrics {
  const scaled = scaleOf(given, others, setting.scale, { follow: false })
  const {
    table,
    metrics,
    findings: found,
  } = metricColumns(given, when, others, {
    metrics: context.metrics,
    sums: context.sums,
    ...inMillionths(setting),
  })
  findings.push(...scaled.findings, ...found)
  const tagsOf = new Map<TextRow, Omit<Owner, 'metric'> | null>()
  const groups = metrics.map(({ column, id }) => {
    const rows = keptMetrics()
    const readings = longReadings(table, when, column, at.date === undefined, setting.dateFormat, findings)
    for (const { row, ...day } of readings) {
      if (!tagsOf.has(row)) tagsOf.set(row, ownerTags(table, row, at, context, findings))
      const tags = tagsOf.get(row)
      const read = readValue(table, row, column, setting, findings, context.percents.has(id))
      if (tags && read !== null) rows.push(rowOf(table, row, { metric: id, ...tags }, day, read))
    }
    return rows
  })
  return { groups, findings: once(findings) }
}

/** Removes repeated findings: a row's date is read for each of its metrics. */
const once = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((found) => [JSON.stringify(found), found])).values(),
]

type Owner = Pick<MetricRow, 'metric' | 'class' | 'department' | 'budget'>

function readOwner(
  table: Table,
  row: TextRow,
  at: Positions & { readonly metric: number },
  context: MetricContext,
  findings: Finding[],
): Owner | null {
  const text = textAt(row.cells, at.metric)
  const metric = resolve(context.metrics, text)
  if (metric.problem !== undefined)
    findings.push(
      error(
        `${metric.problem}-metric`,
        `"${text}" is ${metric.problem === 'unknown' ? 'no' : 'more than one'} metric`,
        {
          ...cellPlace(table, row, at.metric),
          remedy: 'write the id or the name of a metric that "nonFinancial" in company.yaml lists',
        },
      ),
    )
  const tags = ownerTags(table, row, at, context, findings)
  return metric.id === undefined || tags === null
    ? null
    : { metric: metric.id, class: tags.class, department: tags.department, budget: tags.budget }
}

/** Class, department and budget that a row names; null where one of them does not exist. */
function ownerTags(
  table: Table,
  row: TextRow,
  at: Positions,
  context: MetricContext,
  findings: Finding[],
): Omit<Owner, 'metric'> | null {
  const budget = at.budget === undefined ? '' : textAt(row.cells, at.budget)
  const budgetIsKnown = budget === '' || context.budgets.has(budget)
  if (at.budget !== undefined && !budgetIsKnown)
    findings.push(
      error('unknown-budget', `there is no budget "${budget}"`, {
        ...cellPlace(table, row, at.budget),
        remedy: 'write the id of a budget that company.yaml lists, or leave it empty for actuals',
      }),
    )
  const { tags, findings: tagFindings } = readTags(table, row, at, context)
  findings.push(...tagFindings)
  return !budgetIsKnown || tags === null
    ? null
    : { class: tags.class, department: tags.department, budget: budget || null }
}
