/**
 * How much of the server anybody may take, all in one place; `docs/limits.md` explains each to operators. Times are
 * milliseconds, sizes bytes.
 */

/** Of connections. */
export interface Limits {
  /** A request's head, and all of it, must have come by then; node:http itself ends what is slower with 408. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly connectionsCheckingInterval: number
  readonly keepAliveTimeout: number
  /** A connection on which nothing moves for so long while its answer is being made. */
  readonly stallTimeout: number
  /** The same while an answer is being sent, which its client does not read. */
  readonly unreadTimeout: number
  readonly maxHeaderSize: number
  readonly maxConnections: number
  /** Of one address; connections of trusted proxies are not counted. */
  readonly mostConnectionsOfAddress: number
  /** Requests sent ahead on one connection, while an earlier one is being answered; more end the connection. */
  readonly mostPipelined: number
  /** What those hold in memory, about, of one connection and of all. */
  readonly mostPipelinedBytes: number
  readonly mostPipelinedBytesOfAll: number
}

export const CONNECTION_LIMITS: Limits = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than a proxy keeps an idle connection (nginx: 60 s), else the proxy meets a closed one and answers 502.
  keepAliveTimeout: 75_000,
  // Longer than any answer takes to compute.
  stallTimeout: 60_000,
  unreadTimeout: 20_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 4096,
  mostConnectionsOfAddress: 1024,
  // No client of ours sends ahead; each request that waits takes memory, and time to read, from everybody.
  mostPipelined: 16,
  mostPipelinedBytes: 128 * 1024,
  mostPipelinedBytesOfAll: 16 * 1024 * 1024,
}

/** Of requests that are complete, and are being answered or wait for that. */
export interface LoadLimits {
  /** Of those that wait for the ad-hoc engine there are far fewer: it has a queue of its own. */
  readonly mostUnderWay: number
  readonly mostUnderWayOfAddress: number
  readonly mostWaiting: number
  readonly mostWaitingOfAddress: number
  readonly longestWaitMs: number
  /** The event loop is this much late, on average over the last moments: nothing new is taken on. */
  readonly greatestLagMs: number
}

export const LOAD_LIMITS: LoadLimits = {
  mostUnderWay: 256,
  mostUnderWayOfAddress: 128,
  mostWaiting: 1024,
  mostWaitingOfAddress: 512,
  longestWaitMs: 5000,
  greatestLagMs: 500,
}
