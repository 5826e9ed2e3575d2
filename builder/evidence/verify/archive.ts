/**
 * Verifies an archive, a BagIt bag in a folder or a zip: first the bag, then the snapshots in it by the same
 * checks as in any other copy. A zip is unpacked into a temporary folder, which is removed afterwards.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { present } from '../../contract/present.ts'
import type { Damage } from '../../snapshot/files/damage.ts'
import { LEFT_OUT_FOLDER, MANIFEST } from '../../snapshot/files/layout.ts'
import { openSnapshotIn } from '../../snapshot/files/open.ts'
import { scratchFolder } from '../../system/scratch-folder.ts'
import { thisProgram } from '../../system/version.ts'
import { type EvidencePeriod, parseEvidencePeriod } from '../archive/company-history.ts'
import {
  type Container,
  type ContainerProblem,
  looksLikeBag,
  openFolder,
  unpack,
} from '../archive/container.ts'
import { type BagContents, type BagRequest, bagContents, hashed, payloadPath } from '../archive/contents.ts'
import { evidenceContents, missingSnapshots, PERIOD_LABEL } from '../archive/evidence.ts'
import { checkBagPages } from '../archive/pages.ts'
import { archiveDamage, type CheckedArchive, checkArchive } from '../archive/payload.ts'
import { isOfReport } from '../archive/report.ts'
import { BAG_INFO, PAYLOAD } from '../archive/tags.ts'
import { isZipFile, openZip, ZipUnreadableError } from '../archive/zip.ts'
import {
  type Verification,
  type VerifiedArchive,
  type VerifiedCompany,
  type VerifyOptions,
  verdictOn,
  verifyFolder,
  verifyLone,
} from './verify.ts'

interface ArchiveOptions extends VerifyOptions {
  readonly unpacked?: (bytes: number, total: number) => void
}

/** Whether `path` is a zip file or the folder of a bag. */
export async function isArchive(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return looksLikeBag(await readdir(path))
  return found?.isFile() === true && (await isZipFile(path))
}

/** Opens a path for which {@link isArchive} holds. Throws {@link ZipUnreadableError}. */
export async function openArchive(path: string): Promise<Container> {
  return (await stat(path)).isDirectory() ? openFolder(path) : openZip(path)
}

/**
 * Verifies an archive and the snapshots in it. A bag that is unsafe to unpack, or a zip that cannot be read,
 * is reported as damage, not thrown.
 */
export async function verifyArchive(path: string, options: ArchiveOptions): Promise<Verification> {
  let container: Container
  try {
    container = await openArchive(path)
  } catch (problem) {
    if (!(problem instanceof ZipUnreadableError)) throw problem
    return unreadArchive(path, archiveDamage('zip', { path: null, message: problem.message }))
  }
  if (container.kind === 'folder') return verifyUnpacked(path, container, options)
  const { path: scratch, remove } = scratchFolder('archive')
  try {
    // Unsafe entries are known from the zip's directory, so that nothing of such a zip is unpacked.
    if (container.problems.length > 0)
      return unreadArchive(path, ...container.problems.map((each) => archiveDamage('bag-path', each)))
    const problems = await unpack(container, scratch, { progress: options.unpacked ?? (() => {}) })
    return await verifyUnpacked(scratch, await openFolder(scratch), options, { path, kind: 'zip', problems })
  } finally {
    container.close()
    remove()
  }
}

interface Origin {
  readonly path: string
  readonly kind: Container['kind']
  /** Entries that could not be unpacked. */
  readonly problems: readonly ContainerProblem[]
}

/**
 * Verifies the files of a container that lie in `folder`; `origin` says where the user has them, for the
 * report.
 */
export async function verifyUnpacked(
  folder: string,
  container: Container,
  options: VerifyOptions,
  origin: Origin = { path: folder, kind: container.kind, problems: [] },
): Promise<Verification> {
  const checked = await checkArchive(container, origin.problems)
  const companies = await companiesIn(folder, checked, options)
  const [company] = companies
  const isSound = checked.damages.length === 0 && verdictOn(companies, false).outcome !== 'damaged'
  const pages =
    company && isSound
      ? await checkBagPages(
          container,
          checked,
          (request) => remadeBag(folder, checked, company, request),
          thisProgram(),
        )
      : { damages: [], uncompared: [], notes: [] }
  const archive: VerifiedArchive = {
    path: origin.path,
    kind: origin.kind,
    bagItVersion: checked.version,
    payload: checked.payload,
    damages: [...withoutReported(checked.damages, inPayload(companies)), ...pages.damages],
    notes: [...checked.notes, ...pages.notes],
    uncompared: pages.uncompared,
  }
  return {
    // Statements that nothing vouches for are what most readers open: whoever has no key could forge them under another version's name.
    ...verdictOn(
      companies,
      companies.length === 0 || archive.damages.length > 0,
      !archive.uncompared.some(isOfReport),
    ),
    archive,
    companies,
  }
}

