/** Pages of statements as files to save: the same rights as the page, the published figures, and texts that are no formulas. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { FILE_PARAMETER } from '../../../builder/contract/operations.ts'
import { Problem } from '../../../builder/contract/problem.ts'
import type { StatementName } from '../../../builder/contract/vocabulary.ts'
import { exportPack } from '../../../builder/report/export/pack.ts'
import { statementPath } from '../../../builder/snapshot/files/layout.ts'
import { openCurrent } from '../../../builder/snapshot/files/open.ts'
import { thisProgram } from '../../../builder/system/version.ts'
import { reportRoutes } from '../../../serve/http/reports.ts'
import { beginRequest } from '../../../serve/http/request/request-context.ts'
import { type RunningServer, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { missing } from '../../support/chromium.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { until } from '../../support/until.ts'
import { readStatement } from '../../support/workspace.ts'
import { Browser } from '../oauth/harness.ts'
import { type BuiltWorkspace, builtWorkspace } from './workspace.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  access: string
  ann: Browser
  scratch: string
  outside: string | undefined
}
const saved = suite<Context>('saved pages')
rememberPasswords(saved)

const EVIL = '=HYPERLINK("http://evil.test","x")'

saved.before(async (context) => {
  context.built = await builtWorkspace()
  const { workspace, write } = context.built
  const chart = join(workspace.datasets, 'acme', 'chart.csv')
  write(
    'datasets/acme/chart.csv',
    readFileSync(chart, 'utf8').replace(',Rent,', `,"${EVIL.replaceAll('"', '""')}",`),
  )
  await context.built.build('acme')
  context.access = readFileSync(workspace.access, 'utf8')
  // The child that makes the files inherits where scratch folders lie.
  // A browser has a socket there, whose path may have about a hundred characters.
  context.scratch = join(tmpdir(), 's')
  context.outside = process.env.TMPDIR
  mkdirSync(context.scratch)
  process.env.TMPDIR = context.scratch
  context.running = await startServer(workspace)
  context.ann = await signedIn(context)
})
saved.after(async ({ running, built, outside }) => {
  if (outside === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = outside
  await running.close()
  built.remove()
})

async function signedIn({ running }: Context): Promise<Browser> {
  const browser = new Browser(running.address)
  await browser.signIn('/reports/')
  return browser
}

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())

const linksOn = (text: string): string[] => {
  const [, links = ''] = /<p class="filter">Save (.*?)<\/p>/.exec(text) ?? []
  return [...links.matchAll(/href="([^"]+)"/g)].map(([, to]) => to!)
}

saved('pages of statements lead to their files, and no other page does', async ({ ann }) => {
  const endings = ['csv', 'xlsx', ...(missing ? [] : ['pdf'])]
  for (const page of [
    'accrual/all/index',
    'accrual/all/cash-flow',
    'cash/class-north/profit-loss',
    'months/2025-02/accrual/all/balance-sheet',
  ]) {
    const answer = await ann.request(`/reports/acme/${page}.html`)
    const links = linksOn(await answer.text())
    assert.equal(
      links,
      endings.map((ending) => `${page.replace(/.*\//, '')}.${ending}`),
      page,
    )
    for (const link of links.filter((each) => !each.endsWith('pdf')))
      assert.is((await ann.request(new URL(link, answer.url).pathname)).status, 200, link)
  }
  for (const page of [
    'accrual/all/ratios.html',
    'accrual/all/accounts/4000/2024-01.html',
    'certificate.html',
  ])
    assert.equal(linksOn(await (await ann.request(`/reports/acme/${page}`)).text()), [], page)
})

/** Cells of a CSV without line breaks inside cells. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) =>
    cell!.replace(/^"|"$/g, '').replaceAll('""', '"'),
  )

const PAGES: Readonly<Record<string, StatementName>> = {
  'profit-loss': 'ProfitAndLoss',
  'balance-sheet': 'BalanceSheet',
  'cash-flow': 'CashFlow',
}

saved('a CSV has the figures of the published JSON through the month of the page', async ({ ann, built }) => {
  const snapshot = (await openCurrent(built.workspace.snapshots, 'acme'))!
  for (const [folder, classId] of [
    ['accrual/all', null],
    ['months/2025-02/accrual/class-north', 'north'],
  ] as const)
    for (const [page, statement] of Object.entries(PAGES)) {
      const scope = { statement, basis: 'ACCRUAL', budgetId: null, classId, departmentId: null } as const
      if (!snapshot.has(statementPath(scope))) continue
      const { months, rows, totals } = readStatement(
        (await snapshot.read(statementPath(scope))).toString('utf8'),
      )
      const count = folder.startsWith('months') ? months.indexOf('2025-02') + 1 : months.length
      const stated = [...Object.values(rows), ...Object.values(totals)]
        .flatMap((figures) => figures.slice(0, count))
        .map(Number)
      const text = await (await ann.request(`/reports/acme/${folder}/${page}.csv`)).text()
      const [head, ...lines] = text.trim().split('\n').map(cellsOf)
      const amount = head!.indexOf('amount')
      assert.equal(lines.map((cells) => Number(cells[amount])).sort(), stated.sort(), `${folder} ${page}`)
      assert.ok(lines.length > 10)
    }
})

saved('a text that a spreadsheet would calculate stays a text', async ({ ann }) => {
  const csv = await (await ann.request('/reports/acme/accrual/all/profit-loss.csv')).text()
  const [head, ...lines] = csv.trim().split('\n').map(cellsOf)
  const names = new Set(lines.map((cells) => cells[head!.indexOf('name')]!))
  assert.ok(names.has(`'${EVIL}`), [...names].join())
  assert.not.ok([...names].some((name) => /^[=+@-]/.test(name)))
})

saved('the workbook is the board pack of the month, basis and class of the page', async (context) => {
  const { ann, built, scratch } = context
  for (const [page, month, classId] of [
    ['accrual/all/profit-loss', null, null],
    ['months/2025-02/accrual/class-north/cash-flow', '2025-02', 'north'],
  ] as const) {
    const to = join(scratch, `${classId}.xlsx`)
    const asked = {
      company: 'acme',
      snapshotId: null,
      basis: 'ACCRUAL',
      budgetId: null,
      departmentId: null,
    } as const
    const made = await exportPack(built.workspace.snapshots, {
      ...{ ...asked, month, classId, cents: false, to, software: thisProgram() },
    })
    assert.ok(made.value, JSON.stringify(made.findings))
    const answer = await ann.request(`/reports/acme/${page}.xlsx`)
    assert.ok((await bytesOf(answer)).equals(readFileSync(to)), page)
  }
})

if (missing) process.stdout.write(`saved pages as PDF: skipped, ${missing}\n`)
else
  saved('a PDF is the page, and names no place of the server', async ({ ann, scratch }) => {
    const answer = await ann.request('/reports/acme/months/2025-02/accrual/class-north/cash-flow.pdf')
    const bytes = await bytesOf(answer)
    assert.is(answer.headers.get('content-type'), 'application/pdf')
    assert.is(bytes.subarray(0, 5).toString(), '%PDF-')
    assert.not.ok(bytes.includes(scratch) || bytes.includes('file:'))
  })

saved('files are named safely, kept by nobody on the way, and nothing of them is left', async (context) => {
  const { ann, scratch } = context
  const { id } = (await openCurrent(context.built.workspace.snapshots, 'acme'))!
  const { headers, status } = await ann.request('/reports/acme/accrual/class-%254e%252f1/profit-loss.csv')
  assert.is(status, 200)
  assert.is(
    headers.get('content-disposition'),
    `attachment; filename="acme-${id}-accrual-class-4e-2f1-profit-loss.csv"`,
  )
  assert.is(headers.get('cache-control'), 'no-store')
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(
    readdirSync(scratch).filter((name) => /save|export|print/.test(name)),
    [],
  )
})

saved('what is no page of statements, or not of these books, is no file', async ({ ann }) => {
  const nothing = async (path: string) => {
    const answer = await ann.request(path)
    return [answer.status, (await answer.text()).replace(/Request: <code>[^<]*/, '')]
  }
  const unknown = await nothing('/reports/nobody/accrual/all/profit-loss.csv')
  assert.is(unknown[0], 404)
  for (const path of [
    'accrual/all/ratios.csv',
    'accrual/all/accounts/4000/2024-01.csv',
    'certificate.pdf',
    'months/1999-01/accrual/all/profit-loss.csv',
    'accrual/class-nothing/profit-loss.xlsx',
    'accrual/all/profit-loss.parquet',
    '..%2fmanifest.csv',
  ])
    assert.equal(await nothing(`/reports/acme/${path}`), unknown, path)
})

