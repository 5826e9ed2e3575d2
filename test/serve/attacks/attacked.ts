/** A server in a process of its own under attack, and another client that goes on asking for what it always asks. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import { openWorkspace } from '../../../builder/workspace/workspace.ts'
import { databaseBytes } from '../../support/state.ts'
import { type BuiltWorkspace, builtWorkspace } from '../http/workspace.ts'
import { openOAuth } from '../oauth/harness.ts'
import { type SmallDisk, smallDisk } from './small-disk.ts'

const MAIN = fileURLToPath(new URL('../../../dist/cli/tieout.cjs', import.meta.url))
/** Linux answers on all of 127.0.0.0/8, so that the attack and the other client have addresses of their own. */
export const ATTACKER = '127.0.0.1'
const CLIENT = '127.0.0.2'
const CAN_BIND = process.platform === 'linux'

export interface Attacked {
  readonly built: BuiltWorkspace
  readonly port: number
  /** Of metrics. */
  readonly adminPort: number
  readonly process: ChildProcess
  readonly stateDisk: SmallDisk | null
  /** Of a grant that may read both companies. */
  readonly token: string
  /** What it has written on stderr, unless that leads elsewhere. */
  log(): string
  /** Bytes of memory. */
  rss(): number
  descriptors(): number
  /** Bytes of all that lies in `.tieout`, and in the database of the state. */
  stateBytes(): Promise<number>
  alive(): boolean
  close(): Promise<void>
}

export interface AttackedOptions {
  /** `.tieout` lies on a disk of so many megabytes. */
  readonly stateDisk?: number
  /** A descriptor for stderr instead of a pipe that is read. */
  readonly stderr?: number
  readonly nodeArguments?: readonly string[]
}

export async function attacked(options: AttackedOptions = {}): Promise<Attacked> {
  const built = await builtWorkspace()
  built.write('tieout.yaml', 'server: { port: 0, drainSeconds: 1, admin: { port: 0 } }\n')
  const { root, state } = built.workspace
  const { database } = built.workspace.server.state
  const stateDisk = options.stateDisk === undefined ? null : smallDisk(state, options.stateDisk)
  const child = spawn(
    process.execPath,
    [...(options.nodeArguments ?? []), MAIN, '-C', root, 'serve', '--json'],
    { stdio: ['ignore', 'pipe', options.stderr ?? 'pipe'] },
  )
  let log = ''
  child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const ended = once(child, 'exit')
  const [line] = await Promise.race([once(child.stdout!, 'data'), ended])
  if (!Buffer.isBuffer(line)) throw new Error(`the server ended: ${log}`)
  const { address, adminPort } = JSON.parse(String(line)) as { address: string; adminPort: number }
  const port = Number(new URL(address).port)
  const proc = `/proc/${child.pid}`
  return {
    built,
    port,
    adminPort,
    process: child,
    stateDisk,
    token: await tokenFor(root, port),
    log: () => log,
    rss: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`${proc}/status`, 'utf8'))![1]) * 1024,
    descriptors: () => readdirSync(`${proc}/fd`).length,
    stateBytes: async () =>
      bytesIn(join(root, '.tieout')) + (database === null ? 0 : await databaseBytes(database)),
    alive: () => child.exitCode === null && child.signalCode === null,
    close: async () => {
      child.kill('SIGKILL')
      await ended
      stateDisk?.unmount()
      built.remove()
    },
  }
}

async function tokenFor(root: string, port: number): Promise<string> {
  const workspace = openWorkspace(root)
  const oauth = await openOAuth({
    issuer: `http://127.0.0.1:${port}`,
    state: workspace.server.state,
    access: createAccess(workspace.access),
    companies: () => [],
    accessTokenSeconds: 900,
  })
  const token = await oauth.issueDemoToken('ann', 'reports', ['acme', 'solo'], 3600)
  await oauth.close()
  return token
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, path, name }) => sum + statSync(join(parentPath ?? path, name)).size, 0)

const YEAR = 'StartDate=2024-01-01&EndDate=2024-12-31&AccountingBasis=ACCRUAL'
/** Answers that lie ready after the first time, and one that never does. */
const ASKED = [
  `/companies/acme/profit-loss?${YEAR}`,
  `/companies/acme/balance-sheet?${YEAR}`,
  '/companies/solo/info',
  '/companies/acme/snapshots',
]

export interface Seen {
  readonly statuses: ReadonlyMap<number | string, number>
  readonly milliseconds: readonly number[]
}

/** The other client: asks one after the other until it is told to stop. */
export function otherClient({ port, token }: Pick<Attacked, 'port' | 'token'>): { stop(): Promise<Seen> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const statuses = new Map<number | string, number>()
  const milliseconds: number[] = []
  let stopped = false
  const ask = (path: string): Promise<number | string> =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}` }
      const from = CAN_BIND ? { localAddress: CLIENT } : {}
      const asked = request({ host: '127.0.0.1', port, path, agent, headers, ...from }, (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode!))
        answer.once('error', ({ message }) => resolve(message))
      })
      asked.once('error', ({ message }) => resolve(message))
      asked.end()
    })
  const asking = (async () => {
    for (let i = 0; !stopped; i++) {
      const begun = performance.now()
      const status = await ask(ASKED[i % ASKED.length]!)
      milliseconds.push(performance.now() - begun)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await pause(2)
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await asking
      agent.destroy()
      return { statuses, milliseconds }
    },
  }
}

/** Another client had its answers; on a machine that is busy with other things a server may say for a moment that it has too much to do. */
export function assertServed(statuses: Seen['statuses']): void {
  const [answered, refused] = [statuses.get(200) ?? 0, statuses.get(503) ?? 0]
  const seen = JSON.stringify([...statuses])
  assert.ok(answered > 0 && answered >= refused, seen)
  assert.is(
    [...statuses.values()].reduce((sum, count) => sum + count, 0),
    answered + refused,
    seen,
  )
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Connections that send `bytes` and read nothing. */
export async function connections(port: number, count: number, bytes: string): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER })
      socket.on('error', () => {})
      socket.pause()
      await new Promise<void>((resolve) => {
        socket.once('connect', () => resolve())
        socket.once('close', () => resolve())
      })
      socket.write(bytes)
      return socket
    }),
  )
}
