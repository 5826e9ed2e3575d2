/**
 * What lies in a bag beside the payload, and a reader would believe: the first page, the page of the format, the metadata, the
 * public key and the list of checksums. All of it follows from the snapshot, so it is made again and compared; the bag's own manifests
 * vouch only for what whoever made the bag put there.
 */
import { buffer } from 'node:stream/consumers'
import type { Damage } from '../snapshot/damage.ts'
import { sha256 } from '../workspace/hash.ts'
import type { CheckedBag } from './check.ts'
import type { Container } from './container.ts'
import { type BagContents, type BagRequest, CHECKSUMS, README } from './contents.ts'
import { INDEX } from './evidence.ts'
import { archiveDamage } from './payload.ts'
import { FORMAT_PAGE } from './readme.ts'
import { BAG_INFO, DECLARATION, FETCH, manifestKind, PAYLOAD, VERSIONS } from './tags.ts'

export interface CheckedPages {
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/** What other versions word otherwise. */
const WORDED = [BAG_INFO, README, INDEX, FORMAT_PAGE, CHECKSUMS]

/** `make` makes the bag again of its payload, which is as it was published; `software` is what this program calls itself in a bag. */
export async function checkPages(
  container: Container,
  { version, info }: Pick<CheckedBag, 'version' | 'info'>,
  make: (request: BagRequest) => Promise<BagContents>,
  software: string,
): Promise<CheckedPages> {
  const writer = info.get('bag-software-agent')?.[0]
  const made = await make({
    version: VERSIONS.find((each) => each === version) ?? '1.0',
    software: writer ?? software,
    baggedAt: dayOf(info.get('bagging-date')?.[0]),
  })
  const pages = new Map(
    made.files.flatMap((file) => (isPage(file.path) ? [[file.path, file.sha256] as const] : [])),
  )
  const damages: Damage[] = []
  const unknown: string[] = []
  for (const path of container.files.keys()) {
    if (!isPage(path)) continue
    const expected = pages.get(path)
    if (expected === undefined)
      damages.push(
        archiveDamage('bag-extra', {
          path,
          message: `${path} lies beside the payload, and is nothing that an archive of this snapshot holds: nothing vouches for it`,
        }),
      )
    else if (sha256(await buffer(await container.read(path))) !== expected) {
      if (writer !== software && WORDED.includes(path)) unknown.push(path)
      else
        damages.push(
          archiveDamage('bag-changed', {
            path,
            message: `${path} does not say what follows from the snapshot`,
          }),
        )
    }
  }
  return {
    damages,
    notes:
      unknown.length === 0
        ? []
        : [
            `${unknown.join(', ')}: written by ${writer ?? 'nobody knows what'}, not by ${software}, so not compared with the snapshot; believe the files in ${PAYLOAD}/ alone`,
          ],
  }
}

/** The one thing in a bag that does not follow from the snapshot; another text than a day is found as one that differs. */
function dayOf(text = ''): Date {
  const day = new Date(text)
  return Number.isNaN(day.getTime()) ? new Date(0) : day
}

/** Neither payload nor what the check of the bag reads itself. */
const isPage = (path: string): boolean =>
  !path.startsWith(`${PAYLOAD}/`) && path !== DECLARATION && path !== FETCH && manifestKind(path) === null
