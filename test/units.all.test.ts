/** The units of docs/running.md for two nodes, with the files that each may see and write as systemd gives them, through bubblewrap. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { goodCompany, MAIN, printed, tieout } from './cli/command.ts'
import { suite } from './suite.ts'
import { blocksOf, pageText } from './support/pages.ts'
import { freePort } from './support/ports.ts'
import { missing as noPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { missing as noStore, type Store, startStore } from './support/s3.ts'
import { until } from './support/until.ts'
import { writeFiles } from './support/workspace.ts'

const CHECKOUT = join(import.meta.dirname, '..')
const page = pageText('running.md')
const [SERVER = '', WORKER = ''] = blocksOf(page, 'ini')
const [, SETTINGS = ''] = blocksOf(page, 'yaml')

const test = suite('units')
let folder: string
let postgres: Postgres
let store: Store
test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-units-'))
  postgres = await startPostgres()
  store = await startStore()
})
test.after(async () => {
  await store.stop()
  postgres.remove()
})

/** What the unit says of a setting; empty where it does not. */
const said = (unit: string, setting: string): string[] =>
  [...unit.matchAll(new RegExp(`^${setting}=(.+)$`, 'gm'))].flatMap(([, value]) => value!.split(' '))

/** Starts what the unit starts, where nothing can be written (ProtectSystem=strict) but what the unit names. */
function started(unit: string, env: Readonly<Record<string, string>>) {
  const writable = [
    ...said(unit, 'ReadWritePaths').map((path) => [path.replace('/srv', folder), path]),
    ...said(unit, 'StateDirectory').map((name) => [join(folder, 'state'), `/var/lib/${name}`]),
  ]
  for (const [from] of writable) mkdirSync(from!, { recursive: true })
  const args = [
    ...['--unshare-user', '--uid', '999', '--gid', '999', '--die-with-parent', '--ro-bind', '/', '/'],
    // The checkout may lie in /dev/shm.
    ...['--dev', '/dev', '--ro-bind', CHECKOUT, CHECKOUT, '--proc', '/proc', '--tmpfs', '/srv'],
    ...['--tmpfs', '/var/lib', '--ro-bind', join(folder, 'books'), '/srv/books'],
    ...writable.flatMap(([from, to]) => ['--bind', from!, to!]),
    ...said(unit, 'InaccessiblePaths').flatMap((path) => ['--perms', '0000', '--tmpfs', path]),
    ...['--clearenv', '--chdir', said(unit, 'WorkingDirectory')[0]!],
    ...Object.entries({ PATH: process.env.PATH!, ...env }).flatMap((pair) => ['--setenv', ...pair]),
  ]
  return execa('bwrap', [...args, process.execPath, MAIN, ...said(unit, 'ExecStart').slice(1)], {
    reject: false,
    all: true,
    timeout: 60_000,
  })
}

test('a worker builds into the bucket, and a server of another account copies it and serves it', async () => {
  const [bucket, database, port] = [await store.bucket(), await postgres.database('units'), await freePort()]
  const books = join(folder, 'books')
  writeFiles(join(books, 'datasets/acme'), goodCompany('acme'))
  writeFileSync(
    join(books, 'tieout.yaml'),
    SETTINGS.replace(
      's3://acme-books/snapshots',
      `{ bucket: "s3://${bucket}/snapshots", endpoint: "${store.endpoint}" }`,
    )
      .replaceAll('postgres://tieout@db.example.com/tieout', database)
      .replace('host: 10.0.0.11', `port: ${port}`),
  )
  const env = { ...postgres.stateEnv, ...store.env }
  assert.is((await tieout(['enqueue'], { cwd: books, env })).code, 0)
  const worker = started(WORKER, env)
  try {
    const told = await printed(worker, /acme (?!is being).*\n/)
    assert.match(told, /acme published/, told)
  } finally {
    worker.kill('SIGTERM')
    await worker
  }
  const server = started(SERVER, env)
  try {
    await until(async () =>
      assert.is(
        (await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { host: 'reports.example.com' } })).status,
        200,
      ),
    )
    assert.ok(existsSync(join(folder, 'state/bucket')))
  } finally {
    server.kill('SIGTERM')
    const { all } = await server
    assert.not.match(all, /company-not-followed|company-unreadable|bucket-away/)
    assert.match(all, /"snapshot-current".*"acme"/)
  }
})

const noBubblewrap =
  spawnSync('bwrap', ['--unshare-user', '--uid', '999', '--ro-bind', '/', '/', 'true']).status !== 0
const missing =
  noPostgres ?? noStore ?? (noBubblewrap ? 'no bwrap that may make a user: units are not tried' : null)

test.needs(missing)
