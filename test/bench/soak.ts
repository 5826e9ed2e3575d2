/**
 * A bounded soak: `node --import tsx test/bench/soak.ts [seconds] [seconds between snapshots]`, two minutes and 15
 * seconds unless told otherwise. A server in a process of its own under mixed load: every route, ad-hoc ranges, columns,
 * files, sign-ins, refreshes, clients that leave, and new snapshots. Prints requests, errors (which must be none),
 * latencies and memory. Each snapshot brings answers of its own into the caches, which are bounded: whether anything
 * else grows shows where no snapshot comes, and in live memory.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { closeOnSignals, startServer } from '../../serve/server.ts'
import { builtWorkspace, ledger } from '../serve/http/workspace.ts'
import { authorizeUrl, Browser, redeem, refreshWith } from '../serve/oauth/harness.ts'

const CLIENTS = 8
/** One core of a small machine is the server's: more would measure the queue. */
const PAUSE_MS = 2
const SAMPLE_MS = 2000
const MB = 1024 * 1024
/** Caches fill first: memory is judged from then on. */
const WARM = 0.6

async function serve(root: string): Promise<void> {
  const running = await startServer(openWorkspace(root))
  closeOnSignals(running)
  process.send!([running.address, running.adminPort])
  // What is alive, which resident memory tells only in the long run.
  process.on('message', () => {
    globalThis.gc!()
    const { heapUsed, external } = process.memoryUsage()
    process.send!((heapUsed + external) / MB)
  })
}

interface Sample {
  readonly seconds: number
  readonly server: number
  /** Heap and buffers of the server after a collection. */
  readonly live: number
  readonly child: number
  readonly files: number
}

