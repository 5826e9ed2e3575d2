/** Processes that are killed while something hinders their replacement, or while the log is rotated. */
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { begin, printed } from '../../cli/command.ts'
import { onFiles } from '../../support/state.ts'
import { until } from '../../support/until.ts'
import { builtWorkspace } from '../http/workspace.ts'
import { authorizeUrl, Browser, redeem } from '../oauth/harness.ts'
import { fresh, type Served, served } from './served.ts'

const test = suite('replacements of processes')
/** Of files in the workspace, which are the same whatever keeps the state. */
const onWorkspace = onFiles(test)

async function asksFor({ address }: Served): Promise<() => Promise<number>> {
  const back = await new Browser(address).allow(authorizeUrl(address), ['acme'])
  const { body } = await redeem(address, back.searchParams.get('code')!)
  const headers = { authorization: `Bearer ${body.access_token}` }
  return async () => (await fresh(`${address}/companies/acme/info`, { headers })).status
}

const kill = (server: Served): void => void process.kill(server.pids().at(-1)!, 'SIGKILL')

onWorkspace('a mistake in access.yaml is named, and the other process serves on', async () => {
  const server = await served(2, '')
  try {
    const asked = await asksFor(server)
    const access = readFileSync(join(server.built.workspace.root, 'access.yaml'), 'utf8')
    server.built.write('access.yaml', access.replace(/email: [^,}\n]+/, 'email: nobody'))
    kill(server)
    const [failed] = await server.seen(({ event }) => event === 'process-not-started')
    assert.match(failed!.reason, /^access\.yaml:\d+, column .*email: must be an e-mail address/)
    for (let i = 0; i < 4; i++) assert.is(await asked(), 200)
    server.built.write('access.yaml', access)
    await server.seen(({ event }) => event === 'process-started', 3)
    for (let i = 0; i < 4; i++) assert.is(await asked(), 200)
  } finally {
    assert.is(await server.end(), 0)
    server.built.remove()
  }
})

onWorkspace('where the state was moved away no second one is made beside that of the others', async () => {
  const server = await served(2, '')
  const { state } = server.built.workspace
  try {
    const asked = await asksFor(server)
    for (const name of ['oauth/state/data.mdb', 'oauth/keys.json']) {
      const path = join(state, name)
      renameSync(path, `${path}.away`)
      const failures = server.lines.filter(({ event }) => event === 'process-not-started').length
      const starts = server.lines.filter(({ event }) => event === 'process-started').length
      kill(server)
      const failed = await server.seen(({ event }) => event === 'process-not-started', failures + 1)
      assert.match(failed.at(-1)!.reason, `${path} was moved away while the server runs`)
      assert.not(existsSync(path))
      renameSync(`${path}.away`, path)
      await server.seen(({ event }) => event === 'process-started', starts + 1)
      for (let i = 0; i < 4; i++) assert.is(await asked(), 200)
    }
  } finally {
    assert.is(await server.end(), 0)
    server.built.remove()
  }
})

onWorkspace('a process that is starting when logs are rotated writes to the new one', async () => {
  const built = await builtWorkspace()
  const { root } = built.workspace
  built.write('tieout.yaml', 'server: { port: 0, log: server.log, processes: 2 }\n')
  const command = begin(['serve'], { cwd: root })
  const log = join(root, 'server.log')
  const children = (): readonly number[] =>
    readFileSync(`/proc/${command.pid}/task/${command.pid}/children`, 'utf8').trim().split(' ').map(Number)
  /** What the process has open of the log, by its present name. */
  const logsOf = (pid: number): readonly string[] =>
    readdirSync(`/proc/${pid}/fd`)
      .map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`))
      .filter((path) => path.startsWith(log))
  try {
    await printed(command, /2 processes answer/)
    const before = children()
    process.kill(before[1]!, 'SIGKILL')
    const starting = await soon(() => {
      const pid = children().find((each) => !before.includes(each))
      assert.ok(pid !== undefined && logsOf(pid).length === 1)
      return pid
    })
    renameSync(log, `${log}.1`)
    command.kill('SIGHUP')
    await until(() => assert.equal(logsOf(starting), [log]))
  } finally {
    command.kill('SIGTERM')
    assert.is((await command).exitCode, 0)
    built.remove()
  }
})

/** Tries without a pause, since a process opens its log a moment before it serves. */
async function soon<T>(attempt: () => T): Promise<T> {
  const end = Date.now() + 30_000
  for (;;)
    try {
      return attempt()
    } catch (problem) {
      if (Date.now() > end) throw problem
      await new Promise((resolve) => setImmediate(resolve))
    }
}

test.run()
