/**
 * Verification for those who trust nobody: every file, every manifest, the chain of manifests, and every figure
 * computed again from the books. Works on any copy of a snapshot, of a company's folder or of all of them.
 */
import { existsSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { BOOK_FILES } from './books/store.ts'
import { type Recomputed, recompute, type SoundSnapshot, unlistedBooks } from './recompute.ts'
import { checkRestatement, checkUses } from './restatement-check.ts'
import { checkCompany, keyNotes } from './snapshot/chain.ts'
import type { Damage } from './snapshot/damage.ts'
import { type CheckedSnapshot, checkSnapshot } from './snapshot/files.ts'
import { checkInputsOf } from './snapshot/inputs.ts'
import { bookPath, LOG, MANIFEST, POINTER, parseSnapshotId } from './snapshot/layout.ts'
import type { KnownKeys } from './snapshot/sign.ts'
import { foreignApproval, foreignApprovals } from './verify-approvers.ts'

export interface VerifyOptions {
  /** Compute the figures again; without it only files and chain are checked. */
  readonly figures: boolean
  /** Ids of the keys that may have signed; null where nobody told. */
  readonly known: KnownKeys
  /** SHA-256 of a line of the log or of a manifest, as it was noted elsewhere: it must be here. */
  readonly expect?: string
  /** Ids of the keys that may have approved; then an approval is needed. Undefined where nobody told. */
  readonly approverKeys?: ReadonlySet<string>
  readonly progress?: (snapshotId: string, done: number, total: number) => void
  /** The company's folder is the payload of an evidence bag: of snapshots of another time there are manifests alone. */
  readonly isExtract?: boolean
}

export interface VerifiedSnapshot {
  readonly snapshotId: string
  readonly folder: string
  readonly manifestSha256: string | null
  /** The key of its signature, where it has one that holds. */
  readonly keyId: string | null
  readonly contentHash: string | null
  readonly files: number
  readonly bytes: number
  /** Null where the figures were not computed again: not asked for, or the books are damaged. */
  readonly recomputed: { readonly documents: number; readonly comparisons: number } | null
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

export interface VerifiedCompany {
  readonly company: string
  readonly folder: string
  readonly current: string | null
  readonly snapshots: readonly VerifiedSnapshot[]
  /** Of the pointer and the chain. */
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

/** The bag that an archived snapshot came in. */
export interface VerifiedArchive {
  readonly path: string
  readonly kind: 'folder' | 'zip'
  readonly bagItVersion: string | null
  readonly payload: { readonly files: number; readonly bytes: number }
  readonly damages: readonly Damage[]
  readonly notes: readonly string[]
}

export interface Verification {
  readonly verified: boolean
  /** Where an archive was verified: what is to be said of the bag itself. */
  readonly archive?: VerifiedArchive
  readonly companies: readonly VerifiedCompany[]
}

/** What a folder holds, told by its contents: its name says nothing in a copy. */
export type FolderKind = 'snapshot' | 'company' | 'companies'

export async function folderKind(folder: string): Promise<FolderKind | null> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return null
  if (existsSync(join(folder, MANIFEST))) return 'snapshot'
  if (await holdsCompany(folder)) return 'company'
  return (await companiesIn(folder)).length > 0 ? 'companies' : null
}

async function holdsCompany(folder: string): Promise<boolean> {
  const names = await readdir(folder)
  return names.some((name) => name === POINTER || parseSnapshotId(name) !== null)
}

/** Folders of companies, a company whose pointer was removed included. */
async function companiesIn(root: string): Promise<string[]> {
  const names = (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  const held = await Promise.all(names.map((name) => holdsCompany(join(root, name))))
  return names.filter((_, i) => held[i])
}

/** Verifies a folder of which {@link folderKind} says what it is. */
export async function verifyFolder(
  folder: string,
  kind: FolderKind,
  options: VerifyOptions,
): Promise<Verification> {
  const path = resolve(folder)
  if (kind === 'snapshot') return verdict([await verifyLone(path, options)])
  if (kind === 'company') return verdict([await company(path, false, options)])
  const companies: VerifiedCompany[] = []
  for (const name of await companiesIn(path)) companies.push(await company(join(path, name), true, options))
  return verdict(companies)
}

/** Companies of a workspace by their ids. */
export async function verifyCompanies(
  root: string,
  ids: readonly string[],
  options: VerifyOptions,
): Promise<Verification> {
  const companies: VerifiedCompany[] = []
  for (const id of ids) companies.push(await company(join(root, id), true, options))
  return verdict(companies)
}

const verdict = (companies: readonly VerifiedCompany[]): Verification => ({
  verified: companies.every(
    ({ damages, snapshots }) =>
      damages.length === 0 && snapshots.every((snapshot) => snapshot.damages.length === 0),
  ),
  companies,
})

async function company(
  folder: string,
  nameCounts: boolean,
  options: VerifyOptions,
): Promise<VerifiedCompany> {
  const checked = await checkCompany(folder, basename(folder), nameCounts, options.known, options.isExtract)
  const snapshots: VerifiedSnapshot[] = []
  for (const snapshot of checked.snapshots) {
    const one = await verified(snapshot, options)
    const closed = options.figures ? await checkRestatement(snapshot, checked) : null
    snapshots.push({
      ...one,
      damages: [...one.damages, ...(closed?.damages ?? [])],
      notes: [...one.notes, ...(closed?.notes ?? [])],
    })
  }
  const { log, ...company } = checked
  const uses = options.figures ? await checkUses(checked) : { damages: [], notes: [] }
  const noted = unnoted(options.expect, [...log.hashes, ...manifestHashes(checked.snapshots)], LOG)
  const foreign = foreignApprovals(log, options.approverKeys)
  return {
    ...company,
    snapshots,
    damages: [...noted, ...checked.damages, ...foreign, ...uses.damages],
    notes: [...checked.notes, ...uses.notes],
  }
}

/** One snapshot by itself: nothing vouches for its manifest, which the reader is told. */
export async function verifyLone(folder: string, options: VerifyOptions): Promise<VerifiedCompany> {
  const checked = await checkSnapshot(folder, options.known)
  const inputs = await checkInputsOf(folder, checked)
  return {
    company: checked.manifest?.CompanyId ?? basename(folder),
    folder,
    current: null,
    snapshots: [await verified(checked, options)],
    damages: [
      ...unnoted(options.expect, manifestHashes([checked]), MANIFEST),
      ...inputs.damages,
      ...(await foreignApproval(folder, options.approverKeys)),
    ],
    notes: [
      ...inputs.notes,
      ...keyNotes([checked], options.known),
      // A known key vouches for the manifest; without one nothing does.
      ...(options.known && checked.keyId
        ? []
        : [
            `nothing beside the snapshot vouches for its ${MANIFEST}: compare its SHA-256 with the one that was noted when it was published`,
          ]),
    ],
  }
}

const manifestHashes = (snapshots: readonly CheckedSnapshot[]): string[] =>
  snapshots.flatMap(({ manifestHash }) => manifestHash ?? [])

/** An anchor outside: who cuts the end of the log, or takes all of it away, cannot change what was noted elsewhere. */
const unnoted = (expect: string | undefined, hashes: readonly string[], path: string): Damage[] =>
  expect === undefined || hashes.includes(expect)
    ? []
    : [
        {
          kind: 'unexpected',
          snapshotId: null,
          path,
          message: `nothing here has the SHA-256 that was noted, ${expect}: neither a line of ${LOG} nor a ${MANIFEST}; what was published by then was cut off, or replaced`,
        },
      ]

async function verified(snapshot: CheckedSnapshot, options: VerifyOptions): Promise<VerifiedSnapshot> {
  const { id, folder, manifest, manifestHash, keyId, damages } = snapshot
  const again = manifest && options.figures ? await figures({ ...snapshot, manifest }, options) : null
  return {
    snapshotId: id,
    folder,
    manifestSha256: manifestHash,
    keyId,
    contentHash: manifest?.ContentHash ?? null,
    files: manifest?.Files.length ?? 0,
    bytes: manifest?.Files.reduce((sum, file) => sum + file.Bytes, 0) ?? 0,
    recomputed: again && { documents: again.documents, comparisons: again.comparisons },
    damages: [...damages, ...(again?.damages ?? [])],
    notes: again?.notes ?? [],
  }
}

/** Nothing is computed from books that are not the published ones; documents found damaged are not named twice. */
async function figures(snapshot: SoundSnapshot, { progress }: VerifyOptions): Promise<Recomputed | null> {
  const damaged = new Set(snapshot.damages.map(({ path }) => path))
  const books = BOOK_FILES.map(bookPath)
  const absent = unlistedBooks(snapshot.manifest)
  if (absent.length > 0)
    return { documents: 0, comparisons: 0, damages: [unlisted(snapshot.id, absent)], notes: [] }
  if (books.some((path) => damaged.has(path))) return null
  const again = await recompute(
    snapshot,
    (path) => (damaged.has(path) ? Promise.resolve('') : readFile(join(snapshot.folder, path), 'utf8')),
    (done, total) => progress?.(snapshot.id, done, total),
  )
  return {
    ...again,
    damages: again.damages.filter(({ path }) => path === null || !damaged.has(path)),
  }
}

/** Without books no figure can be proven: who forges figures would leave them out. */
const unlisted = (snapshotId: string, paths: readonly string[]): Damage => ({
  kind: 'books',
  snapshotId,
  path: MANIFEST,
  message: `${MANIFEST} does not list ${paths.join(', ')}: its figures cannot be proven`,
})
