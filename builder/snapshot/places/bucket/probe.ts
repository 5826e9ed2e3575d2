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

/** The largest difference of clocks at which something may be decided by time. */
const MOST_MS = 5 * 60_000

/**
 * The least difference, in milliseconds, between the clock of the store and that of this machine. S3 tells times in whole seconds.
 */
export async function clockDifference(bucket: Bucket): Promise<number> {
  const key = `${PROBES}${randomBytes(12).toString('hex')}`
  const before = Date.now()
  await bucket.putOnce(key, Buffer.from(key))
  const after = Date.now()
  try {
    const written = (await bucket.head(key))?.at.getTime() ?? Number.NaN
    // The store names the second in which it wrote, so that the time lies within that second.
    return Math.max(0, before - (written + 1000), written - after)
  } finally {
    await bucket.remove(key)
  }
}

/** Throws {@link BucketError} where the clocks differ by minutes. */
export async function requireClock(bucket: Bucket): Promise<void> {
  const difference = await clockDifference(bucket)
  if (!(difference <= MOST_MS))
    throw new BucketError(
      `the clock of ${bucket.name} differs from that of this computer by ${Math.round(difference / 1000)} s, so that nobody can say how old its objects are; let this computer synchronise its clock (chrony, systemd-timesyncd)`,
    )
}
