/** The names of this program: the version of its package, and that of this build. */
import { present } from '../contract/present.ts'
import { readFileSync } from './plain-file.ts'
import { fingerprint, inPackage } from './program.ts'

const file = present(inPackage('package.json'), 'package.json in the package')

const VERSION: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version

/** The version and the beginning of the fingerprint, as manifests name it: `1.0.0+3f9c2a71`. A repaired program keeps its version. */
export const buildName = (): string => `${VERSION}+${fingerprint().slice(0, 8)}`

export const thisProgram = (): string => `Tieout ${buildName()}`
