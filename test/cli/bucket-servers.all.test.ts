/** Two servers, one bucket, a proxy in front: a sync sees one snapshot, and what was copied goes on being served while the bucket is away. */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { filesAndFolders } from '../../builder/system/durable.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { freePort } from '../support/ports.ts'
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts'
import { type Fault, missing, type Store, slowDown, startStore } from '../support/s3.ts'
import { until } from '../support/until.ts'
import { writeFiles } from '../support/workspace.ts'
import { begin, goodCompany, printed, type Running, tieout } from './command.ts'

const test = suite('servers of a bucket')

interface Server {
  readonly root: string
  readonly port: number
  readonly running: Running
  /** What it wrote to its log so far. */
  log(): string
  ask(path: string): Promise<Response>
}

/** Servers wait two seconds for an answer of the bucket, and not fifteen. */
const IMPATIENT = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import{SERVER_PATIENCE}from'${new URL('../../dist/builder/snapshot/places/bucket-location.js', import.meta.url)}';Object.assign(SERVER_PATIENCE,{attempts:2,seconds:1})`,
  )}`,
}

let store: Store
let proxy: RoundRobin
let bucket: string
/** It has the workspace of the builder, the state of all servers, and those of each test. */
let folder: string
let builder: string
let servers: string
let token: string
const started: Running[] = []

test.before(async () => {
  store = await startStore()
  proxy = await startRoundRobin()
  folder = mkdtempSync(join(tmpdir(), 'tieout-servers-'))
  builder = join(folder, 'builder')
  writeFiles(join(builder, 'datasets/acme'), goodCompany('acme'))
  await newBucket()
  await done('user', 'add', 'ann@acme.test', '--first-name', 'Ann', '--last-name', 'B', '--company', 'acme')
})
/** What was read in one test is not what the next one goes on reading. */
test.before.each(async () => {
  await newBucket()
  await publish()
  servers = mkdtempSync(join(folder, 'servers-'))
  const added = await done('client', 'add', 'R', '--redirect-uri', 'http://127.0.0.1:9/cb', '--json')
  token = (await done('token', '--user', 'ann@acme.test', '--client', JSON.parse(added).id)).trim()
})
test.after.each(async () => {
  store.fail(null)
  store.slow(0)
  for (const each of started) each.kill('SIGKILL')
  await Promise.all(started.splice(0))
  proxy.servers = []
})
test.after(async () => {
  await proxy.close()
  await store.stop()
})

const settings = (port: number, more = {}): string =>
  JSON.stringify({
    snapshots: { bucket: `s3://${bucket}/books`, endpoint: store.endpoint, pollSeconds: 1 },
    retention: { keepLast: 1 },
    server: { port, issuer: proxy.address, state: join(folder, 'state'), ...more },
  })

async function newBucket(): Promise<void> {
  bucket = await store.bucket()
  writeFileSync(join(builder, 'tieout.yaml'), settings(1))
}

async function done(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await tieout(args, { cwd: builder, env: store.env })
  assert.is(code, 0, err)
  return out
}

let posted = 2
/** Publishes another snapshot; gives its id. */
async function publish(): Promise<string> {
  const tx = ++posted
  appendFileSync(
    join(builder, 'datasets/acme/ledger.csv'),
    ['bank,5.00', 'sales,-5.00'].map((rest) => `${tx},2025-02-11,${rest},,\n`).join(''),
  )
  const { outcome, snapshotId } = await build(openWorkspace(builder), 'acme', { publish: true })
  assert.is(outcome, 'published')
  return snapshotId!
}

const askAt = (address: string) => (path: string) =>
  fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } })

