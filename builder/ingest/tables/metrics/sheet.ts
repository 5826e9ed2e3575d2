/** Reads one sheet of metrics: rows name their metric, or each metric has a column of its own beside the day or month. */

import type { MetricSetting } from '../../../workspace/company.ts'
import { distinct, error, type Finding } from '../../../workspace/findings/finding.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { MetricRow } from '../../format/intake.ts'
import { type Keys, resolve } from '../../format/keys.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { COLUMNS } from '../header.ts'
import { withYears } from '../header-years.ts'
import { type FiscalCalendar, periodColumns } from '../periods.ts'
import { scaleOf } from '../stated-scale.ts'
import { checkSubtotals, otherYears, subtotalColumns } from '../subtotal-columns.ts'
import { cellPlace, columnsNotRead, findColumns, missingColumn, type Table } from '../table.ts'
import { type Dimensions, memberColumns, readTags } from '../tags.ts'
import { isTotalLabel, type LeftOut, totalsLeftOut, withoutTotals } from '../totals.ts'
import { claimFigures, withLetters, withoutSkipped } from '../unread/unread.ts'
import type { Percentages } from './percentages.ts'
import {
  inMillionths,
  longReadings,
  ofWeeks,
  type Reading,
  readValue,
  WEEK,
  wideReadings,
} from './readings.ts'

export interface MetricContext extends Dimensions {
  /** Metrics by id, else by name. */
  readonly metrics: Keys
  readonly budgets: ReadonlySet<string>
  /** Ids of the metrics that add up. */
  readonly sums: ReadonlySet<string>
  /** Ids of the metrics whose members add up: sums and last values. */
  readonly added: ReadonlySet<string>
  /** Ids of the metrics whose unit says percent. */
  readonly percents: ReadonlySet<string>
  readonly calendar: FiscalCalendar
}

const SUMMARY = /^(average|avg|mean|min(imum)?|max(imum)?|medelvärde|durchschnitt|moyenne|genomsnitt)\b/i

/** Whether a row below the days summarises them: `Total`, `Average`. */
export const isSummaryLabel = (text: string): boolean => isTotalLabel(text) || SUMMARY.test(text.trim())

type Positions = { readonly [name in (typeof COLUMNS.metrics)[number]]?: number }
type Tags = Pick<MetricRow, 'class' | 'department' | 'budget'>

export class MetricSheet {
  findings: Finding[] = []
  readonly #rows: ColumnRows<MetricRow>
  readonly #setting: MetricSetting
  readonly #context: MetricContext
  #at: Positions = {}
  /** The columns that may hold values. */
  #others: readonly number[] = []

  readonly #percentages: Percentages

  /** Its values are added to `rows`, and how they are written to `percentages`. */
  constructor(
    rows: ColumnRows<MetricRow>,
    percentages: Percentages,
    setting: MetricSetting,
    context: MetricContext,
  ) {
    this.#rows = rows
    this.#percentages = percentages
    this.#setting = setting
    this.#context = context
  }

