/**
 * Who sees the lines of a group's entries: acme is a member of sub, which is a member of top. They are seen with the right to the
 * entries of all three; whoever lacks one is answered as somebody without the right to entries.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { type RunningServer, startServer } from '../../serve/server.ts'
import { parsed } from '../ingest/workbook/parsed.ts'
import { type BuiltWorkspace, builtWorkspace } from '../serve/http/workspace.ts'
import { authorizeUrl, Browser, PASSWORD, readPage, redeem } from '../serve/oauth/harness.ts'
import { suite } from '../suite.ts'
import { rememberPasswords } from '../support/passwords.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  ids: Record<string, string>
}
const rights = suite<Context>('rights to the entries of a group')
rememberPasswords(rights)

/** The ids of acme's entries, which stand in the books of both groups; and what the search finds in entries. */
const LINE = /acme [CMRST]\d|<h2>Memos<\/h2>/

const groupOf = (id: string, member: string): string =>
  `id: ${id}\nname: ${id}\nfiscalMonthEnd: 12\ncurrency: USD\nchartOfAccounts: chart.csv\ngroup: { members: [{ company: ${member} }] }\n`

const USERS = {
  all: 'companies: [acme, sub, top], ledger: [acme, sub, top]',
  // Sees the figures of acme, and not its entries.
  figures: 'companies: [acme, sub, top], ledger: [sub, top]',
  middle: 'companies: [acme, sub, top], ledger: [acme, top]',
  groups: 'companies: [sub, top], ledger: [sub, top]',
  none: 'companies: [acme, sub, top]',
}

rights.before(async (context) => {
  const built = await builtWorkspace()
  const { workspace, write } = built
  const access = readFileSync(workspace.access, 'utf8')
  const ann = access.split('\n').find((line) => line.includes('id: ann')) ?? ''
  const users = Object.entries(USERS).map(([name, sees]) =>
    ann.replaceAll(/\bann\b/g, name).replace('companies: [acme, solo]', sees),
  )
  write(
    'access.yaml',
    access.replace(ann, users.join('\n')).replace('name: Reports', 'name: Reports\n    allowLedger: true'),
  )
  context.ids = {}
  const chart = readFileSync(join(workspace.datasets, 'acme/chart.csv'), 'utf8')
  for (const [id, member] of [
    ['sub', 'acme'],
    ['top', 'sub'],
  ] as const) {
    write(`datasets/${id}/company.yaml`, groupOf(id, member))
    write(`datasets/${id}/chart.csv`, chart)
    context.ids[id] = await built.build(id)
  }
  context.built = built
  context.running = await startServer(openWorkspace(workspace.root))
})
rights.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

/** Asks with a token for these companies, with the scope for entries where the user ticks it. */
async function asking({ running }: Context, companies: readonly string[], ticksLedger = true) {
  const browser = new Browser(running.address)
  const url = authorizeUrl(running.address, { scope: 'read:company read:ledger' })
  const page = await browser.toConsent(url, 'all@example.com')
  const form = [
    ...Object.entries(page.hidden),
    ['decision', 'allow'],
    ...companies.map((id) => ['company', id]),
  ]
  if (ticksLedger) form.push(['ledger', 'yes'])
  const back = await browser.post(page.action!, form as [string, string][])
  const code = new URL(back.headers.get('location')!).searchParams.get('code')!
  const { body } = await redeem(running.address, code)
  return async (path: string) => {
    const headers = { authorization: `Bearer ${body.access_token}` }
    const answer = await fetch(new URL(path, running.address), { headers })
    const text = await answer.text()
    return {
      status: answer.status,
      challenge: answer.headers.get('www-authenticate'),
      etag: answer.headers.get('etag'),
      text,
    }
  }
}

async function signedIn({ running }: Context, name: string): Promise<(path: string) => Promise<string>> {
  const browser = new Browser(running.address)
  const { action, hidden } = await readPage(await browser.follow(await browser.request('/reports/')))
  await browser.post(action!, { ...hidden, email: `${name}@example.com`, password: PASSWORD })
  return async (path) => {
    const answer = await browser.request(path)
    assert.is(answer.status, 200, path)
    // A workbook is read as the texts of its cells.
    if (path.endsWith('.xlsx'))
      return JSON.stringify((await parsed(Buffer.from(await answer.arrayBuffer()))).sheets)
    return answer.text()
  }
}

const filesOf = (ids: Record<string, string>, id: string): string[] => {
  const base = `/companies/${id}/snapshots/${ids[id]}`
  return [
    `${base}/files/books/postings.parquet`,
    `${base}/files/manifest.json`,
    `${base}/zip`,
    `/companies/${id}/ageing`,
  ]
}