saved('who loses the company loses its files at once, as if there were none', async (context) => {
  const { built, access, running } = context
  const ann = await signedIn(context)
  const paths = ['csv', 'xlsx', 'pdf'].map((ending) => `/reports/acme/accrual/all/profit-loss.${ending}`)
  const anybody = await fetch(new URL(paths[0]!, running.address), { redirect: 'manual' })
  assert.is(anybody.status, 303)
  try {
    built.write('access.yaml', access.replace('companies: [acme, solo]', 'companies: [solo]'))
    await until(async () => assert.is((await ann.request(paths[0]!)).status, 404))
    const text = async (path: string) =>
      (await (await ann.request(path)).text()).replace(/Request: <code>[^<]*/, '')
    for (const path of paths) assert.is(await text(path), await text('/reports/nobody/index.html'), path)
  } finally {
    built.write('access.yaml', access)
  }
})

saved(
  'each person gets one file at a time, and pages meanwhile; an engine that has too much to do is told from one that fails',
  async ({ built }) => {
    const snapshot = (await openCurrent(built.workspace.snapshots, 'acme'))!
    const made: (() => void)[] = []
    const answered: string[] = []
    let failure: Error | null = null
    const people = {
      base: '',
      style: '',
      person: async ({ user }: { user: string }) => ({ id: user, companies: ['acme'], ledger: [] }),
      answer: async (res: { path: string }, page: () => Promise<void>) => {
        await page().catch((problem: Error) => answered.push(`${res.path}: ${problem.message}`))
      },
    }
    const routes = reportRoutes({
      ...{ people, snapshots: built.workspace.snapshots },
      companies: { current: async () => ({ snapshot }) },
      adhoc: {
        answer: () =>
          failure === null
            ? new Promise((resolve) => made.push(() => resolve(Buffer.from('x'))))
            : Promise.reject(failure),
      },
    } as unknown as Parameters<typeof reportRoutes>[0])
    const route = routes.at(-1)!
    const ask = (user: string, path: string) => {
      const res = { path, once: () => {}, destroyed: true }
      const req = { method: 'GET', headers: {}, user } as never
      beginRequest(req, '')
      return route.handle(req, res as never, { CompanyId: 'acme', [FILE_PARAMETER]: path }, '')
    }
    const first = ask('ann', 'accrual/all/cash-flow.csv')
    await until(async () => assert.is(made.length, 1))
    await ask('ann', 'accrual/all/cash-flow.pdf')
    assert.match(answered.join(), /cash-flow\.pdf: another file is being made/)
    const others = [ask('ann', 'accrual/all/cash-flow.html'), ask('bob', 'accrual/all/cash-flow.csv')]
    await until(async () => assert.is(made.length, 3))
    for (const each of made) each()
    await Promise.all([first, ...others])
    const again = ask('ann', 'accrual/all/cash-flow.pdf')
    await until(async () => assert.is(made.length, 4))
    made[3]!()
    await again
    assert.is(answered.length, 1, answered.join())
    for (failure of [new Problem('overloaded', 'too many'), new Error('it broke')])
      await ask('ann', 'accrual/all/index.html')
    assert.equal(answered.slice(1), [
      'accrual/all/index.html: too many pages are being made at the moment',
      'accrual/all/index.html: it broke',
    ])
  },
)