/**
 * Verifies the snapshots in the payload: one company's in evidence, a single snapshot otherwise. Empty where
 * the payload does not say which.
 */
async function companiesIn(
  folder: string,
  { kind, snapshotId, info }: CheckedArchive,
  options: VerifyOptions,
): Promise<VerifiedCompany[]> {
  if (kind === 'evidence') {
    const { companies } = await verifyFolder(join(folder, PAYLOAD), 'company', {
      ...options,
      isExtract: true,
    })
    const damages = await leftOutDamages(join(folder, PAYLOAD), periodIn(info))
    return companies.map((company) => ({ ...company, damages: [...company.damages, ...damages] }))
  }
  return snapshotId === null
    ? []
    : [await snapshotIn(join(folder, payloadPath(snapshotId)), snapshotId, options)]
}

const periodIn = (info: CheckedArchive['info']): EvidencePeriod | null =>
  parseEvidencePeriod(info.get(PERIOD_LABEL.toLowerCase())?.[0])

/** Checks that evidence holds every snapshot of the months that it names. */
async function leftOutDamages(payload: string, period: EvidencePeriod | null): Promise<Damage[]> {
  if (!period)
    return [
      archiveDamage('bag-info', {
        path: BAG_INFO,
        message: `${BAG_INFO} does not state the months that the evidence covers`,
      }),
    ]
  const left = await missingSnapshots(payload, period)
  return left.map((id) =>
    archiveDamage('snapshot-missing', {
      path: `${LEFT_OUT_FOLDER}/${id}`,
      message: `snapshot ${id} was left out, although it belongs to ${period.from} to ${period.through}`,
    }),
  )
}

/** Makes the bag again from its payload, to compare it with the one that is verified. */
async function remadeBag(
  folder: string,
  { kind, snapshotId, info }: CheckedArchive,
  { company }: VerifiedCompany,
  request: BagRequest,
): Promise<BagContents> {
  if (kind === 'snapshot') {
    const id = present(snapshotId, 'snapshot in a sound archive of one')
    return bagContents(await openSnapshotIn(join(folder, payloadPath(id)), company, id), request, hashed)
  }
  const period = present(periodIn(info), 'period in sound evidence')
  return (await evidenceContents(join(folder, PAYLOAD), company, { ...request, period })).bag
}

async function snapshotIn(folder: string, id: string, options: VerifyOptions): Promise<VerifiedCompany> {
  const found = await verifyLone(folder, options)
  const [snapshot] = found.snapshots
  if (!snapshot || snapshot.snapshotId === id) return found
  const message = `${MANIFEST} in folder ${id} is that of snapshot ${snapshot.snapshotId}`
  return {
    ...found,
    damages: [{ kind: 'manifest-misplaced', snapshotId: id, path: MANIFEST, message }, ...found.damages],
  }
}

/**
 * Lists the files of the payload for which the snapshot checks already report a damage, as paths in the bag.
 */
const inPayload = (companies: readonly VerifiedCompany[]): (string | null)[] =>
  companies.flatMap(({ damages, snapshots }) => [
    ...damages.map(({ path }) => path && payloadPath(path)),
    ...snapshots.flatMap(({ folder, damages }) =>
      damages.map(({ path }) => path && payloadPath(`${basename(folder)}/${path}`)),
    ),
  ])

/**
 * Reports each changed file once: where the snapshot check names it, which says more, the bag check does not.
 */
function withoutReported(damages: readonly Damage[], reported: readonly (string | null)[]): Damage[] {
  const paths = new Set(reported)
  return damages.filter(
    ({ kind, path }) =>
      !['bag-path', 'bag-missing', 'bag-changed', 'bag-extra'].includes(kind) ||
      path === null ||
      !paths.has(path),
  )
}

/** The result for an archive that could not be opened or was refused before it was unpacked. */
export const unreadArchive = (path: string, ...damages: Damage[]): Verification => ({
  verified: false,
  outcome: 'damaged',
  archive: {
    path,
    kind: path.endsWith('.zip') ? 'zip' : 'folder',
    bagItVersion: null,
    payload: { files: 0, bytes: 0 },
    damages,
    notes: [],
    uncompared: [],
  },
  companies: [],
})
