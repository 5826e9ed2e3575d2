/**
 * Builds a company: the result is a published snapshot that ties out, or findings. If nothing has changed, the pipeline is not
 * even loaded. Owns the order of the steps (pipeline.ts). Must not hold rules of accounting.
 */

import { lockDateOf } from '../snapshot/closing/lock-date.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { openCurrent, readPointer } from '../snapshot/files/open.ts'
import { beginChange } from '../snapshot/log/change.ts'
import { readHistory } from '../snapshot/log/history.ts'
import { settled } from '../snapshot/log/settle.ts'
import { openLocation } from '../snapshot/places/open.ts'
import { changeOptions } from '../snapshot/signing/change-options.ts'
import { requireKey } from '../snapshot/signing/signing.ts'
import { companyCache } from '../workspace/cache.ts'
import { membersOf } from '../workspace/group-order.ts'
import { COMPANY_FILE, datasetFolder, readCompany, type Workspace } from '../workspace/workspace.ts'
import { asPublished, type BuildOptions, type BuildResult, dateAt, refusal } from './result.ts'
import { SourceWatch } from './source-watch.ts'
import { unchanged } from './up-to-date.ts'

/** Reads, checks and computes one company, and publishes if asked to. Problems of the input are returned as findings. */
export async function build(
  workspace: Workspace,
  companyId: string,
  options: BuildOptions,
): Promise<BuildResult> {
  const location = await openLocation(workspace)
  const ofGroup = membersOf(workspace, companyId)
  const members = ofGroup.length === 0 ? workspace.snapshots : await location.read(ofGroup, 'latest')
  const inFolder = (snapshots: string) => buildIn({ ...workspace, snapshots }, members, companyId, options)
  if (!options.publish) return inFolder(await location.read([companyId], 'latest'))
  await requireKey(workspace, location)
  const result = await location.change(companyId, 'latest', inFolder)
  return location.requests === null ? result : { ...result, requests: location.requests }
}

/** As {@link build}, where the snapshots of the company lie in the folder `workspace.snapshots`. */
async function buildIn(
  workspace: Workspace,
  members: string,
  companyId: string,
  options: BuildOptions,
): Promise<BuildResult> {
  const startedAt = Date.now()
  const watch = new SourceWatch(datasetFolder(workspace, companyId))
  watch.see([COMPANY_FILE])
  const { value: company, findings } = readCompany(workspace, companyId)
  if (company === null) return refusal(companyId, startedAt, findings)
  options.progress?.('read', 0, null)
  const current = await openCurrent(workspace.snapshots, companyId).catch((problem: unknown) => {
    // The pointer cannot be read. The pipeline reports that, under the lock.
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })
  const history = await readHistory(workspace.snapshots, companyId)
  const lockDate = await lockDateOf(workspace.snapshots, company, history)
  if (
    current &&
    options.publish &&
    options.restate === undefined &&
    options.adopt === undefined &&
    lockDate.findings.length === 0
  ) {
    const cache = companyCache(workspace.state, companyId)
    const today = dateAt(startedAt, company.timeZone)
    const reading = await unchanged(workspace, company, current, cache, today, lockDate.through, members)
    if (reading !== null && (await settledOn(workspace, companyId)) === current.manifestHash)
      return asPublished(current, reading.Warnings, startedAt)
  }
  const { makeByRules } = await import('./pipeline.ts')
  return makeByRules({
    workspace,
    company,
    options,
    startedAt,
    currentSnapshot: current,
    members,
    watch,
    lockDate,
  })
}

/**
 * The hash of the current manifest. As every build it takes the lock once: it repairs what a killed build left, and
 * refuses a pointer that was moved by hand.
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
