/** Where snapshots are, as tieout.yaml says it: a folder, or a bucket of which a folder is the working copy. */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { BUCKET_FORM, type BucketAddress, isBucketAddress, parseBucketAddress } from './bucket-address.ts'

export interface BucketSettings extends BucketAddress {
  /** The address of a store that is not Amazon's; null: what the environment says, or Amazon's. */
  readonly endpoint: string | null
  /** Null: what the environment or the profile says. */
  readonly region: string | null
  /** How many bytes of snapshots that are not current the working copy may keep. */
  readonly cacheBytes: number
  /** How often a server asks for new snapshots. */
  readonly pollMs: number
}

const GIGABYTE = 1_000_000_000
const CACHE_GIGABYTES = 20
const POLL_SECONDS = 5

const DEFAULTS: {
  readonly endpoint?: string
  readonly region?: string
  readonly cacheGigabytes: number
  readonly pollSeconds: number
} = { cacheGigabytes: CACHE_GIGABYTES, pollSeconds: POLL_SECONDS }

const address = z.string().refine((text) => parseBucketAddress(text) !== null, BUCKET_FORM)

export const snapshotsSetting = z
  .union(
    [
      z
        .string()
        .min(1, 'must not be empty')
        .refine((text) => !isBucketAddress(text) || parseBucketAddress(text) !== null, BUCKET_FORM),
      z.strictObject({
        bucket: address,
        endpoint: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
        region: z.string().min(1, 'must not be empty').optional(),
        cacheGigabytes: z
          .number()
          .positive('must be a positive number of gigabytes')
          .default(CACHE_GIGABYTES),
        pollSeconds: z.number().positive('must be a positive number of seconds').default(POLL_SECONDS),
      }),
    ],
    { error: 'must be a folder, the address of a bucket (s3://bucket/prefix), or have one as "bucket"' },
  )
  .default('snapshots')

/** The folder in which commands find snapshots, and the bucket of which it is the working copy; null where there is none. */
export function snapshotsOf(
  given: z.output<typeof snapshotsSetting>,
  root: string,
  state: string,
): { readonly snapshots: string; readonly bucket: BucketSettings | null } {
  if (typeof given === 'string' && !isBucketAddress(given))
    return { snapshots: resolve(root, given), bucket: null }
  const said = typeof given === 'string' ? { bucket: given } : given
  const {
    bucket: url,
    endpoint = null,
    region = null,
    cacheGigabytes,
    pollSeconds,
  } = { ...DEFAULTS, ...said }
  const parsed = parseBucketAddress(url)
  if (parsed === null) throw new RangeError(`"${url}" ${BUCKET_FORM}`)
  const [cacheBytes, pollMs] = [cacheGigabytes * GIGABYTE, pollSeconds * 1000]
  const bucket = { ...parsed, endpoint, region, cacheBytes, pollMs }
  return { snapshots: workingCopyIn(state, bucket), bucket }
}

/** The folder of the working copy of a bucket, in a state folder. */
export const workingCopyIn = (state: string, bucket: BucketSettings): string =>
  join(bucketFolder(state, bucket), 'copy')

/** Each address has a folder of its own, so that what was copied from one bucket is never taken for another's. */
function bucketFolder(
  state: string,
  { bucket, prefix, endpoint }: Pick<BucketSettings, 'bucket' | 'prefix' | 'endpoint'>,
): string {
  const name = createHash('sha256')
    .update(JSON.stringify([endpoint, bucket, prefix]))
    .digest('hex')
  return join(state, 'bucket', name.slice(0, 16))
}
