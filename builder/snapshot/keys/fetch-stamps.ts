/**
 * Fetches time stamps after the publication, one for each manifest without one. An authority that cannot be reached delays
 * nothing; the next build, or "tieout snapshots stamp", asks again.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isUnfinished, namesIn } from '../../system/durable.ts'
import { disk, type Effects } from '../../system/effects.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import type { TimestampSettings } from '../../workspace/timestamp-settings.ts'
import { companyFolder, lockPath, STAMPS, stampPath } from '../files/layout.ts'
import { takeTidy } from '../log/change.ts'
import { manifestsOf, readIfThere } from '../log/check-stamps.ts'
import { LockedError } from '../log/lock.ts'
import { keepStamp } from './keep-stamp.ts'
import type { Authority } from './stamp.ts'

export interface Stamped {
  readonly company: string
  /** Ids of the snapshots whose manifests were stamped now. */
  readonly stamped: readonly string[]
  /** Ids of the snapshots that have no stamp yet. */
  readonly unstamped: readonly string[]
  /** Why some have no stamp; null where all have one. */
  readonly problem: string | null
}

/** Asks for the stamps that a company lacks, and stops asking after the first failure. */
export async function stampCompany(
  root: string,
  company: string,
  stamping: Stamping,
  effects: Effects = disk,
): Promise<Stamped> {
  const folder = companyFolder(root, company)
  tidy(root, company, effects)
  const stamped: string[] = []
  const unstamped: string[] = []
  let problem: string | null = null
  for (const { id, hash, bytes } of await manifestsOf(folder)) {
    if ((await readIfThere(stampPath(folder, hash))) !== null) continue
    if (problem === null)
      try {
        const answer = await fetchStamp(stamping, hash, bytes)
        locked(root, company, effects, () => keepStamp(folder, hash, answer, effects))
        stamped.push(id)
        continue
      } catch (thrown) {
        problem = whyNone(thrown, stamping.url)
      }
    unstamped.push(id)
  }
  return { company, stamped, unstamped, problem }
}

/** Runs `work` under the lock. The lock is not held while the authority is asked, because a build would have to wait for it. */
function locked(root: string, company: string, effects: Effects, work: () => void): void {
  const lock = takeTidy(root, company, effects)
  try {
    work()
  } finally {
    lock.release()
  }
}

/** Removes what a killed stamping left, including its lock. If a change is running, that change removes it. */
function tidy(root: string, company: string, effects: Effects): void {
  const folder = companyFolder(root, company)
  if (!existsSync(lockPath(root, company)) && !namesIn(join(folder, STAMPS)).some(isUnfinished)) return
  try {
    locked(root, company, effects, () => {})
  } catch (problem) {
    if (!(problem instanceof LockedError)) throw problem
  }
}

function whyNone(problem: unknown, url: string): string {
  if (problem instanceof NoStampError) return `the authority at ${new URL(url).host} ${problem.message}`
  if (problem instanceof LockedError) return `the stamp could not be put into its place: ${problem.message}`
  throw problem
}

/** Fetches one stamp. Throws {@link NoStampError} if the answer is not a valid stamp for this request. */
async function fetchStamp(
  { url, seconds, authority, policy }: Stamping,
  hash: string,
  manifest: Buffer,
): Promise<Buffer> {
  const { checkStamp, stampRequest } = await import('./stamp.ts')
  const { query, nonce } = stampRequest(hash, policy)
  const answer = await askAuthority(url, query, seconds)
  const { stamp, problem } = await checkStamp(answer, manifest, authority)
  if (stamp === null) throw new NoStampError(`answered with a stamp that ${problem}`)
  if (stamp.nonce === null || !stamp.nonce.equals(nonce))
    throw new NoStampError('answered with a stamp that was made for another question (its nonce differs)')
  if (stamp.forgeable)
    throw new NoStampError(
      `answered with a stamp whose signature rests on ${stamp.forgeable}, which can be forged`,
    )
  if (policy !== null && stamp.policy !== policy)
    throw new NoStampError(`answered with a stamp by policy ${stamp.policy}, not by ${policy}`)
  return answer
}

interface Stamping {
  readonly url: string
  readonly seconds: number
  readonly authority: Authority | null
  /** The policy that is asked for; null for the authority's own choice. */
  readonly policy: string | null
}

/** The stamping that `timestamp` in tieout.yaml asks for. Throws {@link FindingsError} if its certificate cannot be read. */
export async function stampingOf({ certificate, ...settings }: TimestampSettings): Promise<Stamping> {
  return { ...settings, authority: certificate === null ? null : await readAuthority(certificate) }
}

/** Reads the certificates of an authority from a PEM file. Throws {@link FindingsError} if the file holds none. */
export async function readAuthority(path: string): Promise<Authority> {
  const { parseAuthority } = await import('./stamp.ts')
  try {
    return parseAuthority(readFileSync(path, 'utf8'))
  } catch (problem) {
    throw new FindingsError([
      error(
        'tsa-certificate',
        `${path} is no certificate of a time-stamping authority: ${(problem as Error).message}`,
        {
          remedy:
            'name a file in PEM with the certificate of the authority, or of the one that vouches for it',
        },
      ),
    ])
  }
}

/** Thrown when there is no stamp. Its message follows the words "the authority". */
class NoStampError extends Error {
  readonly code = 'no-stamp'
}

/** The most bytes of an answer, which holds a few certificates. */
const MOST_BYTES = 256 * 1024

/**
 * Asks a time-stamping authority over HTTP (RFC 3161 §3.4), with limits for the time and the size of the answer.
 * Returns the answer unchecked. Throws {@link NoStampError}.
 */
async function askAuthority(url: string, query: Uint8Array, seconds: number): Promise<Buffer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: new Uint8Array(query),
    // Redirects are refused, because their target is not in the settings.
    redirect: 'manual',
    signal: AbortSignal.timeout(seconds * 1000),
  }).catch((problem: Error) => {
    throw unreachable(problem, seconds)
  })
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (response.status !== 200 || type !== 'application/timestamp-reply') {
    await response.body?.cancel().catch(() => {})
    throw new NoStampError(
      response.status === 200
        ? `answered with ${type ?? 'something'} instead of application/timestamp-reply`
        : `answered with HTTP ${response.status}`,
    )
  }
  return bodyOf(response, seconds)
}

async function bodyOf(response: Response, seconds: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > MOST_BYTES) throw new NoStampError(`sent more than ${MOST_BYTES} bytes`)
      chunks.push(chunk)
    }
  } catch (problem) {
    throw problem instanceof NoStampError ? problem : unreachable(problem as Error, seconds)
  }
  return Buffer.concat(chunks)
}

function unreachable(problem: Error, seconds: number): NoStampError {
  if (problem.name === 'TimeoutError') return new NoStampError(`did not answer within ${seconds} seconds`)
  const { code, message } = (problem.cause ?? problem) as NodeJS.ErrnoException
  return new NoStampError(`cannot be reached: ${code ?? message}`)
}
