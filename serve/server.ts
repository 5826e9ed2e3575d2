/** The server as one value: access, OAuth, companies, the ad-hoc engine and HTTP, wired and taken down in order. */
import { createAccess } from '../builder/workspace/access.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { type AdhocEvent, createAdhocPool } from './adhoc-pool.ts'
import { createAnswers } from './companies/answers.ts'
import { type CompanyEvent, createCompanies } from './companies/companies.ts'
import { createPins } from './companies/pin.ts'
import { listen } from './http/listen.ts'
import { createListener } from './http/listener.ts'
import type { AccessEntry } from './http/visit.ts'
import { createOAuth } from './oauth/oauth.ts'
import type { OAuthEvent } from './oauth/server.ts'

/** One line of the log; holds no secret. */
export type LogEntry = AccessEntry | CompanyEvent | AdhocEvent | OAuthEvent

export interface ServerOptions {
  /** Instead of the workspace's port; 0 for any free one. */
  readonly port?: number
  readonly log?: (entry: LogEntry) => void
}

export interface RunningServer {
  readonly address: string
  readonly port: number
  /** Lets answers under way finish, at most `server.drainSeconds`; calling it again waits for the same end. */
  close(): Promise<void>
}

export async function startServer(workspace: Workspace, options: ServerOptions = {}): Promise<RunningServer> {
  const { log = () => {} } = options
  const { server, snapshots, state } = workspace
  const companies = createCompanies({ snapshots, log })
  await companies.refresh()
  const access = createAccess(workspace.access)
  const oauth = await createOAuth({
    issuer: server.issuer,
    stateDir: state,
    access,
    companies: () => companies.list(),
    accessTokenSeconds: server.accessTokenSeconds,
    log,
  })
  const adhoc = createAdhocPool({ log })
  const pins = createPins(server.pinSeconds)
  const answers = createAnswers({ snapshots, companies, pins, adhoc })
  const http = await listen(server.host, options.port ?? server.port, (accepting) =>
    createListener({ issuer: server.issuer, oauth, companies, answers, accepting, log }),
  )
  return {
    address: `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${http.port}`,
    port: http.port,
    close: async () => {
      await http.stop(server.drainSeconds)
      await Promise.all([adhoc.close(), oauth.close()])
    },
  }
}

/** SIGTERM and SIGINT end the server, with 0 once all is answered; a second signal ends the process at once. */
export function closeOnSignals(running: RunningServer): void {
  let asked = false
  const stop = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(signal === 'SIGINT' ? 130 : 143)
    asked = true
    running.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
