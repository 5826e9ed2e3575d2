/**
 * Says where the snapshots of a workspace are published: in a folder, or in a bucket. Owns how commands reach them, to read and to
 * change. Must not know accounting, nor what a change does.
 */
import type { CopyProgress } from '../bucket/send.ts'

/** What a change of one company needs: all of its snapshots, or the latest ones alone, as a publication does. */
export type Needed = 'all' | 'latest'

/**
 * Each method throws {@link BucketError}, or an error of the disk, where the place cannot be reached; what it was to change there is as it was.
 */
export interface SnapshotLocation {
  /** The folder, or `s3://bucket/prefix`, for messages. */
  readonly name: string
  /** Ids of the companies of which something is published, in code point order. */
  companies(): Promise<readonly string[]>
  /**
   * Brings what is published of companies (null: of all) up to date in a folder, which it returns: there readers find it. The others that
   * lie in that folder may be old.
   */
  read(companies: readonly string[] | null, needed?: Needed): Promise<string>
  /**
   * Runs `work` in a folder with all that is published of companies (null: of all), each byte of it read from the place itself and not from
   * a copy that was made before.
   */
  whole<T>(companies: readonly string[] | null, work: (root: string) => Promise<T>): Promise<T>
  /**
   * Runs `work` in a folder that holds the company, and publishes what it changed there, all at once. Where another writer was first, `work`
   * runs again, on what that one has published: it must do nothing beside changing the folder.
   */
  change<T>(company: string, needed: Needed, work: (root: string) => Promise<T>): Promise<T>
}

export interface LocationOptions {
  /** Called while files are copied from a bucket, or to it. */
  readonly progress?: (company: string, ...at: Parameters<CopyProgress>) => void
}
