/** Reports for people: who sees which, under which policy; a token of the interface opens none. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { shownStatement } from '../../../builder/report/report.ts'
import { reportPath } from '../../../builder/snapshot/files/layout.ts'
import { openSnapshot, readPointer, type Snapshot } from '../../../builder/snapshot/files/open.ts'
import { type LogEntry, type RunningServer, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { missing, openWindow } from '../../support/chromium.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { until } from '../../support/until.ts'
import { authorizeUrl, Browser, PASSWORD, redeem } from '../oauth/harness.ts'
import { type BuiltWorkspace, builtWorkspace, ledger, withBob } from './workspace.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  log: LogEntry[]
  access: string
}
const reports = suite<Context>('reports')
rememberPasswords(reports)

reports.before(async (context) => {
  context.built = await builtWorkspace()
  const { workspace, write } = context.built
  context.access = withBob(readFileSync(workspace.access, 'utf8'), 'solo')
  write('access.yaml', context.access)
  context.log = []
  context.running = await startServer(workspace, { log: (entry) => context.log.push(entry) })
})
reports.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

async function signedIn(
  { running }: Context,
  to: string,
  email = 'ann@example.com',
): Promise<[Browser, Response]> {
  const browser = new Browser(running.address)
  return [browser, await browser.signIn(to, email)]
}

async function snapshotOf({ built }: Context, company: string): Promise<Snapshot> {
  const { snapshots } = built.workspace
  const pointer = await readPointer(snapshots, company)
  return openSnapshot(snapshots, company, pointer!.SnapshotId, pointer!.ManifestSha256)
}

const OVERVIEW = 'accrual/all/index.html'
const LINES = 'accrual/all/accounts/4000/2023-07.html'

reports(
  'the first page is for people, and leads to the sign-in; programs get problem details',
  async ({ running }) => {
    const home = await fetch(running.address, {
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    })
    assert.is(home.status, 200)
    assert.match(await home.text(), /href="\/reports\/"/)
    for (const accept of ['*/*', 'application/json', '']) {
      const answer = await fetch(running.address, { headers: { accept } })
      assert.equal([answer.status, answer.headers.get('content-type')], [404, 'application/problem+json'])
    }
  },
)

reports('whoever is not signed in is led to the sign-in, and from there to the page', async (context) => {
  const to = `/reports/acme/${OVERVIEW}`
  const before = await fetch(new URL(to, context.running.address), { redirect: 'manual' })
  assert.is(before.status, 303)
  assert.match(before.headers.get('location')!, /^\/oauth2\/login\?request=/)
  const [, after] = await signedIn(context, to)
  assert.equal([after.status, new URL(after.url).pathname], [200, to])
})

const SAVED = /(?:<p class="filter">Save .*<\/p>\n)?<form class="filter" .*<\/form>\n/
const MONTHS = /<details class="filter"><summary>Month: .*?<\/details>\n/

reports(
  'a page is the published one, but for the choice of months, the files to save, the search and the place that tells its snapshot',
  async (context) => {
    const snapshot = await snapshotOf(context, 'acme')
    const [browser] = await signedIn(context, '/reports/')
    const pages = [...snapshot.files.keys()].filter((path) => path.startsWith(reportPath('accrual/')))
    assert.ok(pages.length >= 7, pages.join())
    for (const path of pages) {
      const page = path.slice(reportPath('').length)
      const answer = await browser.request(
        `/reports/acme/${page.split('/').map(encodeURIComponent).join('/')}`,
      )
      const text = (await answer.text()).replace(MONTHS, '').replace(SAVED, '')
      const published = readFileSync(join(snapshot.folder, path), 'utf8')
      const [head, tail] = published.split('<!-- snapshot -->')
      assert.ok(text.startsWith(head!) && text.endsWith(tail!), page)
      assert.ok(text.includes(snapshot.id), page)
    }
  },
)

