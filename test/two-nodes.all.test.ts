/** Two nodes as docs/running.md has them: a server and a worker on each, one database, one bucket, nginx in front. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { begin, goodCompany, printed, type Running, tieout } from './cli/command.ts'
import { ACCESS_YAML, Browser, connect, refreshWith } from './serve/oauth/harness.ts'
import { suite } from './suite.ts'
import { blocksOf, pageText } from './support/pages.ts'
import { freePort } from './support/ports.ts'
import { missing as noPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { allEnded, assertAllDone, beginWorker, type Line, many, type Worker } from './support/queue.ts'
import { missing as noStore, type Store, startStore } from './support/s3.ts'
import { until } from './support/until.ts'
import { writeFiles } from './support/workspace.ts'

/** The first two are those that the user of the harness may see. */
const COMPANIES = { acme: goodCompany('acme'), beta: goodCompany('beta'), ...many(1) }
const IDS = Object.keys(COMPANIES)
/** Snapshots of one company that are published while a client pages through it. */
const PUBLISHED = 2

const page = pageText('running.md')
const [, SETTINGS = ''] = blocksOf(page, 'yaml')
const [SERVER = '', UPSTREAM = ''] = blocksOf(page, 'nginx')

interface Node {
  readonly root: string
  readonly port: number
  server: Running
  worker: Worker
}

const test = suite('two nodes')
let folder: string
let postgres: Postgres
let store: Store
let nginx: ReturnType<typeof startProxy>
let address: string
let nodes: readonly [Node, Node]

const envOf = () => ({ ...postgres.stateEnv, ...store.env })
const run = (node: Node, ...args: readonly string[]) => tieout(args, { cwd: node.root, env: envOf() })

async function node(name: string, bucket: string, database: string): Promise<Node> {
  const root = join(folder, name)
  const port = await freePort()
  mkdirSync(root)
  const settings = SETTINGS.replace('s3://acme-books', `s3://${bucket}`)
    .replaceAll('postgres://tieout@db.example.com/tieout', database)
    .replace('https://reports.example.com', address)
    .replace('[reports.example.com]', '["127.0.0.1"]')
    .replace('host: 10.0.0.11', `port: ${port}`)
  writeFileSync(join(root, 'tieout.yaml'), `datasets: ${folder}/datasets\n${settings}`)
  return { root, port } as Node
}

/** Starts the server and the worker of a node. */
async function startNode(node: Node): Promise<void> {
  node.server = begin(['serve', '--quiet', '--json'], { cwd: node.root, env: envOf() })
  await printed(node.server, /^\}$/m)
  node.worker = beginWorker(['--jobs', '1'], { cwd: node.root, env: envOf() })
}

/** Ends a node as a machine without power ends. */
async function killNode({ server, worker }: Node): Promise<void> {
  server.kill('SIGKILL')
  worker.running.kill('SIGKILL')
  await Promise.all([server, worker.running])
}

/** nginx with the page's upstream, and its `location` over HTTP, since certificates are tried in running.all.test.ts. */
function startProxy(port: number) {
  const [location] = /location[^}]*\}/.exec(SERVER)!
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const upstream = nodes.reduce(
    (text, { port }, i) => text.replace(`10.0.0.1${i + 1}:8080`, `127.0.0.1:${port}`),
    UPSTREAM,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events {}
http {
  access_log off; ${places.join(' ')}
  ${upstream}
  server { listen 127.0.0.1:${port}; ${location.replace('http://127.0.0.1:8080', 'http://tieout')} }
}
`,
  )
  return execa('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { reject: false })
}

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-nodes-'))
  ;[postgres, store] = await Promise.all([startPostgres(), startStore()])
  for (const [id, files] of Object.entries(COMPANIES)) writeFiles(join(folder, 'datasets', id), files)
  const [bucket, database, port] = [await store.bucket(), await postgres.database('nodes'), await freePort()]
  address = `http://127.0.0.1:${port}`
  nodes = [await node('one', bucket, database), await node('two', bucket, database)]
  const [one, two] = nodes
  writeFileSync(join(one.root, 'access.yaml'), ACCESS_YAML, { mode: 0o600 })
  assert.match((await run(one, 'state', 'access', '--from', 'access.yaml')).out, /^Put 2 users and 3 clients/)
  assert.is((await run(one, 'build', 'acme')).code, 0)
  mkdirSync(join(two.root, '.tieout'), { mode: 0o700 })
  cpSync(join(one.root, '.tieout/manifest-keys.json'), join(two.root, '.tieout/manifest-keys.json'))
  await Promise.all(nodes.map(startNode))
  nginx = startProxy(port)
  await until(async () => assert.is((await fetch(`${address}/healthz`)).status, 200))
})
test.after(async () => {
  nginx.kill('SIGTERM')
  await Promise.all([nginx, ...nodes.map(killNode)])
  await Promise.all([postgres.remove(), store.stop()])
  rmSync(folder, { recursive: true, force: true })
})

