/** One process that serves, as the primary has it. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { MetricValues } from '../http/metrics.ts'
import { openChannel } from './channel.ts'
import type { GiveBack } from './leases.ts'
import type { PrimaryMethods, StartOrder, WorkerMethods } from './questions.ts'
import type { Member } from './supervisor.ts'

export interface ServingProcess extends Member {
  /** All of its counters and gauges. */
  metrics(): Promise<MetricValues>
  readiness(): Promise<string | null>
  /** SIGHUP: it opens its log file anew. */
  hangUp(): void
}

/** What the primary answers one process, and what it does when that has ended. */
export interface Desk {
  answers(giveBack: GiveBack): Omit<PrimaryMethods, 'begin'>
  close(): void
}

/** The module is that of `cluster.setupPrimary`. */
export function startServingProcess(order: StartOrder, desk: Desk): ServingProcess {
  const worker = cluster.fork()
  const giveBack: GiveBack = (asked) => channel.ask('giveBack', asked)
  let hear = (): void => {}
  const heard = new Promise<void>((resolve) => {
    hear = resolve
  })
  const own = { ...desk.answers(giveBack), begin: () => hear() } satisfies PrimaryMethods
  const channel = openChannel<WorkerMethods>(worker.process, own)
  const ended = once(worker.process, 'exit').then(([code, signal]) => {
    channel.close()
    desk.close()
    return String(signal ?? `exit ${code}`)
  })
  const tell = (signal: NodeJS.Signals): void => void worker.process.kill(signal)
  return {
    pid: worker.process.pid ?? 0,
    // What was sent before it listens would be lost: a worker of a cluster does not keep it.
    begun: Promise.race([heard, ended]).then(() => channel.ask('start', order)),
    ended,
    kill: () => tell('SIGKILL'),
    stop: () => void channel.ask('stop', null).catch(() => {}),
    metrics: () => channel.ask('metrics', null),
    readiness: () => channel.ask('readiness', null),
    hangUp: () => tell('SIGHUP'),
  }
}
