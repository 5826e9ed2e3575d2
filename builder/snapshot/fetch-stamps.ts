/**
 * Time stamps for what was published: fetched after the publication, one for each manifest that has none. Who cannot be reached
 * delays nothing; the next build, or "tieout snapshots stamp", asks again.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOnce, makeFolders } from '../workspace/durable.ts'
import { disk, type Effects, MODES } from '../workspace/effects.ts'
import { error, FindingsError } from '../workspace/finding.ts'
import { askAuthority, NoStampError } from '../workspace/tsa-client.ts'
import type { TimestampSettings } from '../workspace/workspace.ts'
import { manifestsOf, readIfThere } from './check-stamps.ts'
import { companyFolder, STAMPS, stampPath } from './layout.ts'
import type { Authority } from './stamp.ts'

export interface Stamped {
  readonly company: string
  /** Ids of the snapshots whose manifests were stamped now. */
  readonly stamped: readonly string[]
  /** Those that have no stamp yet. */
  readonly unstamped: readonly string[]
  /** Why; null where all have one. */
  readonly problem: string | null
}

/** Asks for the stamps that a company lacks; after the first that does not come, for no more. */
export async function stampCompany(
  root: string,
  company: string,
  { url, seconds, authority }: Stamping,
  effects: Effects = disk,
): Promise<Stamped> {
  const folder = companyFolder(root, company)
  const stamped: string[] = []
  const unstamped: string[] = []
  let problem: string | null = null
  for (const { id, hash, bytes } of await manifestsOf(folder)) {
    if ((await readIfThere(stampPath(folder, hash))) !== null) continue
    if (problem === null)
      try {
        const answer = await fetchStamp(url, hash, bytes, seconds, authority)
        for (const made of makeFolders(join(folder, STAMPS), effects)) effects.syncFolder(join(made, '..'))
        createOnce(stampPath(folder, hash), answer, MODES.published, effects)
        stamped.push(id)
        continue
      } catch (thrown) {
        if (!(thrown instanceof NoStampError)) throw thrown
        problem = `the authority at ${new URL(url).host} ${thrown.message}`
      }
    unstamped.push(id)
  }
  return { company, stamped, unstamped, problem }
}

/** Kept only where it is the answer to this question. */
async function fetchStamp(
  url: string,
  hash: string,
  manifest: Buffer,
  seconds: number,
  authority: Authority | null,
): Promise<Buffer> {
  const { checkStamp, stampRequest } = await import('./stamp.ts')
  const { query, nonce } = stampRequest(hash)
  const answer = await askAuthority(url, query, seconds)
  const { stamp, problem } = await checkStamp(answer, manifest, authority)
  if (stamp === null) throw new NoStampError(`answered with a stamp that ${problem}`)
  if (stamp.nonce === null || !stamp.nonce.equals(nonce))
    throw new NoStampError('answered with a stamp that was made for another question (its nonce differs)')
  return answer
}

export interface Stamping {
  readonly url: string
  readonly seconds: number
  readonly authority: Authority | null
}

/** What `timestamp` in the settings means. Throws {@link FindingsError} where its certificate cannot be read. */
export async function stampingOf({ url, certificate, seconds }: TimestampSettings): Promise<Stamping> {
  return { url, seconds, authority: certificate === null ? null : await readAuthority(certificate) }
}

/** Certificates in PEM. Throws {@link FindingsError}. */
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
