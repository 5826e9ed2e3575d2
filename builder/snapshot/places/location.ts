/**
 * Says where the snapshots of a workspace are published: in a folder, or in a bucket. Owns how commands reach them, to read and to
 * change. Must not know accounting, nor what a change does.
 */
import type { Requests } from './bucket/bucket.ts'
import type { CopyProgress } from './bucket/send.ts'
import type { Swept } from './bucket/sweep.ts'

export type { Requests, Swept }

/** Which snapshots of its company a change needs: all, or the latest ones alone, as a publication does. */
export type Needed = 'all' | 'latest'

/** Each method throws {@link BucketError} or an error of the disk where the place cannot be reached; then nothing is changed there. */
export interface SnapshotLocation {
  /** The folder, or `s3://bucket/prefix`, for messages. */
  readonly name: string
  /** How often each kind of request was sent to the bucket so far; null where there is none. */
  readonly requests: Requests | null
  /** Ids of the companies that have published something, in code point order. */
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
  /**
   * Deletes files that no snapshot of any company has any more, or says what it would delete (`dry`). Null where they are deleted with their
   * snapshot.
   */
  sweep(how: { readonly dry: boolean }): Promise<Swept | null>
}

export interface LocationOptions {
  /** Called while files are copied from a bucket, or to it. */
  readonly progress?: (company: string, ...at: Parameters<CopyProgress>) => void
}
