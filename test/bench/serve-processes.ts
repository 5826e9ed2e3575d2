/**
 * `npm run bench -- processes`: ready answers by the number of processes that answer, beside raw node:http and nginx with as many. The
 * client has cores of its own, and the servers share the others.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allowedCores } from './cores.ts'
import { nginxArguments } from './nginx.ts'
import { isInstalled } from './processes.ts'
import { median, type Result } from './results.ts'
import { firstAnswer, MAIN, OF_NODE, pathOf, prepared } from './serve.ts'

const SELF = fileURLToPath(import.meta.url)
const FIRST_PORT = 18_200
const SECONDS = 2
const ROUNDS = 3
/** Of each process, so that all have as many. */
const CONNECTIONS = 16

interface Contender {
  readonly kind: 'tieout' | 'raw' | 'nginx'
  readonly processes: number
  readonly url: string
  readonly headers: readonly string[]
}

interface Cores {
  readonly client: readonly number[]
  readonly servers: readonly number[]
}

/** A quarter for the client, which takes less than a server for each request. */
function divided(all: readonly number[]): Cores {
  if (all.length < 2) throw new Error('the client needs a core of its own, and there is only one')
  const client = Math.ceil(all.length / 4)
  return { client: all.slice(0, client), servers: all.slice(client) }
}

/** 1, 2, 4 … up to the cores of the servers; two in any case, to see what is lost where there is no core for the second. */
function countsFor(cores: number): readonly number[] {
  const doubled = [1, 2, 4, 8, 16, 32].filter((count) => count <= Math.max(2, cores))
  return [...new Set([...doubled, Math.max(2, cores)])]
}

export async function byProcesses(): Promise<Result[]> {
  for (const needed of ['wrk', 'taskset'])
    if (!isInstalled(needed)) throw new Error(`${needed} is not installed`)
  const cores = divided(allowedCores())
  process.stderr.write(
    `cores: ${cores.servers.length} for the servers, ${cores.client.length} for the client\n`,
  )
  return prepared(20_000, 1, async ({ folder, token }) => {
    const scratch = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
    const started: ChildProcess[] = []
    const all: Contender[] = []
    try {
      const counts = countsFor(cores.servers.length)
      for (const [i, count] of counts.entries())
        all.push(
          ...(await contenders({ folder, token, scratch, cores, started, count, port: FIRST_PORT + 3 * i })),
        )
      return compared(all, counts, cores)
    } finally {
      await Promise.all(started.map(end))
      rmSync(scratch, { recursive: true, force: true })
    }
  })
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}

interface Setting {
  readonly folder: string
  readonly token: string
  readonly scratch: string
  readonly cores: Cores
  /** Takes what is started, to be ended. */
  readonly started: ChildProcess[]
  readonly count: number
  readonly port: number
}

