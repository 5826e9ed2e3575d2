/**
 * Counts that all servers of a database share: attempts to sign in, by the limiter of `rate-limiter-flexible` for PostgreSQL, and
 * requests of a grant, which are lent to a server (serve/http/lent-requests.ts).
 */
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import { z } from 'zod'
import type { Lease } from '../../http/lent-requests.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
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

/** An eighth of the rest at a time: a server that a client has left keeps no more than that from it. */
const PART = 'ceil(%s / 8.0)::int'
const partOf = (rest: string): string => PART.replace('%s', rest)

/**
 * One statement, so that servers that ask at once get requests one after the other. A window that has ended, by the
 * clock of the database, is replaced.
 */
const LEND = `INSERT INTO ${SCHEMA}.windows AS held (grant_id, id, ends_at, rest, lent)
  VALUES ($1, (extract(epoch FROM now()) * 1000)::bigint, now() + make_interval(secs => $3),
    $2::int - ${partOf('$2::int')}, ${partOf('$2::int')})
  ON CONFLICT (grant_id) DO UPDATE SET (id, ends_at, rest, lent) = (
    SELECT excluded.id, excluded.ends_at, excluded.rest, excluded.lent WHERE held.ends_at <= now()
    UNION ALL
    SELECT held.id, held.ends_at, held.rest - ${partOf('held.rest')}, ${partOf('held.rest')} WHERE held.ends_at > now())
  RETURNING id::float8, rest, lent, extract(epoch FROM ends_at - now())::float8 * 1000 AS ms_left`

const lentSchema = z.object({ id: z.number(), rest: z.number(), lent: z.number(), ms_left: z.number() })

export async function lendFrom(
  connections: Connections,
  { requests, seconds }: RateLimit,
  grantId: string,
): Promise<Lease> {
  const [row] = await connections.query(LEND, [grantId, requests, seconds])
  const { id, rest, lent, ms_left: msLeft } = lentSchema.parse(row)
  return { window: id, requests: lent, rest, msLeft }
}

/** Removes windows that ended an hour ago. */
export async function forgetWindows({ query }: Connections): Promise<void> {
  await query(`DELETE FROM ${SCHEMA}.windows WHERE ends_at < now() - interval '1 hour'`)
}