reports(
  'every page has the months of the books, whose pages are made when they are asked for',
  async (context) => {
    const { snapshots } = context.built.workspace
    const [browser] = await signedIn(context, '/reports/')
    for (const page of ['accrual/all/profit-loss.html', 'accrual/class-north/profit-loss.html']) {
      const at = new URL(`/reports/acme/${page}`, context.running.address)
      const [choice = ''] = MONTHS.exec(await (await browser.request(at.pathname)).text()) ?? []
      const links = [...choice.matchAll(/href="([^"]+)"( aria-current="page")?>(\w+ \d+)</g)]
      assert.is(links.length, 18, choice)
      assert.equal(
        links.flatMap(([, , here, title]) => (here ? [title] : [])),
        [links[0]![3]],
        'the newest month is chosen',
      )
      const [, link] = links.at(-3)!
      const answer = await browser.request(new URL(link!, at).pathname)
      const text = await answer.text()
      assert.is(answer.status, 200, link)
      const month = /months\/(\d{4}-\d\d)\//.exec(link!)![1]!
      const { value } = await shownStatement(snapshots, {
        ...{
          company: 'acme',
          snapshotId: null,
          statement: 'ProfitAndLoss',
          view: 'month',
          month,
          hasShares: true,
        },
        ...{
          basis: 'ACCRUAL' as const,
          budgetId: null,
          departmentId: null,
          classId: page.includes('north') ? 'north' : null,
        },
      })
      const shown = value!.lines.flatMap(({ kind, cells }) =>
        kind === 'heading' ? [] : cells.filter((cell) => cell !== null).map(String),
      )
      const table = text.slice(0, text.indexOf('</table>'))
      assert.equal(
        [...table.matchAll(/data-(?:minor|tenths)="([^"]+)"/g)].map(([, cell]) => cell),
        shown,
      )
      for (const [, to] of text.matchAll(
        /(?:rel="stylesheet"|<td[^>]*><a|aria-label="Pages">.*?<a) href="([^"#]+)/g,
      ))
        assert.is((await browser.request(new URL(to!, answer.url).pathname)).status, 200, to)
      const back = MONTHS.exec(text)![0]
      assert.match(back, `<summary>Month: ${links.at(-3)![3]}<`)
      assert.is(
        new URL(/href="([^"]+)"/.exec(back)![1]!, answer.url).href,
        answer.url.replace(`months/${month}/`, ''),
      )
    }
    for (const nowhere of [
      '1999-01/accrual/all/index.html',
      '2025-02/certificate.html',
      '2025-02/report.css',
      '2025-02/',
    ])
      assert.is((await browser.request(`/reports/acme/months/${nowhere}`)).status, 404, nowhere)
  },
)

reports('pages of a class, which no snapshot keeps, are made when they are asked for', async (context) => {
  const snapshot = await snapshotOf(context, 'acme')
  const [browser] = await signedIn(context, '/reports/')
  const whole = await (await browser.request('/reports/acme/accrual/all/profit-loss.html')).text()
  const links = [...whole.matchAll(/href="(?:\.\.\/)+(accrual\/class-[^"]+)"/g)].map(([, to]) => to!)
  assert.ok(links.length > 1, whole.slice(0, 3000))
  for (const link of links) {
    assert.not(snapshot.has(reportPath(decodeURIComponent(link))), link)
    const answer = await browser.request(`/reports/acme/${link}`)
    const text = await answer.text()
    assert.is(answer.status, 200, link)
    assert.ok(text.includes(snapshot.id) && text.includes('data-minor='), link)
    const [, style] = /rel="stylesheet" href="([^"]+)"/.exec(text)!
    assert.is((await browser.request(new URL(style!, answer.url).pathname)).status, 200, style)
  }
  for (const path of [
    'accrual/class-nothing/profit-loss.html',
    'accrual/all/nothing.html',
    'nothing/all/index.html',
  ])
    assert.is((await browser.request(`/reports/acme/${path}`)).status, 404, path)
})

reports('the list has the companies that the person may see, and no other', async (context) => {
  const [browser, list] = await signedIn(context, '/reports/', 'bob@example.com')
  const text = await list.text()
  assert.ok(text.includes('/reports/solo/') && !text.includes('acme'), text)
  assert.is((await browser.request('/reports/solo/')).status, 200)
})

reports('a company that the person may not see is answered like one that does not exist', async (context) => {
  const [browser] = await signedIn(context, '/reports/', 'bob@example.com')
  const bodyOf = async (path: string) => {
    const answer = await browser.request(path)
    return [answer.status, (await answer.text()).replace(/Request: <code>[^<]*/, '')]
  }
  const nothing = await bodyOf('/reports/nobody/index.html')
  assert.is(nothing[0], 404)
  const { id } = await snapshotOf(context, 'acme')
  for (const path of [
    '/reports/acme/',
    `/reports/acme/${OVERVIEW}`,
    `/reports/acme/${id}/${OVERVIEW}`,
    '/reports/acme/certificate.html',
    '/reports/acme/report.css',
    '/reports/solo/nothing.html',
    '/reports/solo/constructor',
    '/reports/solo/..%2f..%2f..%2fmanifest.json',
    '/reports/solo/2026-01-r1-abcdef/index.html',
  ])
    assert.equal(await bodyOf(path), nothing, path)
})

