/**
 * One of several serving processes on one port: asks the primary for what all share, and ends when the primary says
 * so.
 */
import type { AdhocPool } from '../adhoc-pool.ts'
import { type RunningServer, type ServerOptions, startServer } from '../server.ts'
import { type Channel, openChannel } from './channel.ts'
import { createReportedConnections } from './connections.ts'
import { createBorrower, type GiveBack } from './leases.ts'
import type { PrimaryMethods, StartOrder, WorkerMethods } from './questions.ts'
import type { Shared } from './shared.ts'

/** `openLog` is called when the settings have arrived. */
export function serveAsWorker(openLog: (order: StartOrder) => ServerOptions): void {
  // A terminal and systemd send these signals to all processes at once; the primary alone acts on them.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  let running: RunningServer | null = null
  let giveBack: GiveBack = async () => 0
  const own = {
    start: async (order: StartOrder) => {
      const { shared, ...limit } = sharedOf(primary, order)
      giveBack = limit.giveBack
      running = await startServer(order.workspace, { ...openLog(order), shared })
    },
    alive: () => null,
    giveBack: (asked) => giveBack(asked),
    metrics: async () => (await running?.metrics?.values()) ?? [],
    readiness: async () => (running === null ? 'starting' : running.readiness()),
    stop: () => {
      running?.close().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    },
  } satisfies WorkerMethods
  const primary = openChannel<PrimaryMethods>(process, own)
  void primary.ask('begin', null)
}

function sharedOf(
  primary: Channel<PrimaryMethods>,
  { workspace: { server }, makesState }: StartOrder,
): { readonly shared: Shared; readonly giveBack: GiveBack } {
  const limiter = createBorrower(server.rateLimit, (grantId) => primary.ask('lend', grantId))
  const shared: Shared = {
    limiter,
    adhoc: adhocOf(primary),
    throttle: {
      attempt: (address, account) => primary.ask('signInAttempt', { address, account }),
      succeeded: (address, account) => primary.ask('signInSucceeded', { address, account }),
      notTried: (address, account) => primary.ask('signInNotTried', { address, account }),
      consent: (userId) => primary.ask('consent', userId),
    },
    passwords: {
      isBusy: () => primary.ask('passwordsBusy', null),
      verify: (password, hash) => primary.ask('verifyPassword', { password, hash }),
      hash: (password) => primary.ask('hashPassword', password),
    },
    takePeer: createReportedConnections((changes) => primary.ask('connections', changes)),
    readiness: () => primary.ask('readiness', null),
    makesState,
  }
  return { shared, giveBack: limiter.giveBack }
}

const adhocOf = (primary: Channel<PrimaryMethods>): AdhocPool => ({
  answer: async (request, signal, grantId = '') => {
    const { buffer, byteOffset, byteLength } = await primary.ask('adhoc', { request, grantId }, signal)
    return Buffer.from(buffer, byteOffset, byteLength)
  },
  // The primary counts these, since it has the queue.
  load: () => ({ waiting: 0, running: 0 }),
  close: async () => {},
})
