/**
 * What a bucket holds of one company: one object that says which files there are and which snapshot is current, and the files, each
 * once under its hash. Files of a snapshot stand in its manifest and are not listed twice.
 */

import { rm } from 'node:fs/promises'
import { z } from 'zod'
import { parseJson } from '../../../contract/json.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import { sha256 } from '../../../system/hash.ts'
import { BucketError } from '../../../system/refusals.ts'
import { isHash, POINTER, parseSnapshotId } from '../../files/layout.ts'
import type { Bucket, Deadline, ObjectTag } from './bucket.ts'
/** Whether a path stays inside the folder to which it is joined, and is none of the working files there (`.lock`, `.stage-…`). */
export const isPublishedPath = (path: string): boolean =>
  !/[\\\0]/.test(path) && path.split('/').every((part) => part !== '' && !part.startsWith('.'))

const hash = z.string().refine(isHash, 'must be a SHA-256')
const entry = z.strictObject({
  Path: z.string().refine((path) => isPublishedPath(path) && path !== POINTER, 'must lie inside the folder'),
  Bytes: z.number().int().min(0),
  Sha256: hash,
})

const companyObject = z.strictObject({
  Format: z.literal(1),
  CompanyId: z.string(),
  /** The pointer; null while nothing is published. */
  Current: z
    .strictObject({
      SnapshotId: z.string().refine((id) => parseSnapshotId(id) !== null),
      ManifestSha256: hash,
    })
    .nullable(),
  /** All files of the company's folder but the pointer and those that manifests list, in the order of their paths. */
  Files: z.array(entry),
})
export type CompanyObject = z.output<typeof companyObject>

export interface HeldCompany {
  readonly object: CompanyObject
  readonly tag: ObjectTag
}

/** All objects of companies begin with this. */
export const COMPANIES = 'companies/'
const companyKey = (company: string): string => `${COMPANIES}${company}.json`
/** All objects of files begin with this. */
export const OBJECTS = 'objects/'
export const objectKey = (hash: string): string => `${OBJECTS}${hash}`

export const encodeCompany = (object: CompanyObject): Buffer => Buffer.from(`${JSON.stringify(object)}\n`)

/** The object of a company in these bytes; null if they are none. */
export function decodeCompany(bytes: Buffer, company: string): CompanyObject | null {
  const parsed = companyObject.safeParse(jsonOf(bytes))
  return parsed.success && parsed.data.CompanyId === company ? parsed.data : null
}

/**
 * What the bucket holds of a company; null if nothing. With `known`, an object that has not changed since is not sent again. Throws
 * {@link BucketError} if it cannot be read.
 */
export async function readHeld(
  bucket: Bucket,
  company: string,
  known: HeldCompany | null = null,
): Promise<HeldCompany | null> {
  const key = companyKey(company)
  const stored = known === null ? await bucket.get(key) : await bucket.getUnless(key, known.tag)
  if (stored === 'same') return known
  if (stored === null) return null
  const object = decodeCompany(stored.bytes, company)
  if (object === null)
    throw new BucketError(`${key} in ${bucket.name} is damaged, or was written by a later version of Tieout`)
  return { object, tag: stored.tag }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/** Replaces what the bucket says of a company. Returns false if another writer was first. */
export const swapHeld = async (
  bucket: Bucket,
  object: CompanyObject,
  held: HeldCompany | null,
  by: Deadline,
): Promise<boolean> =>
  (await bucket.swap(companyKey(object.CompanyId), encodeCompany(object), held?.tag ?? null, by)) !== null

/** Whether a text can be the id of a company: it names one folder, and one object. */
export const isCompanyId = (text: string): boolean => isPublishedPath(text) && !text.includes('/')

/** The company whose object has this key; null if it is another key. */
export function companyIn(key: string): string | null {
  const [, id] = /^companies\/(.+)\.json$/.exec(key) ?? []
  return id !== undefined && isCompanyId(id) ? id : null
}

/** The companies in a bucket, in code point order, with the tags of their objects. */
export async function companiesHeld(bucket: Bucket): Promise<Map<string, ObjectTag>> {
  const found: [id: string, tag: ObjectTag][] = []
  for await (const { key, tag } of bucket.list(COMPANIES)) {
    const id = companyIn(key)
    if (id !== null) found.push([id, tag])
  }
  return new Map(found.sort(([a], [b]) => byCodePoint(a, b)))
}

/** Creates the object of a file. Returns false if it is there. Throws {@link SnapshotDamagedError} if the file does not have the hash. */
export const putObject = (bucket: Bucket, hash: string, path: string): Promise<boolean> =>
  bucket.putFileOnce(objectKey(hash), path, hash)

/** The bytes of a small file, hash-checked. Throws {@link BucketError} if they are missing or others. */
export async function getObject(bucket: Bucket, hash: string): Promise<Buffer> {
  const stored = await bucket.get(objectKey(hash))
  requireHash(bucket, hash, stored && sha256(stored.bytes))
  return (stored as NonNullable<typeof stored>).bytes
}

/** Writes a file of any size, hash-checked. Throws {@link BucketError}, and leaves no file, if the object is missing or another one. */
export async function getObjectTo(bucket: Bucket, hash: string, path: string): Promise<void> {
  const found = await bucket.getFile(objectKey(hash), path)
  if (found !== null && found !== hash) await rm(path, { force: true })
  requireHash(bucket, hash, found)
}

function requireHash(bucket: Bucket, hash: string, found: string | null): void {
  if (found !== hash)
    throw new BucketError(
      `${objectKey(hash)} in ${bucket.name} ${found === null ? 'is missing' : 'was changed'}; bring it back from its earlier versions, or from a backup`,
    )
}