rights(
  'a token gets files, zip and parties of a group with the right to every member, of members too',
  async (context) => {
    const all = await asking(context, ['acme', 'sub', 'top'])
    const figures = await asking(context, ['acme', 'sub', 'top'], false)
    const sub = await asking(context, ['sub', 'top'])
    const top = await asking(context, ['acme', 'top'])
    for (const [id, readers] of [
      ['sub', [sub]],
      ['top', [sub, top]],
    ] as const)
      for (const path of filesOf(context.ids, id)) {
        const [whole, without] = [await all(path), await figures(path)]
        assert.is(whole.status, 200, path)
        const isText = !path.endsWith('manifest.json')
        if (isText) assert.is.not(without.text, whole.text, path)
        for (const ask of readers) {
          const { text, ...answer } = await ask(path)
          assert.equal(
            [answer.status, answer.challenge, answer.etag],
            [without.status, without.challenge, without.etag],
            path,
          )
          if (answer.status === 200) assert.is(text, without.text, path)
        }
      }
    assert.is((await sub('/companies/acme/info')).status, 404)
    // What is no group's is read as ever.
    const id = (
      JSON.parse((await all('/companies/acme/snapshots')).text) as { Data: { SnapshotId: string }[] }
    ).Data[0]?.SnapshotId
    assert.is((await top(`/companies/acme/snapshots/${id}/files/books/postings.parquet`)).status, 200)
  },
)

rights(
  'pages and the search show them to people with the right to the entries of every member',
  async (context) => {
    const pages = (id: string) => [
      `/reports/${id}/accrual/all/accounts/4000/2025-01.html`,
      `/reports/${id}/${context.ids[id]}/accrual/all/accounts/4000/2025-01.html`,
      `/reports/${id}/search.html?q=acme+S`,
    ]
    const seen = async (name: string, id: string): Promise<boolean[]> => {
      const page = await signedIn(context, name)
      return Promise.all(pages(id).map(async (path) => LINE.test(await page(path))))
    }
    const [every, no] = [
      [true, true, true],
      [false, false, false],
    ]
    for (const [name, sub, top] of [
      ['all', every, every],
      ['figures', no, no],
      ['groups', no, no],
      ['middle', no, no],
      ['none', no, no],
    ] as const)
      assert.equal([await seen(name, 'sub'), await seen(name, 'top')], [sub, top], name)
  },
)

rights(
  'no page, file to save or endpoint shows a line of a member to whoever may see the groups alone',
  async (context) => {
    const page = await signedIn(context, 'groups')
    // A CSV has what its workbook has.
    const waiting = ['/reports/top/accrual/all/index.html', '/reports/top/accrual/all/index.csv']
    const seen = new Set<string>(waiting)
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const text = await page(path)
      assert.not.match(text, LINE, path)
      for (const [, href = ''] of text.matchAll(/href="([^"#?]+\.(?:html|xlsx))[^"]*"/g)) {
        const { pathname } = new URL(href, new URL(path, context.running.address))
        // Pages of other months, of departments and by quarter are made as these are.
        if (!pathname.startsWith('/reports/top/') || /months|department-|unassigned|quarter/.test(pathname))
          continue
        if (seen.has(pathname)) continue
        seen.add(pathname)
        waiting.push(pathname)
      }
    }
    for (const part of ['consolidation.html', '/accounts/', 'class-sub', 'history.html', '.xlsx'])
      assert.ok(
        [...seen].some((each) => each.includes(part)),
        part,
      )
    const ask = await asking(context, ['sub', 'top'])
    const { paths } = JSON.parse((await ask('/openapi.json')).text) as { paths: Record<string, unknown> }
    const asked = Object.keys(paths).filter((path) => path.startsWith('/companies/'))
    assert.ok(asked.length > 10)
    for (const path of asked)
      for (const file of path.includes('/files/')
        ? ['books/postings.parquet', 'books/openings.parquet']
        : ['']) {
        const filled = path
          .replace('{CompanyId}', 'top')
          .replace('{SnapshotId}', context.ids.top!)
          .replace(/\{[^}]+\}/, file)
        const { text } = await ask(`${filled}?StartDate=2025-01-01&EndDate=2025-01-20`)
        assert.not.match(text, LINE, filled)
      }
  },
)

rights(
  'nobody sees them where a snapshot of a member, which says whose lines they are, is gone',
  async (context) => {
    const all = await asking(context, ['acme', 'sub', 'top'])
    const { workspace } = context.built
    const [path] = filesOf(context.ids, 'top')
    assert.is((await all(path!)).status, 200)
    await context.running.close()
    context.built.write('datasets/sub/company.yaml', `${groupOf('sub', 'acme')}words: { class: Company }\n`)
    await context.built.build('sub')
    rmSync(snapshotFolder(workspace.snapshots, 'sub', context.ids.sub!), { recursive: true })
    context.running = await startServer(openWorkspace(workspace.root))
    const again = await asking(context, ['acme', 'sub', 'top'])
    assert.is((await again(path!)).status, 403)
  },
)
