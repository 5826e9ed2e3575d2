/** Every company endpoint over real HTTP; each answer is also checked against openapi.json by the client. */

import * as assert from 'uvu/assert'
import { encodeStatement } from '../../../builder/contract/encode.ts'
import { SUMMARY_NAMES } from '../../../builder/contract/vocabulary.ts'
import { suite } from '../../suite.ts'
import { BUDGET, salesOf } from '../companies/fixture.ts'
import { type Stand, stand } from './stand.ts'

const answers = suite<{ it: Stand }>('answers')
answers.before(async (context) => {
  context.it = await stand()
})
answers.after(async ({ it }) => it.close())

const statement = (range: string, more = '', basis = 'ACCRUAL'): string => {
  const [from, to] = range.split('..')
  return `StartDate=${from}&EndDate=${to}&AccountingBasis=${basis}${more}`
}
const metrics = (body: object) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
})
const money = (minor: number): number => minor / 100

answers('info is the file of the snapshot', async ({ it }) => {
  const { status, json, headers } = await it.ask('/companies/acme/info')
  assert.is(status, 200)
  assert.is(json.Name, 'Company acme')
  assert.match(headers.get('snapshot-id') ?? '', /^2025-06-r1-[0-9a-f]{6}$/)
  assert.is(headers.get('cache-control'), 'private, no-cache')
  assert.is(headers.get('vary'), 'Authorization, Accept-Encoding')
  assert.is(headers.get('tie-out'), null)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
})

answers('lists page through everything exactly once', async ({ it }) => {
  const seen: string[] = []
  for (let offset = 0; offset < 300; offset += 100) {
    const { json } = await it.ask(`/companies/acme/chart-of-accounts?offset=${offset}`)
    assert.equal(json.Pagination, { offset, limit: 100, total: 250 })
    seen.push(...json.Data.map((entry: { Id: string }) => entry.Id))
  }
  assert.is(new Set(seen).size, 250)
  assert.is(seen.length, 250)
  const one = await it.ask('/companies/acme/chart-of-accounts?offset=249&limit=1')
  assert.is(one.json.Data[0].Id, '4249')
  const beyond = await it.ask('/companies/acme/chart-of-accounts?offset=999999999999999&limit=1000')
  assert.equal(beyond.json.Data, [])
  assert.is(beyond.json.Pagination.total, 250)
})

answers('a list that a company does not use is empty, not an error', async ({ it }) => {
  for (const name of ['budgets', 'classes', 'departments', 'non-financial-list']) {
    const { status, json } = await it.ask(`/companies/bare/${name}`)
    assert.is(status, 200)
    assert.equal(json, { Data: [], Pagination: { offset: 0, limit: 100, total: 0 } })
  }
})

answers(
  'a statement is cut to the coverage, echoes the request and says that it ties out',
  async ({ it }) => {
    for (const [route, name] of [
      ['profit-loss', 'ProfitAndLoss'],
      ['balance-sheet', 'BalanceSheet'],
      ['cash-flow-statement', 'CashFlow'],
    ]) {
      const { status, json, headers } = await it.ask(
        `/companies/acme/${route}?${statement('2019-05-17..2024-02-29')}`,
      )
      assert.is(status, 200)
      assert.is(json.Statement, name)
      assert.is(json.StartDate, '2019-05-17')
      assert.is(json.EndDate, '2024-02-29')
      assert.equal(json.NotStated, name === 'CashFlow' ? [] : undefined)
      assert.equal(
        json.Periods.map((period: { Month: string }) => period.Month),
        ['2024-01', '2024-02'],
      )
      assert.equal(json.Data[0].Values, [money(salesOf(0, 0, null)), money(salesOf(1, 0, null))])
      assert.match(
        headers.get('tie-out') ?? '',
        /^pass; checked="totals, [a-z, ]+"; manifest="sha256-[0-9a-f]{64}"$/,
      )
    }
    assert.is(it.adhoc.length, 0)
  },
)

answers('open-ended ranges reach from the first to the last day that can be written', async ({ it }) => {
  for (const more of ['', '&ClassId=n%2F1']) {
    const { status, json } = await it.ask(
      `/companies/acme/profit-loss?${statement('0001-01-01..9999-12-31', more)}`,
    )
    assert.is(status, 200)
    assert.is(json.Periods.length, 18)
  }
  const body = { NonFinancialIds: ['units'], StartDate: '0001-01-01', EndDate: '9999-12-31' }
  assert.is((await it.ask('/companies/acme/non-financial', metrics(body))).json.Periods.length, 18)
})

answers('money keeps the decimals of its currency', async ({ it }) => {
  const { text } = await it.ask(`/companies/acme/profit-loss?${statement('2024-01-01..2024-01-31')}`)
  assert.match(text, '"Values":[1000.50]')
})

answers('filters are echoed and select their own document', async ({ it }) => {
  const north = await it.ask(
    `/companies/acme/profit-loss?${statement('2024-01-01..2024-01-31', '&ClassId=north')}`,
  )
  assert.is(north.json.ClassId, 'north')
  assert.equal(north.json.Data[0].Values, [money(salesOf(0, 0, 'north'))])
  const budget = await it.ask(
    `/companies/acme/profit-loss?${statement('2020-01-01..2030-12-31', `&BudgetId=${encodeURIComponent(BUDGET.Id)}`)}`,
  )
  assert.is(budget.json.BudgetId, BUDGET.Id)
  assert.is(budget.json.BasisSource, 'Budget')
  assert.is(budget.json.Periods.length, 12)
})

