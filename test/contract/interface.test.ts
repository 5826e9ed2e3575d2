/**
 * The interface keeps what clients rely on (docs/server.md#what-may-change): the description is held against that of the last release,
 * which `released/` has as lines of text. A release adds its own: `UPDATE=1 npm test -- contract/interface`, which changes no older one.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { openApi } from '../../builder/contract/openapi.ts'
import { suite } from '../suite.ts'
import { broken, surfaceOf } from './surface.ts'

const test = suite('interface')
const description = openApi('https://books.example')
const folder = fileURLToPath(new URL('released/', import.meta.url))
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** What was changed on purpose since the last release, and why. Empty again with the next one. */
const MEANT = new Set<string>()

test('nothing that the last release promised is gone', () => {
  const own = `${folder}${version}.txt`
  if (process.env.UPDATE && !existsSync(own)) writeFileSync(own, `${surfaceOf(description).join('\n')}\n`)
  assert.ok(existsSync(own), 'a release keeps its interface: UPDATE=1 npm test -- contract/interface')
  const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })
  const [last = ''] = readdirSync(folder).sort(byVersion).slice(-1)
  const before = readFileSync(folder + last, 'utf8')
    .trimEnd()
    .split('\n')
  assert.ok(before.length > 300, `${before.length} lines`)
  assert.equal(
    broken(before, surfaceOf(description)).filter((line) => !MEANT.has(line)),
    [],
  )
})

const INFO = 'GET /companies/{CompanyId}/info'
const MONTH_END = '"FiscalMonthEnd":{"type":"integer"'

/** What is changed in the description as JSON, and the line that is named then. */
const BREAKING: readonly (readonly [what: string, from: string | RegExp, to: string, named: string])[] = [
  ['a member is gone', '"BooksThrough"', '"Through"', '→ CompanyInfo .BooksThrough: string'],
  [
    'a member may be absent',
    '"required":["Id","Name","FiscalMonthEnd"',
    '"required":["Id","Name"',
    '→ CompanyInfo .FiscalMonthEnd: integer',
  ],
  [
    'another type',
    MONTH_END,
    MONTH_END.replace('integer', 'string'),
    '→ CompanyInfo .FiscalMonthEnd: integer',
  ],
  [
    'null',
    MONTH_END,
    '"FiscalMonthEnd":{"type":["integer","null"]',
    '→ CompanyInfo .FiscalMonthEnd: integer',
  ],
  ['an operation is gone', '"/companies/{CompanyId}/info"', '"/companies/{CompanyId}/information"', INFO],
  [
    'a parameter is gone',
    '"name":"ClassId"',
    '"name":"SegmentId"',
    'GET /companies/{CompanyId}/profit-loss ?ClassId?: string',
  ],
  [
    'a parameter is required',
    '"name":"ClassId","in":"query","required":false',
    '"name":"ClassId","in":"query","required":true',
    'GET /companies/{CompanyId}/profit-loss ?ClassId?: string',
  ],
  ['a smaller limit', '"maximum":1000', '"maximum":500', 'GET /companies/{CompanyId}/budgets ?limit <= 1000'],
  [
    'a value is refused',
    /"enum":\["(CASH","ACCRUAL|ACCRUAL","CASH)"\]/g,
    '"enum":["ACCRUAL"]',
    'GET /companies/{CompanyId}/profit-loss ?AccountingBasis = CASH',
  ],
  [
    'a new parameter is required',
    '"name":"SnapshotId","in":"query","required":false',
    '"name":"Key","in":"query","required":true',
    `${INFO} ?Key: string (new)`,
  ],
  [
    'another scope',
    '"oauth2":["read:company"]',
    '"oauth2":["read:company","read:ledger"]',
    `${INFO} needs read:ledger (new)`,
  ],
  ['another status', '"422":', '"409":', 'GET /companies/{CompanyId}/profit-loss → 422'],
]
const BORNE: readonly (readonly [what: string, from: string, to: string])[] = [
  ['a member more', '"FiscalMonthEnd":{', '"More":{"type":"string"},"FiscalMonthEnd":{'],
  ['a value more', '"x-extensible-enum":["ACCRUAL"', '"x-extensible-enum":["MODIFIED","ACCRUAL"'],
  ['a larger limit', '"maximum":1000', '"maximum":5000'],
  [
    'a parameter that may be absent',
    '"required":true,"description":"First day',
    '"required":false,"description":"First day',
  ],
  [
    'an operation more',
    '"paths":{',
    '"paths":{"/more":{"get":{"responses":{"200":{}},"parameters":[{"name":"x","in":"query","required":true,"schema":{"type":"string"}}]}},',
  ],
]

test('what breaks clients is named, and what they have to bear is not', () => {
  const before = surfaceOf(description)
  const text = JSON.stringify(description)
  for (const [what, from, to, named] of BREAKING)
    assert.ok(broken(before, surfaceOf(JSON.parse(text.replaceAll(from, to)))).includes(named), what)
  for (const [what, from, to] of BORNE) {
    const after = JSON.parse(text.replaceAll(from, to)) as object
    assert.not.equal(after, description, what)
    assert.equal(broken(before, surfaceOf(after)), [], what)
  }
})
