/** Keeps a working copy from growing: removes snapshots that are pruned or not current, and that nobody has read for a while. */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, namesIn, removeTree, replaceFile } from '../../system/durable.ts'
import { disk } from '../../system/effects.ts'
import { companyFolder, doomedFolder, parseSnapshotId, snapshotFolder } from '../files/layout.ts'
import { takeTidy } from '../log/change.ts'
import { LockedError } from '../log/lock.ts'
import { freedBytes } from '../log/remove.ts'
import type { WorkingCopy } from './working-copy.ts'

/** Longer than a client can be pinned to a snapshot, and than most commands take. */
const IN_USE_MS = 3 * 60 * 60 * 1000
/** How often old snapshots are looked for, since that costs a system call for each file. */
const EVERY_MS = 60 * 60 * 1000

interface Old {
  readonly company: string
  readonly id: string
  readonly folder: string
  readonly usedAt: number
  readonly isPruned: boolean
}

/** Removes pruned snapshots, and old ones until those that are not current take at most `most` bytes; none that was read lately. */
export function trim(copy: WorkingCopy, most: number, now = Date.now()): void {
  const mark = join(dirname(copy.root), 'trimmed')
  if (now - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0) < EVERY_MS) return
  makeFolders(dirname(mark))
  replaceFile(mark, 'When this file was written, old snapshots of the working copy were looked for.\n')
  let kept = copy.companies().flatMap((company) => notCurrent(copy, company))
  const unused = kept
    .filter(({ usedAt }) => now - usedAt > IN_USE_MS)
    .sort((a, b) => Number(b.isPruned) - Number(a.isPruned) || a.usedAt - b.usedAt)
  for (const oldest of unused) {
    if (!oldest.isPruned && freedBytes(kept.map(({ folder }) => folder)) <= most) return
    if (removed(copy.root, oldest)) kept = kept.filter((each) => each !== oldest)
  }
}

function notCurrent(copy: WorkingCopy, company: string): Old[] {
  const [current, present] = [copy.current(company), copy.manifests(company)]
  return namesIn(companyFolder(copy.root, company))
    .filter((id) => parseSnapshotId(id) !== null && id !== current)
    .map((id) => {
      const folder = snapshotFolder(copy.root, company, id)
      return { company, id, folder, usedAt: statSync(folder).mtimeMs, isPruned: !present.has(id) }
    })
}

/** False where another process is bringing something of this company. */
function removed(root: string, { company, id, folder }: Old): boolean {
  try {
    const lock = takeTidy(root, company, disk)
    try {
      const doomed = doomedFolder(companyFolder(root, company), id)
      disk.rename(folder, doomed)
      removeTree(doomed)
    } finally {
      lock.release()
    }
    return true
  } catch (problem) {
    if (problem instanceof LockedError) return false
    throw problem
  }
}
