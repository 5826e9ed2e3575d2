/**
 * Verification of an archive, as a bag in a folder or a zip: the bag first, then the snapshot in it by the same check
 * as any other copy. A zip is unpacked for it, beside nothing that matters, and removed again.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parsePeriod } from '../archive/company-history.ts'
import {
  type Container,
  type ContainerProblem,
  looksLikeBag,
  openFolder,
  unpack,
} from '../archive/container.ts'
import { type BagContents, type BagRequest, bagContents, payloadPath } from '../archive/contents.ts'
import { evidenceContents, leftOutOf, PERIOD_LABEL } from '../archive/evidence.ts'
import { checkPages } from '../archive/pages.ts'
import { archiveDamage, type CheckedArchive, checkArchive } from '../archive/payload.ts'
import { BAG_INFO, PAYLOAD } from '../archive/tags.ts'
import { isZipFile, openZip, ZipUnreadableError } from '../archive/zip.ts'
import type { Damage } from '../snapshot/damage.ts'
import { LEFT_OUT, MANIFEST } from '../snapshot/layout.ts'
import { openSnapshotIn } from '../snapshot/open.ts'
import { thisProgram } from '../workspace/version.ts'
import {
  type Verification,
  type VerifiedArchive,
  type VerifiedCompany,
  type VerifyOptions,
  verdictOn,
  verifyFolder,
  verifyLone,
} from './verify.ts'

export interface ArchiveOptions extends VerifyOptions {
  readonly unpacked?: (bytes: number, total: number) => void
}

/** Whether there is a zip, or the folder of a bag. */
export async function isArchive(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return looksLikeBag(await readdir(path))
  return found?.isFile() === true && (await isZipFile(path))
}

/** Of what {@link isArchive}. Throws {@link ZipUnreadableError}. */
export async function openArchive(path: string): Promise<Container> {
  return (await stat(path)).isDirectory() ? openFolder(path) : openZip(path)
}

export async function verifyArchive(path: string, options: ArchiveOptions): Promise<Verification> {
  let container: Container
  try {
    container = await openArchive(path)
  } catch (problem) {
    if (!(problem instanceof ZipUnreadableError)) throw problem
    return unreadArchive(path, archiveDamage('zip', { path: null, message: problem.message }))
  }
  if (container.kind === 'folder') return verifyUnpacked(path, container, options)
  const scratch = await mkdtemp(join(tmpdir(), 'tieout-archive-'))
  try {
    // What may not be unpacked is refused by its list of names.
    if (container.problems.length > 0)
      return unreadArchive(path, ...container.problems.map((each) => archiveDamage('bag-path', each)))
    const problems = await unpack(container, scratch, { progress: options.unpacked ?? (() => {}) })
    return await verifyUnpacked(scratch, await openFolder(scratch), options, { path, kind: 'zip', problems })
  } finally {
    container.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

interface Origin {
  readonly path: string
  readonly kind: Container['kind']
  /** What could not be unpacked. */
  readonly problems: readonly ContainerProblem[]
}

/** `folder` holds the files of the container; `origin` is where they came from. */
export async function verifyUnpacked(
  folder: string,
  container: Container,
  options: VerifyOptions,
  origin: Origin = { path: folder, kind: container.kind, problems: [] },
): Promise<Verification> {
  const checked = await checkArchive(container, origin.problems)
  const companies = await companiesIn(folder, checked, options)
  const isSound =
    checked.damages.length === 0 && companies.length > 0 && verdictOn(companies, false).outcome !== 'damaged'
  const pages = isSound
    ? await checkPages(
        container,
        checked,
        (request) => madeAgain(folder, checked, companies[0]!, request),
        thisProgram(),
      )
    : { damages: [], uncompared: [], notes: [] }
  const archive: VerifiedArchive = {
    path: origin.path,
    kind: origin.kind,
    bagItVersion: checked.version,
    payload: checked.payload,
    damages: [...once(checked.damages, inPayload(companies)), ...pages.damages],
    notes: [...checked.notes, ...pages.notes],
    uncompared: pages.uncompared,
  }
  return {
    ...verdictOn(companies, companies.length === 0 || archive.damages.length > 0),
    archive,
    companies,
  }
}

/** Whose snapshots lie in the payload: one, or those of evidence; none where it cannot be said. */
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
    const damages = await incomplete(join(folder, PAYLOAD), info.get(PERIOD_LABEL.toLowerCase())?.[0])
    return companies.map((company) => ({ ...company, damages: [...company.damages, ...damages] }))
  }
  return snapshotId === null
    ? []
    : [await snapshotIn(join(folder, payloadPath(snapshotId)), snapshotId, options)]
}

/** Evidence is complete for the time that it names, whoever made it. */
async function incomplete(payload: string, stated: string | undefined): Promise<Damage[]> {
  const period = parsePeriod(stated)
  if (!period)
    return [
      archiveDamage('bag-info', {
        path: BAG_INFO,
        message: `${BAG_INFO} does not say of which months it is evidence`,
      }),
    ]
  const left = await leftOutOf(payload, period)
  return left.map((id) =>
    archiveDamage('snapshot-missing', {
      path: `${LEFT_OUT}/${id}`,
      message: `snapshot ${id} was left out, although it is of ${period.from} to ${period.through}`,
    }),
  )
}

/** The bag as it follows from its payload. */
async function madeAgain(
  folder: string,
  { kind, snapshotId, info }: CheckedArchive,
  { company }: VerifiedCompany,
  request: BagRequest,
): Promise<BagContents> {
  if (kind === 'snapshot')
    return bagContents(
      await openSnapshotIn(join(folder, payloadPath(snapshotId!)), company, snapshotId!),
      request,
    )
  const period = parsePeriod(info.get(PERIOD_LABEL.toLowerCase())?.[0])!
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

/** Paths below the bag of what the check of the snapshot and its kept sources told. */
const inPayload = (companies: readonly VerifiedCompany[]): (string | null)[] =>
  companies.flatMap(({ damages, snapshots }) => [
    ...damages.map(({ path }) => path && payloadPath(path)),
    ...snapshots.flatMap(({ folder, damages }) =>
      damages.map(({ path }) => path && payloadPath(`${basename(folder)}/${path}`)),
    ),
  ])

/** One file that was changed is told once, in the words of who knows it best. */
function once(damages: readonly Damage[], told: readonly (string | null)[]): Damage[] {
  const paths = new Set(told)
  return damages.filter(
    ({ kind, path }) =>
      !['bag-path', 'bag-missing', 'bag-changed', 'bag-extra'].includes(kind) ||
      path === null ||
      !paths.has(path),
  )
}

/** An archive that was not even unpacked. */
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
