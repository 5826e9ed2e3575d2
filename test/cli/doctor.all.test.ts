/** `tieout doctor`: what it says of databases that answer, and of those that do not. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { missing, type Postgres, startPostgres } from '../support/postgres.ts'
import { inFolder, tieout } from './command.ts'

const test = suite('doctor')
let postgres: Postgres
test.before(async () => {
  postgres = await startPostgres()
})
test.after(() => postgres.remove())

interface Row {
  readonly part: string
  readonly what: string
  readonly outcome: string
  readonly found: string
  readonly remedy: string | null
}

async function doctor(yaml: string, env: Readonly<Record<string, string>> = postgres.env) {
  return inFolder(async (root) => {
    writeFileSync(join(root, 'tieout.yaml'), yaml)
    const { code, out } = await tieout(['doctor', '--json'], { cwd: root, env })
    const { checks } = JSON.parse(out) as { checks: Row[] }
    return { code, checks: checks.filter(({ part }) => part !== 'machine') }
  })
}
const outcomes = (checks: readonly Row[]): string[][] => checks.map(({ what, outcome }) => [what, outcome])

test('a queue that answers holds; one that is read-only, refuses or is absent fails with the remedy', async () => {
  const url = await postgres.database('doctor')
  const sound = await doctor(`queue: ${url}\n`)
  assert.is(sound.code, 0)
  assert.equal(outcomes(sound.checks), [
    ['answers', 'holds'],
    ['takes changes', 'holds'],
    ['clock', 'holds'],
  ])
  const readOnly = await doctor(`queue: ${url}?options=-c%20default_transaction_read_only%3Don\n`)
  assert.is(readOnly.code, 1)
  assert.match(readOnly.checks[1]!.remedy!, /promote the standby/)
  const refused = await doctor(`queue: ${url}\n`, { PGPASSWORD: 'another' })
  assert.is(refused.code, 1)
  assert.match(refused.checks[0]!.found, /refuses the password; set PGPASSWORD/)
  const absent = await doctor('queue: postgres://tieout@127.0.0.1:1/tieout\n')
  assert.match(absent.checks[0]!.found, /nothing listens there; start PostgreSQL/)
})

test('a state lacks its tables until they are made, and its keys are those of the environment', async () => {
  const url = await postgres.database('state')
  const yaml = `state: ${url}\n`
  const without = await doctor(yaml, postgres.stateEnv)
  assert.is(without.code, 1)
  assert.equal(outcomes(without.checks), [
    ['answers', 'holds'],
    ['takes changes', 'holds'],
    ['clock', 'holds'],
    ['isolation', 'holds'],
    ['schema', 'fails'],
  ])
  assert.match(without.checks[4]!.remedy!, /tieout state migrate/)
  await inFolder(async (root) => {
    writeFileSync(join(root, 'tieout.yaml'), yaml)
    const run = (...args: string[]) => tieout(args, { cwd: root, env: postgres.stateEnv })
    assert.match((await run('state', 'migrate')).out, /it had none/)
    assert.match((await run('state', 'migrate')).out, /there was nothing to do/)
  })
  const sound = await doctor(yaml, postgres.stateEnv)
  assert.is(sound.code, 0)
  assert.equal(outcomes(sound.checks).slice(3), [
    ['isolation', 'holds'],
    ['rights', 'holds'],
    ['schema', 'holds'],
    ['keys', 'holds'],
    ['users', 'holds'],
  ])
  await postgres.queryIn(url, 'UPDATE tieout_state.schema_version SET version = 99')
  const newer = await doctor(yaml, postgres.stateEnv)
  assert.match(newer.checks[5]!.remedy!, /upgrade the program/)
  await postgres.queryIn(url, 'UPDATE tieout_state.schema_version SET version = 1')
  await postgres.queryIn(url, "CREATE ROLE reader LOGIN PASSWORD 'of-tests'")
  const reader = await doctor(`state: ${url.replace('tieout@', 'reader@')}\n`, postgres.stateEnv)
  assert.is(reader.code, 1)
  assert.match(
    reader.checks.find(({ what }) => what === 'rights')!.remedy!,
    /GRANT USAGE ON SCHEMA tieout_state/,
  )
})

test.needs(missing)
