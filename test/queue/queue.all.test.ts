/** Builds that workers take from a queue in a real PostgreSQL: each company once, whatever ends in the middle. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { badCompany, begin, goodCompany, inWorkspaceOf, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { atOnce } from '../support/at-once.ts'
import { missing, type Postgres, startPostgres } from '../support/postgres.ts'
import { allEnded, assertAllDone, beginWorker, isEnd, many, statusOf, type Worker } from '../support/queue.ts'
import type { Files } from '../support/workspace.ts'

const test = suite('queue of builds')
let postgres: Postgres
/** They wait for each other's turns and attempts more than they compute, so that some run at once. */
const works = atOnce(test, 3)
test.before(async () => {
  postgres = await startPostgres()
  works.start()
})
test.after(async () => {
  await works.ended()
  await postgres.remove()
})

interface Place {
  readonly root: string
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  run(...args: readonly string[]): ReturnType<typeof tieout>
  worker(...args: readonly string[]): Worker
}

let databases = 0

/** A workspace whose queue is a new database. */
const inQueue = (companies: Readonly<Record<string, Files>>, run: (place: Place) => Promise<void>) =>
  inWorkspaceOf(companies, async (root) => {
    const url = await postgres.database(`queue${++databases}`)
    writeFileSync(join(root, 'tieout.yaml'), `queue: ${url}\n`)
    const workers: Worker[] = []
    const at = { cwd: root, env: postgres.env }
    const worker = (...args: readonly string[]): Worker => {
      const started = beginWorker(args, at)
      workers.push(started)
      return started
    }
    try {
      await run({ root, url, env: postgres.env, run: (...args) => tieout(args, at), worker })
    } finally {
      for (const { running } of workers) running.kill('SIGKILL')
    }
  })

const snapshotsOf = (root: string, company: string): string[] =>
  readdirSync(join(root, 'snapshots', company)).filter((name) => /^\d{4}-\d{2}-r/.test(name))

/** All that a workspace must hold after its builds, however they came about. */
async function assertSound({ root, run }: Place, companies: readonly string[]): Promise<void> {
  for (const company of companies) {
    assert.is(snapshotsOf(root, company).length, 1, `${company} has one snapshot`)
    const left = readdirSync(join(root, 'snapshots', company)).filter((name) =>
      /lock|^\.(stag|tmp)/.test(name),
    )
    assert.equal(left, [], `nothing is left of builds of ${company}`)
  }
  const { code, out } = await run('verify', '--files-only', '--json')
  assert.is(code, 0, out)
}

works.check(
  'what is enqueued is built, refused input waits for somebody, and status and the metrics of a server tell',
  () =>
    inQueue({ acme: goodCompany('acme'), wrong: badCompany('wrong') }, async (place) => {
      const { run, worker } = place
      assert.match((await run('status')).out, /Nothing was put into the queue yet/)
      assert.match((await run('enqueue')).out, /^2 companies wait to be built now: acme, wrong\./)
      const again = await run('enqueue', 'acme', '--json')
      assert.equal(JSON.parse(again.out), { enqueued: [], waiting: ['acme'] })
      assert.ok(
        (await statusOf(place.run)).every(({ waiting, last }) => waiting?.attempt === 1 && last === null),
      )

      assert.match((await run('status')).out, /\nNo worker runs: tieout worker\n/)
      const one = worker()
      await one.said(isEnd, 2)
      const { workers } = JSON.parse((await run('status', '--json')).out)
      assert.equal(
        workers,
        one.lines.flatMap(({ event, worker }) => (event === 'worker-started' ? [worker] : [])),
      )
      assert.is(await one.end(), 0)
      const [acme, wrong] = await statusOf(place.run)
      assert.is(acme!.last!.outcome, 'published')
      assert.is(wrong!.last!.outcome, 'refused')
      assert.ok(wrong!.last!.findings.some(({ code }) => code === 'unknown-account'))
      assert.is(wrong!.waiting, null, 'input does not mend itself')
      const { out } = await run('status', 'wrong')
      assert.match(out, /wrong was refused: .*errors; nothing was published/)
      assert.match(out, /unknown-account/)

      await run('enqueue', 'acme')
      writeFileSync(
        join(place.root, 'tieout.yaml'),
        `queue: ${place.url}\nstate: ${place.url}\nserver: { admin: { port: 0 } }\n`,
      )
      const env = { ...place.env, TIEOUT_STATE_KEY: Buffer.alloc(32, 1).toString('base64') }
      const server = begin(['serve', '--port', '0', '--json'], { cwd: place.root, env })
      const [said] = await once(server.stdout, 'data')
      const page = await (await fetch(`http://127.0.0.1:${JSON.parse(said).adminPort}/metrics`)).text()
      for (const [state, number] of Object.entries({ waiting: 1, running: 0, failed: 0, refused: 1 }))
        assert.match(page, `tieout_queue_companies{state="${state}"} ${number}\n`)
      assert.match(page, '\ntieout_queue_workers 0\n')
      assert.match(page, /^tieout_queue_oldest_waiting_seconds \d+\.\d+$/m)
      server.kill('SIGTERM')
      assert.is((await server).exitCode, 0)
    }),
)