/** Starts a server with a working copy of its own in the folder of this name. */
async function serve(name: string, more = {}, env = {}): Promise<Server> {
  const root = join(servers, name)
  const port = await freePort()
  // The servers share their state, but not the copy of the bucket that lies beside it.
  const state = join(root, 'state')
  mkdirSync(state, { recursive: true })
  for (const shared of ['oauth', 'pins'].filter((each) => !existsSync(join(state, each)))) {
    mkdirSync(join(folder, 'state', shared), { recursive: true, mode: 0o700 })
    symlinkSync(join(folder, 'state', shared), join(state, shared))
  }
  writeFileSync(join(root, 'tieout.yaml'), settings(port, { state, ...more }))
  cpSync(join(builder, 'access.yaml'), join(root, 'access.yaml'))
  const running = begin(['serve'], { cwd: root, env: { ...store.env, ...env } })
  started.push(running)
  let log = ''
  running.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8')
  })
  await printed(running, /Ctrl-C/).catch((problem: Error) => {
    throw new Error(`${problem.message}${log}`)
  })
  proxy.servers = [...proxy.servers, port]
  return { root, port, running, log: () => log, ask: askAt(`http://127.0.0.1:${port}`) }
}

const idOf = async (answer: Response): Promise<string> => {
  assert.is(answer.status, 200, await answer.clone().text())
  await answer.arrayBuffer()
  return answer.headers.get('snapshot-id')!
}

test('a client that pages while snapshots are published reads one of them, also after a kill -9', async () => {
  const [one] = [await serve('one'), await serve('two')]
  const ask = askAt(proxy.address)
  const page = (offset: number) => ask(`/companies/acme/chart-of-accounts?limit=1&offset=${offset}`)
  const first = await idOf(await page(0))
  const read: string[] = []
  let reading = true
  let cuts = 0
  const paging = (async () => {
    for (let offset = 1; reading; offset++) {
      const answer = await page(offset % 15).catch(() => null)
      // The kill cuts the answers that were under way.
      if (answer === null || answer.status === 502) cuts++
      else read.push(await idOf(answer))
      await wait(50)
    }
  })()
  const published: string[] = []
  for (let i = 0; i < 3; i++) {
    published.push(await publish())
    if (i === 1) {
      one.running.kill('SIGKILL')
      await one.running
      // As a proxy does that probes its servers; it passes over one that refuses in any case.
      proxy.servers = proxy.servers.filter((port) => port !== one.port)
    }
  }
  reading = false
  await paging
  assert.ok(cuts <= 1, `${cuts} answers were cut`)
  assert.ok(read.length > 0, 'pages were read meanwhile')
  assert.equal([...new Set(read)], [first])
  const again = await serve('one')
  const later = await again.ask('/companies/acme/chart-of-accounts?limit=1&offset=1')
  assert.is(await idOf(later), first, 'pins outlive the server')
  assert.is(await currentAt(again), published.at(-1))
  // One that only lies in the bucket is brought when somebody asks for it.
  assert.is(await idOf(await again.ask(`/companies/acme/info?SnapshotId=${published[1]}`)), published[1])
  assert.is((await again.ask('/companies/acme/info?SnapshotId=2025-02-r99-abcdef')).status, 404)
})

