/**
 * Finds what a rollback, or the way forward again, changes in closed months; either may restate them as a
 * build may.
 */

import { SnapshotDamagedError } from '../files/damage.ts'
import type { Pointer, Restatement } from '../files/manifest.ts'
import { openSnapshot } from '../files/open.ts'
import { type Restated, restatedBetween, uncompared } from './restated.ts'

/**
 * Compares the closed months of two snapshots of a company under `root`, for `tieout use`. Where the current
 * one is damaged, the result says that nothing could be compared; null where nothing differs.
 */
export const restatedByUse =
  (root: string, company: string) =>
  async (before: Pointer, now: Pointer, closedThrough: string): Promise<Restatement | null> => {
    const open = ({ SnapshotId, ManifestSha256 }: Pointer) =>
      openSnapshot(root, company, SnapshotId, ManifestSha256)
    const restated = await open(before)
      .then(
        async (previous): Promise<Restated | null> =>
          restatedBetween(previous, await open(now), {
            lock: closedThrough,
            logged: closedThrough,
            isFormat1: false,
            comparesAggregations: true,
          }),
      )
      .catch((problem: unknown) => {
        if (problem instanceof SnapshotDamagedError)
          return uncompared(before.SnapshotId, closedThrough, problem)
        throw problem
      })
    return restated?.part ?? null
  }
