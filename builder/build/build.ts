/**
 * Builds a company: a published snapshot that ties out, or findings. Where nothing has changed, that is told
 * without loading what would make one. Owns the order of the steps (pipeline.ts). Must not hold rules of
 * accounting.
 */

import { lockDateOf } from '../period-lock/lock-date.ts'
import { changeOptions } from '../signing/change-options.ts'
import { beginChange } from '../snapshot/change.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { readHistory } from '../snapshot/history.ts'
import { openCurrent, readPointer } from '../snapshot/open.ts'
import { settled } from '../snapshot/settle.ts'
import { companyCache } from '../workspace/cache.ts'
import { COMPANY_FILE, companyFolder, readCompany, type Workspace } from '../workspace/workspace.ts'
import { asPublished, type BuildOptions, type BuildResult, dateAt, refusal } from './result.ts'
import { SourceWatch } from './source-watch.ts'
import { unchanged } from './up-to-date.ts'

/** Reads, checks and computes one company; publishes where asked to. Problems of the input come back as findings. */
export async function build(
  workspace: Workspace,
  companyId: string,
  options: BuildOptions,
): Promise<BuildResult> {
  const startedAt = Date.now()
  const watch = new SourceWatch(companyFolder(workspace, companyId))
  watch.see([COMPANY_FILE])
  const { value: company, findings } = readCompany(workspace, companyId)
  if (company === null) return refusal(companyId, startedAt, findings)
  options.progress?.('read', 0, null)
  const current = await openCurrent(workspace.snapshots, companyId).catch((problem: unknown) => {
    // A pointer that cannot be read: the pipeline says what to do, under the lock.
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })
  const history = await readHistory(workspace.snapshots, companyId)
  const lockDate = await lockDateOf(workspace.snapshots, company, history)
  if (current && options.publish && options.restate === undefined && lockDate.findings.length === 0) {
    const cache = companyCache(workspace.state, companyId)
    const reading = await unchanged(workspace, company, current, cache, dateAt(startedAt, company.timeZone))
    if (reading !== null && (await settledOn(workspace, companyId)) === current.manifestHash)
      return asPublished(current, reading.Warnings, startedAt)
  }
  const { make } = await import('./pipeline.ts')
  return make({ workspace, company, options, startedAt, currentSnapshot: current, watch, lockDate })
}

/**
 * The manifest that is current, by its hash. Under the lock once, as every build: what a killed one left is settled, and
 * a pointer moved by hand is refused.
 */
async function settledOn(workspace: Workspace, companyId: string): Promise<string | null> {
  const { snapshots } = workspace
  const change = await beginChange(snapshots, companyId, await changeOptions(workspace))
  try {
    await settled(change)
  } finally {
    change.release()
  }
  return (await readPointer(snapshots, companyId))?.ManifestSha256 ?? null
}
