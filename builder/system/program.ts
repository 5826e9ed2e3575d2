/**
 * Identifies this program by a fingerprint of its code and of the packages on which it runs. A repaired program keeps its
 * version, so cached results are identified by the fingerprint. It is made when the program is compiled, because an installed
 * package has no lock file; if sources run directly, it is computed.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFileSync } from './plain-file.ts'

/** The folder `builder/`, or its compiled copy. */
const CODE = fileURLToPath(new URL('..', import.meta.url))
/** The file with the fingerprint, which exists only beside compiled code. */
const STAMP = join(CODE, '..', 'fingerprint')

/** The full path of a file of the package: beside the sources, or one folder further up from the compiled code. */
export const inPackage = (path: string): string | undefined =>
  ['..', '../..'].map((above) => join(CODE, above, path)).find((each) => existsSync(each))

let known: string | undefined

/** The fingerprint of this program: a SHA-256 in hex. */
export function fingerprint(): string {
  known ??= stamped() ?? fingerprintOfCode()
  return known
}

/** Writes the fingerprint of the compiled program, for `npm run build`. */
export const stamp = (): void => writeFileSync(STAMP, `${fingerprintOfCode()}\n`)

function stamped(): string | null {
  try {
    return readFileSync(STAMP, 'utf8').trim()
  } catch {
    return null
  }
}

function fingerprintOfCode(): string {
  const hash = createHash('sha256')
  for (const name of (readdirSync(CODE, { recursive: true }) as string[]).sort())
    if (/\.[jt]s$/.test(name)) hash.update(`${name}\0`).update(readFileSync(join(CODE, name)))
  // An installed package has no lock file.
  const lockFile = inPackage('package-lock.json')
  if (lockFile !== undefined) hash.update('\0').update(productionPart(readFileSync(lockFile, 'utf8')))
  return hash.digest('hex')
}

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
}

/** The packages on which the program runs, one per line with version and hash; development packages are left out. */
export function productionPart(lockFile: string): string {
  const { packages } = JSON.parse(lockFile) as { packages: Readonly<Record<string, Locked>> }
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, integrity }]) => `${path} ${version} ${integrity}\n`)
    .sort()
    .join('')
}
