/**
 * The server: opens access, OAuth, companies, the ad-hoc engine and HTTP, and closes them in order. First file of
 * the room that owns answers to clients. Must not compute figures, nor read company data before the grant was
 * checked.
 */
import type { FollowEvent } from '../builder/snapshot/places/follower.ts'
import { type Access, createAccess } from '../builder/workspace/access/access.ts'
import type { Finding } from '../builder/workspace/findings/finding.ts'
import { workingCopyIn } from '../builder/workspace/snapshots-setting.ts'
import { baseUrl, requireSafeIssuer, type Workspace } from '../builder/workspace/workspace.ts'
import { type AdhocEvent, AdhocPool } from './companies/adhoc-pool.ts'
import { CompanyAnswers } from './companies/answers.ts'
import { Companies } from './companies/companies.ts'
import type { CompanyEvent } from './companies/company.ts'
import { openPins, PINS, type PinEvent } from './companies/pin.ts'
import { bucketCountsOf, openSnapshotSource, type Source, startFollowing } from './companies/source.ts'
import { listenAdmin } from './http/admin.ts'
import { createReadiness, createRemark } from './http/health.ts'
import { Load } from './http/limits/load.ts'
import { createRateLimiter } from './http/limits/rate-limit.ts'
import { type ConnectionEvent, Front, type Listening } from './http/listen.ts'
import { createListener } from './http/listener.ts'
import { createMetrics, type Metrics, type QueueLoad } from './http/metrics.ts'
import { ADMIN_ADDRESS, listeningAt, PUBLIC_ADDRESS } from './http/request/address.ts'
import { createAddressOf, createPeerOf } from './http/request/client-address.ts'
import type { AccessEntry } from './http/request/request-context.ts'
import { createOAuth } from './oauth/oauth.ts'
import type { OAuthEvent } from './oauth/server.ts'
import { OAUTH_RECORDS } from './oauth/state/records.ts'
import { openServerState } from './oauth/state/server-state.ts'
import { openSharedAccess } from './oauth/state/shared-access.ts'
import type { Store } from './store/store.ts'

/** A line of the log; it holds no secret. */
export type LogEntry =
  | AccessEntry
  | ConnectionEvent
  | CompanyEvent
  | FollowEvent
  | AdhocEvent
  | PinEvent
  | OAuthEvent
  | AccessFinding

/**
 * A mistake in access.yaml, of which the last valid version stays in force. The text found there is left out, since
 * it may be a secret.
 */
interface AccessFinding extends Pick<Finding, 'code' | 'message' | 'row' | 'column'> {
  readonly event: 'access-finding'
}

export interface ServerOptions {
  /** Overrides the workspace's port; 0 stands for any free one. */
  readonly port?: number
  readonly log?: (entry: LogEntry) => void
  /** The number of log lines that could not be written since the start. */
  readonly droppedLines?: () => number
  /** Asks the queue of builds, for the metrics. */
  readonly queue?: (() => Promise<QueueLoad>) | null
}

export interface RunningServer {
  readonly address: string
  readonly port: number
  /** The port of metrics and health; null where the workspace has no `server.admin`. */
  readonly adminPort: number | null
  /** Lets running answers finish for at most `server.drainSeconds`. Further calls wait for the same end. */
  close(): Promise<void>
}

export async function startServer(given: Workspace, options: ServerOptions = {}): Promise<RunningServer> {
  const workspace = withOwnCopy(given)
  const { server, snapshots } = workspace
  let metrics: Metrics | null = null
  const log = (entry: LogEntry): void => {
    metrics?.observe(entry)
    options.log?.(entry)
  }
  requireIssuer(workspace, log)
  const http = new Front({ peerOf: createPeerOf(server.trustedProxies), log })
  const closing: Close[] = [() => http.stop(server)]
  const { host } = server
  const ownPort = options.port ?? server.port
  try {
    await listeningAt(PUBLIC_ADDRESS, host, ownPort, () => http.listen(host, ownPort))
    const { port } = http
    const follower = await startFollowing(workspace, log)
    if (follower !== null) closing.push(() => follower.close())
    const source = await openSnapshotSource(workspace)
    const companies = new Companies({ snapshots, source, log })
    await companies.refresh()
    const parts = await openParts(workspace, { companies, source, http, port, log, closing })
    const { admin } = server
    if (admin)
      metrics = createMetrics({
        ...parts,
        droppedLines: options.droppedLines ?? (() => 0),
        queue: options.queue ?? null,
        bucket: bucketCountsOf(
          workspace,
          () => follower,
          () => source,
        ),
      })
    const adminPort = admin && metrics ? await openAdmin({ ...admin, ...parts, metrics }, closing) : null
    http.serve(createListener(parts))
    return { address: baseUrl(host, port), port, adminPort, close: closeOnce(closing, log) }
  } catch (problem) {
    await closeInOrder(closing)
    throw problem
  }
}

/** The working copy of a bucket lies in the server's own state, since its account may not enter that of those who build. */
const withOwnCopy = (workspace: Workspace): Workspace =>
  workspace.bucket === null
    ? workspace
    : { ...workspace, snapshots: workingCopyIn(workspace.server.state.folder, workspace.bucket) }

