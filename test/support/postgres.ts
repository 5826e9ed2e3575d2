/** A real PostgreSQL server of Debian's package, in a temporary folder and on a free port, where it is installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { globSync } from 'tinyglobby'
import { freePort } from './ports.ts'

const PASSWORD = 'of-tests'

/** The folder of initdb and postgres: the newest version that is installed. */
const bin = ((): string | null => {
  const [newest] = globSync('/usr/lib/postgresql/*/bin/postgres', { absolute: true }).sort(
    (a, b) => version(b) - version(a),
  )
  return newest === undefined ? null : dirname(newest)
})()

function version(path: string): number {
  return Number(/postgresql\/(\d+)/.exec(path)?.[1])
}

/** Why tests that need PostgreSQL are skipped; null where it is there. */
export const missing =
  bin === null ? 'PostgreSQL is not installed (apt-get install postgresql): its tests are skipped' : null

/** One of its programs, such as pg_dump. */
export const postgresProgram = (name: string): string => join(bin ?? '', name)

export interface Postgres {
  /** Its address, without the password. */
  readonly url: string
  /** What the commands of a user need in their environment. */
  readonly env: { readonly PGPASSWORD: string }
  /** What tests need in their environment to keep their state here (state.ts), and servers that keep theirs here. */
  readonly stateEnv: Readonly<Record<string, string>>
  readonly port: number
  /** Makes an empty database, and gives its address. */
  database(name: string): Promise<string>
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Asks the database at this address. */
  queryIn(url: string, sql: string): Promise<Record<string, unknown>[]>
  /** Ends it as a stopped machine would, without a word to its clients; `start` starts it again. */
  kill(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  if (bin === null) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'tieout-postgres-'))
  const user = owner()
  if (user !== null) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  writeFileSync(join(folder, 'password'), PASSWORD, { mode: 0o644 })
  const arguments_ = ['-D', data, '-U', 'tieout', '-A', 'scram-sha-256', `--pwfile=${folder}/password`]
  execFileSync(join(bin, 'initdb'), [...arguments_, '-N', '-E', 'UTF8', '--locale=C'], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const port = await freePort()
  const url = `postgres://tieout@127.0.0.1:${port}/postgres`
  let server: ChildProcess | null = null
  const connected = async (to: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: to.replace('@', `:${PASSWORD}@`) })
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (problem) {
      await client.end()
      throw problem
    }
    return client
  }
  const queryIn = async (to: string, sql: string): Promise<Record<string, unknown>[]> => {
    const client = await connected(to)
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  const query = (sql: string) => queryIn(url, sql)
  const start = async (): Promise<void> => {
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
    // Nothing here has to survive a crash of the computer.
    const light = ['shared_buffers=16MB', 'fsync=off']
    const all = ['-D', data, ...[...settings, ...light].flatMap((each) => ['-c', each])]
    server = spawn(join(bin, 'postgres'), all, { ...user, cwd: folder, stdio: 'ignore' })
    for (let tried = 0; ; tried++)
      try {
        return void (await query('SELECT 1'))
      } catch (problem) {
        if (server.exitCode !== null || tried === 1200) throw problem
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    // The processes of its clients end with it (SIGQUIT), which SIGKILL would leave.
    server.kill(signal)
    await ended
  }
  await start()
  return {
    url,
    env: { PGPASSWORD: PASSWORD },
    stateEnv: {
      PGPASSWORD: PASSWORD,
      TIEOUT_STATE_KEY: Buffer.alloc(32, 7).toString('base64'),
      TIEOUT_TEST_STATE: `postgres://tieout@127.0.0.1:${port}`,
    },
    port,
    database: async (name) => {
      await query(`CREATE DATABASE "${name}"`)
      return `postgres://tieout@127.0.0.1:${port}/${name}`
    },
    query,
    queryIn,
    kill: () => end('SIGQUIT'),
    start,
    remove: async () => {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root: there the user of its package, or nobody, runs it. */
function owner(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = ['postgres', 'nobody'].map((name) => users.find((user) => user.startsWith(`${name}:`)))
  const [, , uid, gid] = line.find((found) => found !== undefined)?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}
