/** A state moves from files into a database, through a backup of that database, and back: clients go on with the tokens that they have. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { begin, printed, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { freePort } from '../support/ports.ts'
import { missing, type Postgres, postgresProgram, startPostgres } from '../support/postgres.ts'
import { type BuiltWorkspace, builtWorkspace } from './http/workspace.ts'
import { Browser, connect, refreshWith } from './oauth/harness.ts'

const test = suite('a state that moves')
let postgres: Postgres
let built: BuiltWorkspace
let root: string
let port: number

test.before(async () => {
  postgres = await startPostgres()
  built = await builtWorkspace()
  port = await freePort()
  root = join(built.workspace.root, 'server')
  mkdirSync(root)
  cpSync(built.workspace.access, join(root, 'access.yaml'))
})
test.after(async () => {
  await postgres.remove()
  built.remove()
})

/** Null: in files, which is the default. */
const keepIn = (state: string | null): void =>
  writeFileSync(
    join(root, 'tieout.yaml'),
    `snapshots: ${built.workspace.snapshots}\nserver: { port: ${port} }\n${state === null ? '' : `state: ${state}\n`}`,
  )
const run = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await tieout(args, { cwd: root, env: postgres.stateEnv })
  assert.is(code, 0, err)
  return out
}
async function whileServing<T>(work: (address: string) => Promise<T>): Promise<T> {
  const running = begin(['--json', 'serve', '--quiet'], { cwd: root, env: postgres.stateEnv })
  await printed(running, /^\}$/m)
  try {
    return await work(`http://127.0.0.1:${port}`)
  } finally {
    running.kill()
    await running
  }
}
const refreshed = (token: string): Promise<string> =>
  whileServing(async (address) => {
    const { status, body } = await refreshWith(address, token)
    assert.is(status, 200, JSON.stringify(body))
    const headers = { authorization: `Bearer ${body.access_token}` }
    assert.is((await fetch(`${address}/companies/acme/info`, { headers })).status, 200)
    return body.refresh_token
  })

test('from files into a database, by pg_dump and pg_restore into another one, and back into files', async () => {
  keepIn(null)
  const first = await whileServing(async (issuer) => (await connect({ issuer }, new Browser(issuer))).refresh)
  const files = join(root, '.tieout/oauth')
  const secret: string = JSON.parse(readFileSync(join(files, 'keys.json'), 'utf8')).refresh

  const url = await postgres.database('first')
  keepIn(url)
  assert.match(await run('state', 'restore', '--from', files), /1 grant is restored/)
  const second = await refreshed(first)

  const dump = join(built.workspace.root, 'state.dump')
  const env = { ...process.env, ...postgres.env }
  execFileSync(postgresProgram('pg_dump'), ['--format=custom', `--file=${dump}`, url], { env })
  assert.not.match(execFileSync(postgresProgram('pg_restore'), ['--file=-', dump]).toString(), secret)
  const other = await postgres.database('other')
  execFileSync(postgresProgram('pg_restore'), ['--exit-on-error', `--dbname=${other}`, dump], { env })
  keepIn(other)
  const third = await refreshed(second)

  const copy = join(built.workspace.root, 'copy')
  await run('grants', 'backup', '--to', copy)
  rmSync(files, { recursive: true })
  keepIn(null)
  assert.match(await run('state', 'restore', '--from', copy), /1 grant is restored/)
  assert.is.not(await refreshed(third), third)
})

test('a state in which something else was written meanwhile gets no keys, and the command says why', async () => {
  const url = await postgres.database('taken')
  keepIn(url)
  const restore = () =>
    tieout(['state', 'restore', '--from', '.tieout/oauth'], { cwd: root, env: postgres.stateEnv })
  assert.is((await restore()).code, 0)
  assert.match((await restore()).err, /the state is not empty/)
  await postgres.queryIn(url, "DELETE FROM tieout_state.records WHERE kind = 'keys'")
  await postgres.queryIn(url, "UPDATE tieout_state.records SET key = key || 'x' WHERE kind = 'grants'")
  const { code, err } = await restore()
  assert.is(code, 1)
  assert.match(err, /the restored grants are not those of .*restore into a new one/s)
  assert.equal(
    await postgres.queryIn(url, "SELECT 1 AS one FROM tieout_state.records WHERE kind = 'keys'"),
    [],
  )
})

test.needs(missing)
