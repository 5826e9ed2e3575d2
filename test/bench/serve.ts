/** Serving, with `wrk` on the same machine: ready answers beside polka with sirv and nginx, and how soon the first comes. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import polka from 'polka'
import sirv from 'sirv'
import { secretHash } from '../../builder/workspace/access/access-edit.ts'
import { PASSWORD_HASH, REDIRECT_URI, SECRET } from '../serve/oauth/harness.ts'
import { MEASURED, writeCompany, writeWorkspace } from './ledger.ts'
import { nginxArguments } from './nginx.ts'
import { cpuOfFamily, isInstalled, tieout } from './processes.ts'
import { median, type Result } from './results.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/tieout.cjs', import.meta.url))
const SELF = fileURLToPath(import.meta.url)
const PORTS = { ours: 18_080, sirv: 18_081, nginx: 18_082 }
const SECONDS = 2
const ROUNDS = 3
const CONNECTIONS = 32
const ACCESS = (companies: readonly string[]) => `users:
  - { id: ann, email: ann@example.com, firstName: Ann, lastName: A, companies: [${companies}], password: "${PASSWORD_HASH}" }
clients:
  - { id: reports, name: Reports, secretHashes: [${secretHash(SECRET)}], redirectUris: [${REDIRECT_URI}] }
`

export interface Served {
  readonly server: ChildProcess
  readonly token: string
  /** From starting the process to the first whole answer. */
  readonly startSeconds: number
  readonly origin: string
}

const ORIGIN = `http://127.0.0.1:${PORTS.ours}`
const idOf = (i: number): string => `bench${i + 1}`