async function contenders(setting: Setting): Promise<Contender[]> {
  const { folder, token, scratch, cores, started, count, port } = setting
  const path = pathOf('bench1', '2024-01-01', '2024-03-31')
  const urls = {
    tieout: `http://127.0.0.1:${port}${path}`,
    raw: `http://127.0.0.1:${port + 1}/`,
    nginx: `http://127.0.0.1:${port + 2}/body`,
  }
  const start = (command: string, args: readonly string[]): void =>
    void started.push(
      spawn('taskset', ['-c', cores.servers.join(','), command, ...args], {
        // A server that cannot start says why.
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    )
  const options = ['serve', '--quiet', '--port', String(port), '--processes', String(count)]
  start(process.execPath, [MAIN, '-C', folder, ...options])
  await firstAnswer(urls.tieout, token)
  const response = await fetch(urls.tieout, {
    headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' },
  })
  const bytes = (await response.arrayBuffer()).byteLength
  const headers = [...response.headers].filter(([name]) => !OF_NODE.has(name)).flat()
  const asRaw = ['raw', String(port + 1), String(count), String(bytes), JSON.stringify(headers)]
  start(process.execPath, [...process.execArgv, SELF, ...asRaw])
  await firstAnswer(urls.raw, '')
  const authorization = [`Authorization: Bearer ${token}`]
  const two: Contender[] = [
    { kind: 'tieout', processes: count, url: urls.tieout, headers: authorization },
    { kind: 'raw', processes: count, url: urls.raw, headers: authorization },
  ]
  if (!isInstalled('nginx')) return two
  start('nginx', nginxArguments(scratch, { bytes, port: port + 2, workers: count }))
  await firstAnswer(urls.nginx, '')
  return [...two, { kind: 'nginx', processes: count, url: urls.nginx, headers: [] }]
}

/** Gives requests per second. */
function wrk({ url, headers, processes }: Contender, { client }: Cores): number {
  const shape = [`-t${client.length}`, `-c${CONNECTIONS * processes}`, `-d${SECONDS}s`]
  const given = headers.flatMap((header) => ['-H', header])
  const args = ['-c', client.join(','), 'wrk', ...shape, ...given, url]
  const out = execFileSync('taskset', args, { encoding: 'utf8' })
  if (/Non-2xx/.test(out)) throw new Error(`${url} did not answer all requests:\n${out}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1])
}

const TITLES: Readonly<Record<Contender['kind'], string>> = {
  tieout: 'ready answers',
  raw: 'raw node:http, our request and headers',
  nginx: 'nginx from disk',
}

/** In rounds of {@link SECONDS}. */
const LONGEST_WARM_UP = 12

/**
 * Asks a server until it has become no faster for two rounds: V8 compiles what answers while the first hundred thousand requests of a process
 * are answered, on cores that several processes share.
 */
function warmUp(one: Contender, cores: Cores): void {
  let best = 0
  for (let round = 0, since = 0; round < LONGEST_WARM_UP && since < 2; round++) {
    const now = wrk(one, cores)
    since = now > 1.02 * best ? 0 : since + 1
    best = Math.max(best, now)
  }
}

/** Each in turn, and again. */
function compared(all: readonly Contender[], counts: readonly number[], cores: Cores): Result[] {
  const round = (): Map<Contender, number> => new Map(all.map((one) => [one, wrk(one, cores)]))
  for (const one of all) warmUp(one, cores)
  const rounds = Array.from({ length: ROUNDS }, round)
  const kinds = [...new Set(all.map(({ kind }) => kind))]
  return kinds.flatMap((kind) =>
    counts.map((count): Result => {
      const of = (processes: number) => all.find((one) => one.kind === kind && one.processes === processes)!
      const [one, many] = [of(1), of(count)]
      const hasCores = count <= cores.servers.length
      return {
        part: 'processes',
        name: `${TITLES[kind]}, ${count === 1 ? 'one process' : `${count} processes`}${hasCores ? '' : `, on ${cores.servers.length === 1 ? 'one core' : `${cores.servers.length} cores`}`}`,
        value: median(rounds.map((loads) => loads.get(many)! / loads.get(one)!)),
        unit: '× one process',
        target: kind === 'tieout' && count > 1 && hasCores ? `≥ ${(0.9 * count).toFixed(1)}` : null,
        reference: { name: 'requests', value: median(rounds.map((loads) => loads.get(many)!)), unit: '/s' },
      }
    }),
  )
}

/** In a process of its own: as many processes as asked for, each with the body in memory. */
function serveRaw([port, count, bytes, headers]: readonly string[]): void {
  if (cluster.isPrimary) {
    cluster.schedulingPolicy = cluster.SCHED_RR
    for (let i = 0; i < Number(count); i++) cluster.fork()
    process.on('SIGTERM', () => process.exit())
    return
  }
  const body = Buffer.alloc(Number(bytes), '0')
  const all = JSON.parse(headers!) as string[]
  createServer((_req, res) => res.writeHead(200, all).end(body)).listen(Number(port), '127.0.0.1')
}

if (process.argv[1] === SELF && process.argv[2] === 'raw') serveRaw(process.argv.slice(3))
