/**
 * Which program this is: a fingerprint of the code that makes snapshots and of the packages that it runs on. A repaired
 * program keeps its version, so whatever was worked out once is known by this. It is made when the program is compiled,
 * since a packed one has no lock file; sources that run as they are have theirs taken anew.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFileSync } from './plain-file.ts'

/** `builder/`, or its compiled twin. */
const CODE = fileURLToPath(new URL('..', import.meta.url))
/** Beside the compiled code alone. */
const STAMP = join(CODE, '..', 'fingerprint')

/** A file of the package by its path in it: beside the sources, or one folder further up from their compiled twin. */
export const inPackage = (path: string): string | undefined =>
  ['..', '../..'].map((above) => join(CODE, above, path)).find((each) => existsSync(each))

let known: string | undefined

/** SHA-256 in hexadecimal digits. */
export function fingerprint(): string {
  known ??= stamped() ?? fingerprintOfCode()
  return known
}

/** For `npm run build`: the compiled program is told what it is. */
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
  // Not there where the program was installed packed.
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

/** The packages that the program runs on, with what their versions hash to; not those that only develop it. */
export function productionPart(lockFile: string): string {
  const { packages } = JSON.parse(lockFile) as { packages: Readonly<Record<string, Locked>> }
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, integrity }]) => `${path} ${version} ${integrity}\n`)
    .sort()
    .join('')
}
