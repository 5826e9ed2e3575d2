/** Metrics and health on the operators' address; readiness (H12, H14). */
import { chmodSync } from 'node:fs'
import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { openWorkspace } from '../../../builder/workspace/workspace.ts'
import { createReadiness } from '../../../serve/http/health.ts'
import { createMetrics } from '../../../serve/http/metrics.ts'
import { type RunningServer, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { temporaryFolder } from '../companies/fixture.ts'
import { authorizeUrl, Browser, PASSWORD, redeem, refreshWith } from '../oauth/harness.ts'
import { client } from './client.ts'
import { type BuiltWorkspace, builtWorkspace } from './workspace.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  page(): Promise<string>
}
const admin = suite<Context>('admin address')
rememberPasswords(admin)
admin.before(async (context) => {
  context.built = await builtWorkspace()
  context.built.write('tieout.yaml', 'server: { port: 0, drainSeconds: 5, admin: { port: 0 } }\n')
  context.running = await startServer(openWorkspace(context.built.workspace.root))
  context.page = async () => (await fetch(`http://127.0.0.1:${context.running.adminPort}/metrics`)).text()
})
admin.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

const LINE =
  /^(?:# (?:HELP [a-z0-9_]+ .+|TYPE [a-z0-9_]+ (?:counter|gauge|histogram))|[a-z0-9_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (?:-?[0-9.e+-]+|NaN))$/

const IDLE = {
  load: { underWay: () => 0, waiting: () => 0 },
  adhoc: { load: () => ({ waiting: 0, running: 0 }) },
  companies: { list: () => [], health: () => [] },
  droppedLines: () => 0,
}

const sample = (page: string, name: string): number =>
  Number(
    page
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length) ?? Number.NaN,
  )

admin(
  'H14: requests, durations, sign-ins, engine, snapshots, loop and memory; in the text format',
  async ({ running, page }) => {
    const back = await new Browser(running.address).allow(authorizeUrl(running.address), ['acme', 'solo'])
    const { body } = await redeem(running.address, back.searchParams.get('code')!)
    const ask = client(running.address, body.access_token)
    for (let i = 0; i < 3; i++) await ask('/companies/acme/info')
    await ask('/companies/secret-company/info')
    await ask('/secret-path?x=secret')
    await ask(
      '/companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-02-03&AccountingBasis=ACCRUAL&ClassId=north',
    )
    const refreshed = await refreshWith(running.address, body.refresh_token)
    assert.is(refreshed.status, 200)
    await refreshWith(running.address, 'wrong')
    await new Browser(running.address).toConsent(
      authorizeUrl(running.address),
      'ann@example.com',
      `${PASSWORD}x`,
    )
    const text = await page()
    for (const line of text.split('\n').filter(Boolean)) assert.match(line, LINE, line)
    const info = 'route="/companies/{CompanyId}/info"'
    assert.is(sample(text, `http_requests_total{${info},status="200"}`), 3)
    assert.is(sample(text, `http_requests_total{${info},status="404"}`), 1)
    assert.is(sample(text, 'http_requests_total{route="none",status="404"}'), 1)
    assert.is(sample(text, `http_request_duration_seconds_count{${info}}`), 4)
    assert.is(sample(text, `http_request_duration_seconds_bucket{le="+Inf",${info}}`), 4)
    assert.is(sample(text, 'http_requests_total{route="/oauth2/token",status="200"}'), 2)
    assert.is(sample(text, 'http_requests_total{route="/oauth2/token",status="400"}'), 1)
    assert.is(sample(text, 'tieout_events_total{event="login-failed"}'), 1)
    assert.is(sample(text, 'tieout_events_total{event="adhoc-answered"}'), 1)
    assert.is(sample(text, 'http_requests_in_flight'), 0)
    assert.is(sample(text, 'tieout_adhoc_waiting'), 0)
    assert.ok(sample(text, 'process_resident_memory_bytes') > 1e7)
    assert.ok(sample(text, 'nodejs_eventloop_lag_p99_seconds') >= 0)
    assert.ok(sample(text, 'tieout_snapshot_age_seconds{company="acme"}') >= 0)
    assert.is(sample(text, 'tieout_company_available{company="acme"}'), 1)
    assert.match(text, /tieout_snapshot_info\{company="solo",snapshot="2025-06-r1-[0-9a-f]{6}"\} 1/)
    // Only templates, names of events and published companies: nothing a caller chose, no user, no client.
    assert.not.match(text, /secret|north|ann|reports|StartDate|Bearer/)
  },
)