works.check('a group is built after its members that wait, whatever its name', () => {
  const group = {
    'company.yaml':
      'id: a-group\nname: Group\nfiscalMonthEnd: 12\ncurrency: USD\nchartOfAccounts: chart.csv\ngroup: { members: [{ company: member }] }\n',
    'chart.csv': goodCompany('member')['chart.csv']!,
  }
  return inQueue({ 'a-group': group, member: goodCompany('member') }, async (place) => {
    assert.match((await place.run('enqueue')).out, /: a-group, member\./)
    const one = place.worker('--jobs', '2')
    await one.said(isEnd, 2)
    const ended = one.lines.filter(isEnd)
    assert.equal(
      ended.map(({ company, outcome }) => [company, outcome]),
      [
        ['member', 'published'],
        ['a-group', 'published'],
      ],
    )
    assert.is(await one.end(), 0)
  })
})

works.check('many companies and two workers, of which one is killed: each company once', () =>
  inQueue(many(4), async (place) => {
    const companies = Object.keys(many(4))
    assert.is((await place.run('enqueue')).code, 0)
    const workers = [place.worker('--jobs', '2'), place.worker('--jobs', '2')]
    const killed = await Promise.race(workers.map((worker) => worker.said(isEnd).then(() => worker)))
    killed.running.kill('SIGKILL')
    await killed.running
    await allEnded(place.run)
    const other = workers.find((worker) => worker !== killed)!
    assert.is(await other.end(), 0)
    await assertAllDone(place.run)
    await assertSound(place, companies)
    assert.ok(other.lines.filter(isEnd).every(({ outcome }) => outcome !== 'failed'))
  }),
)

works.check('a company that is enqueued while it is built is built once more, and never beside itself', () =>
  inQueue({ acme: goodCompany('acme') }, async (place) => {
    await place.run('enqueue')
    const workers = [place.worker('--jobs', '2'), place.worker('--jobs', '2')]
    await Promise.race(workers.map((worker) => worker.said(({ event }) => event === 'build-started')))
    for (let i = 0; i < 3; i++) await place.run('enqueue')
    const ends = () => workers.flatMap(({ lines }) => lines.filter(isEnd))
    while (ends().length < 2)
      await Promise.race(workers.map((worker) => worker.said(isEnd, worker.lines.filter(isEnd).length + 1)))
    for (const worker of workers) assert.is(await worker.end(), 0)
    const events = workers
      .flatMap(({ lines }) => lines)
      .filter(({ event }) => event === 'build-started' || event === 'build-ended')
      .sort((a, b) => a.time.localeCompare(b.time))
    for (const [i, { event }] of events.entries())
      assert.is(event, i % 2 === 0 ? 'build-started' : 'build-ended', JSON.stringify(events))
    await assertSound(place, ['acme'])
  }),
)

works.check('a worker that is told to end gives back what it has not built', () =>
  inQueue(many(3), async (place) => {
    await place.run('enqueue')
    const worker = place.worker('--jobs', '2')
    await worker.said(({ event }) => event === 'build-started', 2)
    assert.is(await worker.end(), 0)
    const after = await statusOf(place.run)
    assert.ok(
      after.some(({ waiting }) => waiting?.attempt === 1),
      'it is no attempt',
    )
    assert.ok(after.every(({ running }) => running === null))
    const other = place.worker()
    await other.said(isEnd, after.filter(({ waiting }) => waiting !== null).length)
    await other.end()
    await assertSound(place, Object.keys(many(3)))
  }),
)

works.check('a failure of the machine is tried again, and its reason is shown until then', () =>
  inQueue({ acme: goodCompany('acme') }, async (place) => {
    mkdirSync(join(place.root, 'snapshots'))
    writeFileSync(join(place.root, 'snapshots', 'acme'), 'in the way')
    await place.run('enqueue')
    const worker = place.worker()
    await worker.said(({ outcome }) => outcome === 'failed')
    const { out } = await place.run('status')
    assert.match(out, /acme failed: .*; attempt 2 follows at \d{4}-/)
    rmSync(join(place.root, 'snapshots', 'acme'))
    await worker.said(({ outcome }) => outcome === 'published')
    assert.is(await worker.end(), 0)
    await assertSound(place, ['acme'])
  }),
)

