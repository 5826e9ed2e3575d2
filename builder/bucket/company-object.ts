/**
 * What a bucket holds of one company: one object that says which files there are and which snapshot is current, and the files, each
 * once under its hash. Files of a snapshot stand in its manifest and are not listed twice.
 */
import { z } from 'zod'
import { isHash, POINTER, parseSnapshotId } from '../snapshot/layout.ts'
import { sha256 } from '../workspace/hash.ts'
import { BucketError } from '../workspace/refusals.ts'
import type { Bucket, Tag } from './bucket.ts'

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
  readonly tag: Tag
}

const companyKey = (company: string): string => `companies/${company}.json`
const objectKey = (hash: string): string => `objects/${hash}`

export const encodeCompany = (object: CompanyObject): Buffer => Buffer.from(`${JSON.stringify(object)}\n`)

/** What the bucket holds of a company; null if nothing. Throws {@link BucketError} if that cannot be read. */
export async function readHeld(bucket: Bucket, company: string): Promise<HeldCompany | null> {
  const stored = await bucket.get(companyKey(company))
  if (stored === null) return null
  const parsed = companyObject.safeParse(jsonOf(stored.bytes))
  if (!parsed.success || parsed.data.CompanyId !== company)
    throw new BucketError(
      `${companyKey(company)} in ${bucket.name} is damaged, or was written by a later version of Tieout`,
    )
  return { object: parsed.data, tag: stored.tag }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/** Replaces what the bucket says of a company. Returns false if another writer was first. */
export const swapHeld = async (
  bucket: Bucket,
  object: CompanyObject,
  held: HeldCompany | null,
): Promise<boolean> =>
  (await bucket.swap(companyKey(object.CompanyId), encodeCompany(object), held?.tag ?? null)) !== null

/** Ids of the companies in a bucket, in code point order. */
export async function companiesHeld(bucket: Bucket): Promise<string[]> {
  const ids: string[] = []
  for await (const { key } of bucket.list('companies/')) {
    const [, id] = /^companies\/(.+)\.json$/.exec(key) ?? []
    if (id !== undefined && isPublishedPath(id) && !id.includes('/')) ids.push(id)
  }
  return ids.sort()
}

/** Creates the object of a file. The bytes must have the hash. */
export const putObject = (bucket: Bucket, hash: string, bytes: Uint8Array): Promise<boolean> =>
  bucket.putOnce(objectKey(hash), bytes)

/** The bytes of a file, hash-checked. Throws {@link BucketError} if they are missing or others. */
export async function getObject(bucket: Bucket, hash: string): Promise<Buffer> {
  const stored = await bucket.get(objectKey(hash))
  const wrong = stored === null ? 'is missing' : sha256(stored.bytes) === hash ? null : 'was changed'
  if (stored === null || wrong !== null)
    throw new BucketError(
      `${objectKey(hash)} in ${bucket.name} ${wrong}; copy an intact folder of the snapshots there again`,
    )
  return stored.bytes
}