type Close = () => Promise<void>
type Log = (entry: LogEntry) => void

/** Throws where clients must not be sent to the issuer. */
function requireIssuer(workspace: Workspace, log: Log): void {
  requireSafeIssuer(workspace)
  if (workspace.server.insecureIssuer) log(INSECURE_ISSUER)
}

const INSECURE_ISSUER: LogEntry = {
  event: 'insecure-issuer',
  detail: 'server.insecureIssuer is set: passwords and tokens may be read on the way',
}

interface Opened {
  readonly companies: Companies
  readonly source: Source
  readonly http: Listening
  readonly port: number
  readonly log: Log
  /** Whatever is opened adds how to close it; these are called in this order. */
  readonly closing: Close[]
}

async function openParts(workspace: Workspace, { companies, source, http, port, log, closing }: Opened) {
  const { server, snapshots } = workspace
  const issuer = issuerOf(workspace, port)
  const addressOf = createAddressOf(server.trustedProxies)
  const { store, keys, throttle, isShared, ...state } = await openServerState(
    server.state,
    [...OAUTH_RECORDS, PINS],
    log,
  )
  const closeState = async (problem: unknown): Promise<never> => {
    await state.close()
    throw problem
  }
  const access = await openAccess(workspace, isShared ? store : null, log, closing).catch(closeState)
  const oauth = await createOAuth({
    issuer,
    store,
    keys,
    access,
    companies: () => companies.list(),
    accessTokenSeconds: server.accessTokenSeconds,
    throttle,
    addressOf,
    log,
  }).catch(closeState)
  closing.push(() => oauth.close())
  const adhoc = new AdhocPool({ log })
  closing.push(() => adhoc.close())
  const pins = openPins(store, server.pinSeconds, { isShared, log })
  closing.push(() => state.close())
  const load = new Load()
  closing.push(async () => load.close())
  return {
    issuer,
    oauth,
    companies,
    adhoc,
    snapshots,
    answers: new CompanyAnswers({ snapshots, companies, pins, adhoc }),
    readiness: createReadiness({
      accepting: http.accepting,
      folder: server.state.database === null ? server.state.folder : null,
      requireReadable: oauth.requireReadable,
      unready: () => source.unready(),
    }),
    remark: createRemark({ away: () => source.away(), slow: () => source.slow() }),
    load,
    limiter: createRateLimiter(server.rateLimit),
    hosts: server.hosts ?? null,
    origins: server.origins ?? [],
    ignoredParameters: server.ignoredParameters ?? [],
    addressOf,
    log,
  }
}

/** `shared` is the store of a database, which may have the users and clients of all its servers. */
async function openAccess(
  workspace: Workspace,
  shared: Store | null,
  log: Log,
  closing: Close[],
): Promise<Access> {
  const report = (findings: readonly Finding[]): void => reportAccess(findings, log)
  if (shared === null) return createAccess(workspace.access, { report })
  const access = await openSharedAccess(shared, workspace.access, report)
  closing.push(async () => access.close())
  return access
}

/** Opens the port of metrics and health, and returns it. */
async function openAdmin(page: Parameters<typeof listenAdmin>[0], closing: Close[]): Promise<number> {
  const admin = await listeningAt(ADMIN_ADDRESS, page.host, page.port, () => listenAdmin(page))
  closing.push(() => admin.stop({ drainSeconds: 1 }))
  return admin.port
}

/** Calling it again waits for the same end. Where it fails, the log says why. */
function closeOnce(closing: readonly Close[], log: Log): Close {
  let closed: Promise<void> | undefined
  return () => {
    closed ??= closeInOrder(closing).catch((problem: unknown) => {
      log({ event: 'not-closed', reason: String(problem) })
      throw problem
    })
    return closed
  }
}

/** Closes the HTTP server first, then what its answers use. */
async function closeInOrder(closing: readonly Close[]): Promise<void> {
  for (const close of closing) await close()
}

/** The issuer that tieout.yaml states, or the server's address with the port that was opened. */
const issuerOf = ({ server }: Workspace, port: number): string =>
  server.statesIssuer ? server.issuer : baseUrl(server.host, port)

function reportAccess(findings: readonly Finding[], log: (entry: LogEntry) => void): void {
  for (const { code, message, row, column } of findings)
    log({ event: 'access-finding', code, message, row, column })
}

/**
 * Closes the server on these signals, with exit code 0 once all is answered; a second signal ends the process at
 * once.
 */
export function closeOnSignals(
  running: Pick<RunningServer, 'close'>,
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): void {
  let asked = false
  const stop = (signal: NodeJS.Signals): void => {
    // By the signal itself, not by process.exit(): that takes native modules down while they are at work, and lmdb then
    // may end in a segmentation fault. A shell sees 130 or 143 either way; the ad-hoc child ends with its channel.
    if (asked) {
      process.removeListener(signal, stop)
      process.kill(process.pid, signal)
      return
    }
    asked = true
    running.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  for (const signal of signals) process.on(signal, stop)
}
