/** Tries whether a store keeps the conditions of writes, on which every publication relies. */
import { randomBytes } from 'node:crypto'
import { BucketError } from '../../../system/refusals.ts'
import type { Bucket } from './bucket.ts'

/** Keys of objects that are written to find something out, and removed at once. */
export const PROBES = 'probe/'

/** Throws {@link BucketError} if the store overwrites what it was told to create or to swap. It leaves no object there. */
export async function requireConditions(bucket: Bucket): Promise<void> {
  const key = `${PROBES}${randomBytes(12).toString('hex')}`
  const bytes = (text: string) => Buffer.from(`${key} ${text}`)
  try {
    const first = await bucket.swap(key, bytes('first'), null)
    if (first === null || (await bucket.putOnce(key, bytes('again'))))
      throw unconditional(bucket, 'If-None-Match')
    const second = await bucket.swap(key, bytes('second'), first)
    if (second === null || (await bucket.swap(key, bytes('third'), first)) !== null)
      throw unconditional(bucket, 'If-Match')
  } finally {
    await bucket.remove(key).catch(() => {})
  }
}

const unconditional = ({ name }: Bucket, header: string): BucketError =>
  new BucketError(
    `the bucket ${name} cannot be used: its store does not keep the condition ${header} of writes, so that two builders could overwrite each other; use a store that does (Amazon S3, MinIO, Cloudflare R2, Ceph), or a folder`,
  )
