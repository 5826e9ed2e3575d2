/**
 * Whether requests should be sent to this server, and the page that says so. It considers the server's own state
 * alone, since a company that cannot be read is the same on every server (`/metrics`). Liveness depends on nothing.
 */
import { access, constants, statfs } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { asOAuthError } from '../oauth/errors.ts'
import { sendJson } from './reply.ts'

/** The reason why not, or null. */
export type Readiness = () => Promise<string | null>

interface ReadinessOptions {
  /** False from the moment that the server is stopping. */
  readonly accepting: () => boolean
  /** The state folder, to which sign-ins and token refreshes are written. */
  readonly state: string
  /** Throws, as every endpoint does, while the keys or `access.yaml` cannot be read and nobody can be authenticated. */
  readonly requireReadable: () => Promise<void>
}

/** A page of lmdb is 4 kB, so that this is enough for a day of refreshes. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024

export function createReadiness({ accepting, state, requireReadable }: ReadinessOptions): Readiness {
  return async () => {
    if (!accepting()) return 'stopping'
    try {
      await access(state, constants.R_OK | constants.W_OK)
      const { bavail, bsize } = await statfs(state)
      if (bavail * bsize < LEAST_FREE_BYTES) return 'the disk is full'
    } catch {
      return 'the state cannot be written'
    }
    return requireReadable().then(
      () => null,
      (problem: unknown) => asOAuthError(problem).message,
    )
  }
}

export const sendAlive = (res: ServerResponse): void => sendStatus(res, 200, 'ok')

export async function sendReadiness(res: ServerResponse, readiness: Readiness): Promise<void> {
  const problem = await readiness()
  sendStatus(res, problem === null ? 200 : 503, problem ?? 'ready')
}

const sendStatus = (res: ServerResponse, status: number, text: string): void =>
  sendJson(res, status, 'application/json', Buffer.from(`${JSON.stringify({ status: text })}\n`))
