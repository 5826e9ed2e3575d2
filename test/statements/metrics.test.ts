/** Which rows of a metric are its total, over trees of classes and departments, and how days become a month. */

import * as assert from 'uvu/assert'
import { type MetricValue, millionths } from '../../builder/books/post/metric-values.ts'
import type { Frame } from '../../builder/books/reference/frame.ts'
import { spanOf, treeOf } from '../../builder/books/reference/tree.ts'
import type { Aggregation } from '../../builder/contract/vocabulary.ts'
import { metricFigures, valuesByPeriod } from '../../builder/statements/metrics.ts'
import { suite } from '../suite.ts'

const test = suite('metric figures')

const member = (id: string, parentId: string | null = null) => ({ id, name: id, parentId, isActive: true })
const classes = treeOf([member('a'), member('a1', 'a'), member('b')])
const departments = treeOf([member('d'), member('e')])
const frame = { classes, departments } as unknown as Frame
const codeOf = (tree: typeof classes, id: string): number =>
  id === '-' ? 0 : tree.members.findIndex((each) => each.id === id) + 1

test('a chain of members that is thousands deep: each holds those below it', () => {
  const depth = 20_000
  const chain = treeOf(Array.from({ length: depth }, (_, i) => member(`m${i}`, i === 0 ? null : `m${i - 1}`)))
  assert.equal(spanOf(chain, 'm0'), { from: 1, to: depth })
  assert.equal(spanOf(chain, `m${depth - 1}`), { from: depth, to: depth })
})

/** `10 a d`: value, class, department, [day of January 2025]. */
const rows = (text: string): MetricValue[] =>
  text.split(';').map((row) => {
    const [value, cls, department, day] = row.trim().split(/\s+/) as [string, string, string, string?]
    return {
      metric: 'm',
      date: `2025-01-${day ?? '31'}`,
      wholeMonth: day === undefined,
      value: millionths(value)!,
      class: codeOf(classes, cls),
      department: codeOf(departments, department),
      budget: null,
      file: 'metrics.csv',
      row: 2,
    }
  })

const figure = (
  text: string,
  classId: string | null,
  departmentId: string | null,
  aggregation: Aggregation = 'Sum',
) =>
  metricFigures(
    frame,
    aggregation,
    valuesByPeriod(aggregation, rows(text), [
      { month: '2025-01', startDate: '2025-01-01', endDate: '2025-01-31' },
    ]),
    { budgetId: null, classId, departmentId },
  )[0]

test('an untagged row is the total; tagged ones are not added to it, but answer for their member', () => {
  const text = '100 - -; 10 a -; 20 b d'
  assert.is(figure(text, null, null), '100')
  assert.is(figure(text, 'a', null), '10')
  assert.is(figure(text, 'b', null), '20')
  assert.is(figure(text, null, 'd'), '20')
  assert.is(figure(text, 'unassigned', null), '100')
})

test('members add up, descendants included, whichever of them carry a department', () => {
  const text = '1 a -; 2 a1 d; 4 b e; 8 b d'
  assert.is(figure(text, null, null), '15')
  assert.is(figure(text, 'a', null), '3')
  assert.is(figure(text, 'b', null), '12')
  assert.is(figure(text, null, 'd'), '10')
  assert.is(figure(text, null, 'unassigned'), '1')
  assert.is(figure(text, 'a', 'd'), '2')
})

test('the row of a member without the other tag is its total, and hides its parts alone', () => {
  const text = '5 a -; 3 a d; 2 a e; 7 b d'
  assert.is(figure(text, null, null), '12')
  assert.is(figure(text, 'a', null), '5')
  assert.is(figure(text, null, 'd'), '10')
})

test('rows by class alone and by department alone are two cuts of one total', () => {
  const text = '5 a -; 7 b -; 8 - d; 4 - e'
  assert.is(figure(text, null, null), '12')
  assert.is(figure(text, null, 'd'), '8')
  assert.is(figure(text, 'b', null), '7')
})

test('rows of some departments by class, of others not', () => {
  assert.is(figure('5 a d; 2 b d; 4 - e', null, null), '11')
  assert.is(figure('5 a d; 2 b d; 9 - d', null, null), '9')
})

test('averages, minima and maxima are those of exactly the tags asked for', () => {
  const text = '1 a - 01; 3 a - 02; 9 a1 - 01; 5 a d 01'
  assert.is(figure(text, 'a', null, 'Average'), '2')
  assert.is(figure(text, 'a', null, 'Min'), '1')
  assert.is(figure(text, 'a', null, 'Max'), '3')
  assert.is(figure(text, 'a', 'd', 'Max'), '5')
  assert.is(figure(text, null, null, 'Average'), null)
  assert.is(figure(text, 'b', null, 'Average'), null)
})

test('the last value is that of each member, whatever the order of rows', () => {
  assert.is(figure('7 a - 20; 1 a - 03; 4 b - 05', null, null, 'Last'), '11')
})

test('an average has six decimals, half up; exact decimals otherwise', () => {
  assert.is(figure('1 - - 01; 1 - - 02; 0 - - 03', null, null, 'Average'), '0.666667')
  assert.is(figure('0.000001 - - 01; 0 - - 02', null, null, 'Average'), '0.000001')
  assert.is(figure('-0.000003 - - 01; 0 - - 02', null, null, 'Average'), '-0.000002')
  assert.is(figure('0.1 - - 01; 0.2 - - 02', null, null), '0.3')
  assert.is(figure('0 - - 01', null, null), '0')
})
