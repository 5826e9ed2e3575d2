/** Parameters: everything wrong is named, nothing is ignored. */

import * as assert from 'uvu/assert'
import {
  type ReadRequest,
  readCompanyQuery,
  readListQuery,
  readMetricsBody,
  readNoQuery,
  readStatementQuery,
} from '../../builder/contract/requests.ts'
import { suite } from '../suite.ts'

const requests = suite('requests')

const RANGE = 'StartDate=2025-01-01&EndDate=2025-12-31'
const STATEMENT = `${RANGE}&AccountingBasis=ACCRUAL`

const named = (read: ReadRequest<unknown>): string[] =>
  read.ok ? [] : read.problems.map((one) => one.parameter)

/** [query, the parameters that must be named; none = it must be read] */
function table(read: (query: string) => ReadRequest<unknown>, rows: readonly [string, ...string[]][]): void {
  for (const [query, ...parameters] of rows) {
    assert.equal(named(read(query)).sort(), parameters.sort(), query)
    assert.is(read(query).ok, parameters.length === 0, query)
  }
}

requests('a list takes offset and limit, digits only, inside their bounds', () => {
  table(readListQuery, [
    [''],
    ['offset=0&limit=1'],
    ['limit=1000'],
    ['offset=999999999999999'],
    ['SnapshotId=2026-10-r1-3f9c2a'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=%2B1', 'limit'],
    ['limit=+1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%205', 'limit'],
    ['limit=5%20', 'limit'],
    ['limit=5%0A', 'limit'],
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['limit=%D9%A1', 'limit'],
    ['limit=1&limit=1', 'limit'],
    ['limit=1&limit=2000', 'limit'],
    [`offset=${'9'.repeat(40)}`, 'offset'],
    ['offset=-0', 'offset'],
    ['offset=NaN&limit=Infinity', 'offset', 'limit'],
    ['Limit=5', 'Limit'],
    ['?limit=5', '?limit'],
    ['offset=x&page=2&page=3', 'offset', 'page', 'page'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['%E0%A4%A=1', 'query'],
    ['limit=%2', 'query'],
    ['SnapshotId='],
    ['SnapshotId=&SnapshotId=', 'SnapshotId'],
  ])
  assert.equal(readListQuery(''), { ok: true, value: { offset: 0, limit: 100, snapshotId: null } })
})

requests('a statement needs a range in order and a basis, and names everything that is wrong', () => {
  table(readStatementQuery, [
    [STATEMENT],
    [`${STATEMENT}&BudgetId=b&ClassId=unassigned&DepartmentId=a%2Fb&SnapshotId=s`],
    ['StartDate=2025-01-01&EndDate=2025-01-01&AccountingBasis=CASH'],
    ['StartDate=2024-02-29&EndDate=2024-02-29&AccountingBasis=CASH'],
    ['', 'StartDate', 'EndDate', 'AccountingBasis'],
    [RANGE, 'AccountingBasis'],
    [`${RANGE}&AccountingBasis=accrual`, 'AccountingBasis'],
    [`${RANGE}&AccountingBasis=`, 'AccountingBasis'],
    [`${STATEMENT}&AccountingBasis=ACCRUAL`, 'AccountingBasis'],
    ['StartDate=2025-12-31&EndDate=2025-01-01&AccountingBasis=CASH', 'EndDate'],
    ['StartDate=2025-02-29&EndDate=2025-12-31&AccountingBasis=CASH', 'StartDate'],
    ['StartDate=2025-1-1&EndDate=2025-12-32&AccountingBasis=CASH', 'StartDate', 'EndDate'],
    ['StartDate=1900-02-29&EndDate=9999-12-31&AccountingBasis=CASH', 'StartDate'],
    ['StartDate=2025-04-31&EndDate=2025-13-01&AccountingBasis=CASH', 'StartDate', 'EndDate'],
    ['StartDate=2025-00-01&EndDate=2025-01-00&AccountingBasis=CASH', 'StartDate', 'EndDate'],
    ['StartDate=2000-02-29&EndDate=9999-12-31&AccountingBasis=CASH'],
    ['StartDate=0000-01-01&EndDate=2025-12-31&AccountingBasis=CASH', 'StartDate'],
    ['StartDate=20250101&EndDate=2025-12-31T00:00:00Z&AccountingBasis=CASH', 'StartDate', 'EndDate'],
    ['StartDate=2025-01-01%00&EndDate=2025-12-31&AccountingBasis=CASH', 'StartDate'],
    [`${STATEMENT}&BudgetId=&ClassId=&DepartmentId=&SnapshotId=`],
    [`${STATEMENT}&BudgetId=&BudgetId=b`, 'BudgetId'],
    [`${STATEMENT}&basis=`, 'basis'],
    [`${STATEMENT}&ClassId=a%00b`, 'ClassId'],
    [`${STATEMENT}&ClassId=${'x'.repeat(501)}`, 'ClassId'],
    [`${STATEMENT}&basis=cash`, 'basis'],
    [`${STATEMENT}&offset=0&limit=10`, 'offset', 'limit'],
    [`${STATEMENT}&DepartmentId=%C3%28`, 'query'],
  ])
  assert.equal(readStatementQuery(`${STATEMENT}&ClassId=K+%C3%A5`), {
    ok: true,
    value: {
      startDate: '2025-01-01',
      endDate: '2025-12-31',
      basis: 'ACCRUAL',
      budgetId: null,
      classId: 'K å',
      departmentId: null,
      snapshotId: null,
    },
  })
})

requests('routes without parameters refuse any', () => {
  table(readNoQuery, [[''], ['x=1', 'x'], ['SnapshotId=1', 'SnapshotId']])
  table(readCompanyQuery, [[''], ['SnapshotId=1'], ['StartDate=2025-01-01', 'StartDate']])
})

const body = { NonFinancialIds: ['headcount'], StartDate: '2025-01-01', EndDate: '2025-12-31' }
const readText = (text: string) => readMetricsBody(Buffer.from(text))

requests('a metrics body is one strict JSON object', () => {
  const text = JSON.stringify(body)
  table(readText, [
    [text],
    [`\ufeff${text}`],
    [JSON.stringify({ ...body, BudgetId: null, ClassId: 'a', DepartmentId: null })],
    [JSON.stringify({ ...body, NonFinancialIds: [], BudgetId: '', ClassId: '' })],
    ['', 'body'],
    ['null', 'body'],
    ['[]', 'body'],
    ['"x"', 'body'],
    ['{', 'body'],
    [`${text} x`, 'body'],
    ['['.repeat(30_000), 'body'],
    [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'body'],
    [`{"NonFinancialIds":${'['.repeat(9000)}${']'.repeat(9000)}}`, 'NonFinancialIds', 'StartDate', 'EndDate'],
    ['{}', 'NonFinancialIds', 'StartDate', 'EndDate'],
    [JSON.stringify({ ...body, NonFinancialIds: 'headcount' }), 'NonFinancialIds'],
    [JSON.stringify({ ...body, NonFinancialIds: ['a', 'a'] }), 'NonFinancialIds'],
    [JSON.stringify({ ...body, NonFinancialIds: ['a', 1, null] }), 'NonFinancialIds'],
    [JSON.stringify({ ...body, NonFinancialIds: [''] }), 'NonFinancialIds'],
    [JSON.stringify({ ...body, NonFinancialIds: null }), 'NonFinancialIds'],
    [JSON.stringify({ ...body, NonFinancialIds: { length: 1, 0: 'a' } }), 'NonFinancialIds'],
    [JSON.stringify({ ...body, StartDate: 20250101 }), 'StartDate'],
    [JSON.stringify({ ...body, StartDate: '2026-01-01' }), 'EndDate'],
    [JSON.stringify({ ...body, BudgetId: 1 }), 'BudgetId'],
    [JSON.stringify({ ...body, ClassId: '\ud800' }), 'ClassId'],
    [JSON.stringify({ ...body, AccountingBasis: 'CASH', limit: 1 }), 'AccountingBasis', 'limit'],
    [text.replace('{', '{"__proto__":{"BudgetId":"x"},'), '__proto__'],
    [text.replace('{', '{"constructor":{},'), 'constructor'],
    [text.replace('{', '{"EndDate":"2025-01-31",'), 'EndDate'],
    [text.replace('{', '{"\\u0045ndDate":"2025-01-31",'), 'EndDate'],
  ])
  assert.equal(named(readMetricsBody(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d))), ['body'])
})

requests('a brace, a colon or a quote inside a text is no key', () => {
  const read = readText(
    JSON.stringify({ ...body, NonFinancialIds: ['{"EndDate":', '\\"EndDate":', '}', 'a:b'], ClassId: '":{' }),
  )
  assert.ok(read.ok)
})
