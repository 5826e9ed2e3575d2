/** Every published value of a metric follows from rows of its source, and these are named. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { explainMetric, type MetricRequest } from '../../builder/inspect/explain-metric.ts'
import { metricsPath, snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import { alike } from '../seed.ts'
import { publishedSuite } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv } from '../support/workspace.ts'

const AGGREGATIONS = ['sum', 'average', 'last', 'min', 'max']
const CSV = `metric,date,value,class,department,budget
sum,2025-01-10,1.5,,,
sum,2025-01-20,2.25,,,
sum,2025-01-20,9,east,,
sum,2025-02-03,4,west,,
average,2025-01-10,1,,,
average,2025-01-11,2,,,
average,2025-01-12,2,,,
last,2025-01-10,7,east,,
last,2025-01-12,8,east,,
last,2025-01-11,5,west,,
min,2025-01-10,-3,,,
min,2025-01-11,4,,,
max,2025-01-10,-3,,,
max,2025-02-11,123456789.123456,,,
sum,2025-01-31,6,,,plan
`
const FILES = {
  'company.yaml': companyYaml(`classes: classes.csv
nonFinancial:
${AGGREGATIONS.map((name) => `  - { id: ${name}, name: The ${name}, unit: pieces, aggregation: ${name} }`).join('\n')}
  - { id: bank, name: Called like an account, aggregation: sum }
metrics: [{ files: values.csv }]
budgets: [{ id: plan, name: Plan, files: plan.csv }]`),
  'chart.csv': CHART,
  'classes.csv': 'id,name\neast,East\nwest,West\n',
  'plan.csv': 'account,2025-01\nsales,1\n',
  'values.csv': `${CSV}bank,2025-01-10,3,,,\n`,
  'ledger.csv': ledgerCsv(
    '1 2025-01-10 bank 10.00; 1 2025-01-10 sales -10.00; 2 2025-02-10 bank 10.00; 2 2025-02-10 sales -10.00',
  ),
}

const test = publishedSuite('explain a metric', FILES, 'keepInputs: true\n')

const request = (account: string, month: string, more: Partial<MetricRequest> = {}): MetricRequest => ({
  company: COMPANY,
  snapshotId: null,
  account,
  month,
  budgetId: null,
  classId: null,
  departmentId: null,
  only: false,
  ...more,
})

interface Published {
  readonly Periods: readonly { readonly Month: string }[]
  readonly Data: readonly { readonly NonFinancialId: string; readonly Values: readonly (number | null)[] }[]
}

test('every value of every document is what its rows come to, and each row stands where it says', async (workspace) => {
  const source = FILES['values.csv'].split('\n')
  let explained = 0
  for (const budgetId of [null, 'plan'])
    for (const classId of [null, ...alike(['east', 'west', 'unassigned'])]) {
      const path = metricsPath({ budgetId, classId, departmentId: null })
      const file = join(
        snapshotFolder(workspace.snapshots, COMPANY, workspace.built.result.snapshotId!),
        path,
      )
      const document = (() => {
        try {
          return JSON.parse(readFileSync(file, 'utf8')) as Published
        } catch {
          return null
        }
      })()
      for (const { NonFinancialId, Values } of document?.Data ?? [])
        for (const [i, value] of Values.entries()) {
          const month = document!.Periods[i]!.Month
          const asked = request(NonFinancialId, month, { budgetId, classId, only: true, sources: true })
          const { value: found } = (await explainMetric(workspace.snapshots, asked))!
          assert.ok(found?.addsUp, JSON.stringify(found))
          assert.is(found.published === null ? null : Number(found.published), value)
          for (const row of found.values) {
            const [metric, date, text, member] = source[row.row! - 1]!.split(',')
            assert.equal(
              [metric, date, Number(text), member === '' ? null : member],
              [NonFinancialId, row.date, Number(row.value), row.classId],
            )
          }
          const counted = found.values.filter(({ counts }) => counts)
          assert.equal(
            found.sources!.map(({ text }) => text),
            counted.map(({ row }) => source[row! - 1]),
          )
          assert.is(counted.length > 0, value !== null)
          explained++
        }
    }
  assert.ok(explained > 20, `${explained} values`)
})

test('a value that does not count is shown as one that does not', async ({ snapshots }) => {
  const shown = async (account: string) =>
    (await explainMetric(snapshots, request(account, '2025-01')))!.value!.values.map(
      ({ value, counts }) => `${value} ${counts}`,
    )
  // The untagged rows are the total; of each class the last day counts.
  assert.equal(await shown('sum'), ['1.5 true', '2.25 true', '9 false'])
  assert.equal(await shown('last'), ['7 false', '5 true', '8 true'])
  const { value } = (await explainMetric(snapshots, request('max', '2025-02')))!
  assert.equal([value!.published, value!.total], ['123456789.123456', '123456789.123456'])
})

test('what an account is called goes first; a metric is asked for by id or name', async ({ snapshots }) => {
  assert.is(await explainMetric(snapshots, request('bank', '2025-01')), null)
  const { value } = (await explainMetric(snapshots, request('bank', '2025-01', { only: true })))!
  assert.is(value!.published, '3')
  assert.is((await explainMetric(snapshots, request('the SUM', '2025-01')))!.value!.metric.id, 'sum')
  const codes = async (asked: MetricRequest) =>
    (await explainMetric(snapshots, asked))!.findings!.map(({ code }) => code)
  assert.equal(await codes(request('summ', '2025-01', { only: true })), ['unknown-metric'])
  assert.equal(await codes(request('sum', '2024-01')), ['month-not-covered'])
  assert.equal(await codes(request('sum', '2025-01', { classId: 'north' })), ['unknown-class'])
})
