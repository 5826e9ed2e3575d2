/**
 * The contents of a snapshot's bag: its files as published, its kept sources, the key, and the pages that explain
 * them.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { present } from '../../contract/present.ts'
import { readCompanyName } from '../../snapshot/files/documents.ts'
import { membersNamed } from '../../snapshot/files/input-state.ts'
import {
  INPUTS,
  inputPath,
  MANIFEST,
  MANIFEST_FILES,
  MEMBERS,
  SIGNATURE,
  STAMPS,
  stampPath,
} from '../../snapshot/files/layout.ts'
import { type FileEntry, keptInputs } from '../../snapshot/files/manifest.ts'
import { memberFolder } from '../../snapshot/files/member-snapshots.ts'
import { openSnapshotIn, type Snapshot } from '../../snapshot/files/open.ts'
import { keyCarriedBy } from '../../snapshot/keys/sign.ts'
import { sha256 } from '../../system/hash.ts'
import { readFile } from '../../system/plain-file.ts'
import { inPackage } from '../../system/program.ts'
import { FORMAT_PAGE, readmeText } from './readme.ts'
import { reportFiles } from './report.ts'
import {
  BAG_INFO,
  type BagVersion,
  bagInfoText,
  checksumText,
  DECLARATION,
  declarationText,
  manifestName,
  manifestText,
  PAYLOAD,
  payloadOxum,
  tagManifestName,
} from './tags.ts'

export interface BagFile {
  /** Below the bag's base folder, separated by `/`. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** The path of the file to copy, or the content itself; null where the bag is made to be compared, and not to be written. */
  readonly source: string | Buffer | null
}

export interface BagContents {
  /** Name of the base folder. */
  readonly name: string
  readonly files: readonly BagFile[]
  readonly payload: { readonly files: number; readonly bytes: number }
  readonly keyId: string | null
  readonly inputs: number
}

export interface BagRequest {
  readonly version: BagVersion
  /** Name and version of the program that writes the bag. */
  readonly software: string
  /** When the bag is made: the only fact in it that does not follow from the snapshot. */
  readonly baggedAt: Date
}

export const README = 'README.txt'
export const CHECKSUMS = 'sha256sums.txt'
const KEY = { jwks: 'public-key.jwks.json', pem: 'public-key.pem' } as const

/** The path in the bag. The payload is laid out as a company's folder: `data/<SnapshotId>/` and `data/inputs/`. */
export const payloadPath = (path: string): string => `${PAYLOAD}/${path}`

/**
 * The bag of a snapshot, which lies in its company's folder or in the payload of a bag. Throws SnapshotDamagedError
 * where its documents cannot be read.
 */
export async function bagContents(
  snapshot: Snapshot,
  request: BagRequest,
  /** Makes the file of a page. A bag that is only compared keeps the hashes of pages, which are larger than all the rest. */
  page: (path: string, content: string) => BagFile = text,
): Promise<BagContents> {
  const { version } = request
  const company = await readCompanyName(snapshot)
  const signature = await readFile(join(snapshot.folder, SIGNATURE), 'utf8').catch(() => null)
  const key = signature === null ? null : await keyCarriedBy(signature)
  const inputs = inputsOf(snapshot)
  const readme = await readmeText(snapshot, { company, version, keyId: key?.kid ?? null })
  const bag = await assembled({
    name: `${snapshot.company}-${snapshot.id}`,
    version,
    payload: [
      ...(await published(snapshot)),
      ...(await stampsOf(dirname(snapshot.folder), [snapshot.manifestHash])),
      ...inputs,
      ...(await publishedMembers(snapshot)),
    ],
    pages: [
      text(README, readme),
      ...(await reportOf(snapshot, page)),
      ...(key ? [text(KEY.jwks, keySet([key])), text(KEY.pem, pemOf(key))] : []),
    ],
    metadata: (oxum) => metadata(snapshot, company, request, oxum),
  })
  return { ...bag, keyId: key?.kid ?? null, inputs: inputs.length }
}

async function reportOf(
  snapshot: Snapshot,
  page: (path: string, content: string) => BagFile,
): Promise<BagFile[]> {
  const files: BagFile[] = []
  for await (const [path, content] of reportFiles(snapshot)) files.push(page(path, content))
  return files
}

interface Parts {
  readonly name: string
  readonly version: BagVersion
  readonly payload: readonly BagFile[]
  /** Pages that explain the payload, without the page about the format. */
  readonly pages: readonly BagFile[]
  /** The lines of bag-info.txt; `oxum` is the Payload-Oxum. */
  readonly metadata: (oxum: string) => readonly (readonly [label: string, value: string])[]
}

