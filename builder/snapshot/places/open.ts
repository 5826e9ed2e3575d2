/** Opens the place of a workspace's snapshots: its folder, or its bucket. */

import type { Workspace } from '../../workspace/workspace.ts'
import { listCompanyIds } from '../files/open.ts'
import type { LocationOptions, Needed, SnapshotLocation } from './location.ts'

type Located = Pick<Workspace, 'snapshots'> & Partial<Pick<Workspace, 'bucket'>>

/** Nothing that speaks with a bucket is loaded where there is none. */
export async function openLocation(
  { snapshots, bucket = null }: Located,
  options: LocationOptions = {},
): Promise<SnapshotLocation> {
  if (bucket === null) return new Folder(snapshots)
  const { BucketLocation } = await import('./bucket-location.ts')
  return BucketLocation.open(snapshots, bucket, options)
}

/** A folder is its own truth: the lock of each company keeps writers apart, and a rename publishes. */
class Folder implements SnapshotLocation {
  readonly name: string
  readonly requests = null

  constructor(root: string) {
    this.name = root
  }

  companies(): Promise<readonly string[]> {
    return listCompanyIds(this.name)
  }

  async read(): Promise<string> {
    return this.name
  }

  whole<T>(_companies: readonly string[] | null, work: (root: string) => Promise<T>): Promise<T> {
    return work(this.name)
  }

  change<T>(_company: string, _needed: Needed, work: (root: string) => Promise<T>): Promise<T> {
    return work(this.name)
  }
  async sweep(): Promise<null> {
    return null
  }
}
