/** The search of the server's reports: accounts for everybody who sees the company, memos with the right to entries alone. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { type LogEntry, type RunningServer, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { Browser } from '../oauth/harness.ts'
import { type BuiltWorkspace, builtWorkspace, withBob } from './workspace.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  log: LogEntry[]
  ann: Browser
  bob: Browser
}
const search = suite<Context>('search')
rememberPasswords(search)

/** A hundred and twenty sales with numbered memos, and one that is markup and SQL. */
const LEDGER = [
  'transaction_id,date,account,amount,memo',
  ...Array.from({ length: 120 }, (_, i) => {
    const day = `2025-0${1 + (i % 6)}-${String(10 + (i % 18)).padStart(2, '0')}`
    return `S${i},${day},1000,10,Deposit ${i}\nS${i},${day},4000,-10,Årets order ${i}`
  }),
  `X1,2025-03-03,6000,7,"<b>O'Neill</b>; -- rent"`,
  'X1,2025-03-03,1000,-7,',
  '',
].join('\n')

search.before(async (context) => {
  context.built = await builtWorkspace()
  const { workspace, write, build } = context.built
  write('access.yaml', withBob(readFileSync(workspace.access, 'utf8'), 'solo'))
  write('datasets/solo/accrual.csv', LEDGER)
  await build('solo')
  context.log = []
  context.running = await startServer(workspace, { log: (entry) => context.log.push(entry) })
  context.ann = await signedIn(context, 'ann')
  context.bob = await signedIn(context, 'bob')
})
search.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

async function signedIn({ running }: Context, name: string): Promise<Browser> {
  const browser = new Browser(running.address)
  await browser.signIn('/reports/', `${name}@example.com`)
  return browser
}

async function searched(browser: Browser, text: string, company = 'solo'): Promise<string> {
  const answer = await browser.request(`/reports/${company}/search.html?${new URLSearchParams({ q: text })}`)
  assert.is(answer.status, 200, text)
  assert.is(answer.headers.get('cache-control'), 'no-store')
  return answer.text()
}
const rowsOf = (text: string): number => text.split('<tbody>').at(-1)!.split('<tr>').length - 1

search('every page has the form, and accounts are found by number and name', async ({ ann, bob }) => {
  for (const page of ['accrual/all/index.html', 'accrual/all/accounts/4000/2024-07.html', 'history.html']) {
    const answer = await ann.request(`/reports/solo/${page}`)
    const action = /<form [^>]*role="search" action="([^"]+)"/.exec(await answer.text())?.[1]
    assert.is(new URL(action!, answer.url).pathname, '/reports/solo/search.html', page)
  }
  for (const text of ['4000', 'sALES']) {
    const page = await searched(bob, text)
    const [, href] = /<li><a href="([^"]+)">4000 Sales<\/a>/.exec(page)!
    const lines = await bob.request(new URL(href!, 'http://x/reports/solo/').pathname)
    assert.match(await lines.text(), /<h1>4000 Sales<\/h1>/)
    assert.not.match(page, />6000 Rent</)
  }
  assert.match(await searched(ann, ''), /Search for accounts by number or name\./)
})

search(
  'memos are found by whoever may see entries, the newest first and at most a hundred',
  async ({ bob }) => {
    const many = await searched(bob, 'åRETS ORDER')
    assert.is(rowsOf(many), 100)
    assert.match(many, /The first 100; more were found/)
    const dates = [...many.matchAll(/<th scope="row"><a [^>]*>([\d-]+)</g)].map(([, date]) => date!)
    assert.equal(dates, [...dates].sort().reverse())
    const one = await searched(bob, 'order 119')
    assert.is(rowsOf(one), 1)
    const [, href, month] = /<th scope="row"><a href="([^"#]+)#([\d-]+)"/.exec(one)!
    const lines = await (await bob.request(`/reports/solo/${href}`)).text()
    assert.ok(lines.includes('Årets order 119') && lines.includes(`id="${month}"`))
  },
)

search('nobody else learns of memos, not even whether there are any', async ({ ann }) => {
  const without = (page: string) => page.replace(/value="[^"]*"/g, '')
  const nothing = without(await searched(ann, 'there is none'))
  for (const text of ['order 119', "O'Neill", 'Deposit']) {
    const page = await searched(ann, text)
    assert.is(without(page), nothing, text)
  }
  assert.not.match(nothing, /Memo/)
})

search('what is typed and found is text, and never markup, SQL or a line of the log', async (context) => {
  const { bob, log } = context
  const found = await searched(bob, "<b>O'Neill</b>; --")
  assert.is(rowsOf(found), 1)
  assert.match(found, '&lt;b&gt;O&#39;Neill&lt;/b&gt;; -- rent')
  for (const text of [
    '"><script>alert(1)</script>',
    "') OR true --",
    '%',
    '_',
    '\\',
    '\u0000\n',
    '😀'.repeat(300),
  ]) {
    const page = await searched(bob, text)
    assert.not.match(page, /<script|<b>/)
    assert.match(
      page,
      text.trim() === '' || text === '\u0000\n' ? /Search for accounts/ : /Nothing was found/,
      text,
    )
  }
  assert.not.match(JSON.stringify(log), /Neill|alert/)
})

search('a company that the person may not see is searched like one that does not exist', async ({ bob }) => {
  const bodyOf = async (company: string) => {
    const answer = await bob.request(`/reports/${company}/search.html?q=4000`)
    return [answer.status, (await answer.text()).replace(/Request: <code>[^<]*/, '')]
  }
  assert.equal(await bodyOf('acme'), await bodyOf('nobody'))
  assert.is((await bodyOf('acme'))[0], 404)
})