test('requests that follow the bucket are counted; a client goes on reading a snapshot that another machine pruned', async () => {
  const admin = { port: await freePort() }
  const server = await serve('one', { admin })
  const metrics = async (): Promise<Record<string, number>> => {
    const page = await (await fetch(`http://127.0.0.1:${admin.port}/metrics`)).text()
    return Object.fromEntries(
      [...page.matchAll(/^tieout_bucket_(\S+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    )
  }
  const before = await metrics()
  const list = 'requests_total{kind="ListObjectsV2"}'
  const get = 'requests_total{kind="GetObject"}'
  assert.ok(before.looks_total! > 0 && before[list]! > 0, JSON.stringify(before))
  const first = await idOf(await server.ask('/companies/acme/info'))
  const second = await publish()
  await until(async () => assert.is(await currentAt(server), second))
  const after = await metrics()
  assert.ok(after[get]! > before[get]!, JSON.stringify(after))
  assert.ok(after[list]! - before[list]! <= after.looks_total! - before.looks_total! + 1)
  // A machine that does not know what the clients of that server read.
  writeFileSync(join(builder, 'tieout.yaml'), JSON.stringify({ ...JSON.parse(settings(1)), server: {} }))
  assert.match(await done('prune', '--yes'), new RegExp(first))
  writeFileSync(join(builder, 'tieout.yaml'), settings(1))
  await until(async () =>
    assert.equal(
      (await listedAt(server)).map(({ SnapshotId }) => SnapshotId),
      [second],
    ),
  )
  // A later page, which belongs to the sync however long all of this took.
  assert.is(await idOf(await server.ask('/companies/acme/chart-of-accounts?limit=1&offset=1')), first)
})

/** The snapshots that a server lists, which pins nobody to one. */
async function listedAt(server: Server): Promise<{ SnapshotId: string; IsCurrent: boolean }[]> {
  const answer = await server.ask('/companies/acme/snapshots')
  assert.is(answer.status, 200)
  return ((await answer.json()) as { Data: [] }).Data
}
const currentAt = async (server: Server): Promise<string | undefined> =>
  (await listedAt(server)).find(({ IsCurrent }) => IsCurrent)?.SnapshotId

const down: Fault = (asked, response) => slowDown(1)(asked, response)
const silent: Fault = (asked) => {
  asked.resume()
  return true
}

/** Asks again and again while the bucket fails; each answer has to be of this snapshot. */
async function servedMeanwhile(server: Server, snapshotId: string): Promise<void> {
  for (let i = 0; i < 20; i++)
    assert.is(
      await idOf(
        await server.ask(`/companies/acme/chart-of-accounts?offset=${i % 5}&SnapshotId=${snapshotId}`),
      ),
      snapshotId,
    )
}

test('a bucket that answers 503, or not at all: what was copied is served, and operators are told', async () => {
  const server = await serve('one', {}, IMPATIENT)
  const old = await currentAt(server)
  const kept = await publish()
  await until(async () => assert.is(await currentAt(server), kept))
  const ready = async () => (await server.ask('/readyz')).json()
  assert.equal(await ready(), { status: 'ready' })
  const told = (event: string) => server.log().split(event).length
  for (const fault of [down, silent]) {
    const [away, back] = [told('bucket-away'), told('bucket-back')]
    store.fail(fault)
    await until(() => assert.ok(told('bucket-away') > away, server.log()))
    const { status, remark } = (await ready()) as { status: string; remark: string }
    assert.is(status, 'ready')
    assert.match(remark, /bucket of snapshots has not answered since 20/)
    await servedMeanwhile(server, kept)
    // A sync may be under way that began before.
    const read = await idOf(await server.ask('/companies/acme/info'))
    assert.ok(read === kept || read === (await currentAt(server)), read)
    assert.is(await idOf(await server.ask(`/companies/acme/info?SnapshotId=${old}`)), old, 'it was copied')
    const cut = await server.ask('/companies/acme/info?SnapshotId=2025-02-r99-abcdef')
    assert.is(cut.status, 503, 'whether there is such a snapshot is not known now')
    assert.match(cut.headers.get('retry-after') ?? '', /^\d+$/)
    // A server that begins now has nothing to serve, and says so.
    const others = fault === silent ? [await serve('other', {}, IMPATIENT)] : []
    for (const other of others) assert.is((await other.ask('/readyz')).status, 503)
    store.fail(null)
    const newest = await publish()
    for (const each of [server, ...others]) await until(async () => assert.is(await currentAt(each), newest))
    assert.ok(told('bucket-back') > back, server.log())
    await until(async () => assert.equal(await ready(), { status: 'ready' }))
  }
})

test('a bucket that takes seconds for each answer: what was copied is served without it, and operators are told', async () => {
  const server = await serve('one')
  const kept = (await currentAt(server))!
  const ready = async () => (await server.ask('/readyz')).json() as Promise<{ remark?: string }>
  store.slow(3000)
  await until(async () => assert.match((await ready()).remark ?? '', /bucket of snapshots takes 3 s/))
  let [atOnce, most] = [0, 0]
  store.fail((_, response) => {
    most = Math.max(most, ++atOnce)
    response.once('close', () => atOnce--)
    return false
  })
  await servedMeanwhile(server, kept)
  assert.ok(
    most <= 1,
    `${most} requests at once: the follower has one under way at a time, and nobody else has any`,
  )
  assert.match((await ready()).remark ?? '', /takes 3 s/)
  store.fail(null)
  store.slow(0)
  const newest = await publish()
  await until(async () => assert.is(await currentAt(server), newest))
  await until(async () => assert.equal(await ready(), { status: 'ready' }))
})

/** The file of the current snapshot in the working copy of a server. */
function copied({ root }: Server, id: string, path: string): string {
  const [bucket = ''] = readdirSync(join(root, 'state/bucket'))
  const all = filesAndFolders(join(root, 'state/bucket', bucket))[0]
  const found = all.find((each) => each.endsWith(join('/acme', id, path)))
  assert.ok(found, `${id}/${path} is not among ${all.join(' ')}`)
  return join(root, 'state/bucket', bucket, found!)
}

const cutOff = (path: string): void => truncateSync(path, 20)
const changed = (path: string): void =>
  writeFileSync(path, readFileSync(path, 'latin1').replace(/\d/g, '7'), 'latin1')
const gone = (path: string): void => rmSync(path)

test('a file that the disk damaged is fetched again before it is served, and not served without the bucket', async () => {
  const id = await publish()
  await publish()
  await done('use', 'acme', id, '--reason', 'the newer one was wrong')
  const [server, sound] = [await serve('one'), await serve('other')]
  await until(async () => assert.is(await currentAt(server), id))
  const statement = 'statements/profit-loss/accrual/actuals/all/all.json'
  const file = (path: string) => `/companies/acme/snapshots/${id}/files/${path}`
  const same = async (path: string): Promise<void> => {
    const [found, expected] = [await server.ask(path), await sound.ask(path)]
    const text = await found.text()
    assert.is(found.status, 200, text)
    assert.is(text, await expected.text(), path)
  }
  // Each is read for the first time: what was answered before is in memory.
  const harmed = [
    [cutOff, 'tie-outs.json'],
    [changed, statement],
    [gone, 'classes.json'],
  ] as const
  for (const [harm, path] of harmed) {
    chmodSync(copied(server, id, path), 0o644)
    harm(copied(server, id, path))
  }
  store.fail(down)
  for (const [, path] of harmed) {
    const cut = await server.ask(file(path))
    assert.is(cut.status, 503, await cut.text())
  }
  store.fail(null)
  for (const [, path] of harmed) {
    await until(() => same(file(path)))
    assert.equal(readFileSync(copied(server, id, path)), readFileSync(copied(sound, id, path)))
  }
  const books = copied(server, id, 'books/postings.parquet')
  chmodSync(books, 0o644)
  cutOff(books)
  const range = '/companies/acme/profit-loss?StartDate=2025-01-10&EndDate=2025-02-09&AccountingBasis=ACCRUAL'
  await until(() => same(range))
  assert.match(server.log(), /snapshot-mended/)
  // Before a server starts: what it needs of every snapshot, and what says which one is current.
  for (const path of ['manifest.json', 'info.json', '../current.json']) {
    const place = copied(server, path.startsWith('..') ? '' : id, path.replace('../', ''))
    chmodSync(place, 0o644)
    cutOff(place)
  }
  server.running.kill('SIGKILL')
  await server.running
  const again = await serve('one')
  await until(async () => assert.is(await currentAt(again), id))
  assert.is(await idOf(await again.ask('/companies/acme/info')), id)
})

test('a server is not started on a bucket that does not keep the conditions of writes', async () => {
  store.fail((asked) => {
    delete asked.headers['if-none-match']
    return false
  })
  const refused = await serve('one').then(
    () => '',
    (problem: Error) => problem.message,
  )
  assert.match(refused, /does not keep the condition If-None-Match/)
  store.fail(null)
})

test.needs(missing)
