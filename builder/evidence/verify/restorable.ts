/**
 * Decides whether an archived snapshot may be restored: which one the archive claims to hold, and whether the
 * log, the following snapshots and the company's folder know the same one.
 */

import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Damage } from '../../snapshot/files/damage.ts'
import { type CheckedSnapshot, checkSnapshot } from '../../snapshot/files/files.ts'
import { MANIFEST, parseSnapshotId, snapshotFolder } from '../../snapshot/files/layout.ts'
import { type Manifest, type Pointer, parseManifest } from '../../snapshot/files/manifest.ts'
import type { Change } from '../../snapshot/log/change.ts'
import { isDowngrade } from '../../snapshot/log/check-format.ts'
import { sha256 } from '../../system/hash.ts'
import { readFile } from '../../system/plain-file.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { companyId } from '../../workspace/company.ts'
import type { Container } from '../archive/container.ts'
import { payloadPath } from '../archive/contents.ts'
import { archiveDamage, payloadOf } from '../archive/payload.ts'
import type { VerifyOptions } from './verify.ts'

const LARGEST_MANIFEST = 256 * 1024 ** 2

/** A snapshot as an archive claims to hold it. */
export interface ArchivedSnapshot {
  readonly manifest: Manifest
  readonly pointer: Pointer
}

/**
 * Finds out which snapshot an archive claims to hold, in order to know its place; nothing is verified yet.
 * Returns the damages where the archive does not say. Throws {@link ChangeRefusedError} for evidence.
 */
export async function archivedSnapshot(container: Container): Promise<ArchivedSnapshot | Damage[]> {
  const unsound = container.problems.map((each) => archiveDamage('bag-path', each))
  if (unsound.length > 0) return unsound
  const { kind, snapshotId, problems } = payloadOf(container)
  if (kind === 'evidence')
    throw new ChangeRefusedError(
      'this is evidence: a copy, for an auditor, of what a company published in a period. "tieout restore" takes the archive of one snapshot, as "tieout archive" writes it. To read this one, unpack it: its folder "data" has the layout of the company\'s folder',
    )
  const wrong = problems.map((each) => archiveDamage('bag-payload', each))
  if (snapshotId === null) return wrong
  const place = payloadPath(`${snapshotId}/${MANIFEST}`)
  const damaged = (message: string): Damage[] => [
    ...wrong,
    archiveDamage('bag-payload', { path: place, message }),
  ]
  const file = container.files.get(place)
  if (!file) return damaged(`${place} is missing: nothing says what the snapshot is made of`)
  if (file.size > LARGEST_MANIFEST) return damaged(`${place} has ${file.size} bytes, too many for a manifest`)
  const bytes = await buffer(await container.read(place)).catch(() => null)
  const manifest = bytes && parseManifest(bytes.toString('utf8'))
  if (!bytes || !manifest) return damaged(`${place} is not a readable manifest`)
  if (manifest.SnapshotId !== snapshotId)
    return damaged(`${place} is that of snapshot ${manifest.SnapshotId}`)
  // Checked because the id becomes the name of a folder.
  if (!companyId.safeParse(manifest.CompanyId).success)
    return damaged(`"${manifest.CompanyId}" in ${place} is not a company id`)
  return { manifest, pointer: { SnapshotId: snapshotId, ManifestSha256: sha256(bytes) } }
}

/** Finds a snapshot of the same id that is here already; throws where it is a different or a damaged one. */
export async function sameHere(
  { root, company }: Change,
  { SnapshotId: id, ManifestSha256 }: Pointer,
  { known }: VerifyOptions,
): Promise<CheckedSnapshot | null> {
  const place = snapshotFolder(root, company, id)
  if (!existsSync(place)) return null
  const found = await checkSnapshot(place, known)
  if (found.manifestHash !== ManifestSha256)
    throw new ChangeRefusedError(
      found.manifestHash === null
        ? `${company} has ${id} already, without its ${MANIFEST}; move ${relative(dirname(root), place)} away, then restore it again`
        : `${company} has another snapshot ${id} already, whose ${MANIFEST} has SHA-256 ${found.manifestHash}, not ${ManifestSha256}; nothing was changed`,
    )
  const [damage] = found.damages
  if (damage)
    throw new ChangeRefusedError(
      `${company} has ${id} already, but not as it was published: ${damage.message}; move ${relative(dirname(root), place)} away, then restore it again`,
    )
  return found
}

/** The manifests of the company's snapshots, without those that cannot be read. */
export async function manifestsIn(folder: string): Promise<Manifest[]> {
  const ids = readdirSync(folder).filter((name) => parseSnapshotId(name))
  const texts = await Promise.all(
    ids.map((id) => readFile(join(folder, id, MANIFEST), 'utf8').catch(() => '')),
  )
  return texts.flatMap((text) => parseManifest(text) ?? [])
}

/**
 * Refuses a snapshot whose manifest is not the one that the log or a following snapshot names: verification
 * would report it as damaged from the first day.
 */
export async function refuseOthers(
  { company, folder, history }: Change,
  { manifest, pointer }: ArchivedSnapshot,
): Promise<void> {
  const { SnapshotId: id, ManifestSha256 } = pointer
  const logged = history.published.get(id) ?? history.pruned.get(id)
  const here = await manifestsIn(folder)
  const follower = here.find(
    ({ Previous }) => Previous?.SnapshotId === id && Previous.ManifestSha256 !== ManifestSha256,
  )
  const by = logged && logged.ManifestSha256 !== ManifestSha256 ? 'the log' : follower?.SnapshotId
  if (manifest.Previous && isDowngrade(manifest, here))
    throw new ChangeRefusedError(
      `this ${id} is of format 1, although it follows ${manifest.Previous.SnapshotId}, which is here and of format 2: its ${MANIFEST} was rewritten`,
    )
  if (by)
    throw new ChangeRefusedError(
      `this is not the ${id} that ${company} published: ${by} names another ${MANIFEST} for it, not the one with SHA-256 ${ManifestSha256}`,
    )
}