admin('H14: the number of series does not grow with what is asked for', async ({ running, page }) => {
  const ask = client(running.address, 'no-token')
  const before = (await page()).split('\n').length
  for (let i = 0; i < 50; i++) {
    await ask(`/companies/c${i}/info`)
    await ask(`/path-${i}`)
    await ask(`/companies/acme/info`, { method: ['PUT', 'PATCH', 'DELETE'][i % 3]! })
  }
  const after = (await page()).split('\n').length
  assert.ok(after - before < 60, `${after - before} new lines`)
})

admin(
  'H14: of a queue whose database is away or hangs, nothing is stated, and the page answers',
  async () => {
    for (const queue of [() => Promise.reject(new Error('away')), () => new Promise<never>(() => {})]) {
      const text = await createMetrics({ ...IDLE, queue }).page()
      assert.match(text, '# TYPE tieout_queue_companies gauge')
      assert.not.match(text, /^tieout_queue/m)
    }
  },
)

admin('H14: buckets add up, and labels are escaped', async () => {
  const id = 'a"b\\c\nd'
  const companies = { list: () => [], health: () => [{ id, available: true }] }
  const metrics = createMetrics({ ...IDLE, companies })
  const entry = { event: 'request' as const, route: '/x', status: 200, aborted: false }
  for (const ms of [0.5, 1, 1.5, 40, 31_000]) metrics.observe({ ...entry, ms } as never)
  metrics.observe({ ...entry, ms: 3, aborted: true } as never)
  const text = await metrics.page()
  assert.is(sample(text, 'http_request_duration_seconds_bucket{le="0.001",route="/x"}'), 2)
  assert.is(sample(text, 'http_request_duration_seconds_bucket{le="0.0025",route="/x"}'), 3)
  assert.is(sample(text, 'http_request_duration_seconds_bucket{le="0.05",route="/x"}'), 5)
  assert.is(sample(text, 'http_request_duration_seconds_bucket{le="30",route="/x"}'), 5)
  assert.is(sample(text, 'http_request_duration_seconds_bucket{le="+Inf",route="/x"}'), 6)
  assert.is(sample(text, 'http_request_duration_seconds_sum{route="/x"}'), 31.046)
  assert.is(sample(text, 'http_requests_aborted_total{route="/x"}'), 1)
  assert.match(text, 'tieout_company_available{company="a\\"b\\\\c\\nd"} 1')
})

admin('H12: the public address has no metrics; the admin address nothing else', async ({ running }) => {
  assert.is((await fetch(`${running.address}/metrics`)).status, 404)
  const at = `http://127.0.0.1:${running.adminPort}`
  assert.is((await fetch(`${at}/healthz`)).status, 200)
  assert.equal(await (await fetch(`${at}/readyz`)).json(), { status: 'ready' })
  assert.is((await fetch(`${at}/companies/acme/info`)).status, 404)
  assert.is((await fetch(`${at}/metrics`, { method: 'POST' })).status, 405)
  assert.is(await (await fetch(`${at}/metrics`, { method: 'HEAD' })).text(), '')
  const socket = connect(running.adminPort!, '127.0.0.1')
  socket.on('error', () => {})
  await new Promise((resolve) => socket.end('\x00\x01', () => resolve(null)))
  socket.destroy()
  assert.is((await fetch(`${at}/healthz`)).status, 200)
})

admin('H12 S13: ready while the state can be written and nobody is stopping it', async () => {
  const folder = temporaryFolder()
  let accepting = true
  const readiness = createReadiness({
    accepting: () => accepting,
    folder: folder.path,
    requireReadable: async () => {},
  })
  assert.is(await readiness(), null)
  accepting = false
  assert.is(await readiness(), 'stopping')
  accepting = true
  const gone = createReadiness({
    accepting: () => true,
    folder: `${folder.path}/none`,
    requireReadable: async () => {},
  })
  assert.is(await gone(), 'the state cannot be written')
  // Whoever may write anything notices no file mode.
  chmodSync(folder.path, 0o500)
  if (process.getuid?.() !== 0) assert.is(await readiness(), 'the state cannot be written')
  chmodSync(folder.path, 0o700)
  folder.remove()
})
