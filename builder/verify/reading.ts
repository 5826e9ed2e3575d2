/**
 * Whose reading it is, where a snapshot states other figures than this program computes: a program that was repaired may
 * read the same books otherwise, and that is no damage. Only a manifest that is known to be its publisher's can say that
 * another program made it: else whoever forges a figure would write another fingerprint beside it.
 */
import type { Damage } from '../snapshot/damage.ts'
import type { CheckedSnapshot } from '../snapshot/files.ts'
import { MANIFEST, SIGNATURE } from '../snapshot/layout.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { KnownKeys } from '../snapshot/sign.ts'
import { fingerprint } from '../workspace/program.ts'

/** unproven: the manifest names another program, and nothing vouches for the manifest. */
export type Maker = 'this program' | 'another program' | 'unproven'

export function makerOf({ manifest, damages }: CheckedSnapshot, known: KnownKeys): Maker {
  if (!manifest || manifest.Build?.Program === fingerprint()) return 'this program'
  const vouched = known !== null && damages.every(({ path }) => path !== MANIFEST && path !== SIGNATURE)
  return vouched ? 'another program' : 'unproven'
}

/** What a snapshot states otherwise than this program computes, told as what it is. */
export class Differences {
  readonly damages: Damage[] = []
  /** The reading of another program, which is no damage. */
  readonly readings: Damage[] = []
  readonly #maker: Maker

  constructor(maker: Maker) {
    this.#maker = maker
  }

  get areOfThisProgram(): boolean {
    return this.#maker === 'this program'
  }

  add(difference: Damage): void {
    if (this.#maker === 'another program') this.readings.push(difference)
    else if (this.areOfThisProgram) this.damages.push(difference)
    else this.damages.push({ ...difference, message: `${difference.message} (${UNPROVEN})` })
  }
}

const UNPROVEN = `its ${MANIFEST} names another program than this one, which nothing proves; name the publisher's key with --key`

/** `Tieout 1.0.0, program 3f9c2a71` */
export const programName = ({ Tool, Build }: Manifest): string =>
  `Tieout ${Tool.Version}${Build?.Program === undefined ? '' : `, program ${Build.Program.slice(0, 8)}`}`
