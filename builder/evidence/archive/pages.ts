/**
 * Checks the files beside the payload of a bag, which a reader would believe: the first page, the report, the page
 * about the format, the metadata, the public key and the list of checksums. All of them follow from the snapshot,
 * so that they are made again and compared; the manifests of the bag prove only what its author put into it.
 */
import { buffer } from 'node:stream/consumers'
import type { Damage, DamageKind } from '../../snapshot/files/damage.ts'
import { sha256 } from '../../system/hash.ts'
import type { CheckedBag } from './check.ts'
import type { Container } from './container.ts'
import { type BagContents, type BagFile, type BagRequest, CHECKSUMS, README } from './contents.ts'
import { INDEX } from './evidence.ts'
import { archiveDamage } from './payload.ts'
import { FORMAT_PAGE } from './readme.ts'
import { isOfReport, REPORT_FOLDER } from './report.ts'
import { BAG_INFO, checksumText, DECLARATION, FETCH, manifestKind, PAYLOAD, parseBagInfo } from './tags.ts'

interface CheckedPages {
  readonly damages: readonly Damage[]
  /** Pages that could not be compared, because another version of the program may have worded them otherwise. */
  readonly uncompared: readonly string[]
  readonly notes: readonly string[]
}

/** Pages whose wording and layout differ between versions of the program. */
const isWorded = (path: string): boolean => [README, INDEX, FORMAT_PAGE].includes(path) || isOfReport(path)
/** Pages that bags of earlier versions do not have. */
const isNewer = (path: string): boolean => path === FORMAT_PAGE || isOfReport(path)
/** Labels of bag-info.txt whose text differs between versions: the program, and a sentence about the bag. */
const WORDED_LABELS = ['bag-software-agent', 'external-description']
const NAME_OF_PROGRAM = /^Tieout \d[\w.+-]{0,40}$/

/**
 * Compares the pages of a bag with those made again. `make` makes the bag from its payload, which was verified
 * before; `software` is the name and version of this program as a bag states it.
 */
export async function checkBagPages(
  container: Container,
  { version, info }: Pick<CheckedBag, 'version' | 'info'>,
  make: (request: BagRequest) => Promise<BagContents>,
  software: string,
): Promise<CheckedPages> {
  const writer = info.get('bag-software-agent')?.[0]
  // The bag's own words: only what reads as the name of a program is repeated.
  const named = writer !== undefined && NAME_OF_PROGRAM.test(writer) ? writer : 'an unknown program'
  const made = await make({
    version: version ?? '1.0',
    software: writer ?? software,
    baggedAt: dayOf(info.get('bagging-date')?.[0]),
  })
  const found = await tagFilesOf(container)
  const pages = new Map(made.files.filter(({ path }) => isPage(path)).map((file) => [file.path, file]))
  const damages: Damage[] = []
  const uncompared: string[] = []
  const damage = (kind: DamageKind, path: string, message: string) =>
    damages.push(archiveDamage(kind, { path, message: `${path} ${message}` }))
  for (const path of pages.keys())
    if (!found.has(path) && (writer === software || !isNewer(path)))
      damage('bag-missing', path, 'is missing, which such an archive holds beside the payload')
  for (const [path, { sha256: hash, bytes }] of found) {
    if (!isPage(path)) continue
    const page = pages.get(path)
    if (page === undefined && writer !== software && isOfReport(path)) uncompared.push(path)
    else if (page === undefined)
      damage(
        'bag-extra',
        path,
        'lies beside the payload, and is nothing that an archive of this snapshot holds: nothing vouches for it',
      )
    else if (hash === page.sha256) continue
    else if (writer !== software && isWorded(path)) uncompared.push(path)
    else if (writer === software || !saysTheSame(path, bytes, page, made, found))
      damage('bag-changed', path, 'does not say what follows from the snapshot')
    // What it says besides is of whoever wrote the bag.
    else if (path === BAG_INFO) uncompared.push(path)
  }
  return {
    damages,
    uncompared,
    notes:
      uncompared.length === 0
        ? []
        : [
            `${pathsIn(uncompared)} could not be compared with what this program would write, and ${uncompared.length === 1 ? 'is' : 'are'} not proved: ${named} wrote the bag, and this is ${software}; believe the files in ${PAYLOAD}/ alone`,
          ],
  }
}

/** Names the pages of a report by their folder, since there are many. */
const pathsIn = (paths: readonly string[]): string =>
  [...new Set(paths.map((path) => (isOfReport(path) ? `${REPORT_FOLDER}/` : path)))].join(', ')

/**
 * Compares a file that another version wrote and whose content is the same in every version: the checksums, and the
 * metadata apart from the worded labels.
 */
function saysTheSame(
  path: string,
  bytes: Buffer | null,
  page: BagFile,
  made: BagContents,
  found: ReadonlyMap<string, FoundPage>,
): boolean {
  if (bytes === null) return false
  if (path === CHECKSUMS) {
    const listed = made.files
      .filter(({ path }) => path.startsWith(`${PAYLOAD}/`) || found.has(path))
      .filter(({ path }) => path !== CHECKSUMS && manifestKind(path)?.tags !== true)
      .map((file) => ({ path: file.path, hash: hashIn(found, file) }))
    return bytes.equals(Buffer.from(checksumText(listed)))
  }
  if (path !== BAG_INFO) return false
  const [stated, expected] = [bytes, page.source as Buffer].map((text) => parseBagInfo(text.toString('utf8')))
  return [...(expected ?? [])].every(
    ([label, values]) =>
      WORDED_LABELS.includes(label) || (stated?.get(label) ?? values).join('\n') === values.join('\n'),
  )
}

const hashIn = (found: ReadonlyMap<string, FoundPage>, { path, sha256: hash }: BagFile): string =>
  found.get(path)?.sha256 ?? hash

interface FoundPage {
  readonly sha256: string
  /** Null for pages of the report, which are too large to keep and are compared by their hashes. */
  readonly bytes: Buffer | null
}

/** All files that are not payload, by path. */
async function tagFilesOf(container: Container): Promise<Map<string, FoundPage>> {
  const paths = [...container.files.keys()].filter((path) => !path.startsWith(`${PAYLOAD}/`))
  const found = new Map<string, FoundPage>()
  for (const path of paths) {
    const bytes = await buffer(await container.read(path))
    found.set(path, { sha256: sha256(bytes), bytes: isOfReport(path) ? null : bytes })
  }
  return found
}

/**
 * The day of bagging, which does not follow from the snapshot. A text that is not a date becomes 1970-01-01, and is
 * then reported as a difference.
 */
function dayOf(text = ''): Date {
  const day = new Date(text)
  return Number.isNaN(day.getTime()) ? new Date(0) : day
}

/** Whether the file is a page: not payload, and not a file that the check of the bag reads. */
const isPage = (path: string): boolean =>
  !path.startsWith(`${PAYLOAD}/`) && path !== DECLARATION && path !== FETCH && manifestKind(path) === null
