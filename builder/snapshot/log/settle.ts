/**
 * Repairs pointer and log after an interruption, before anything else is changed. It finishes a publication or rollback that was
 * killed in its last steps, begins a log where there was none, and adopts a log of format 1.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { present } from '../../contract/present.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import { LOG, POINTER, parseSnapshotId, snapshotFolder } from '../files/layout.ts'
import { enteredReason } from '../files/manifest.ts'
import { checkPublished } from '../files/published.ts'
import { adoptFormat1, pointToAdopted } from './adopt.ts'
import { removeStale } from './candidates.ts'
import { type Change, movePointer } from './change.ts'
import { closingBy, isSamePointer, pointerOf, type Standing, standingOf } from './history.ts'
import { statedLockDate } from './lock-date.ts'

/** Repairs what can be repaired. Returns `differs` if only a person can decide which snapshot is current. */
export async function settleChange(change: Change): Promise<Standing> {
  const { root, company } = change
  const pointer = await pointToAdopted(change)
  // The snapshot is checked only if the log names another one, because that reads all its files.
  const named =
    pointer && !isSamePointer(change.history.current, pointer)
      ? await checkPublished(change, pointer.SnapshotId, pointer.ManifestSha256)
      : null
  const standing = standingOf(change.history, pointer, () => named?.manifest?.Previous)
  if (standing === 'differs') return standing
  await adoptFormat1(change)
  const { current } = change.history
  if (current && standing === 'unmoved') {
    change.confirm()
    movePointer(root, company, pointerOf(current), change.effects)
  }
  if (named?.manifest && (standing === 'unlogged' || current === null)) {
    const { pointer: found, manifest } = named
    const lockDate = manifest.LockedThrough ?? statedLockDate(snapshotFolder(root, company, found.SnapshotId))
    await change.record('publish', found, enteredReason(manifest), closingBy(change.history, lockDate))
  }
  await finishPublication(change)
  await removeStale(change)
  return 'agrees'
}

/** As {@link settleChange}, but throws {@link FindingsError} if the pointer was moved by hand. */
export async function settled(change: Change): Promise<void> {
  if ((await settleChange(change)) === 'agrees') return
  const { company } = change
  const { SnapshotId, Event, At, By } = present(change.history.current, 'current snapshot in the log')
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

/** Publishes a complete snapshot that follows the last one and was never current: its build was killed between two steps. */
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
