/**
 * A server of several processes on one port (`node:cluster`): starts and replaces them, keeps what they share, and
 * answers for all of them about metrics and health. It answers no client itself.
 */
import cluster from 'node:cluster'
import type { Follower } from '../../builder/location/follower.ts'
import { baseUrl, type Workspace } from '../../builder/workspace/workspace.ts'
import { type AdhocPool, createAdhocPool } from '../adhoc-pool.ts'
import { countsOf, openSource, startFollowing } from '../companies/source.ts'
import { createRemark, type Readiness } from '../http/health.ts'
import { CONNECTION_LIMITS } from '../http/limits.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { OWN_PASSWORDS } from '../oauth/passwords.ts'
import { createThrottle } from '../oauth/throttle.ts'
import {
  type Close,
  closeOnce,
  type LogEntry,
  openAdmin,
  type RunningServer,
  requireIssuer,
  type ServerOptions,
} from '../server.ts'
import { createConnectionCount } from './connections.ts'
import { createLender } from './leases.ts'
import { type Desk, type ServingProcess, startServingProcess } from './serving-process.ts'
import { type Supervisor, supervise } from './supervisor.ts'
import { createWholeMetrics, createWholeReadiness } from './whole.ts'

export interface PrimaryOptions extends Pick<ServerOptions, 'log' | 'droppedLines'> {
  /** The module of a serving process, which calls `serveAsWorker`. */
  readonly module: string
  readonly quiet: boolean
}

export interface RunningProcesses extends Pick<RunningServer, 'address' | 'port' | 'adminPort' | 'close'> {
  /** Resolves when processes ended again and again; the message says why. */
  readonly givenUp: Promise<string>
}

/** How long a process may take to end beyond its drain. */
const SLACK_SECONDS = 5

/** `server.port` must be a port and not 0, since all processes listen on the same one. */
export async function startProcesses(
  workspace: Workspace,
  options: PrimaryOptions,
): Promise<RunningProcesses> {
  const { server } = workspace
  let metrics: Metrics | null = null
  const log = (entry: LogEntry): void => {
    metrics?.observe(entry)
    options.log?.(entry)
  }
  requireIssuer(workspace, log)
  const adhoc = createAdhocPool({ log })
  if (server.admin)
    metrics = createMetrics({
      ...ANSWERS_NOBODY,
      adhoc,
      droppedLines: options.droppedLines ?? NONE,
      bucket: countsOf(workspace, () => follower),
    })
  let follower: Follower | null = null
  let isStopping = false
  let isClean = true
  let supervisor: Supervisor<ServingProcess> | null = null
  const members = (): readonly ServingProcess[] => supervisor?.members() ?? []
  /** Also those that start, which may have opened the log already. */
  const running = new Set<ServingProcess>()
  process.on('SIGHUP', () => {
    for (const { hangUp } of running) hangUp()
  })
  const ofAll = createWholeReadiness(members)
  const readiness: Readiness = async () => (isStopping ? 'stopping' : ofAll())
  const newDesk = createDesks(workspace, { adhoc, readiness, log })
  let isFirst = true
  function start(): ServingProcess {
    const order = { workspace, quiet: options.quiet, makesState: isFirst }
    isFirst = false
    const started = startServingProcess(order, newDesk())
    running.add(started)
    started.ended.then(() => running.delete(started))
    return started
  }
  const closing: Close[] = [
    async () => {
      isStopping = true
      isClean = (await supervisor?.stop()) ?? true
    },
    () => adhoc.close(),
  ]
  try {
    follower = await startFollowing(workspace, log)
    closing.push(async () => follower?.close())
    const source = await openSource(workspace)
    // Each process takes connections itself: none is lost on the way to one that ends, is stuck, or has no room for it. Node
    // knows the variable, by which an operator has them handed out in turn.
    if (process.env.NODE_CLUSTER_SCHED_POLICY === undefined) cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec: options.module, args: [], serialization: 'advanced' })
    supervisor = await supervise({
      count: server.processes,
      start,
      log,
      stopMs: (server.noticeSeconds + server.drainSeconds + SLACK_SECONDS) * 1000,
    })
    const whole = metrics && createWholeMetrics(metrics, members)
    const adminPort =
      server.admin && whole
        ? await openAdmin(
            {
              ...server.admin,
              metrics: whole,
              readiness,
              remark: createRemark({ away: () => source.away(), slow: () => source.slow() }),
            },
            closing,
          )
        : null
    closing.push(async () => {
      if (!isClean) throw new Error('a process of the server failed while it ended, or had to be killed')
    })
    const { host, port } = server
    const close = closeOnce(closing, log)
    return { address: baseUrl(host, port), port, adminPort, close, givenUp: supervisor.givenUp }
  } catch (problem) {
    for (const close of closing) await close()
    throw problem
  }
}

const NONE = (): number => 0
/** Gauges of the primary itself, which answers no client. */
const ANSWERS_NOBODY = {
  load: { underWay: NONE, waiting: NONE },
  companies: { list: () => [], health: () => [] },
}

interface Commons {
  readonly adhoc: AdhocPool
  readonly readiness: Readiness
  readonly log: (entry: LogEntry) => void
}

/** Each process has its own desk, so that what it held is released when it ends. */
function createDesks({ server }: Workspace, { adhoc, readiness, log }: Commons): () => Desk {
  const throttle = createThrottle()
  const lender = createLender(server.rateLimit, server.processes)
  const countOf = createConnectionCount(CONNECTION_LIMITS.mostConnectionsOfAddress, (address) =>
    log({ event: 'connections-refused', address }),
  )
  return () => {
    const connections = countOf()
    return {
      answers: (giveBack) => ({
        adhoc: ({ request, grantId }, signal) => adhoc.answer(request, signal, grantId),
        lend: (grantId) => lender.lend(grantId, giveBack),
        signInAttempt: ({ address, account }) => throttle.attempt(address, account),
        signInSucceeded: ({ address, account }) => throttle.succeeded(address, account),
        signInNotTried: ({ address, account }) => throttle.notTried(address, account),
        consent: (userId) => throttle.consent(userId),
        passwordsBusy: () => OWN_PASSWORDS.isBusy(),
        verifyPassword: ({ password, hash }) => OWN_PASSWORDS.verify(password, hash),
        hashPassword: (password) => OWN_PASSWORDS.hash(password),
        connections: (changes) => connections.change(changes),
        readiness: () => readiness(),
      }),
      close: () => connections.forget(),
    }
  }
}
