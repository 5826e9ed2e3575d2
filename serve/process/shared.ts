/** What all processes of one server share. A single process makes these for itself. */
import { type AdhocEvent, type AdhocPool, createAdhocPool } from '../adhoc-pool.ts'
import type { Readiness } from '../http/health.ts'
import type { TakePeer } from '../http/peers.ts'
import { createRateLimiter, type RateLimit, type RateLimiter } from '../http/rate-limit.ts'
import { OWN_PASSWORDS, type Passwords } from '../oauth/passwords.ts'
import { createThrottle, type Throttle } from '../oauth/throttle.ts'

export interface Shared {
  readonly adhoc: AdhocPool
  readonly limiter: RateLimiter
  readonly throttle: Throttle
  readonly passwords: Passwords
  /** Null where this process counts its connections itself. */
  readonly takePeer: TakePeer | null
  /** The readiness of all processes; null where there is only one. */
  readonly readiness: Readiness | null
  /**
   * Whether files of the state that are missing are made: by the first process of a server alone. Where they are missing later, they
   * were moved away, and new ones would be a second state beside that of the other processes.
   */
  readonly makesState: boolean
}

/** For a server of one process. */
export const unshared = (rateLimit: RateLimit, log: (event: AdhocEvent) => void): Shared => ({
  adhoc: createAdhocPool({ log }),
  limiter: createRateLimiter(rateLimit),
  throttle: createThrottle(),
  passwords: OWN_PASSWORDS,
  takePeer: null,
  readiness: null,
  makesState: true,
})
