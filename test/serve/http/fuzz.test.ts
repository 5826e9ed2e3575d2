/** Whatever is asked: an answer that the description allows, never an error of ours, never a dead process. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { seed, times } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { rawStatus } from './client.ts'
import { type Stand, stand } from './stand.ts'

const fuzz = suite<{ it: Stand }>('fuzz')
fuzz.before(async (context) => {
  context.it = await stand()
  context.it.answerAdhoc(async () => Buffer.from('{}'))
})
fuzz.after(async ({ it }) => it.close())

const RUNS = { numRuns: times(200), seed }
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    '..',
    'north',
    'N/1',
    'unassigned',
    '2024-01-01',
    '2024-02-31',
    'CASH',
    '0',
    '1e3',
  ),
)
const name = fc.oneof(
  fc.constantFrom(
    'StartDate',
    'EndDate',
    'AccountingBasis',
    'BudgetId',
    'ClassId',
    'DepartmentId',
    'SnapshotId',
    'offset',
    'limit',
    'NonFinancialIds',
  ),
  odd,
)
const route = fc.constantFrom(
  'info',
  'chart-of-accounts',
  'budgets',
  'profit-loss',
  'balance-sheet',
  'cash-flow-statement',
  'snapshots',
  'snapshots/2025-06-r1-abcdef/tie-outs',
)
/** Strings may hold lone surrogates, which no URL can. */
const encoded = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, ''))

fuzz('H9: any parameters', async ({ it }) => {
  await fc.assert(
    fc.asyncProperty(route, fc.array(fc.tuple(name, odd), { maxLength: 6 }), async (path, parameters) => {
      const query = parameters.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&')
      const { status } = await it.ask(`/companies/acme/${path}?${query}`)
      assert.ok([200, 400, 404, 422].includes(status), `${path}?${query} ${status}`)
    }),
    RUNS,
  )
})

fuzz('H8: any body', async ({ it }) => {
  const value = fc.oneof(odd, fc.array(odd, { maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }))
  const body = fc.oneof(
    fc.dictionary(name, value, { maxKeys: 6 }).map((object) => JSON.stringify(object)),
    fc.json(),
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const headers = { 'Content-Type': 'application/json' }
      const { status } = await it.ask('/companies/acme/non-financial', {
        method: 'POST',
        headers,
        body: text,
      })
      assert.ok([200, 400, 404].includes(status), `${text} ${status}`)
    }),
    RUNS,
  )
})

fuzz('H1 H2: any target', async ({ it }) => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '.',
    '..',
    '%2e',
    '%2F',
    '%00',
    '%',
    '%zz',
    '%E0%A4',
    'companies',
    'acme',
    'other',
    'info',
    '?',
    '#',
    '&',
    '=',
    ';',
    '\\',
    '@',
    ':',
    '~',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const target = `/${pieces.join('')}`
      const status = await rawStatus(it.port, target, 'owner')
      assert.ok([200, 400, 404].includes(status), `${target} ${status}`)
    }),
    RUNS,
  )
  assert.is((await it.ask('/healthz')).status, 200)
})
