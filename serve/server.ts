/**
 * The server as one value: access, OAuth, companies, the ad-hoc engine and HTTP, wired and taken down in order.
 * Owns answers to clients. Must not compute figures, nor answer company data before the grant was checked.
 */
import { createAccess } from '../builder/workspace/access.ts'
import type { Finding } from '../builder/workspace/finding.ts'
import { baseUrl, requireSafeIssuer, type Workspace } from '../builder/workspace/workspace.ts'
import { type AdhocEvent, createAdhocPool } from './adhoc-pool.ts'
import { createAddressOf, createPeerOf } from './client-address.ts'
import { createAnswers } from './companies/answers.ts'
import { createCompanies } from './companies/companies.ts'
import type { CompanyEvent } from './companies/company.ts'
import { openPins, type PinEvent, pinsFolder } from './companies/pin.ts'
import { ADMIN_ADDRESS, listeningAt, PUBLIC_ADDRESS } from './http/address.ts'
import { listenAdmin } from './http/admin.ts'
import { createReadiness } from './http/health.ts'
import { type ConnectionEvent, listen } from './http/listen.ts'
import { createListener } from './http/listener.ts'
import { createLoad } from './http/load.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import type { AccessEntry } from './http/request-context.ts'
import { createOAuth } from './oauth/oauth.ts'
import type { OAuthEvent } from './oauth/server.ts'

/** One line of the log; holds no secret. */
export type LogEntry =
  | AccessEntry
  | ConnectionEvent
  | CompanyEvent
  | AdhocEvent
  | PinEvent
  | OAuthEvent
  | AccessFinding

/** A mistake in access.yaml, whose last good version stays in force; what stood there may be a secret. */
interface AccessFinding extends Pick<Finding, 'code' | 'message' | 'row' | 'column'> {
  readonly event: 'access-finding'
}

export interface ServerOptions {
  /** Instead of the workspace's port; 0 for any free one. */
  readonly port?: number
  readonly log?: (entry: LogEntry) => void
  /** Lines of that log that could not be written, since the start. */
  readonly droppedLines?: () => number
}

export interface RunningServer {
  readonly address: string
  readonly port: number
  /** Of metrics and health; null where the workspace has no `server.admin`. */
  readonly adminPort: number | null
  /** Lets answers under way finish, at most `server.drainSeconds`; calling it again waits for the same end. */
  close(): Promise<void>
}

export async function startServer(workspace: Workspace, options: ServerOptions = {}): Promise<RunningServer> {
  let metrics: Metrics | null = null
  const log = (entry: LogEntry): void => {
    metrics?.observe(entry)
    options.log?.(entry)
  }
  const { server, snapshots } = workspace
  requireSafeIssuer(workspace)
  if (server.insecureIssuer)
    log({
      event: 'insecure-issuer',
      detail: 'server.insecureIssuer is set: passwords and tokens may be read on the way',
    })
  const companies = createCompanies({ snapshots, log })
  await companies.refresh()
  const access = createAccess(workspace.access, { report: (findings) => reportAccess(findings, log) })
  const peerOf = createPeerOf(server.trustedProxies)
  const port = options.port ?? server.port
  const http = await listeningAt(PUBLIC_ADDRESS, server.host, port, () =>
    listen(server.host, port, { peerOf, log }),
  )
  const closing: (() => Promise<void>)[] = [() => http.stop(server)]
  let adminPort: number | null = null
  try {
    const issuer = issuerOf(workspace, http.port)
    const addressOf = createAddressOf(server.trustedProxies)
    const oauth = await createOAuth({
      issuer,
      stateDir: server.state,
      access,
      companies: () => companies.list(),
      accessTokenSeconds: server.accessTokenSeconds,
      addressOf,
      log,
    })
    closing.push(() => oauth.close())
    const adhoc = createAdhocPool({ log })
    closing.push(() => adhoc.close())
    const pins = openPins(pinsFolder(server.state), server.pinSeconds, { log })
    closing.push(() => pins.close())
    const answers = createAnswers({ snapshots, companies, pins, adhoc })
    const load = createLoad()
    closing.push(async () => load.close())
    const limiter = createRateLimiter(server.rateLimit)
    const { requireReadable } = oauth
    const readiness = createReadiness({ accepting: http.accepting, state: server.state, requireReadable })
    const hosts = server.hosts ?? null
    const { admin: operators } = server
    if (operators) {
      metrics = createMetrics({ load, adhoc, companies, droppedLines: options.droppedLines ?? (() => 0) })
      const page = { ...operators, metrics, readiness }
      const admin = await listeningAt(ADMIN_ADDRESS, operators.host, operators.port, () => listenAdmin(page))
      adminPort = admin.port
      closing.push(() => admin.stop({ drainSeconds: 1 }))
    }
    http.serve(
      createListener({ issuer, oauth, companies, answers, readiness, load, limiter, hosts, addressOf, log }),
    )
  } catch (problem) {
    await closeInOrder(closing)
    throw problem
  }
  let closed: Promise<void> | undefined
  return {
    address: baseUrl(server.host, http.port),
    port: http.port,
    adminPort,
    close: () => {
      closed ??= closeInOrder(closing)
      return closed
    },
  }
}

/** The answers first, then what they are made with. */
async function closeInOrder(closing: readonly (() => Promise<void>)[]): Promise<void> {
  for (const close of closing) await close()
}

/** The configured issuer; where that is only the server's own address, the port that was really opened. */
const issuerOf = ({ server }: Workspace, port: number): string =>
  server.issuer === baseUrl(server.host, server.port) ? baseUrl(server.host, port) : server.issuer

function reportAccess(findings: readonly Finding[], log: (entry: LogEntry) => void): void {
  for (const { code, message, row, column } of findings)
    log({ event: 'access-finding', code, message, row, column })
}

/** These signals end the server, with 0 once all is answered; a second one ends the process at once. */
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
