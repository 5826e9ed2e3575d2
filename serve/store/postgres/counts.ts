/** Attempts to sign in, which all servers of a database count together, by the limiter of `rate-limiter-flexible` for PostgreSQL. */
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import type { MakeLimiter } from '../../oauth/throttle.ts'
import { type Connections, unavailable } from './connections.ts'
import { SCHEMA } from './schema.ts'

export function limitersIn({ pool, url }: Connections): MakeLimiter {
  const storeClient = {
    query: (query: Parameters<typeof pool.query>[0]) =>
      pool.query(query).catch((problem: unknown) => {
        throw unavailable(url, problem)
      }),
  }
  return (name, points, duration) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      schemaName: SCHEMA,
      tableName: 'throttles',
      // By the steps of the schema.
      tableCreated: true,
      // One of the limiters removes what has ended for all.
      clearExpiredByTimeout: name === 'addresses',
      keyPrefix: name,
      points,
      duration,
    })
}
