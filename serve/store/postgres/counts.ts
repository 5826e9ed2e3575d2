/** Attempts to sign in, which all servers of a database count together, by the limiter of `rate-limiter-flexible` for PostgreSQL. */
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import type { MakeLimiter } from '../../oauth/state/throttle.ts'
import { type Connections, storeUnavailable } from './connections.ts'
import { SCHEMA } from './schema.ts'

export function limitersIn({ pool, url }: Connections): MakeLimiter {
  const storeClient = {
    query: (query: Parameters<typeof pool.query>[0]) =>
      pool.query(query).catch((problem: unknown) => {
        throw storeUnavailable(url, problem)
      }),
  }
  return (name, points, duration) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      schemaName: SCHEMA,
      tableName: 'throttles',
      // The steps of the schema make the table.
      tableCreated: true,
      // One limiter removes the expired rows of all.
      clearExpiredByTimeout: name === 'addresses',
      keyPrefix: name,
      points,
      duration,
    })
}
