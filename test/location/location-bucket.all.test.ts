/** Snapshots in a bucket are published, read and changed as a location promises. */
import { buckets } from '../support/locations.ts'
import { missing } from '../support/s3.ts'
import { declare } from './kinds.ts'

declare(buckets, missing)