/** Makes a bag of any payload: the declaration, the metadata and the manifests follow from it. */
export async function assembled(parts: Parts): Promise<Omit<BagContents, 'keyId' | 'inputs'>> {
  const { name, version } = parts
  const payload = inOrder(parts.payload)
  const bytes = payload.reduce((sum, file) => sum + file.bytes, 0)
  const tags = inOrder([
    text(DECLARATION, declarationText(version)),
    text(BAG_INFO, bagInfoText(parts.metadata(payloadOxum(bytes, payload.length)))),
    text(
      FORMAT_PAGE,
      await readFile(present(inPackage('docs/format.md'), 'docs/format.md in the package'), 'utf8'),
    ),
    ...parts.pages,
    text(manifestName('sha256'), manifestText(lines(payload), version)),
  ])
  const checksums = text(CHECKSUMS, checksumText(lines([...tags, ...payload])))
  const listed = inOrder([...tags, checksums])
  const tagManifest = text(tagManifestName('sha256'), manifestText(lines(listed), version))
  return {
    name,
    files: [...listed, tagManifest, ...payload],
    payload: { files: payload.length, bytes },
  }
}

export const keySet = (keys: readonly JsonWebKey[]): string => `${JSON.stringify({ keys }, null, 2)}\n`
export const pemOf = (key: JsonWebKey): string =>
  createPublicKey({ key, format: 'jwk' }).export(PEM) as string

const PEM = { type: 'spki', format: 'pem' } as const

const inOrder = (files: readonly BagFile[]): BagFile[] =>
  [...files].sort((a, b) => (a.path < b.path ? -1 : 1))

const lines = (files: readonly BagFile[]) => files.map(({ path, sha256: hash }) => ({ path, hash }))

/** A file of the bag whose content is given here. */
export function text(path: string, content: string | Buffer): BagFile {
  const source = Buffer.from(content)
  return { path, bytes: source.length, sha256: sha256(source), source }
}

/** A file of a bag that is made to be compared. */
export const hashed = (path: string, content: string): BagFile => ({
  ...text(path, content),
  source: null,
})

/**
 * All published files of a snapshot: those that its manifest lists, the manifest, and its signature and approval if
 * it has them.
 */
export async function published(snapshot: Snapshot, place = snapshot.id): Promise<BagFile[]> {
  const below = (path: string) => payloadPath(`${place}/${path}`)
  const files = snapshot.manifest.Files.map(({ Path, Bytes, Sha256 }: FileEntry) => ({
    path: below(Path),
    bytes: Bytes,
    sha256: Sha256,
    source: join(snapshot.folder, Path),
  }))
  return [...files, ...(await manifestFiles(snapshot.folder, place))]
}

/** The files of the members' snapshots that a group's was made from, and of their members. Those that are missing are left out here. */
async function publishedMembers(
  { folder, manifest }: Snapshot,
  seen = new Set<string>(),
): Promise<BagFile[]> {
  const files: BagFile[] = []
  for (const member of membersNamed(manifest)) {
    const place = memberFolder(folder, member)
    if (place === null || seen.has(place) || !existsSync(join(place, MANIFEST))) continue
    seen.add(place)
    const { company, snapshotId, manifestHash } = member
    const snapshot = await openSnapshotIn(place, company, snapshotId, manifestHash)
    files.push(...(await published(snapshot, `${MEMBERS}/${company}/${snapshotId}`)))
    files.push(...(await publishedMembers(snapshot, seen)))
  }
  return files
}

/** Manifest, signature and approval of the snapshot in `folder`, to lie at `place` below the payload. */
export async function manifestFiles(folder: string, place: string): Promise<BagFile[]> {
  const found = MANIFEST_FILES.filter((name) => existsSync(join(folder, name)))
  return Promise.all(
    found.map(async (name) => text(payloadPath(`${place}/${name}`), await readFile(join(folder, name)))),
  )
}

/** The time stamps of these manifests, as far as they exist. */
export async function stampsOf(folder: string, hashes: readonly string[]): Promise<BagFile[]> {
  const found = hashes.map((hash) => [`${STAMPS}/${hash}.tsr`, stampPath(folder, hash)] as const)
  return Promise.all(
    found
      .filter(([, path]) => existsSync(path))
      .map(async ([place, path]) => text(payloadPath(place), await readFile(path))),
  )
}

/** The kept sources of a snapshot. A source that is missing is left out here, and verification reports it. */
export function inputsOf({ folder, manifest }: Snapshot): BagFile[] {
  return keptInputs(manifest)
    .map(({ Sha256, Bytes }) => ({
      path: payloadPath(`${INPUTS}/${Sha256}`),
      bytes: Bytes,
      sha256: Sha256,
      source: inputPath(dirname(folder), Sha256),
    }))
    .filter(({ source }) => existsSync(source))
}

const metadata = (
  { company, id, manifest, manifestHash }: Snapshot,
  name: string,
  { baggedAt, software }: BagRequest,
  oxum: string,
): [string, string][] => [
  ['Source-Organization', name],
  ['External-Identifier', `${company}/${id}`],
  [
    'External-Description',
    `Financial statements of ${name}, ${manifest.Coverage.StartDate} to ${manifest.Coverage.EndDate}`,
  ],
  ['Bagging-Date', baggedAt.toISOString().slice(0, 10)],
  ['Bag-Software-Agent', software],
  ['Payload-Oxum', oxum],
  ['Snapshot-Manifest-Sha256', manifestHash],
  ...(manifest.Build.KeyId === undefined
    ? []
    : [['Snapshot-Key-Id', manifest.Build.KeyId] as [string, string]]),
]
