/** Addresses of buckets: `s3://bucket/prefix`. */

export interface BucketAddress {
  readonly bucket: string
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string
}

export const BUCKET_FORM =
  'must be the address of a bucket and a folder in it, such as s3://acme-books/snapshots'

/** Names of buckets by Amazon's rules, 3 to 63 letters. */
export const BUCKET_NAME = /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/.source

const ADDRESS = new RegExp(`^s3://(${BUCKET_NAME})(?:/+([\\w!.*'()/-]*?))?/*$`)

export const isBucketAddress = (text: string): boolean => text.startsWith('s3://')

export const bucketName = ({ bucket, prefix }: BucketAddress): string =>
  `s3://${bucket}${prefix && `/${prefix}`}`

/** The parts of an address; null if it is none. */
export function parseBucketAddress(text: string): BucketAddress | null {
  const [, bucket, prefix] = ADDRESS.exec(text) ?? []
  if (bucket === undefined) return null
  const parts = prefix === undefined || prefix === '' ? [] : prefix.split('/')
  return parts.some((part) => part === '' || part === '.' || part === '..')
    ? null
    : { bucket, prefix: parts.join('/') }
}