  read(source: Table): void {
    const { columns: map, dateFormat, figures } = this.#setting
    const { table: counted, findings: ofSkipped } = withoutSkipped(withLetters(source), this.#setting)
    const dated =
      dateFormat === undefined ? withYears(counted, this.#context.calendar) : { table: counted, findings: [] }
    this.findings.push(...dated.findings)
    if (dated.findings.length > 0) return
    const { table } = dated
    const { findings: ofColumns, ...columns } = findColumns(table, COLUMNS.metrics, [], map)
    const { at, others } = memberColumns(table, columns, this.#context)
    // Where rows name their budget, a title that says so changes nothing.
    const said = at.budget === undefined ? table : { ...table, above: [], sheet: null }
    const facts = { of: 'metrics', currency: null, isCumulative: figures !== undefined } as const
    const claims = claimFigures(said, others, this.#setting, facts)
    this.findings.push(...ofSkipped, ...ofColumns, ...claims.findings)
    this.#at = at
    this.#others = claims.others
    const { metric, value } = at
    const when = at.date ?? at.month
    if (metric === undefined && when !== undefined && value === undefined) this.#readColumns(table, when)
    else if (metric === undefined) this.findings.push(missingColumn(table, 'metric', 'metric'))
    else if (when === undefined || value === undefined) this.#readMonths(table, metric)
    else this.#readValues(table, metric, when, value)
  }

  /** One value in each row, with its date or month in a column of its own. */
  #readValues(given: Table, metric: number, when: number, value: number): void {
    const table = this.#checked(given, metric, [value])
    const isMonth = when === this.#at.month
    const readings = longReadings(table, when, value, isMonth, this.#setting.dateFormat, this.findings)
    const notRead = this.#others.map((i) => textAt(table.header, i))
    this.findings.push(...columnsNotRead(table, notRead, COLUMNS.metrics))
    this.#addAll(table, metric, readings)
  }

  /** A column for each month; columns that sum up months are checked and left out. */
  #readMonths(given: Table, metric: number): void {
    const { date, month, value } = this.#at
    const { dateFormat } = this.#setting
    const { calendar, metrics, sums: areSums } = this.#context
    const week = this.#others.find((column) => WEEK.test(textAt(given.header, column)))
    if (week !== undefined && value !== undefined) {
      this.findings.push(ofWeeks(given, week))
      return
    }
    const form = { dateFormat, calendar }
    const years = otherYears(given, this.#others, form)
    const others = this.#others.filter((column) => !years.columns.includes(column))
    const subtotals = subtotalColumns(given, others, form)
    const isSubtotal = new Set(subtotals.map(({ column }) => column))
    const sums = ({ cells }: TextRow) =>
      areSums.has(resolve(metrics, textAt(cells, metric)).id ?? '') ? 'added' : null
    const checked = checkSubtotals(given, subtotals, { ...inMillionths(this.#setting), ...form, sums })
    this.findings.push(...years.findings, ...checked)
    const wide = others.filter((column) => !isSubtotal.has(column))
    const table = this.#checked(given, metric, periodColumns(given, wide, dateFormat))
    const unused = [date, month, value].flatMap((i) => (i === undefined ? [] : [i]))
    this.#addAll(table, metric, wideReadings(table, [...unused, ...wide], dateFormat, this.findings))
  }

  /** Checks the stated scale and the totals of the columns with figures, and leaves the totals out. */
  #checked(given: Table, key: number, figures: readonly number[]): Table {
    this.findings.push(...scaleOf(given, figures, this.#setting.scale, { follow: false }).findings)
    const { table, findings } = withoutTotals(given, {
      ...{ figures, key },
      meaning: ({ cells }) => (this.#context.metrics.has(textAt(cells, key)) ? { inResult: 0 } : null),
      ...inMillionths(this.#setting),
    })
    this.findings.push(...findings)
    return table
  }

  #addAll(table: Table, metric: number, readings: readonly Reading[]): void {
    // Values of a row follow one another.
    let [last, id, tags]: [TextRow | null, string | null, Tags | null] = [null, null, null]
    for (const reading of readings) {
      const { row } = reading
      if (row !== last) [last, id, tags] = [row, this.#metricIn(table, row, metric), this.#tagsIn(table, row)]
      this.#add(table, reading, id, tags)
    }
  }

  #add(table: Table, { row, column, date, wholeMonth }: Reading, id: string | null, tags: Tags | null): void {
    const isInPercent = this.#context.percents.has(id ?? '')
    const read = readValue(table, row, column, this.#setting, this.findings, isInPercent)
    if (id === null || tags === null || read === null) return
    const place = () => cellPlace(table, row, column)
    this.#percentages.add(id, isInPercent, textAt(row.cells, column), read.value, place)
    const { class: class_, department, budget } = tags
    const own = { file: table.file, row: row.row, metric: id, class: class_, department, budget }
    this.#rows.push({ ...own, date, wholeMonth, ...read })
  }

  #metricIn(table: Table, row: TextRow, column: number): string | null {
    const text = textAt(row.cells, column)
    const { id, problem } = resolve(this.#context.metrics, text)
    if (problem !== undefined)
      this.findings.push(
        error(`${problem}-metric`, `"${text}" is ${problem === 'unknown' ? 'no' : 'more than one'} metric`, {
          ...cellPlace(table, row, column),
          remedy: 'write the id or the name of a metric that "nonFinancial" in company.yaml lists',
        }),
      )
    return id ?? null
  }

  /** Class, department and budget that a row names; null where one of them does not exist. */
  #tagsIn(table: Table, row: TextRow): Tags | null {
    const column = this.#at.budget
    const budget = column === undefined ? '' : textAt(row.cells, column)
    const isKnown = budget === '' || this.#context.budgets.has(budget)
    if (column !== undefined && !isKnown)
      this.findings.push(
        error('unknown-budget', `there is no budget "${budget}"`, {
          ...cellPlace(table, row, column),
          remedy: 'write the id of a budget that company.yaml lists, or leave it empty for actuals',
        }),
      )
    const { tags, findings } = readTags(table, row, this.#at, this.#context)
    this.findings.push(...findings)
    return isKnown && tags !== null ? { ...tags, budget: budget || null } : null
  }

  /** A row for each day or month, and a column for each metric. */
  #readColumns(given: Table, when: number): void {
    const { scale, dateFormat } = this.#setting
    this.findings.push(...scaleOf(given, this.#others, scale, { follow: false }).findings)
    const metrics = this.#metricColumns(given)
    const table = this.#withoutSummaries(given, when, metrics)
    const isMonth = this.#at.date === undefined
    const tagsOf = new Map<TextRow, Tags | null>()
    for (const { column, id } of metrics)
      for (const reading of longReadings(table, when, column, isMonth, dateFormat, this.findings)) {
        const { row } = reading
        if (!tagsOf.has(row)) tagsOf.set(row, this.#tagsIn(table, row))
        this.#add(table, reading, id, tagsOf.get(row) ?? null)
      }
    // A row's date is read for each of its metrics.
    this.findings = distinct(this.findings)
  }

  #metricColumns(table: Table): readonly { readonly column: number; readonly id: string }[] {
    const notRead: string[] = []
    const metrics = this.#others.flatMap((column) => {
      const header = textAt(table.header, column)
      const { id } = resolve(this.#context.metrics, header)
      if (id !== undefined) return [{ column, id }]
      if (table.rows.some(({ cells }) => /^[-+(]?\d/.test(textAt(cells, column))))
        this.findings.push(
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
    this.findings.push(...columnsNotRead(table, notRead, remedy))
    return metrics
  }

  /** Leaves out rows that sum up or summarise those above them. */
  #withoutSummaries(
    table: Table,
    when: number,
    metrics: readonly { readonly column: number; readonly id: string }[],
  ): Table {
    const rows: TextRow[] = []
    const left: LeftOut[] = []
    for (const row of table.rows) {
      const label = textAt(row.cells, when)
      if (isSummaryLabel(label)) {
        const wrong = metrics.flatMap(({ column, id }) =>
          isTotalLabel(label) && this.#context.sums.has(id)
            ? this.#wrongTotal(table, row, label, column, rows)
            : [],
        )
        if (wrong.length === 0) left.push({ row, label })
        this.findings.push(...wrong)
      } else if (metrics.some(({ column }) => row.cells[column] !== '')) rows.push(row)
    }
    this.findings.push(...totalsLeftOut(table, left, 'left out, and checked where the metric adds up'))
    return { ...table, rows }
  }

  /** Checks a last row of totals against the rows above it. */
  #wrongTotal(
    table: Table,
    row: TextRow,
    label: string,
    column: number,
    above: readonly TextRow[],
  ): Finding[] {
    const { read, show } = inMillionths(this.#setting)
    const text = textAt(row.cells, column)
    if (text === '') return []
    const values = above
      .map(({ cells }) => textAt(cells, column))
      .map((value) => (value === '' ? 0n : read(value)))
    const figures = values.filter((value) => value !== null)
    if (figures.length < values.length) return []
    const sum = figures.reduce((total, value) => total + value, 0n)
    const stated = read(text)
    if (stated === sum) return []
    const shown = stated === null ? text : show(stated)
    return [
      error('total-differs', `"${label}" is ${shown}, and the rows above it add up to ${show(sum)}`, {
        ...cellPlace(table, row, column),
        remedy: 'correct the total or the rows; or remove the total, which is not needed',
      }),
    ]
  }
}
