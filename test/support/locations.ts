/** Two machines that publish at the same place: a folder that they share, or a bucket of which each has a working copy. */
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Options } from '../../builder/snapshot/places/bucket/s3.ts'
import type { LocationOptions, SnapshotLocation } from '../../builder/snapshot/places/location.ts'
import { openLocation } from '../../builder/snapshot/places/open.ts'
import { type Store, startStore } from './s3.ts'

export interface Place {
  readonly one: SnapshotLocation
  readonly other: SnapshotLocation
  /** Keeps both from reaching it, until the returned function is called. */
  away(): () => void
}

export interface Kind {
  readonly name: string
  start(): Promise<void>
  stop(): Promise<void>
  in(run: (place: Place) => Promise<void>): Promise<void>
}

async function inScratch(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-location-'))
  try {
    await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const folders: Kind = {
  name: 'folder',
  start: async () => {},
  stop: async () => {},
  in: (run) =>
    inScratch(async (folder) => {
      const snapshots = join(folder, 'snapshots')
      const open = (): Promise<SnapshotLocation> => openLocation({ snapshots, bucket: null })
      const away = (): (() => void) => {
        renameSync(snapshots, `${snapshots}-away`)
        // What cannot be entered, whoever asks.
        writeFileSync(snapshots, '')
        chmodSync(snapshots, 0o444)
        return () => {
          rmSync(snapshots)
          renameSync(`${snapshots}-away`, snapshots)
        }
      }
      await run({ one: await open(), other: await open(), away })
    }),
}

/** A location in a bucket, with a working copy below `folder`. Attempts are few. */
export async function bucketLocation(
  store: Store,
  folder: string,
  bucket: string,
  options: LocationOptions & Partial<S3Options> = {},
) {
  const { BucketLocation } = await import('../../builder/snapshot/places/bucket-location.ts')
  return new BucketLocation(await store.open(bucket, options), join(folder, 'copy'), options)
}

let store: Store
export const buckets: Kind = {
  name: 'bucket',
  start: async () => {
    store = await startStore()
  },
  stop: () => store.stop(),
  in: (run) =>
    inScratch(async (folder) => {
      const name = await store.bucket()
      const away = (): (() => void) => {
        store.fail((asked, response) => {
          asked.resume()
          response.destroy()
          return true
        })
        return () => store.fail(null)
      }
      const [one, other] = [
        await bucketLocation(store, join(folder, 'one'), name),
        await bucketLocation(store, join(folder, 'other'), name),
      ]
      await run({ one, other, away })
    }),
}
