/** openapi.json: every endpoint of the interface, every reference resolved, every schema usable. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as assert from 'uvu/assert'
import { openApi } from '../../builder/contract/openapi.ts'
import { OPERATIONS } from '../../builder/contract/operations.ts'
import { PROBLEMS, Problem } from '../../builder/contract/problem.ts'
import { PRINTABLE } from '../../builder/contract/requests.ts'
import { budgets, statements } from '../../builder/contract/schemas.ts'
import { type StatementName, SUMMARY_NAMES } from '../../builder/contract/vocabulary.ts'
import { suite } from '../suite.ts'

const openapi = suite('openapi')
const document = openApi('https://books.example')
const text = JSON.stringify(document)

const ENDPOINTS = [
  'GET /auth/oauth-discovery',
  'GET /oauth2/authorize',
  'POST /oauth2/token',
  'GET /oauth2/user-info',
  'GET /companies/{CompanyId}/info',
  'GET /companies/{CompanyId}/chart-of-accounts',
  'GET /companies/{CompanyId}/budgets',
  'GET /companies/{CompanyId}/classes',
  'GET /companies/{CompanyId}/departments',
  'GET /companies/{CompanyId}/non-financial-list',
  'POST /companies/{CompanyId}/non-financial',
  'GET /companies/{CompanyId}/profit-loss',
  'GET /companies/{CompanyId}/cash-flow-statement',
  'GET /companies/{CompanyId}/balance-sheet',
  'GET /companies/{CompanyId}/ageing',
  'GET /companies/{CompanyId}/snapshots',
  'GET /companies/{CompanyId}/snapshots/{SnapshotId}/tie-outs',
  'GET /companies/{CompanyId}/snapshots/{SnapshotId}/files/{Path}',
  'GET /companies/{CompanyId}/snapshots/{SnapshotId}/zip',
  'GET /openapi.json',
]

openapi('describes the 14 endpoints, the extensions and itself', () => {
  const paths = document.paths as Record<string, Record<string, unknown>>
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.equal(described.sort(), [...ENDPOINTS].sort())
})

openapi('every reference points at something', () => {
  for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer!
      .split('/')
      .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
    assert.ok(found, pointer)
  }
  assert.not.match(text, '"$id"')
})

openapi('every component schema compiles as JSON Schema 2020-12, and may get members and values', () => {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    formats: { date: true, 'date-time': true, decimal: true, uri: true },
  })
  ajv.addKeyword('x-extensible-enum')
  ajv.addVocabulary(['components', 'openapi', 'info', 'servers', 'paths'])
  ajv.addSchema({ $id: 'openapi', ...document })
  const { schemas } = document.components as { schemas: Record<string, { additionalProperties?: unknown }> }
  for (const [id, schema] of Object.entries(schemas)) {
    assert.ok(ajv.getSchema(`openapi#/components/schemas/${id}`), id)
    assert.is(schema.additionalProperties, undefined, id)
  }
})

openapi('the summary of a statement is all names in their order', () => {
  for (const [statement, names] of Object.entries(SUMMARY_NAMES)) {
    const { Summary } = statements[statement as StatementName].shape
    const rows = names.map((Name) => ({ Name, Values: [1, null] }))
    assert.ok(Summary.safeParse(rows).success, statement)
    for (const other of [rows.slice(1), [...rows].reverse(), [...rows, rows[0]!]])
      assert.not.ok(Summary.safeParse(other).success, statement)
  }
})

openapi('a page of a list has up to a thousand records, and may be empty', () => {
  const fits = ([offset, limit, total]: readonly number[]): boolean =>
    budgets.safeParse({ Data: [], Pagination: { offset, limit, total } }).success
  assert.equal(
    ['0 1 0', '7 1000 7'].filter((page) => !fits(page.split(' ').map(Number))),
    [],
  )
  assert.equal(
    ['-1 1 0', '0 0 0', '0 1001 0', '0 1 -1'].filter((page) => fits(page.split(' ').map(Number))),
    [],
  )
})

openapi('what clients are generated from has no tuple, closed list, or second form of an answer', () => {
  const schemas = JSON.stringify((document.components as { schemas: object }).schemas)
  assert.not.match(schemas, /"(?:prefixItems|enum|const|anyOf|additionalProperties|default)":/)
  assert.match(schemas, '"x-extensible-enum":["ACCRUAL","CASH"]')
  assert.match(schemas, '"type":["number","null"]')
  const bodies = Object.entries(OPERATIONS).filter(([, { answer }]) => typeof answer !== 'string')
  for (const [id, { path, method }] of bodies) {
    const operation = (
      document.paths as Record<string, Record<string, { responses: Record<number, { content?: object }> }>>
    )[path]![method.toLowerCase()]!
    assert.equal(Object.keys(operation.responses[200]!.content!), ['application/json'], id)
    assert.is(operation.responses[304] !== undefined, method === 'GET', id)
  }
  assert.match(text, `"pattern":${JSON.stringify(PRINTABLE)}`)
})

openapi('every route that names a company needs read:company and can answer 401, 403 and 404', () => {
  for (const [id, operation] of Object.entries(OPERATIONS)) {
    if (!operation.path.includes('{CompanyId}')) continue
    assert.is('scope' in operation && operation.scope, 'read:company', id)
    for (const code of ['unauthorized', 'insufficient-scope', 'not-found'] as const)
      assert.ok((operation.problems as readonly string[]).includes(code), `${id} ${code}`)
  }
})

openapi('a problem is RFC 9457 with a stable code', () => {
  for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
    const problem = new Problem(code as keyof typeof PROBLEMS, 'what happened', {
      errors: [{ parameter: 'limit', problem: 'is missing' }],
    })
    assert.equal(JSON.parse(JSON.stringify(problem)), {
      type: `urn:tieout:problem:${code}`,
      title,
      status,
      detail: 'what happened',
      code,
      errors: [{ parameter: 'limit', problem: 'is missing' }],
    })
  }
})
