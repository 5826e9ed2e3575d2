/** Workers of a queue, as child processes whose lines can be waited for. */
import * as assert from 'uvu/assert'
import { begin, goodCompany, type Ran, type Running } from '../cli/command.ts'
import type { Files } from './workspace.ts'

export interface Line {
  readonly event: string
  readonly company?: string
  /** Of `worker-started`. */
  readonly worker?: string
  readonly outcome?: string
  readonly time: string
}

export interface Worker {
  readonly running: Running
  readonly lines: Line[]
  /** Waits until it has said a line of which `holds` is true, `times` times. */
  said(holds: (line: Line) => boolean, times?: number): Promise<void>
  /** Ends it as a person does; gives the exit code. */
  end(): Promise<number | undefined>
}

/** Starts `tieout worker`. */
export function beginWorker(args: readonly string[], at: Parameters<typeof begin>[1]): Worker {
  const running = begin(['worker', '--json', ...args], at)
  const lines: Line[] = []
  let half = ''
  const listeners = new Set<() => void>()
  running.stdout.on('data', (bytes: Buffer) => {
    const texts = (half + bytes.toString('utf8')).split('\n')
    half = texts.pop()!
    // A worker that fails prints one document of several lines, as all commands do.
    for (const text of texts) if (text.startsWith('{"')) lines.push(JSON.parse(text))
    for (const listener of listeners) listener()
  })
  const said: Worker['said'] = (holds, times = 1) =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (lines.filter(holds).length < times) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      void running.then(({ stdout }) => reject(new Error(`the worker has ended: ${stdout}`)))
      look()
    })
  return {
    running,
    lines,
    said,
    end: async () => {
      running.kill('SIGTERM')
      return (await running).exitCode
    },
  }
}

export const isEnd = ({ event }: Line): boolean => event === 'build-ended'

/** Small companies that tie out: c00, c01 … */
export const many = (count: number): Record<string, Files> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => `c${String(i).padStart(2, '0')}`).map((id) => [
      id,
      goodCompany(id),
    ]),
  )

interface Status {
  readonly company: string
  readonly waiting: { readonly attempt: number } | null
  readonly running: { readonly worker: string } | null
  readonly last: {
    readonly outcome: string
    readonly message: string | null
    readonly findings: { code: string }[]
  } | null
}

type Run = (...args: readonly string[]) => Promise<Ran>

export const statusOf = async (run: Run): Promise<Status[]> =>
  JSON.parse((await run('status', '--json')).out).companies

/** Waits until nothing waits or runs any more. A killed worker may not have said what it did, so that the queue is asked. */
export async function allEnded(run: Run): Promise<void> {
  while (!(await statusOf(run)).every(({ waiting, running, last }) => !waiting && !running && last))
    await new Promise((resolve) => setTimeout(resolve, 400))
}

/** Nothing waits or runs, and every company is published. */
export async function assertAllDone(run: Run): Promise<void> {
  for (const { company, waiting, running, last } of await statusOf(run)) {
    assert.is(waiting, null, company)
    assert.is(running, null, company)
    assert.ok(['published', 'unchanged'].includes(last!.outcome), `${company}: ${last!.outcome}`)
  }
}
