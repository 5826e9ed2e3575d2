/** Reads the version of this program from its package. The manifest of every snapshot names it. */
import { present } from '../contract/present.ts'
import { readFileSync } from './plain-file.ts'
import { fingerprint, inPackage } from './program.ts'

const file = present(inPackage('package.json'), 'package.json in the package')

export const VERSION: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version

/** This program as archives name it: `Tieout 1.0.0, program 3f9c2a71`. The fingerprint tells repaired programs of one version apart. */
export const thisProgram = (): string => `Tieout ${VERSION}, program ${fingerprint().slice(0, 8)}`