let posted = 2
/** Another sale in the ledgers of these companies, and their turn in the queue. */
async function post(...companies: readonly string[]): Promise<void> {
  const tx = ++posted
  const lines = ['bank,5.00', 'sales,-5.00'].map((rest) => `${tx},2025-02-11,${rest},,\n`).join('')
  for (const id of companies) appendFileSync(join(folder, 'datasets', id, 'ledger.csv'), lines)
  const { code, err } = await run(nodes[1], 'enqueue', ...companies)
  assert.is(code, 0, err)
}

const ask = (access: string, path: string): Promise<Response> =>
  fetch(address + path, { headers: { authorization: `Bearer ${access}` } })
/** Pages through the chart of accounts; gives the snapshots that answered. */
async function pageThrough(access: string): Promise<Set<string | null>> {
  const seen = new Set<string | null>()
  for (let offset = 0; offset < 9; offset += 3) {
    const answer = await ask(access, `/companies/acme/chart-of-accounts?limit=3&offset=${offset}`)
    const said = `${await answer.text()}\n${readFileSync(join(folder, 'nginx.log'), 'utf8')}`
    assert.is(answer.status, 200, said)
    seen.add(answer.headers.get('snapshot-id'))
  }
  return seen
}
const tokens = () => connect({ issuer: address }, new Browser(address))
const ended = () => allEnded((...args) => run(nodes[1], ...args))

/** Every company has as many snapshots, which the node reads from the bucket and finds as they were published. */
async function assertSnapshots(on: Node, each: number, acme: number): Promise<void> {
  await assertAllDone((...args) => run(on, ...args))
  const { code, out } = await run(on, 'verify', '--files-only')
  assert.is(code, 0, out)
  assert.match(out, `${each * (IDS.length - 1) + acme} snapshots are as published`)
}

test('doctor finds that state, snapshots and queue do what is needed, on both', async () => {
  for (const each of nodes) {
    const { code, out, err } = await run(each, 'doctor')
    assert.is(code, 0, out + err)
    for (const part of ['state', 'queue', 'snapshots']) assert.match(out, part)
  }
})

test('both build what either enqueues; a client that pages while this goes on reads one snapshot', async () => {
  await post(...IDS)
  await ended()
  const { access } = await tokens()
  const seen = await pageThrough(access)
  let isPublishing = true
  const reading = (async () => {
    for (; isPublishing; await wait(300)) for (const id of await pageThrough(access)) seen.add(id)
  })()
  for (let i = 0; i < PUBLISHED; i++) {
    await post('acme')
    await ended()
  }
  isPublishing = false
  await reading
  for (const id of await pageThrough(access)) seen.add(id)
  assert.is(seen.size, 1, [...seen].join())
  await assertSnapshots(nodes[0], 1, 2 + PUBLISHED)
})

test('one node is killed while it builds: the other one publishes it all, and no client notices', async () => {
  const { access, refresh } = await tokens()
  const isStart = ({ event }: Line): boolean => event === 'build-started'
  const building = nodes.map((each) =>
    each.worker.said(isStart, each.worker.lines.filter(isStart).length + 1).then(() => each),
  )
  await post(...IDS)
  const killed = await Promise.race(building)
  const other = nodes.find((each) => each !== killed)!
  await killNode(killed)
  for (let i = 0; i < 4; i++) await pageThrough(access)
  const next = await refreshWith(address, refresh)
  assert.is(next.status, 200)
  await ended()
  await assertSnapshots(other, 2, 3 + PUBLISHED)
  await startNode(killed)
  await assertSnapshots(killed, 2, 3 + PUBLISHED)
  await pageThrough(next.body.access_token)
})

const noNginx =
  spawnSync('which', ['nginx']).status === 0 ? null : 'nginx is not installed: two nodes are not tried'
const missing = noPostgres ?? noStore ?? noNginx

test.needs(missing)
