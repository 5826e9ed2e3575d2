/** Two workers on two machines, one queue and one bucket: each company ends with the snapshots that it should have, whoever is killed. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { filesAndFolders } from '../../builder/system/durable.ts'
import { asProcess, inFolder, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { atOnce } from '../support/at-once.ts'
import { missing as noPostgres, type Postgres, startPostgres } from '../support/postgres.ts'
import { allEnded, assertAllDone, beginWorker, isEnd, many, type Worker } from '../support/queue.ts'
import { type Kept, missing as noStore, type Store, startStore } from '../support/s3.ts'
import { until } from '../support/until.ts'
import { writeFiles } from '../support/workspace.ts'

const test = suite('queue and bucket')
let postgres: Postgres
/** They wait for each other's turns and attempts more than they compute. */
const works = atOnce(test, 3)
test.before(async () => {
  postgres = await startPostgres()
  works.start()
})
test.after(async () => {
  await works.ended()
  await postgres.remove()
})

interface Machine {
  readonly root: string
  /** The host as this machine names it in its requests to the bucket. */
  readonly host: string
  run(...args: readonly string[]): ReturnType<typeof tieout>
  /** The same as a process of its own, which does not wait for the other machine's. */
  begin(...args: readonly string[]): ReturnType<typeof tieout>
  /** Runs a command that succeeds; gives what it prints as JSON. */
  json<T>(...args: readonly string[]): Promise<T>
  worker(): Worker
}

let databases = 0

interface Shared {
  readonly store: Store
  /** The address of the queue. */
  readonly database: string
}

/** Two machines with the same exports, queue, bucket and keys. */
const onTwoMachines = (
  companies: number,
  run: (one: Machine, two: Machine, shared: Shared) => Promise<void>,
): Promise<void> =>
  inFolder(async (folder) => {
    const store = await startStore()
    const bucket = await store.bucket()
    const database = await postgres.database(`books${++databases}`)
    const port = new URL(store.endpoint).port
    const workers: Worker[] = []
    const machine = (name: string, host: string): Machine => {
      const root = join(folder, name)
      for (const [id, files] of Object.entries(many(companies))) writeFiles(join(root, 'datasets', id), files)
      writeFileSync(
        join(root, 'tieout.yaml'),
        `queue: ${database}\nsnapshots: { bucket: "s3://${bucket}/books", endpoint: "http://${host}:${port}" }\n`,
      )
      const at = { cwd: root, env: { ...postgres.env, ...store.env } }
      return {
        root,
        host,
        run: (...args) => tieout(args, at),
        begin: (...args) => asProcess(args, at),
        json: async (...args) => {
          const { code, out, err } = await tieout([...args, '--json'], at)
          assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
          return JSON.parse(out)
        },
        worker: () => {
          const started = beginWorker(['--jobs', '2'], at)
          workers.push(started)
          return started
        },
      }
    }
    const [one, two] = [machine('one', '127.0.0.1'), machine('two', 'localhost')]
    await one.json('build', 'c00')
    mkdirSync(join(two.root, '.tieout'), { mode: 0o700 })
    cpSync(join(one.root, '.tieout/manifest-keys.json'), join(two.root, '.tieout/manifest-keys.json'))
    try {
      await run(one, two, { store, database })
    } finally {
      for (const { running } of workers) running.kill('SIGKILL')
      await store.stop()
    }
  })

let posted = 2
/** Another sale of a company, in the ledgers of these machines. */
const post = (company: string, ...machines: readonly Machine[]): void => {
  const tx = ++posted
  const lines = ['bank,5.00', 'sales,-5.00'].map((rest) => `${tx},2025-02-11,${rest},,\n`).join('')
  for (const { root } of machines) appendFileSync(join(root, 'datasets', company, 'ledger.csv'), lines)
}

/** Requests of this machine, or of any (null), that swap the object of a company. */
const isSwapOf =
  (company: RegExp, machine: Machine | null) =>
  ({ method, url = '', headers }: IncomingMessage): boolean =>
    method === 'PUT' &&
    new RegExp(`/companies/${company.source}\\.json`).test(url) &&
    (machine === null || headers.host?.startsWith(machine.host) === true)

/**
 * From now on such requests are kept; resolves once there is one from each of so many machines. A machine whose request is not answered for
 * long sends it again, so that it may have several.
 */
const keptOf = (
  store: Store,
  company: RegExp,
  machine: Machine | null,
  machines = 1,
): Promise<readonly Kept[]> =>
  new Promise((resolve) => {
    const kept: Kept[] = []
    store.keep(isSwapOf(company, machine), (each) => {
      kept.push(each)
      if (new Set(kept.map(({ host }) => host)).size === machines) resolve(kept)
    })
  })

interface Listed {
  readonly companies: readonly {
    readonly company: string
    readonly snapshots: readonly { readonly id: string }[]
  }[]
}
const snapshotsIn = async (machine: Machine): Promise<Record<string, number>> => {
  const { companies } = await machine.json<Listed>('snapshots', 'list')
  return Object.fromEntries(companies.map(({ company, snapshots }) => [company, snapshots.length]))
}