works.check('at night all companies are enqueued, by one worker of many', () =>
  inQueue(many(2), async (place) => {
    const yaml = readFileSync(join(place.root, 'tieout.yaml'), 'utf8')
    const database = /postgres:\S+/.exec(yaml)![0]
    const nightly = 'nightly: { schedule: "30 2 * * *", timezone: Europe/Berlin }'
    writeFileSync(join(place.root, 'tieout.yaml'), `queue:\n  database: ${database}\n  ${nightly}\n`)
    const workers = [place.worker(), place.worker()]
    for (const worker of workers) await worker.said(({ event }) => event === 'worker-started')
    // What the clock does at half past two.
    const night = `INSERT INTO tieout_queue.job (name, data) VALUES ('nightly', '{}')`
    for (;;)
      try {
        await postgres.queryIn(database, night)
        break
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    await Promise.race(workers.map((worker) => worker.said(({ event }) => event === 'enqueued')))
    const ends = () => workers.flatMap(({ lines }) => lines.filter(isEnd))
    while (ends().length < 2)
      await Promise.race(workers.map((worker) => worker.said(isEnd, worker.lines.filter(isEnd).length + 1)))
    const [schedule] = await postgres.queryIn(database, 'SELECT cron, timezone FROM tieout_queue.schedule')
    assert.equal(schedule, { cron: '30 2 * * *', timezone: 'Europe/Berlin' })
    for (const worker of workers) assert.is(await worker.end(), 0)
    assert.is(ends().length, 2, 'once each')
    await assertSound(place, Object.keys(many(2)))
  }),
)

for (const [what, queue, code, message] of [
  ['no queue', '', 2, /tieout\.yaml names no queue; write the address of a PostgreSQL database/],
  ['no address', 'queue: mysql://here/db', 3, /must be the address of a PostgreSQL database/],
  [
    'a password',
    'queue: postgres://ann:s3cret@here/db?password=s3cret',
    3,
    /must not hold a password: .*PGPASSWORD/,
  ],
  ['no such host', 'queue: postgres://ann@db.invalid/x', 1, /the database db\.invalid\/x cannot be used/],
  [
    'an odd schedule',
    'queue: { database: "postgres://ann@here/db", nightly: { schedule: at night } }',
    3,
    /five fields as of cron/,
  ],
  [
    'an odd zone',
    'queue: { database: "postgres://ann@here/db", nightly: { schedule: "1 2 * * *", timezone: Mars } }',
    3,
    /a time zone such as/,
  ],
] as const)
  test(`${what} in tieout.yaml says what to do, and shows no secret`, () =>
    inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
      writeFileSync(join(cwd, 'tieout.yaml'), `${queue}\n`)
      const {
        code: exitCode,
        out,
        err,
      } = await tieout(['enqueue'], { cwd, env: { PGPASSWORD: 'pw-of-tests' } })
      assert.is(exitCode, code, err)
      assert.match(err, message)
      assert.not.match(out + err, /s3cret|pw-of-tests/)
    }))

test('a database that is missing, and one that refuses the password', () =>
  inQueue({ acme: goodCompany('acme') }, async ({ root, run }) => {
    const yaml = readFileSync(join(root, 'tieout.yaml'), 'utf8')
    const refused = await tieout(['status'], { cwd: root, env: { PGPASSWORD: 'wrong' } })
    assert.match(refused.err, /it refuses the password; set PGPASSWORD, or correct \.pgpass/)
    writeFileSync(join(root, 'tieout.yaml'), yaml.replace(/queue\d+$/m, 'nowhere'))
    const { code, err } = await run('worker')
    assert.is(code, 1)
    assert.match(err, /this database does not exist there; create it \(createdb\)/)
  }))

test('a database that ends in the middle and comes back: nothing is lost', async () => {
  await works.ended()
  await inQueue(many(2), async (place) => {
    await place.run('enqueue')
    const worker = place.worker('--jobs', '1')
    await worker.said(({ event }) => event === 'build-started')
    await postgres.kill()
    await worker.said(({ event }) => event === 'queue-lost')
    const { code, err } = await place.run('status')
    assert.is(code, 1)
    assert.match(
      err,
      /the database 127\.0\.0\.1:\d+\/queue\d+ cannot be used: nothing listens there; start PostgreSQL/,
    )
    await postgres.start()
    await worker.said(({ event }) => event === 'queue-back')
    await allEnded(place.run)
    assert.is(await worker.end(), 0)
    await assertSound(place, Object.keys(many(2)))
  })
})

test.needs(missing)