reports('no bearer token opens a report, and none downloads a page', async (context) => {
  const { running } = context
  const back = await new Browser(running.address)
    .allow(authorizeUrl(running.address, { scope: 'read:company read:ledger' }), ['acme'])
    .catch(async () => new Browser(running.address).allow(authorizeUrl(running.address), ['acme']))
  const { body } = await redeem(running.address, back.searchParams.get('code')!)
  const headers = { authorization: `Bearer ${body.access_token}` }
  const answer = await fetch(`${running.address}/reports/acme/${OVERVIEW}`, { headers, redirect: 'manual' })
  assert.is(answer.status, 303)
  const { id } = await snapshotOf(context, 'acme')
  const file = await fetch(
    `${running.address}/companies/acme/snapshots/${id}/files/${reportPath(OVERVIEW)}`,
    { headers },
  )
  assert.ok([403, 404].includes(file.status), `${file.status}`)
})

reports('entries are shown to whom access.yaml gives them', async (context) => {
  const [ann] = await signedIn(context, '/reports/')
  const withheld = await (await ann.request(`/reports/solo/${LINES}`)).text()
  assert.match(withheld, /not the entries behind them/)
  assert.not.match(withheld, /data-minor/)
  const [bob] = await signedIn(context, '/reports/', 'bob@example.com')
  const shown = await (await bob.request(`/reports/solo/${LINES}`)).text()
  assert.match(shown, /accrual\.csv:\d+/)
  assert.match(shown, /data-minor/)
})

reports('who loses a company, or the right to its entries, loses them at once', async (context) => {
  const { built, access } = context
  const [bob] = await signedIn(context, '/reports/', 'bob@example.com')
  assert.is((await bob.request('/reports/solo/')).status, 200)
  try {
    built.write('access.yaml', access.replace('companies: [solo], ledger: [solo]', 'companies: [solo]'))
    await until(async () =>
      assert.match(await (await bob.request(`/reports/solo/${LINES}`)).text(), /not the entries behind them/),
    )
    built.write('access.yaml', access.replace('companies: [solo], ledger: [solo]', 'companies: []'))
    await until(async () => assert.is((await bob.request('/reports/solo/')).status, 404))
  } finally {
    built.write('access.yaml', access)
    await until(async () => assert.is((await bob.request('/reports/solo/')).status, 200))
  }
})

reports(
  'an address that names a snapshot shows that one, after another was published too',
  async (context) => {
    const before = await snapshotOf(context, 'acme')
    context.built.write('datasets/acme/accrual.csv', ledger(2, 5))
    await context.built.build('acme')
    const now = await snapshotOf(context, 'acme')
    assert.is.not(now.id, before.id)
    const [browser] = await signedIn(context, '/reports/')
    const named = await (await browser.request(`/reports/acme/${before.id}/${OVERVIEW}`)).text()
    assert.ok(named.includes(before.id) && !named.includes(now.id))
    await until(async () =>
      assert.ok((await (await browser.request(`/reports/acme/${OVERVIEW}`)).text()).includes(now.id)),
    )
    // The history tells who did it, and not at which computer: that stands in the log, which is not served.
    const history = await (await browser.request('/reports/acme/history.html')).text()
    assert.ok(history.includes(before.id) && history.includes(now.id))
    assert.not.match(history.replace(/<footer>.*/s, ''), /\w@\w/)
  },
)

reports(
  'pages are kept by nobody on the way, and forbid scripts, frames and forms elsewhere',
  async (context) => {
    const [browser] = await signedIn(context, '/reports/')
    for (const page of [OVERVIEW, 'certificate.html', 'history.html', LINES]) {
      const { headers, status } = await browser.request(`/reports/acme/${page}`)
      assert.is(status, 200, page)
      assert.is(headers.get('cache-control'), 'no-store')
      assert.is(headers.get('x-content-type-options'), 'nosniff')
      assert.match(
        headers.get('content-security-policy')!,
        /^default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'/,
      )
    }
    const posted = await browser.post(`/reports/acme/${OVERVIEW}`, {})
    assert.is(posted.status, 405)
  },
)

if (missing) process.stdout.write(`reports in a browser: skipped, ${missing}\n`)
else
  reports('a browser shows a page under that policy without a complaint', async ({ running }) => {
    const { context, close } = await openWindow()
    try {
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      await page.goto(`${running.address}/reports/acme/`)
      await page.fill('input[name=email]', 'ann@example.com')
      await page.fill('input[name=password]', PASSWORD)
      await page.click('button[type=submit]')
      await page.waitForURL(/accrual\/all\/index\.html$/)
      await page.click('text=Cash flow')
      await page.waitForURL(/cash-flow\.html$/)
      assert.match(await page.title(), /Cash flow/)
      assert.is(
        await page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse"),
        'collapse',
      )
      await page.goto(`${running.address}/reports/acme/certificate.html`)
      assert.is(
        await page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse"),
        'collapse',
      )
      assert.equal(complaints, [])
    } finally {
      await close()
    }
  })