/** Each company has as many snapshots as expected, all are as published, and nobody holds anything any more. */
async function assertSound(
  machines: readonly Machine[],
  expected: Readonly<Record<string, number>>,
  database: string,
): Promise<void> {
  const [one] = machines as [Machine, ...Machine[]]
  await assertAllDone(one.run)
  assert.equal(await snapshotsIn(one), expected)
  const { code, out } = await one.run('verify', '--files-only')
  assert.is(code, 0, out)
  const count = Object.values(expected).reduce((sum, each) => sum + each, 0)
  assert.match(out, new RegExp(`${count} snapshots are as published`))
  // PostgreSQL notices in its own time that who held a lock has ended.
  await until(async () => {
    const locks = await postgres.queryIn(database, `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)
    assert.equal(locks, [], 'no company is claimed')
  })
  for (const machine of machines) {
    forgetYoung(machine)
    // The killed one may have been at work on any company: the next build of each removes what was left of it.
    const { companies } = await machine.json<{ companies: { outcome: string }[] }>('build')
    assert.ok(companies.every(({ outcome }) => outcome === 'unchanged'))
    const left = filesAndFolders(join(machine.root, '.tieout/bucket'))[0].filter((path) =>
      /changes|lock|stage/.test(path),
    )
    assert.equal(left, [], 'what was left by the killed one is gone')
  }
}

/** What a killed build has left is removed once it is a minute old. */
function forgetYoung({ root }: Machine): void {
  const buckets = join(root, '.tieout/bucket')
  for (const changes of readdirSync(buckets).map((name) => join(buckets, name, 'changes')))
    for (const name of existsSync(changes) ? readdirSync(changes) : []) utimesSync(join(changes, name), 0, 0)
}

works.check('many companies and two workers, of which one is killed in the middle of publishing', () =>
  onTwoMachines(5, async (one, two, { store, database }) => {
    const companies = Object.keys(many(5))
    assert.is((await one.run('enqueue')).code, 0)
    // Set before the worker begins, which may otherwise be done with all of them.
    const publications = keptOf(store, /c0[2-9]/, one)
    const first = one.worker()
    const kept = await publications
    const second = two.worker()
    await second.said(isEnd)
    first.running.kill('SIGKILL')
    await first.running
    store.fail(null)
    await allEnded(two.run)
    // What the killed worker had sent arrives after all, when others have published these companies.
    for (const each of kept) await each.deliver()
    assert.is(await second.end(), 0)
    assert.ok(second.lines.filter(isEnd).every(({ outcome }) => outcome !== 'failed'))
    await assertSound([two, one], Object.fromEntries(companies.map((id) => [id, 1])), database)
  }),
)

works.check('a publication that arrives although its worker was killed counts, and is not made twice', () =>
  onTwoMachines(2, async (one, two, { store, database }) => {
    post('c00', one, two)
    const publication = keptOf(store, /c00/, one)
    await one.run('enqueue')
    const first = one.worker()
    const [kept] = await publication
    // The same company once more, while it is being published.
    await one.run('enqueue', 'c00')
    first.running.kill('SIGKILL')
    await first.running
    await kept!.deliver()
    store.fail(null)
    const second = two.worker()
    await allEnded(two.run)
    assert.is(await second.end(), 0)
    const ends = second.lines.filter((line) => isEnd(line) && line.company === 'c00')
    assert.ok(ends.length > 0 && ends.every(({ outcome }) => outcome === 'unchanged'))
    await assertSound([two, one], { c00: 2, c01: 1 }, database)
  }),
)

works.check('two builds that race for the pointer: both are published, and equal ones once', () =>
  onTwoMachines(1, async (one, two, { store }) => {
    const race = async (): Promise<string[]> => {
      const both = keptOf(store, /c00/, null, 2)
      const builds = [one, two].map((machine) => machine.begin('build', 'c00', '--json'))
      const kept = await both
      store.fail(null)
      await Promise.all(kept.map((each) => each.deliver()))
      return (await Promise.all(builds)).map(
        ({ out }) => (JSON.parse(out) as { companies: { outcome: string }[] }).companies[0]!.outcome,
      )
    }
    post('c00', one)
    post('c00', two)
    assert.equal(await race(), ['published', 'published'])
    assert.equal(await snapshotsIn(two), { c00: 3 })
    const ledger = 'datasets/c00/ledger.csv'
    cpSync(join(one.root, ledger), join(two.root, ledger))
    post('c00', one, two)
    assert.equal((await race()).sort(), ['published', 'unchanged'])
    assert.equal(await snapshotsIn(one), { c00: 4 })
    assert.match((await one.run('verify', '--files-only')).out, /4 snapshots are as published/)
  }),
)

const missing = noPostgres ?? noStore

test.needs(missing)
