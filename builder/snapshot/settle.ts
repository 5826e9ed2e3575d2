/**
 * Repairs pointer and log after an interruption, before anything else is changed: a publication or a rollback that was killed
 * in its last steps is finished, a log is begun where there was none, and one of format 1 is adopted.
 */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { error, FindingsError } from '../workspace/finding.ts'
import { adoptFormat1, pointToAdopted } from './adopt.ts'
import { removeStale } from './candidates.ts'
import { type Change, movePointer } from './change.ts'
import { closingBy, isSamePointer, pointerOf, type Standing, standingOf } from './history.ts'
import { LOG, POINTER, parseSnapshotId, snapshotFolder } from './layout.ts'
import { lockDateOf } from './lock-date.ts'
import { enteredReason } from './manifest.ts'
import { checkPublished } from './published.ts'

/** Gives "differs" where only a person can decide what is current. */
export async function settle(change: Change): Promise<Standing> {
  const { root, company } = change
  const pointer = await pointToAdopted(change)
  // Opened only where the log does not say the same: its manifest lists every file.
  const named =
    pointer && !isSamePointer(change.history.current, pointer)
      ? (await checkPublished(change, pointer.SnapshotId, pointer.ManifestSha256)).manifest
      : null
  const standing = standingOf(change.history, pointer, () => named?.Previous)
  if (standing === 'differs') return standing
  await adoptFormat1(change)
  if (standing === 'unmoved') {
    change.confirm()
    movePointer(root, company, pointerOf(change.history.current!), change.effects)
  }
  if (named && (standing === 'unlogged' || change.history.current === null))
    await change.record(
      'publish',
      pointer!,
      enteredReason(named),
      closingBy(
        change.history,
        named.LockedThrough ?? lockDateOf(snapshotFolder(root, company, pointer!.SnapshotId)),
      ),
    )
  await finishPublication(change)
  await removeStale(change)
  return 'agrees'
}

/** For what must not be done on a pointer that somebody moved by hand. */
export async function settled(change: Change): Promise<void> {
  if ((await settle(change)) === 'agrees') return
  const { company } = change
  const { SnapshotId, Event, At, By } = change.history.current!
  throw new FindingsError([
    error(
      'pointer-differs',
      `${LOG} says that ${SnapshotId} is current (${Event}, ${At}, ${By}), but ${POINTER} does not: it was changed by hand`,
      {
        file: join(change.folder, POINTER),
        remedy: `say which snapshot is to be current: tieout use ${company} ${SnapshotId}`,
      },
    ),
  ])
}

/** A whole snapshot that follows the last one and was never current: its builder died between two steps. */
async function finishPublication(change: Change): Promise<void> {
  const { head, published } = change.history
  const ids = readdirSync(change.folder).filter((name) => parseSnapshotId(name) && !published.has(name))
  for (const id of ids) {
    const { manifest, pointer } = await checkPublished(change, id)
    if (manifest === null || !isSamePointer(manifest.Previous, head)) continue
    await change.publish(pointer, manifest)
    return
  }
}
