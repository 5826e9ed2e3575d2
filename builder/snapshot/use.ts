/** What a person decides about published snapshots: which one is in use, and which ones are held. */
import { existsSync } from 'node:fs'
import { ChangeRefusedError } from '../workspace/refusals.ts'
import { beginChange, type Change, type ChangeOptions, movePointer } from './change.ts'
import type { Damage } from './damage.ts'
import { type CheckedSnapshot, checkSnapshot } from './files.ts'
import { isSamePointer } from './history.ts'
import { companyFolder, parseSnapshotId, snapshotFolder } from './layout.ts'
import type { Pointer } from './manifest.ts'
import { readPointer, SnapshotDamagedError } from './open.ts'
import { settle } from './settle.ts'

export interface Used {
  /** False where it was current already. */
  readonly changed: boolean
  /** What was current before, as far as the pointer said. */
  readonly before: string | null
}

/**
 * Makes another published snapshot the current one, forwards or back. All its files are verified before. Throws
 * {@link ChangeRefusedError} where there is no such snapshot, {@link SnapshotDamagedError} where it is damaged.
 */
export async function useSnapshot(
  root: string,
  company: string,
  id: string,
  reason: string | null,
  options: ChangeOptions = {},
): Promise<Used> {
  return changing(root, company, options, async (change) => {
    // Also where somebody moved the pointer by hand: this is how it is mended.
    await settle(change)
    const pointer = await soundSnapshot(change, id)
    const current = await readPointer(root, company).catch(() => null)
    const before = current?.SnapshotId ?? null
    if (isSamePointer(current, pointer) && isSamePointer(change.history.current, pointer))
      return { changed: false, before }
    await change.together(async () => {
      // Before the pointer: a rollback that was interrupted must not look like one that nobody is named for.
      if (!isSamePointer(change.history.current, pointer)) await change.record('use', pointer, reason)
      change.confirm()
      movePointer(root, company, pointer, change.effects)
    })
    return { changed: true, before }
  })
}

/**
 * A legal hold on a snapshot, also on a damaged one; without an id on all of the company, those to come too. What is held is
 * not pruned until it is released, whatever the policy says.
 */
export async function holdSnapshots(
  root: string,
  company: string,
  id: string | null,
  reason: string,
  options: ChangeOptions = {},
): Promise<void> {
  await changing(root, company, options, async (change) => {
    await settle(change)
    const pointer = id === null ? await currentOf(change) : (await publishedPointer(change, id)).pointer
    const held = heldBy(change, id)
    if (held)
      throw new ChangeRefusedError(`${id ?? company} is held since ${held.At} by ${held.By}: ${held.Reason}`)
    await change.record(id === null ? 'hold-all' : 'hold', pointer, reason)
  })
}

export async function releaseSnapshots(
  root: string,
  company: string,
  id: string | null,
  reason: string | null,
  options: ChangeOptions = {},
): Promise<void> {
  await changing(root, company, options, async (change) => {
    await settle(change)
    const held = heldBy(change, id)
    if (!held)
      throw new ChangeRefusedError(id === null ? `${company} is not held` : `${id} of ${company} is not held`)
    await change.record(id === null ? 'release-all' : 'release', held, reason)
  })
}

const heldBy = ({ history }: Change, id: string | null) =>
  id === null ? history.allHeld : (history.held.get(id) ?? null)

/** Each line of the log names a snapshot: one over all of them names the one that was current. */
async function currentOf({ root, company }: Change): Promise<Pointer> {
  const pointer = await readPointer(root, company)
  if (pointer === null) throw new ChangeRefusedError(`nothing is published of company "${company}"`)
  return pointer
}

async function changing<T>(
  root: string,
  company: string,
  options: ChangeOptions,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  // The lock makes the folder that it lies in.
  if (!existsSync(companyFolder(root, company)))
    throw new ChangeRefusedError(`nothing is published of company "${company}"`)
  const change = await beginChange(root, company, options)
  try {
    return await work(change)
  } finally {
    change.release()
  }
}

/** As the log names it; else as its manifest is. */
async function publishedPointer(
  change: Change,
  id: string,
): Promise<{ pointer: Pointer; found: CheckedSnapshot }> {
  const { root, company, history, signer } = change
  const folder = snapshotFolder(root, company, id)
  if (parseSnapshotId(id) === null || !existsSync(folder)) {
    const pruned = history.pruned.get(id)
    throw new ChangeRefusedError(
      pruned
        ? `${id} was pruned on ${pruned.At.slice(0, 10)} by ${pruned.By}`
        : `${company} has no snapshot "${id}"; "tieout snapshots list ${company}" lists them`,
    )
  }
  const found = await checkSnapshot(folder, signer?.known ?? null)
  const ManifestSha256 = history.published.get(id)?.ManifestSha256 ?? found.manifestHash
  if (ManifestSha256 === null) throw new SnapshotDamagedError(damagedText(company, id, found.damages))
  return { pointer: { SnapshotId: id, ManifestSha256 }, found }
}

/** Every file as its manifest says, and the manifest as the log says. */
async function soundSnapshot(change: Change, id: string): Promise<Pointer> {
  const { company } = change
  const { pointer, found } = await publishedPointer(change, id)
  if (found.damages.length > 0) throw new SnapshotDamagedError(damagedText(company, id, found.damages))
  if (
    found.id !== id ||
    found.manifest?.CompanyId !== company ||
    found.manifestHash !== pointer.ManifestSha256
  )
    throw new SnapshotDamagedError(
      `the manifest in ${found.folder} is not the one of ${id} that was published`,
    )
  return pointer
}

const damagedText = (company: string, id: string, [first, ...more]: readonly Damage[]): string =>
  `${id} of ${company} is damaged: ${first!.message}${more.length > 0 ? `, and ${more.length} more` : ''}; "tieout verify ${company}" names all`
