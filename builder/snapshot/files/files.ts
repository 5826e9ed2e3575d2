/**
 * Checks the folder of one snapshot against its own manifest: every file that the manifest lists, and every file in the
 * folder. Neither is trusted, because a copied folder may come from anybody.
 */
import { createHash } from 'node:crypto'
import { type Dirent, lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { isAbsent } from '../../system/effects.ts'
import { sha256 } from '../../system/hash.ts'
import { entriesBelow, isNoFile, readFile } from '../../system/plain-file.ts'
import { approverOf, areApprovers } from '../approval/approval.ts'
import { checkSignature, type KnownKeys } from '../keys/sign.ts'
import { laterMember } from '../log/check-format.ts'
import { approvedRecord } from '../log/log.ts'
import type { Damage, DamageKind } from './damage.ts'
import { APPROVAL, isDocument, MANIFEST, MANIFEST_FILES, SIGNATURE, snapshotId } from './layout.ts'
import { type FileEntry, type Manifest, readManifest } from './manifest.ts'
import { Hashes } from './measure.ts'

/** One snapshot on disk, with what is wrong with it. */
export interface CheckedSnapshot {
  readonly folder: string
  /** The id in the manifest, or else the name of the folder. */
  readonly id: string
  readonly manifest: Manifest | null
  readonly manifestHash: string | null
  /** Id of the key of a valid signature; null where there is none. */
  readonly keyId: string | null
  readonly damages: readonly Damage[]
}

/** Checks only the manifest, its signature and its approval, which are all that remains of a pruned snapshot. */
export async function checkManifest(folder: string, known: KnownKeys): Promise<CheckedSnapshot> {
  const bytes = await readPlain(join(folder, MANIFEST))
  const read = bytes && readManifest(bytes.toString('utf8'))
  const id = read?.manifest?.SnapshotId ?? basename(folder)
  const damage = damageOf(id)
  const unusable = (kind: DamageKind, message: string): CheckedSnapshot => ({
    folder,
    id,
    manifest: null,
    manifestHash: bytes && sha256(bytes),
    keyId: null,
    damages: [damage(kind, MANIFEST, message)],
  })
  if (!bytes || !read)
    return unusable(
      'manifest-missing',
      `${MANIFEST} is missing, or is not a file: nothing says what belongs here`,
    )
  if (read.manifest === null) return unusable(read.kind, read.problem)
  const { manifest } = read

  const damages: Damage[] = []
  const { Month, Revision, ContentHash, Files } = manifest
  // A program always writes matching hashes, so the manifest was edited by hand.
  if (contentHashOf(Files) !== ContentHash || snapshotId(Month, Revision, ContentHash) !== id)
    damages.push(
      damage(
        'content-hash',
        MANIFEST,
        `${MANIFEST} contradicts itself: its files do not have the hash it states`,
      ),
    )
  const later = laterMember(manifest)
  if (later !== null)
    damages.push(
      damage('format', MANIFEST, `${MANIFEST} is of format 1, but ${later}, as no program of format 1 did`),
    )
  const signature = await signatureOf(folder, manifest, bytes, known)
  if (signature.damage) damages.push(damage(signature.damage[0], SIGNATURE, signature.damage[1]))
  const manifestHash = sha256(bytes)
  const unapproved = await approvalDamage(folder, manifest, manifestHash, known)
  if (unapproved !== null) damages.push(damage('unapproved', APPROVAL, unapproved))
  return { folder, id, manifest, manifestHash, keyId: signature.keyId, damages }
}

/** Drops the damage "unsigned" of a snapshot for which an adoption in the log vouches. */
export const withoutAdopted = (snapshot: CheckedSnapshot, adopted: ReadonlySet<string>): CheckedSnapshot =>
  snapshot.manifestHash !== null && adopted.has(snapshot.manifestHash)
    ? { ...snapshot, damages: snapshot.damages.filter(({ kind }) => kind !== 'unsigned') }
    : snapshot

const damageOf =
  (snapshotId: string) =>
  (kind: DamageKind, path: string, message: string): Damage => ({ kind, snapshotId, path, message })

/** Checks all files of a snapshot. Snapshots that are checked together share `hashes`. */
export async function checkSnapshot(
  folder: string,
  known: KnownKeys,
  hashes = new Hashes(),
): Promise<CheckedSnapshot> {
  const checked = await checkManifest(folder, known)
  if (!checked.manifest) return checked
  const { Files } = checked.manifest
  const damage = damageOf(checked.id)
  const damages = [...checked.damages]
  const listed = new Map<string, FileEntry>()
  for (const file of Files) {
    if (isInside(file.Path) && !listed.has(file.Path)) listed.set(file.Path, file)
    else
      damages.push(
        damage(
          'content-hash',
          file.Path,
          `${MANIFEST} lists "${file.Path}", which no snapshot can hold or holds once`,
        ),
      )
  }
  const present = await entriesByPath(folder)
  for (const file of listed.values()) {
    const found = compare(folder, file, present.get(file.Path), Files, hashes)
    if (found) damages.push(damage(found[0], file.Path, found[1]))
  }
  const folders = new Set([...listed.keys()].flatMap(foldersAbove))
  for (const [path, entry] of present) {
    if (
      [MANIFEST, SIGNATURE].includes(path) ||
      (path === APPROVAL && checked.manifest.Build?.Approvers) ||
      listed.has(path) ||
      (entry.isDirectory() && folders.has(path))
    )
      continue
    const what = entry.isDirectory() ? 'folder' : 'file'
    damages.push(damage('extra', path, `${path} does not belong here: ${MANIFEST} lists no such ${what}`))
  }
  return { ...checked, damages }
}

/** The bytes of a file; null if the path is missing or not a real file. The target of a link may change after this check. */
async function readPlain(path: string): Promise<Buffer | null> {
  const found = await lstat(path).catch((problem) => {
    if (isAbsent(problem)) return null
    throw problem
  })
  if (!found?.isFile()) return null
  return readFile(path).catch((problem) => {
    if (isNoFile(problem)) return null
    throw problem
  })
}

/**
 * Checks the signature of a manifest. The manifest itself says whether it was signed, so a removed signature is detected.
 * Where the signing keys are known, an unsigned manifest is a damage.
 */
async function signatureOf(
  folder: string,
  { Build }: Manifest,
  bytes: Buffer,
  known: KnownKeys,
): Promise<{ keyId: string | null; damage?: [DamageKind, string] }> {
  const stated = Build?.KeyId ?? null
  const text = (await readPlain(join(folder, SIGNATURE)))?.toString('utf8') ?? null
  if (text === null) {
    if (stated === null && known === null) return { keyId: null }
    if (stated === null)
      return {
        keyId: null,
        damage: [
          'unsigned',
          `${MANIFEST} is not signed, although the keys that may have signed it are known`,
        ],
      }
    return {
      keyId: null,
      damage: [
        'signature-missing',
        `${SIGNATURE} is missing, or is not a file, although ${MANIFEST} was signed with key ${stated}`,
      ],
    }
  }
  const { keyId, problem } = await checkSignature(bytes, text)
  if (problem !== undefined)
    return { keyId: null, damage: ['signature', `${SIGNATURE} does not sign this ${MANIFEST}: ${problem}`] }
  if (keyId !== stated)
    return {
      keyId,
      damage: ['foreign-key', `${SIGNATURE} is of key ${keyId}; ${MANIFEST} names ${stated ?? 'none'}`],
    }
  if (known && !known.has(keyId))
    return {
      keyId,
      damage: [
        'foreign-key',
        `${SIGNATURE} is of key ${keyId}, which is none of the known ones: ${[...known].join(', ') || 'there are none'}`,
      ],
    }
  return { keyId }
}

/** What is wrong with the approval that the manifest says it needs; null if nothing is, or if it needs none. */
async function approvalDamage(
  folder: string,
  { Build, SnapshotId }: Manifest,
  ManifestSha256: string,
  known: KnownKeys,
): Promise<string | null> {
  const approvers = Build?.Approvers
  if (approvers === undefined) return null
  if (!areApprovers(approvers) || approvers.length === 0)
    return `${MANIFEST} does not say who had to approve it`
  const text = (await readPlain(join(folder, APPROVAL)))?.toString('utf8') ?? null
  if (text === null)
    return `${APPROVAL} is missing, or is not a file, although ${MANIFEST} had to be approved by ${approvers.map(({ Name }) => Name).join(' or ')}`
  const signature = (await readPlain(join(folder, SIGNATURE)))?.toString('utf8') ?? ''
  const { record, wrong } = await approvedRecord(text, signature, known)
  if (wrong !== undefined) return `${APPROVAL} ${wrong}`
  if (record.SnapshotId !== SnapshotId || record.ManifestSha256 !== ManifestSha256)
    return `${APPROVAL} approves another ${MANIFEST}, of ${record.SnapshotId}`
  if ((await approverOf(approvers, record.Approval.KeyId)) === null)
    return `${APPROVAL} is of key ${record.Approval.KeyId}, which is none of the approvers that ${MANIFEST} names`
  return null
}

/** Whether a path stays inside the folder to which it is joined, and names none of the manifest's own files. */
const isInside = (path: string): boolean =>
  path !== '' &&
  !MANIFEST_FILES.includes(path) &&
  !/[\\\0]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** All entries below a folder by their paths with `/`. Links are listed, not followed. */
async function entriesByPath(folder: string): Promise<Map<string, Dirent>> {
  const entries = await entriesBelow(folder)
  return new Map(
    entries
      .map((entry): [string, Dirent] => [
        relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'),
        entry,
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

const foldersAbove = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join('/'))

/** The kind and message of a damage to one file, or null. A file of a size that no file of `all` has is not read. */
function compare(
  folder: string,
  { Path, Bytes, Sha256 }: FileEntry,
  entry: Dirent | undefined,
  all: Manifest['Files'],
  hashes: Hashes,
): [DamageKind, string] | null {
  if (!entry) return ['missing', `${Path} is missing`]
  // The target of a link may change after this check.
  if (!entry.isFile()) return ['no-file', `${Path} is no file, but a folder, a link or a device`]
  const path = join(folder, Path)
  const { size } = lstatSync(path)
  const isRead = size === Bytes || all.some((other) => other.Bytes === size)
  const hash = isRead ? hashes.of(path).Sha256 : null
  if (hash === Sha256 && size === Bytes) return null
  const twin = hash !== null && all.find((other) => other.Sha256 === hash)
  if (twin) return ['swapped', `${Path} holds what was published as ${twin.Path}`]
  if (size < Bytes) return ['truncated', `${Path} was cut: ${size} of ${Bytes} bytes are left`]
  return [
    'changed',
    `${Path} was changed: ${size === Bytes ? `SHA-256 ${hash} instead of ${Sha256}` : `${size} bytes instead of ${Bytes}`}`,
  ]
}

/** SHA-256 over the `path sha256` lines of all documents ({@link isDocument}), so that equal figures give equal hashes. `files` are sorted. */
export const contentHashOf = (files: Iterable<FileEntry>): string => hashOfFiles(files, isDocument)

/** SHA-256 over the `path sha256` lines of the files that count, in their order. */
export function hashOfFiles(files: Iterable<FileEntry>, counts: (path: string) => boolean): string {
  const hash = createHash('sha256')
  for (const { Path, Sha256 } of files) if (counts(Path)) hash.update(`${Path} ${Sha256}\n`)
  return hash.digest('hex')
}
