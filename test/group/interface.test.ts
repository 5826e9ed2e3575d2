/** A reporting client reads a group as it reads any company: the members are its classes, and what is asked of one adds up to the whole. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type RunningServer, startServer } from '../../serve/server.ts'
import { type Client, client } from '../serve/http/client.ts'
import { query, ROUTES, readCompany } from '../serve/http/reading-client.ts'
import { type BuiltWorkspace, builtWorkspace } from '../serve/http/workspace.ts'
import { authorizeUrl, Browser, redeem } from '../serve/oauth/harness.ts'
import { suite } from '../suite.ts'
import { GROUP, groupYaml } from '../support/group.ts'
import { rememberPasswords } from '../support/passwords.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  ask: Client
}
const test = suite<Context>('the interface of a group')
rememberPasswords(test)

const MONTHS = Array.from(
  { length: 19 },
  (_, i) => `${2023 + Math.floor((11 + i) / 12)}-${String(((11 + i) % 12) + 1).padStart(2, '0')}`,
)
const RATES = MONTHS.map((month, i) => `JPY,${month},0.00${64 + (i % 5)},0.00${65 + (i % 4)}`).join('\n')

test.before(async (context) => {
  const built = await builtWorkspace()
  const { workspace, write } = built
  write('access.yaml', readFileSync(workspace.access, 'utf8').replace('[acme, solo]', `[${GROUP}]`))
  const group =
    'members: [{ company: acme }, { company: solo, share: { 2024-01-01: 75, 2024-10-01: 60 } }]\nrates: rates.csv'
  write(`datasets/${GROUP}/company.yaml`, groupYaml(group))
  write(`datasets/${GROUP}/chart.csv`, readFileSync(join(workspace.datasets, 'acme/chart.csv'), 'utf8'))
  write(`datasets/${GROUP}/rates.csv`, `1 JPY = x USD\ncurrency,month,average,closing\n${RATES}\n`)
  await built.build(GROUP)
  context.built = built
  context.running = await startServer(workspace)
  const back = await new Browser(context.running.address).allow(authorizeUrl(context.running.address), [
    GROUP,
  ])
  const { body } = await redeem(context.running.address, back.searchParams.get('code')!)
  context.ask = client(context.running.address, body.access_token)
})
test.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

test('a client reads all of it, and nothing of its members', async ({ ask }) => {
  const { json: user } = await ask('/oauth2/user-info')
  assert.equal(
    user.CompanyDetails.map(({ Id }: Record<string, string>) => Id),
    [GROUP],
  )
  await readCompany(ask, user.CompanyDetails[0])
  assert.equal(
    (await ask(`/companies/${GROUP}/classes`)).json.Data.map(({ Id }: Record<string, string>) => Id),
    ['acme', 'eliminations', 'solo', 'unassigned'],
  )
  assert.is((await ask('/companies/solo/info')).status, 404)
})

test('rows of the members add up to those of the group, for any days', async ({ ask }) => {
  const rowsOf = async (statement: keyof typeof ROUTES, ClassId: string | null) => {
    const range = { StartDate: '2024-03-01', EndDate: '2024-11-30', AccountingBasis: 'ACCRUAL', ClassId }
    const { status, json } = await ask(`/companies/${GROUP}/${ROUTES[statement]}?${query(range)}`)
    assert.is(status, 200)
    const rows = json.Data as { AccountId: string; Values: (number | null)[] }[]
    return new Map(rows.map(({ AccountId, Values }) => [AccountId, Values]))
  }
  for (const statement of ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const) {
    const whole = await rowsOf(statement, null)
    const parts = await Promise.all(['acme', 'solo', 'eliminations'].map((id) => rowsOf(statement, id)))
    assert.ok(whole.size > 1, statement)
    for (const [account, values] of whole) {
      const cents = (each: number | null | undefined) => Math.round((each ?? 0) * 100)
      const sums = values.map((_, i) => parts.reduce((sum, rows) => sum + cents(rows.get(account)?.[i]), 0))
      assert.equal(sums, values.map(cents), `${statement}, ${account}`)
    }
  }
  assert.ok((await rowsOf('BalanceSheet', null)).has('non-controlling-interests'))
})