/** A server of a workspace with so many companies, which are built. */
export async function serving<T>(
  postings: number,
  companies: number,
  use: (served: Served) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  const ids = Array.from({ length: companies }, (_, i) => idOf(i))
  try {
    writeWorkspace(folder, `server: { port: ${PORTS.ours}, rateLimit: { requests: 100000000 } }\n`)
    writeFileSync(join(folder, 'access.yaml'), ACCESS(ids), { mode: 0o600 })
    const size = companies === 1 ? MEASURED : { ...MEASURED, classes: 4, departments: 3 }
    for (const [i, id] of ids.entries()) await writeCompany(folder, id, { ...size, postings, seed: i + 1 })
    await tieout(folder, 'build')
    const whose = ['--user', 'ann@example.com', '--client', 'reports', '--minutes', '120']
    const { stdout } = await tieout(folder, 'token', ...whose)
    return await servedIn(folder, stdout.trim(), use)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function servedIn<T>(folder: string, token: string, use: (served: Served) => Promise<T>): Promise<T> {
  const begun = performance.now()
  const server = spawn(process.execPath, [MAIN, '-C', folder, 'serve'], { stdio: 'ignore' })
  try {
    await firstAnswer(`${ORIGIN}${pathOf(idOf(0), '2025-01-01', '2025-12-31')}`, token)
    const startSeconds = (performance.now() - begun) / 1000
    return await use({ server, token, startSeconds, origin: ORIGIN })
  } finally {
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }
}

export const pathOf = (company: string, from: string, to: string): string =>
  `/companies/${company}/profit-loss?StartDate=${from}&EndDate=${to}&AccountingBasis=ACCRUAL`

async function firstAnswer(url: string, token: string): Promise<void> {
  const deadline = performance.now() + LONGEST_START_MS
  let status = 0
  while (performance.now() < deadline) {
    status = await get(url, token).catch(() => 0)
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`no answer from ${url}: ${status === 0 ? 'nothing listens' : status}`)
}

/** On a busy machine of one core. */
const LONGEST_START_MS = 60_000

async function get(url: string, token: string): Promise<number> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  return response.status
}

interface Load {
  readonly perSecond: number
  /** Processor time of the server per request, in microseconds: steadier than throughput on a shared machine. */
  readonly microseconds: number
}

/** Who answers what, to compare. */
interface Contender {
  readonly pid: number
  readonly url: string
  readonly headers: readonly string[]
}

function wrk({ pid, url, headers }: Contender): Load {
  const before = cpuOfFamily(pid)
  const args = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${SECONDS}s`,
    ...headers.flatMap((header) => ['-H', header]),
    url,
  ]
  const out = execFileSync('wrk', args, { encoding: 'utf8' })
  const requests = Number(/(\d+) requests in/.exec(out)?.[1])
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]),
    microseconds: ((cpuOfFamily(pid) - before) / requests) * 1e6,
  }
}

/** Polka with sirv, which sends the files of a folder from disk and checks nothing. */
function serveFiles(folder: string): void {
  const { handler } = polka().use(sirv(folder, { etag: true }))
  createServer(handler as RequestListener).listen(PORTS.sirv, '127.0.0.1', () => process.send!('ready'))
}

async function startNginx(folder: string, bytes: number): Promise<ChildProcess | null> {
  if (!isInstalled('nginx')) return null
  const args = nginxArguments(folder, { bytes, port: PORTS.nginx, workers: 2 })
  const nginx = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  await firstAnswer(`http://127.0.0.1:${PORTS.nginx}/body`, '')
  return nginx
}

export async function ready(): Promise<Result[]> {
  if (!isInstalled('wrk')) throw new Error('wrk is not installed: apt-get install wrk')
  return serving(20_000, 1, async ({ server, token, origin }) => {
    const url = `${origin}${pathOf('bench1', '2024-01-01', '2024-03-31')}`
    const authorization = `Authorization: Bearer ${token}`
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' },
    })
    const body = Buffer.from(await response.arrayBuffer())
    const validator = `If-None-Match: ${response.headers.get('etag')}`
    const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
    writeFileSync(join(folder, 'body.json'), body)
    const files = fork(SELF, ['files', folder], { execArgv: process.execArgv })
    let nginx: ChildProcess | null = null
    try {
      await once(files, 'message')
      nginx = await startNginx(folder, body.length)
      return compared(body.length, {
        sirv: { pid: files.pid!, url: `http://127.0.0.1:${PORTS.sirv}/body.json`, headers: [] },
        hot: { pid: server.pid!, url, headers: [authorization] },
        same: { pid: server.pid!, url, headers: [authorization, validator] },
        ...(nginx && {
          nginx: { pid: nginx.pid!, url: `http://127.0.0.1:${PORTS.nginx}/body`, headers: [] },
        }),
      })
    } finally {
      files.kill()
      nginx?.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

type Contenders = Readonly<Record<'sirv' | 'hot' | 'same', Contender>> & { readonly nginx?: Contender }

/** Each in turn, and again; the first round finds code that is not compiled yet, and does not count. */
function compared(bytes: number, contenders: Contenders): Result[] {
  const names = Object.keys(contenders) as (keyof Contenders)[]
  const round = () => Object.fromEntries(names.map((name) => [name, wrk(contenders[name]!)]))
  round()
  const rounds = Array.from({ length: ROUNDS }, round)
  const result = (name: keyof Contenders, title: string, target: string | null = null): Result[] => {
    const of = (pick: (load: Load, sirv: Load) => number) =>
      median(rounds.map((loads) => pick(loads[name]!, loads.sirv!)))
    return [
      {
        part: 'serve',
        name: title,
        value: of((load, sirv) => load.perSecond / sirv.perSecond),
        unit: '× sirv',
        target,
        reference: { name: 'requests', value: of(({ perSecond }) => perSecond), unit: '/s' },
      },
      {
        part: 'serve',
        name: `${title}, processor time`,
        value: of(({ microseconds }) => microseconds),
        unit: 'µs',
        target: null,
        reference: {
          name: 'of sirv',
          value: of((load, sirv) => load.microseconds / sirv.microseconds),
          unit: '×',
        },
      },
    ]
  }
  return [
    ...result('sirv', `polka with sirv, ${bytes} bytes from disk`),
    ...result('hot', 'ready answer, token checked', '≥ 1.3'),
    ...result('same', '304, token checked'),
    ...('nginx' in contenders ? result('nginx', 'nginx, two workers, from disk') : []),
  ]
}

export async function start(): Promise<Result[]> {
  const seconds = await serving(2000, 10, async ({ startSeconds }) => startSeconds)
  return [
    { part: 'start', name: '10 companies, to the first answer', value: seconds, unit: 's', target: '≤ 1' },
  ]
}

if (process.argv[1] === SELF && process.argv[2] === 'files') serveFiles(process.argv[3]!)
