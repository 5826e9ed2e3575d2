/**
 * Decides whether a figure that differs from the recomputed one is damage. A later, corrected program may
 * read the same books differently, which is not damage. But only a manifest known to be the publisher's may
 * claim that another program made it: a forger of figures could write any fingerprint into a manifest.
 */
import type { Damage } from '../../snapshot/files/damage.ts'
import type { CheckedSnapshot } from '../../snapshot/files/files.ts'
import { MANIFEST, SIGNATURE } from '../../snapshot/files/layout.ts'
import type { Manifest } from '../../snapshot/files/manifest.ts'
import type { KnownKeys } from '../../snapshot/keys/sign.ts'
import { fingerprint } from '../../system/program.ts'

/** `unproven`: the manifest names another program, and no known key vouches for the manifest. */
export type Maker = 'this program' | 'another program' | 'unproven'

/**
 * Says which program made a snapshot, as far as its manifest can be believed; `known` has the ids of the keys that may
 * have signed.
 */
export function makerOf({ manifest, damages }: CheckedSnapshot, known: KnownKeys): Maker {
  if (!manifest || manifest.Build?.Program === fingerprint()) return 'this program'
  const vouched = known !== null && damages.every(({ path }) => path !== MANIFEST && path !== SIGNATURE)
  return vouched ? 'another program' : 'unproven'
}

/**
 * Collects the differences between a snapshot and what this program computes, as damages or as readings of
 * another program.
 */
export class Differences {
  readonly damages: Damage[] = []
  /** Differences explained by another program having made the snapshot; they are not damage. */
  readonly readings: Damage[] = []
  readonly #maker: Maker

  constructor(maker: Maker) {
    this.#maker = maker
  }

  /** Adds a difference: as damage, unless another program is known to have made the snapshot. */
  add(difference: Damage): void {
    if (this.#maker === 'another program') this.readings.push(difference)
    else if (this.#maker === 'this program') this.damages.push(difference)
    else this.damages.push({ ...difference, message: `${difference.message} (${UNPROVEN})` })
  }
}

const UNPROVEN = `its ${MANIFEST} names another program than this one, which nothing proves; name the publisher's key with --key`

/** For example `Tieout 1.0.0+3f9c2a71`. Early builds did not name their fingerprint in their version. */
export const programName = ({ Tool, Build }: Manifest): string =>
  `Tieout ${Tool.Version}${Build?.Program === undefined || Tool.Version.includes('+') ? '' : `+${Build.Program.slice(0, 8)}`}`