answers('a combination without postings has its periods and zeros; a budget has nulls', async ({ it }) => {
  const none = await it.ask(
    `/companies/acme/balance-sheet?${statement('2024-03-01..2025-12-31', '&ClassId=n%2F1')}`,
  )
  assert.is(none.json.Periods.length, 16)
  assert.equal(none.json.Data, [])
  assert.equal(none.json.Summary[0].Values, new Array(16).fill(0))
  const budget = await it.ask(
    `/companies/acme/profit-loss?${statement('2025-03-01..2025-04-30', `&ClassId=n%2F1&BudgetId=${encodeURIComponent(BUDGET.Id)}`)}`,
  )
  assert.equal(budget.json.Summary[0].Values, [null, null])
})

answers('a range outside the coverage has no periods', async ({ it }) => {
  for (const more of ['', '&ClassId=n%2F1']) {
    const { json } = await it.ask(`/companies/acme/profit-loss?${statement('2019-05-17..2019-06-03', more)}`)
    assert.equal(json.Periods, [])
    assert.equal(json.Data, [])
    for (const row of json.Summary) assert.equal(row.Values, [])
  }
})

answers('any other range is asked of the ad-hoc engine, once', async ({ it }) => {
  it.adhoc.length = 0
  it.answerAdhoc(async ({ company, query }) => {
    if (query.kind !== 'statement') throw new Error('unexpected')
    const { kind: _, ...scope } = query
    return Buffer.from(
      encodeStatement({
        companyId: company,
        basisSource: 'Books',
        currency: 'USD',
        ...scope,
        periods: [],
        rows: [],
        summary: SUMMARY_NAMES.ProfitAndLoss.map((name) => ({ name, values: new Float64Array() })),
      }),
    )
  })
  const path = `/companies/acme/profit-loss?${statement('2024-01-02..2024-01-31', '&ClassId=north')}`
  const replies = await Promise.all([it.ask(path), it.ask(path), it.ask(path)])
  for (const reply of replies) assert.is(reply.status, 200)
  assert.is(it.adhoc.length, 1)
  const { query, snapshotId, manifestSha256, company } = it.adhoc[0]!
  assert.equal(query, {
    kind: 'statement',
    statement: 'ProfitAndLoss',
    basis: 'ACCRUAL',
    budgetId: null,
    classId: 'north',
    departmentId: null,
    startDate: '2024-01-02',
    endDate: '2024-01-31',
  })
  assert.is(company, 'acme')
  assert.is(snapshotId, replies[0]!.headers.get('snapshot-id'))
  assert.is(
    replies[0]!.headers.get('tie-out'),
    `pass; checked="totals, earnings"; manifest="sha256-${manifestSha256}"`,
  )
})

answers('metrics come in request order, a missing value is null', async ({ it }) => {
  const { status, json } = await it.ask(
    '/companies/acme/non-financial',
    metrics({
      NonFinancialIds: ['units', 'headcount'],
      StartDate: '2023-12-05',
      EndDate: '2024-02-29',
      BudgetId: null,
    }),
  )
  assert.is(status, 200)
  assert.is(json.Periods.length, 2)
  assert.equal(json.Data, [
    { NonFinancialId: 'units', Values: [0.5, 1.5] },
    { NonFinancialId: 'headcount', Values: [null, 41] },
  ])
  const none = await it.ask(
    '/companies/acme/non-financial',
    metrics({ NonFinancialIds: [], StartDate: '2024-01-01', EndDate: '2024-01-31' }),
  )
  assert.equal(none.json.Data, [])
  const filtered = await it.ask(
    '/companies/acme/non-financial',
    metrics({ NonFinancialIds: ['units'], StartDate: '2024-01-01', EndDate: '2024-01-31', ClassId: 'north' }),
  )
  assert.is(filtered.json.ClassId, 'north')
  assert.equal(filtered.json.Data, [{ NonFinancialId: 'units', Values: [null] }])
})

answers('the extensions list snapshots and their tie-outs', async ({ it }) => {
  const { json } = await it.ask('/companies/acme/snapshots')
  assert.is(json.Data.length, 1)
  assert.is(json.Data[0].IsCurrent, true)
  assert.is(json.Data[0].PublishedAt, null, 'there is no log')
  const proof = await it.ask(`/companies/acme/snapshots/${json.Data[0].SnapshotId}/tie-outs`)
  assert.is(proof.status, 200)
  assert.is(proof.json.Data[0].Result, 'pass')
})

answers('the description, health and readiness need no token', async ({ it }) => {
  const { status, json } = await it.ask('/openapi.json', { token: null })
  assert.is(status, 200)
  assert.is(json.openapi, '3.1.0')
  assert.is((await it.ask('/healthz', { token: null })).status, 200)
  assert.is((await it.ask('/readyz', { token: null })).status, 200)
})
