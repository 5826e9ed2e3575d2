/** `tieout serve --processes` as a user starts it, its log as it comes, and requests that each come on a new connection. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import * as assert from 'uvu/assert'
import { begin, printed, type Running } from '../../cli/command.ts'
import { type BuiltWorkspace, builtWorkspace } from '../http/workspace.ts'

export interface Line {
  readonly event: string
  /** Who wrote it. */
  readonly process: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads fields that its assertion is about
  readonly [detail: string]: any
}

export interface Served {
  readonly built: BuiltWorkspace
  readonly command: Running
  readonly address: string
  readonly port: number
  readonly adminPort: number
  /** Of the log on stderr. */
  readonly lines: readonly Line[]
  /** Waits for so many lines of that kind from now on, or from the beginning. */
  seen(is: (line: Line) => boolean, count?: number): Promise<readonly Line[]>
  /** Ids of the processes that answer, as the log has said up to now. */
  pids(): readonly number[]
  /** The sum of the samples of a metric whose text has `labels` in it. */
  metric(name: string, labels?: string): Promise<number>
  /** Ends it by SIGTERM; gives the exit code, and what it logged last where that is not 0. */
  end(): Promise<number | string>
}

/** Hands connections out in turn, for tests that need each process to be asked. */
export const IN_TURN = { NODE_CLUSTER_SCHED_POLICY: 'rr' }

/** `server`: settings of tieout.yaml beside the port. Waits until all processes serve. */
export async function served(
  processes: number,
  server: string,
  from?: BuiltWorkspace,
  env: Readonly<Record<string, string>> = IN_TURN,
): Promise<Served> {
  const built = from ?? (await builtWorkspace())
  const { root } = built.workspace
  built.write('tieout.yaml', `server: { port: 0, admin: { port: 0 }, drainSeconds: 5, ${server} }\n`)
  const command = begin(['--json', 'serve', '--processes', String(processes)], { cwd: root, env })
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: command.stderr }).on('line', (text) => {
    if (!text.startsWith('{')) return
    lines.push(JSON.parse(text) as Line)
    for (const look of waiting) look()
  })
  const { address, adminPort } = JSON.parse(await printed(command, /^\}$/m)) as {
    address: string
    adminPort: number
  }
  const seen: Served['seen'] = (is, count = 1) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.filter(is)
        if (found.length < count) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void command.then(() => reject(new Error('it ended before that was logged')))
    })
  return {
    built,
    command,
    address,
    port: Number(new URL(address).port),
    adminPort,
    lines,
    seen,
    pids: () => {
      const gone = new Set(lines.filter(({ event }) => event === 'process-ended').map((line) => line.pid))
      return lines
        .filter((line) => line.event === 'process-started' && !gone.has(line.pid))
        .map((line) => line.pid as number)
    },
    metric: async (name, labels = '') => {
      const page = await (await fresh(`http://127.0.0.1:${adminPort}/metrics`)).text()
      const samples = page
        .split('\n')
        .filter((line) => /^\w+/.exec(line)?.[0] === name && line.includes(labels))
      return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    end: async () => {
      command.kill('SIGTERM')
      const { exitCode, stderr } = await command
      return exitCode === 0 ? 0 : `${exitCode}: ${String(stderr).slice(-2000)}`
    },
  }
}

/** On a connection of its own, so that the next process takes it. */
export const fresh = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), connection: 'close' } })

/** Ids of the processes that answered these requests, which more than one of them must have. */
export function severalOf(lines: readonly Line[]): ReadonlySet<number> {
  const pids = new Set(lines.map((line) => line.process))
  assert.ok(pids.size > 1, `only ${[...pids]} answered`)
  return pids
}

/** Settled when there is no such process any more. */
export async function hasEnded(pid: number): Promise<void> {
  for (;;) {
    try {
      // A process that ended and was not taken leave of is there, as a zombie.
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
