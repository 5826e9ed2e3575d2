/**
 * Whether requests should be sent to this server, and the page that says so. It considers the server's own state
 * alone, since a company that cannot be read is the same on every server (`/metrics`). Liveness depends on nothing.
 */
import { access, constants, statfs } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { Source } from '../companies/source.ts'
import { asOAuthError } from '../oauth/errors.ts'
import { sendJsonBytes } from './reply.ts'

/** The reason why not, or null. */
export type Readiness = () => Promise<string | null>

interface ReadinessOptions {
  /** False from the moment that the server is stopping. */
  readonly accepting: () => boolean
  /** The folder to which sign-ins and token refreshes are written; null where a database has them. */
  readonly folder: string | null
  /** Throws, as every endpoint does, while the keys or `access.yaml` cannot be read and nobody can be authenticated. */
  readonly requireReadable: () => Promise<void>
  /** Why there is nothing to serve yet; null where there is. */
  readonly unready?: () => string | null
}

/** A page of lmdb is 4 kB, so that this is enough for a day of refreshes. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024

export function createReadiness({
  accepting,
  folder,
  requireReadable,
  unready = () => null,
}: ReadinessOptions): Readiness {
  return async () => {
    if (!accepting()) return 'stopping'
    try {
      if (folder !== null && (await freeBytes(folder)) < LEAST_FREE_BYTES) return 'the disk is full'
    } catch {
      return 'the state cannot be written'
    }
    return requireReadable().then(unready, (problem: unknown) => asOAuthError(problem).message)
  }
}

/** Throws where the folder cannot be read and written. */
async function freeBytes(folder: string): Promise<number> {
  await access(folder, constants.R_OK | constants.W_OK)
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export const sendAlive = (res: ServerResponse): void => sendStatus(res, 200, 'ok')

/** What operators should know although requests are answered; null where that is nothing. */
export type Remark = () => string | null

/** Requests are still answered while the bucket of snapshots is away or slow: from what was brought before. */
export const createRemark =
  ({ away, slow }: Pick<Source, 'away' | 'slow'>): Remark =>
  () => {
    const [since, seconds] = [away(), slow()]
    if (since !== null) return `the bucket of snapshots has not answered since ${since.toISOString()}`
    return seconds === null ? null : `the bucket of snapshots takes ${seconds} s for an answer`
  }

export async function sendReadiness(
  res: ServerResponse,
  readiness: Readiness,
  remark: Remark = () => null,
): Promise<void> {
  const problem = await readiness()
  sendStatus(res, problem === null ? 200 : 503, problem ?? 'ready', remark())
}

function sendStatus(res: ServerResponse, code: number, status: string, remark: string | null = null): void {
  const page = { status, ...(remark === null ? {} : { remark }) }
  sendJsonBytes(res, code, 'application/json', Buffer.from(`${JSON.stringify(page)}\n`))
}
