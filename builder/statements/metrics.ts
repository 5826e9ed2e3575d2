/**
 * Computes non-financial metrics: how daily values become a month, and members a total (accounting.md §10). A
 * missing value is not zero.
 */

import {
  METRIC_DECIMALS,
  type MetricValue,
  type MetricValues,
  valuesAt,
} from '../books/post/metric-values.ts'
import type { Frame } from '../books/reference/frame.ts'
import { type Span, spanOf } from '../books/reference/tree.ts'
import { firstDay, lastDay, monthOf } from '../contract/calendar.ts'
import type { MetricScope, Period } from '../contract/document.ts'
import { type Aggregation, UNASSIGNED } from '../contract/vocabulary.ts'

/** For each period, the values of a metric that apply to it under any filter. */
export function valuesByPeriod(
  aggregation: Aggregation,
  values: readonly MetricValue[],
  periods: readonly Period[],
): readonly (readonly MetricValue[])[] {
  const byMonth = new Map<number, MetricValue[]>()
  for (const value of values) {
    const month = monthOf(value.date)
    const own = byMonth.get(month)
    if (own === undefined) byMonth.set(month, [value])
    else own.push(value)
  }
  return periods.map((period) =>
    (byMonth.get(monthOf(period.startDate)) ?? []).filter((value) => appliesTo(value, period, aggregation)),
  )
}

/** Picks the values that filters with this class can count, so that not all are looked at for each department. */
export function valuesOfClass(
  { classes }: Frame,
  aggregation: Aggregation,
  all: MetricValues,
  places: readonly number[],
  classId: string | null,
): MetricValue[] {
  const span = spanOf(classes, classId)
  const classAt = all.column('class')
  const counts = (place: number) => within(classAt(place), classId, span, addsMembers(aggregation))
  return valuesAt(all, places.filter(counts))
}

/**
 * Figures of one metric under a filter, one for each period of {@link valuesByPeriod}, as plain decimal text;
 * null where there is none.
 */
export function metricFigures(
  frame: Frame,
  aggregation: Aggregation,
  byPeriod: readonly (readonly MetricValue[])[],
  scope: MetricScope,
): (string | null)[] {
  const counts = countedIn(frame, aggregation, scope)
  return byPeriod.map((values) => {
    const counted = counts(values)
    return counted.length === 0 ? null : millionthsText(aggregate(counted, aggregation))
  })
}

/** Returns a function that picks, from the values of one period, those that its figure is made of. */
export function countedIn(
  frame: Frame,
  aggregation: Aggregation,
  scope: MetricScope,
): (values: readonly MetricValue[]) => readonly MetricValue[] {
  const counts = inScope(frame, scope, aggregation)
  return aggregation === 'Last' ? (values) => lastPerMember(counts(values)) : counts
}

/**
 * A value of a whole month does not apply to part of it, except that a `Last` value holds at the end of the
 * month.
 */
function appliesTo(value: MetricValue, period: Period, aggregation: Aggregation): boolean {
  if (value.date < period.startDate || value.date > period.endDate) return false
  if (!value.wholeMonth) return true
  const month = monthOf(value.date)
  return period.endDate === lastDay(month) && (aggregation === 'Last' || period.startDate === firstDay(month))
}

/**
 * Returns a function that picks the rows under a filter. Averages, minima and maxima use the rows with
 * exactly the tags asked for. Sums and last values add up members; a row without a tag already is the total
 * over that dimension, and tagged rows are not added to it.
 */
function inScope(
  frame: Frame,
  scope: MetricScope,
  aggregation: Aggregation,
): (values: readonly MetricValue[]) => readonly MetricValue[] {
  const axes = [
    { tag: 'class', id: scope.classId, span: spanOf(frame.classes, scope.classId) },
    { tag: 'department', id: scope.departmentId, span: spanOf(frame.departments, scope.departmentId) },
  ] as const
  const adds = addsMembers(aggregation)
  const isInside = (value: MetricValue) =>
    axes.every(({ tag, id, span }) => within(value[tag], id, span, adds))
  const isExact = (value: MetricValue) => axes.every(({ tag, id }) => id !== null || value[tag] === 0)
  return (values) => {
    const rows = values.filter(isInside)
    if (rows.length === 0) return rows
    if (!adds || (scope.classId !== null && scope.departmentId !== null)) return rows.filter(isExact)
    if (scope.departmentId !== null) return totalsFirst(rows, 'department', 'class')
    if (scope.classId !== null) return totalsFirst(rows, 'class', 'department')
    const exact = rows.filter(isExact)
    return exact.length > 0 ? exact : totalOfCuts(rows)
  }
}

/**
 * Rows by class alone and rows by department alone are two divisions of the same total; the classes are used.
 */
const totalOfCuts = (rows: readonly MetricValue[]): MetricValue[] =>
  rows.some((row) => row.class !== 0 && row.department === 0)
    ? totalsFirst(
        rows.filter((row) => row.class !== 0),
        'class',
        'department',
      )
    : totalsFirst(rows, 'department', 'class')

type Tag = 'class' | 'department'

/** For each member, takes the rows without the other tag, which are its total, or else those with it. */
function totalsFirst(rows: readonly MetricValue[], member: Tag, other: Tag): MetricValue[] {
  const whole = new Set(rows.filter((row) => row[other] === 0).map((row) => row[member]))
  return rows.filter((row) => row[other] === 0 || !whole.has(row[member]))
}

const addsMembers = (aggregation: Aggregation): boolean => aggregation === 'Sum' || aggregation === 'Last'

function within(code: number, id: string | null, span: Span, adds: boolean): boolean {
  if (id === null) return true
  if (id === UNASSIGNED) return code === 0
  return adds ? code >= span.from && code <= span.to : code === span.from
}

/** Aggregates exactly, in millionths; an average is rounded to a millionth, half away from zero. */
function aggregate(values: readonly MetricValue[], aggregation: Aggregation): bigint {
  const numbers = values.map((value) => value.value)
  const sum = (of: readonly bigint[]): bigint => of.reduce((total, value) => total + value, 0n)
  switch (aggregation) {
    case 'Sum':
    case 'Last':
      return sum(numbers)
    case 'Average':
      return divideHalfUp(sum(numbers), BigInt(numbers.length))
    case 'Min':
      return numbers.reduce((least, value) => (value < least ? value : least))
    case 'Max':
      return numbers.reduce((most, value) => (value > most ? value : most))
    default:
      return aggregation satisfies never
  }
}

function lastPerMember(values: readonly MetricValue[]): MetricValue[] {
  const last = new Map<string, MetricValue>()
  for (const value of values) {
    const key = `${value.class} ${value.department}`
    const known = last.get(key)
    if (!known || known.date <= value.date) last.set(key, value)
  }
  return [...last.values()]
}

function divideHalfUp(sum: bigint, count: bigint): bigint {
  const magnitude = sum < 0n ? -sum : sum
  const rounded = (2n * magnitude + count) / (2n * count)
  return sum < 0n ? -rounded : rounded
}

/** Converts millionths to plain decimal text without trailing zeros. */
export function millionthsText(millionths: bigint): string {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(METRIC_DECIMALS + 1, '0')
  const fraction = digits.slice(-METRIC_DECIMALS).replace(/0+$/, '')
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -METRIC_DECIMALS)}${fraction && `.${fraction}`}`
}
