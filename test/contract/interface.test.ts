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

/** Changes the description as JSON. */
const changed = (change: (text: string) => string): object => JSON.parse(change(JSON.stringify(description)))
const INFO = 'GET /companies/{CompanyId}/info'

test('what breaks clients is named, and what they have to bear is not', () => {
  const before = surfaceOf(description)
  for (const [what, change, named] of [
    [
      'a member is gone',
      (text) => text.replaceAll('"BooksThrough"', '"Through"'),
      '→ CompanyInfo .BooksThrough: string',
    ],
    [
      'a member may be absent',
      (text) => text.replace('"required":["Id","Name","FiscalMonthEnd"', '"required":["Id","Name"'),
      '→ CompanyInfo .FiscalMonthEnd: integer',
    ],
    [
      'another type',
      (text) => text.replace('"FiscalMonthEnd":{"type":"integer"', '"FiscalMonthEnd":{"type":"string"'),
      '→ CompanyInfo .FiscalMonthEnd: integer',
    ],
    [
      'null',
      (text) =>
        text.replace('"FiscalMonthEnd":{"type":"integer"', '"FiscalMonthEnd":{"type":["integer","null"]'),
      '→ CompanyInfo .FiscalMonthEnd: integer',
    ],
    [
      'an operation is gone',
      (text) => text.replace('"/companies/{CompanyId}/info"', '"/companies/{CompanyId}/information"'),
      INFO,
    ],
    [
      'a parameter is gone',
      (text) => text.replaceAll('"name":"ClassId"', '"name":"SegmentId"'),
      'GET /companies/{CompanyId}/profit-loss ?ClassId?: string',
    ],
    [
      'a parameter is required',
      (text) =>
        text.replaceAll(
          '"name":"ClassId","in":"query","required":false',
          '"name":"ClassId","in":"query","required":true',
        ),
      'GET /companies/{CompanyId}/profit-loss ?ClassId?: string',
    ],
    [
      'a smaller limit',
      (text) => text.replaceAll('"maximum":1000', '"maximum":500'),
      'GET /companies/{CompanyId}/budgets ?limit <= 1000',
    ],
    [
      'a value is refused',
      (text) =>
        text
          .replaceAll('"enum":["CASH","ACCRUAL"]', '"enum":["ACCRUAL"]')
          .replaceAll('"enum":["ACCRUAL","CASH"]', '"enum":["ACCRUAL"]'),
      'GET /companies/{CompanyId}/profit-loss ?AccountingBasis = CASH',
    ],
    [
      'a new parameter is required',
      (text) =>
        text.replaceAll(
          '"name":"SnapshotId","in":"query","required":false',
          '"name":"Key","in":"query","required":true',
        ),
      `${INFO} ?Key: string (new)`,
    ],
    [
      'another scope',
      (text) => text.replaceAll('"oauth2":["read:company"]', '"oauth2":["read:company","read:ledger"]'),
      `${INFO} needs read:ledger (new)`,
    ],
    [
      'another status',
      (text) => text.replaceAll('"422":', '"409":'),
      'GET /companies/{CompanyId}/profit-loss → 422',
    ],
  ] as readonly [string, (text: string) => string, string][])
    assert.ok(broken(before, surfaceOf(changed(change))).includes(named), what)
  for (const [what, change] of [
    [
      'a member more',
      (text) => text.replace('"FiscalMonthEnd":{', '"More":{"type":"string"},"FiscalMonthEnd":{'),
    ],
    [
      'a value more',
      (text) =>
        text.replaceAll('"x-extensible-enum":["ACCRUAL"', '"x-extensible-enum":["MODIFIED","ACCRUAL"'),
    ],
    ['a larger limit', (text) => text.replaceAll('"maximum":1000', '"maximum":5000')],
    [
      'a parameter that may be absent',
      (text) =>
        text.replaceAll(
          '"required":true,"description":"First day',
          '"required":false,"description":"First day',
        ),
    ],
    [
      'an operation more',
      (text) =>
        text.replace(
          '"paths":{',
          '"paths":{"/more":{"get":{"responses":{"200":{}},"parameters":[{"name":"x","in":"query","required":true,"schema":{"type":"string"}}]}},',
        ),
    ],
  ] as readonly [string, (text: string) => string][]) {
    const after = changed(change)
    assert.not.equal(after, description, what)
    assert.equal(broken(before, surfaceOf(after)), [], what)
  }
})