async function soak(seconds: number, publishSeconds: number): Promise<void> {
  const built = await builtWorkspace()
  built.write(
    'tieout.yaml',
    'server: { port: 0, drainSeconds: 5, pinSeconds: 5, admin: { port: 0 }, rateLimit: { requests: 100000000 } }\n',
  )
  const server = fork(fileURLToPath(import.meta.url), ['serve', built.workspace.root], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const [[address, adminPort]] = (await once(server, 'message')) as [[string, number]]
  const begun = performance.now()
  const elapsed = (): number => (performance.now() - begun) / 1000
  const tally = new Tally()
  const samples: Sample[] = []
  const isOver = (): boolean => elapsed() >= seconds

  await Promise.all([
    ...Array.from({ length: CLIENTS }, (_, i) => actAsClient(address, i, tally, isOver)),
    until(
      isOver,
      SAMPLE_MS,
      async () =>
        void samples.push({ seconds: elapsed(), ...measure(server), live: await liveMemory(server) }),
    ),
    until(isOver, publishSeconds * 1000, async (round) => {
      built.write('datasets/acme/accrual.csv', ledger(2, round))
      await built.build('acme')
    }),
  ])
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  built.remove()
  print(report(seconds, tally, samples, metrics))
  process.exitCode = tally.errors.size > 0 || code !== 0 ? 1 : 0
}

/** What was asked and how long it took, by kind of request. */
class Tally {
  readonly times = new Map<string, number[]>()
  readonly errors = new Map<string, number>()
  left = 0

  async time(kind: string, expected: readonly number[], ask: () => Promise<number>): Promise<void> {
    const from = performance.now()
    const status = await ask().catch((problem: Error) => problem.cause ?? problem.message)
    const times = this.times.get(kind) ?? []
    this.times.set(kind, times)
    times.push(performance.now() - from)
    if (expected.includes(status as number)) return
    const error = `${kind}: ${String(status).slice(0, 80)}`
    this.errors.set(error, (this.errors.get(error) ?? 0) + 1)
  }
}

const LISTS = [
  'info',
  'chart-of-accounts',
  'budgets',
  'classes',
  'departments',
  'non-financial-list',
  'snapshots',
]
const STATEMENTS = ['profit-loss', 'balance-sheet', 'cash-flow-statement']
const FILTERS = [
  '',
  '&ClassId=north',
  '&ClassId=N%2F1&DepartmentId=ops',
  '&DepartmentId=unassigned',
  '&BudgetId=op%2025%2F%C3%B6',
]
const ARROW = { Accept: 'application/vnd.apache.arrow.stream' }
const METRICS = { NonFinancialIds: ['units'], StartDate: '2024-01-01' }

let signingIn: Promise<void> = Promise.resolve()

async function actAsClient(
  address: string,
  number: number,
  tally: Tally,
  isOver: () => boolean,
): Promise<void> {
  let token = ''
  let refresh = ''
  const signIn = async (): Promise<number> => {
    // One after another: many at once for one account are what the server takes for guessing.
    const before = signingIn
    let done = (): void => {}
    signingIn = new Promise((resolve) => {
      done = resolve
    })
    await before
    return enter().finally(done)
  }
  const enter = async (): Promise<number> => {
    const back = await new Browser(address).allow(authorizeUrl(address), ['acme', 'solo'])
    const { status, body } = await redeem(address, back.searchParams.get('code')!)
    token = body.access_token
    refresh = body.refresh_token
    return status
  }
  const renew = async (): Promise<number> => {
    const { status, body } = await refreshWith(address, refresh)
    token = body.access_token
    refresh = body.refresh_token
    return status
  }
  const ask = async (path: string, init: RequestInit = {}): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'br', ...init.headers }
    const response = await fetch(`${address}${path}`, { ...init, headers })
    await response.arrayBuffer()
    return response.status
  }
  const read = (kind: string, path: string, init: RequestInit = {}): Promise<void> =>
    tally.time(kind, [200], () => ask(path, init))

  for (let round = number; !isOver(); round++) {
    if (round === number || round % 200 === 0) await tally.time('sign-in', [200], signIn)
    if (round % 10 === 0) await tally.time('refresh', [200], renew)
    const day = String(1 + (round % 27)).padStart(2, '0')
    const month = String(1 + (round % 12)).padStart(2, '0')
    const filter = FILTERS[round % FILTERS.length]!
    const statement = `/companies/acme/${STATEMENTS[round % 3]}`
    const whole = `${statement}?StartDate=2024-01-01&EndDate=2025-06-30&AccountingBasis=ACCRUAL${filter}`
    const odd = `${statement}?StartDate=2024-01-${day}&EndDate=2025-${month}-${day}&AccountingBasis=CASH${filter}`
    for (const list of LISTS) await read('list', `/companies/${round % 2 ? 'acme' : 'solo'}/${list}`)
    await read('user-info', '/oauth2/user-info')
    await read('statement', whole)
    await read('columns', whole, { headers: ARROW })
    await tally.time('not modified', [304], () => ask(whole, { headers: { 'If-None-Match': '*' } }))
    await read('ad hoc', odd)
    await read('metrics', '/companies/acme/non-financial', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...METRICS, EndDate: `2025-06-${day}` }),
    })
    await tally.time('file', [200], () => readFile(ask, address, token, round))
    await tally.time('refused', [404], () => ask('/companies/nowhere/info'))
    await tally.time('refused', [400], () => ask('/companies/acme/classes?limit=0'))
    await tally.time('probe', [200], () => ask('/readyz'))
    await leave(address, token, odd.replace('CASH', 'ACCRUAL'), round)
    tally.left++
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function readFile(
  ask: (path: string) => Promise<number>,
  address: string,
  token: string,
  round: number,
): Promise<number> {
  const listed = await fetch(`${address}/companies/acme/snapshots`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const { Data } = (await listed.json()) as { Data: { SnapshotId: string }[] }
  const path = ['manifest.json', 'books/postings.parquet', 'info.json'][round % 3]
  return ask(`/companies/acme/snapshots/${Data[0]!.SnapshotId}/files/${path}`)
}

/** A client that goes away while it is being answered. */
async function leave(address: string, token: string, path: string, round: number): Promise<void> {
  const gone = new AbortController()
  setTimeout(() => gone.abort(), round % 5)
  await fetch(`${address}${path}`, { headers: { Authorization: `Bearer ${token}` }, signal: gone.signal })
    .then((response) => response.arrayBuffer())
    .catch(() => {})
}

async function until(
  isOver: () => boolean,
  everyMs: number,
  act: (round: number) => Promise<void>,
): Promise<void> {
  for (let round = 1; !isOver(); round++) {
    const next = performance.now() + everyMs
    await act(round)
    while (!isOver() && performance.now() < next) await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Resident memory in MB and open files, from /proc; 0 where there is none. */
function measure({ pid }: ChildProcess): Omit<Sample, 'seconds' | 'live'> {
  const text = (path: string): string => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return ''
    }
  }
  const resident = (id: string | number): number =>
    (Number(/VmRSS:\s+(\d+) kB/.exec(text(`/proc/${id}/status`))?.[1] ?? 0) * 1024) / MB
  const children = text(`/proc/${pid}/task/${pid}/children`).trim().split(' ')
  let files = 0
  try {
    files = readdirSync(`/proc/${pid}/fd`).length
  } catch {
    // Not every system tells.
  }
  return { server: resident(pid!), child: Math.max(0, ...children.map(resident)), files }
}

async function liveMemory(server: ChildProcess): Promise<number> {
  const answer = once(server, 'message')
  server.send('measure')
  return ((await answer) as [number])[0]
}

/** Least squares, in units of the value per minute. */
function slope(samples: readonly Sample[], value: (sample: Sample) => number): number {
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [x, y] = [mean((sample) => sample.seconds), mean(value)]
  const covariance = mean((sample) => (sample.seconds - x) * (value(sample) - y))
  return (covariance / mean((sample) => (sample.seconds - x) ** 2)) * 60
}

function report(seconds: number, tally: Tally, samples: readonly Sample[], metrics: string): string {
  const all = [...tally.times.values()].flat()
  const warm = samples.filter((sample) => sample.seconds > seconds * WARM)
  const at = (times: readonly number[], part: number): string =>
    [...times]
      .sort((a, b) => a - b)
      [Math.floor((times.length - 1) * part)]!.toFixed(1)
      .padStart(8)
  const row = (name: string, times: readonly number[]): string =>
    `${name.padEnd(14)}${String(times.length).padStart(8)}${at(times, 0.5)}${at(times, 0.99)}${at(times, 1)}`
  const memory = (name: string, value: (sample: Sample) => number): string =>
    `${name.padEnd(22)}${value(warm[0]!).toFixed(0).padStart(6)} → ${value(warm.at(-1)!).toFixed(0).padStart(6)}   ${slope(warm, value).toFixed(2)} a minute`
  return [
    `${seconds} s, ${CLIENTS} clients: ${all.length} requests (${Math.round(all.length / seconds)} a second), ${tally.left} that left early`,
    `errors: ${[...tally.errors.values()].reduce((sum, count) => sum + count, 0)}`,
    ...[...tally.errors].map(([error, count]) => `  ${count} × ${error}`),
    '',
    `${'ms'.padEnd(14)}${'count'.padStart(8)}${'p50'.padStart(8)}${'p99'.padStart(8)}${'max'.padStart(8)}`,
    ...[...tally.times].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, times]) => row(kind, times)),
    row('all', all),
    '',
    memory('server, live MB', (sample) => sample.live),
    memory('server, resident MB', (sample) => sample.server),
    memory('child, resident MB', (sample) => sample.child),
    memory('open files', (sample) => sample.files),
    '',
    ...metrics
      .split('\n')
      .filter((line) => /^tieout_events_total|^http_requests_(in_flight|waiting)/.test(line)),
  ].join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

if (process.argv[2] === 'serve') await serve(process.argv[3]!)
else await soak(Number(process.argv[2] ?? 120), Number(process.argv[3] ?? 15))
