/** The primary's view of one serving process. */
import cluster, { type Worker } from 'node:cluster'
import type { MetricValues } from '../http/metrics.ts'
import { openChannel } from './channel.ts'
import type { GiveBack } from './leases.ts'
import type { PrimaryMethods, StartOrder, WorkerMethods } from './questions.ts'
import type { Member } from './supervisor.ts'

export interface ServingProcess extends Member {
  /** All of its counters and gauges. */
  metrics(): Promise<MetricValues>
  readiness(): Promise<string | null>
  /** On SIGHUP: opens its log file again. */
  hangUp(): void
}

/** The primary's answers to one process, and their cleanup when it has ended. */
export interface Desk {
  answers(giveBack: GiveBack): Omit<PrimaryMethods, 'begin'>
  close(): void
}

/** Starts the module that `cluster.setupPrimary` was given. */
export function startServingProcess(order: StartOrder, desk: Desk): ServingProcess {
  const worker = cluster.fork()
  const giveBack: GiveBack = (asked) => channel.ask('giveBack', asked)
  let onBegin = (): void => {}
  const hasBegun = new Promise<void>((resolve) => {
    onBegin = resolve
  })
  const own = { ...desk.answers(giveBack), begin: () => onBegin() } satisfies PrimaryMethods
  const channel = openChannel<WorkerMethods>(worker.process, own)
  const ended = endOf(worker).then((how) => {
    channel.close()
    desk.close()
    return how
  })
  const send = (signal: NodeJS.Signals): void => void worker.process.kill(signal)
  return {
    pid: worker.process.pid ?? 0,
    // The order is sent once the process listens: a cluster worker does not keep earlier messages.
    begun: Promise.race([hasBegun, ended]).then(() => channel.ask('start', order)),
    ended,
    alive: () => hasBegun.then(() => channel.ask('alive', null)),
    kill: () => send('SIGKILL'),
    stop: () => void channel.ask('stop', null).catch(() => {}),
    metrics: () => channel.ask('metrics', null),
    readiness: () => channel.ask('readiness', null),
    // Before it has begun, the signal would end it.
    hangUp: () => void hasBegun.then(() => send('SIGHUP')),
  }
}

/** A process that could not be started has no number, and never exits. Other errors are of messages to one that ends. */
const endOf = (worker: Worker): Promise<string> =>
  new Promise((resolve) => {
    worker.process.once('exit', (code, signal) => resolve(String(signal ?? `exit ${code}`)))
    worker.on('error', (problem) => {
      if (worker.process.pid === undefined) resolve(problem.message)
    })
  })
