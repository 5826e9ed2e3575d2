/** Several companies built at once, each in a process of its own: one that runs out of memory takes no other with it. */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, freemem } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, BuildResult, Progress } from '../builder/build-result.ts'
import type { BuildOrder, BuildReply } from './build-child.ts'
import { EXIT, type Failure } from './exit.ts'

export type Outcome = { readonly result: BuildResult } | { readonly failure: Failure; readonly trace: string }

export interface Watcher {
  begin(company: string): void
  progress(company: string, ...at: Parameters<Progress>): void
  end(company: string, outcome: Outcome): void
}

/** What the build of a million postings takes. */
const MEMORY_PER_BUILD = 1024 ** 3

/** How many of `companies` are built at once: as many as there are cores, and room in memory. */
export const atOnce = (companies: number): number =>
  Math.max(1, Math.min(companies, availableParallelism(), Math.floor(freemem() / MEMORY_PER_BUILD)))

/** Builds all of `companies`, `processes` at once; no failure of one ends the others. */
export async function buildBesideEachOther(
  root: string,
  companies: readonly string[],
  options: Pick<BuildOptions, 'publish' | 'restate'>,
  processes: number,
  watcher: Watcher,
): Promise<void> {
  const left = [...companies]
  const worker = async (): Promise<void> => {
    let child: ChildProcess | null = null
    for (let company = left.shift(); company !== undefined; company = left.shift()) {
      if (!isThere(child)) child = start()
      watcher.begin(company)
      const outcome = await order(
        child,
        { root, company, options: { ...options, share: processes } },
        watcher,
      )
      watcher.end(company, outcome)
    }
    if (isThere(child)) child.disconnect()
  }
  await Promise.all(Array.from({ length: processes }, worker))
}

const MODULE = fileURLToPath(new URL(`build-child${extname(import.meta.url)}`, import.meta.url))

function start(): ChildProcess {
  const child = fork(MODULE, [], {
    serialization: 'advanced',
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // A process that was killed cannot be written to: its end says all there is to say.
  child.on('error', () => {})
  return child
}

const isThere = (child: ChildProcess | null): child is ChildProcess =>
  child?.connected === true && child.exitCode === null && child.signalCode === null

function order(child: ChildProcess, asked: BuildOrder, watcher: Watcher): Promise<Outcome> {
  return new Promise((resolve) => {
    const settle = (outcome: Outcome): void => {
      child.removeListener('message', hear)
      child.removeListener('exit', lose)
      resolve(outcome)
    }
    const hear = (reply: BuildReply): void => {
      if ('step' in reply) watcher.progress(asked.company, reply.step, reply.done, reply.total)
      else settle(reply)
    }
    const lose = (code: number | null, signal: NodeJS.Signals | null): void => {
      const how = signal === null ? `with ${code}` : `by ${signal}`
      const why = signal === 'SIGKILL' ? '; most likely there was not enough memory' : ''
      const message = `its process was ended ${how}${why}. Nothing of it was published; build it alone: tieout build ${asked.company}`
      settle({
        failure: { exitCode: EXIT.failed, code: 'process-ended', message, findings: [] },
        trace: message,
      })
    }
    child.on('message', hear)
    child.on('exit', lose)
    child.send(asked)
  })
}
