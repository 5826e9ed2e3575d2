/** What a client of the whole server reads of budgets: their cash flow, parts of months, and what `Tie-Out` says was checked. */

import * as assert from 'uvu/assert'
import { type RunningServer, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { authorizeUrl, Browser, redeem } from '../oauth/harness.ts'
import { type Client, client } from './client.ts'
import { type BuiltWorkspace, builtWorkspace } from './workspace.ts'

const budgets = suite<{ built: BuiltWorkspace; running: RunningServer; ask: Client }>('budgets over http')
rememberPasswords(budgets)

/** Cash 100, 150, 90; machines 50, 50, 80; results of 10, 50 and -30, which equity holds. */
const PLAN = `account,department,2025-01,2025-02,2025-03
1000,,100,150,90
1500,,50,50,80
3000,,150,200,170
4000,ops,110,150,70
6000,,100,100,100
`

budgets.before(async (context) => {
  context.built = await builtWorkspace()
  const { write, build, workspace } = context.built
  write(
    'datasets/acme/company.yaml',
    `id: acme
name: Acme Trading
fiscalMonthEnd: 12
currency: USD
chartOfAccounts: chart.csv
classes: classes.csv
departments: departments.csv
ledger: [{ files: accrual.csv, basis: accrual }]
budgets:
  - { id: plan, name: Plan, files: plan.csv, equity: with-result }
  - { id: off, name: Does not balance, files: off.csv, equity: with-result }
  - { id: unstated, name: Says nothing of equity, files: plan.csv }
`,
  )
  write('datasets/acme/plan.csv', PLAN)
  write('datasets/acme/off.csv', PLAN.replace('150,90', '151,90'))
  await build('acme')
  context.running = await startServer(workspace, { log: () => {} })
  const { address } = context.running
  const back = await new Browser(address).allow(authorizeUrl(address), ['acme'])
  const { body } = await redeem(address, back.searchParams.get('code')!)
  context.ask = client(address, body.access_token)
})
budgets.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

const read = async (
  ask: Client,
  route: string,
  range: string,
  budget: string | null,
  filter: Readonly<Record<string, string>> = {},
) => {
  const [StartDate, EndDate] = range.split('..') as [string, string]
  const query = new URLSearchParams({
    StartDate,
    EndDate,
    AccountingBasis: 'ACCRUAL',
    ...(budget === null ? {} : { BudgetId: budget }),
    ...filter,
  })
  const { status, json, headers } = await ask(`/companies/acme/${route}?${query}`)
  assert.is(status, 200, JSON.stringify(json))
  const tieOut = headers.get('tie-out')!
  assert.match(tieOut, /; manifest="sha256-[0-9a-f]{64}"$/)
  return { json, tieOut: tieOut.replace(/; manifest=.*/, '') }
}

const YEAR = '2025-01-01..2025-12-31'
const ROUTES = ['profit-loss', 'balance-sheet', 'cash-flow-statement']

budgets(
  'the Tie-Out header of each statement: actuals, budgets that balance and that do not',
  async ({ ask }) => {
    const headers = async (budget: string | null, filter = {}, range = YEAR) =>
      Promise.all(ROUTES.map(async (route) => (await read(ask, route, range, budget, filter)).tieOut))
    assert.equal(await headers(null), [
      'pass; checked="totals, earnings"',
      'pass; checked="totals, balance, movements"',
      'pass; checked="totals, cash"',
    ])
    assert.equal(await headers('plan'), [
      'pass; checked="totals"',
      'pass; checked="totals, balance"',
      'pass; checked="totals, cash"',
    ])
    for (const budget of ['off', 'unstated'])
      assert.equal(await headers(budget), [
        'pass; checked="totals"',
        'not-checked; checked="totals"',
        'not-checked',
      ])
    const NONE = ['not-checked', 'not-checked', 'not-checked']
    // Of a department a budget has neither all of its balance sheet nor of its cash.
    assert.equal(await headers('plan', { DepartmentId: 'ops' }), ['pass; checked="totals"', ...NONE.slice(1)])
    assert.equal(
      await headers(null, { ClassId: 'unassigned', DepartmentId: 'ops' }),
      NONE,
      'without postings',
    )
    assert.equal(await headers(null, {}, '2019-01-01..2019-12-31'), NONE, 'outside of the books')
  },
)

interface Document {
  readonly NotStated: readonly { readonly Month: string; readonly Reason: string }[]
  readonly Data: readonly { readonly AccountId: string; readonly Values: readonly (number | null)[] }[]
  readonly Summary: readonly { readonly Name: string; readonly Values: readonly (number | null)[] }[]
}
const figuresOf = ({ Data, Summary, NotStated }: Document) => ({
  rows: Object.fromEntries(Data.map(({ AccountId, Values }) => [AccountId, Values])),
  cash: Object.fromEntries(
    Summary.filter(({ Name }) => Name.endsWith('Cash')).map(({ Name, Values }) => [Name, Values]),
  ),
  why: NotStated.map(({ Month, Reason }) => `${Month} ${Reason}`),
})

budgets('the cash flow of whole months, and of ranges that cut a month', async ({ ask }) => {
  const flow = (range: string) => read(ask, 'cash-flow-statement', range, 'plan')
  const whole = await flow(YEAR)
  assert.equal(figuresOf(whole.json), {
    rows: { 'net-income': [null, 50, -30], 1500: [null, 0, -30] },
    cash: {
      NetChangeInCash: [null, 50, -60],
      BeginningCash: [null, 100, 150],
      EndingCash: [null, 150, 90],
    },
    why: ['2025-01 NoMonthBefore'],
  })
  const cut = await flow('2025-02-01..2025-03-15')
  assert.equal(figuresOf(cut.json), {
    rows: { 'net-income': [50, null] },
    cash: { NetChangeInCash: [50, null], BeginningCash: [100, null], EndingCash: [150, null] },
    why: ['2025-03 PartOfMonth'],
  })
  assert.is(cut.tieOut, 'pass; checked="totals, cash"')
  const part = await flow('2025-03-02..2025-03-15')
  assert.equal(figuresOf(part.json).why, ['2025-03 PartOfMonth'])
  assert.equal(figuresOf(part.json).cash.EndingCash, [null])
  for (const { tieOut } of [
    part,
    await flow('2025-01-01..2025-01-31'),
    await read(ask, 'balance-sheet', '2025-03-02..2025-03-15', 'plan'),
  ])
    assert.is(tieOut, 'not-checked')
})
