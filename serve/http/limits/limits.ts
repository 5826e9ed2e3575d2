/**
 * The limits on what clients may take of the server; `docs/limits.md` explains each to operators. Times are in
 * milliseconds, sizes in bytes.
 */

export interface Limits {
  /** The head of a request, and all of it, must have arrived by then; node:http answers slower ones with 408. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly connectionsCheckingInterval: number
  readonly keepAliveTimeout: number
  /** How long nothing may move on a connection while its answer is being made. */
  readonly stallTimeout: number
  /** The same while an answer is being sent and the client does not read it. */
  readonly unreadTimeout: number
  readonly maxHeaderSize: number
  readonly maxConnections: number
  /** Connections of one address; those of trusted proxies are not counted. */
  readonly mostConnectionsOfAddress: number
  /**
   * Requests that a client may send ahead on a connection while an earlier one is being answered; more end the
   * connection.
   */
  readonly mostPipelined: number
  /** Approximate memory of requests sent ahead, on one connection and on all. */
  readonly mostPipelinedBytes: number
  readonly mostPipelinedBytesOfAll: number
}

export const CONNECTION_LIMITS: Limits = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than proxies keep an idle connection (nginx: 60 s); otherwise the proxy would use a closed one and
  // answer 502.
  keepAliveTimeout: 75_000,
  // Longer than any answer takes to compute.
  stallTimeout: 60_000,
  unreadTimeout: 20_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 4096,
  mostConnectionsOfAddress: 1024,
  // None of our clients sends requests ahead; each one that waits takes memory and time.
  mostPipelined: 16,
  mostPipelinedBytes: 128 * 1024,
  mostPipelinedBytesOfAll: 16 * 1024 * 1024,
}

/** Limits on complete requests that are being answered or wait for that. */
export interface LoadLimits {
  /** Requests that wait for the ad-hoc engine are limited far more, by its own queue. */
  readonly mostUnderWay: number
  readonly mostUnderWayOfAddress: number
  readonly mostWaiting: number
  readonly mostWaitingOfAddress: number
  readonly longestWaitMs: number
  /** Where the event loop is late by more than this on average, no new request is accepted. */
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
