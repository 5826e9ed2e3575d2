/**
 * Tells whether a build would change anything: equal sources, settings and programs make equal files. It compares hashes
 * only and parses no source.
 */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_RULES, rulesOfFormat } from '../books/post/accounting-rules.ts'
import { lockDateOf } from '../snapshot/closing/lock-date.ts'
import { memberOf } from '../snapshot/files/input-state.ts'
import { inputsFolder } from '../snapshot/files/layout.ts'
import { fileOf, keptInputs, type Manifest } from '../snapshot/files/manifest.ts'
import { openCurrent, readPointer, type Snapshot } from '../snapshot/files/open.ts'
import { readHistory } from '../snapshot/log/history.ts'
import { sha256OfFile } from '../system/hash.ts'
import { fingerprint } from '../system/program.ts'
import { BucketError } from '../system/refusals.ts'
import { type Cache, cacheKey, companyCache } from '../workspace/cache.ts'
import type { Company } from '../workspace/company.ts'
import { sourceFiles, tableAddresses } from '../workspace/source-files.ts'
import type { TableObject } from '../workspace/table-address.ts'
import { datasetFolder, type Workspace } from '../workspace/workspace.ts'
import { configurationOf } from './provenance.ts'

/** What a build read, and its warnings. */
type Reading = Pick<Manifest, 'Inputs' | 'Configuration' | 'Warnings'>

/** The key holds the day through which the books are closed: after months were opened again, newer rules may apply. */
const keyOf = (manifestHash: string, through: string | null): string =>
  cacheKey('made the same', manifestHash, through ?? '')

/** Notes that a build of other sources ended with the same files as this manifest. */
export const noteSame = (
  cache: Cache,
  manifestHash: string,
  through: string | null,
  reading: Reading,
): void => cache.keep(keyOf(manifestHash, through), Buffer.from(JSON.stringify(reading)))

/** Whether the current snapshot was built with these settings, or a build with them made the same files. */
export async function isBuiltWith(workspace: Workspace, company: Company): Promise<boolean> {
  const { snapshots, state, keepInputs } = workspace
  const current = await openCurrent(snapshots, company.id)
  if (current === null) return true
  const { through } = await lockDateOf(snapshots, company, await readHistory(snapshots, company.id))
  const reading = noted(companyCache(state, company.id), current.manifestHash, through) ?? current.manifest
  return reading.Configuration?.Sha256 === configurationOf(company, keepInputs).Sha256
}

function noted(cache: Cache, manifestHash: string, through: string | null): Reading | null {
  const kept = cache.find(keyOf(manifestHash, through))
  return kept === null ? null : (JSON.parse(kept.toString('utf8')) as Reading)
}

/** What this program read to make a snapshot; null if another program made it, or older rules, which may be replaced by now. */
function readingOf(
  { manifest, manifestHash }: Snapshot,
  cache: Cache,
  through: string | null,
): Reading | null {
  const isOwn = manifest.Build.Program === fingerprint() && rulesOfFormat(manifest.Format) === NEWEST_RULES
  return noted(cache, manifestHash, through) ?? (isOwn ? manifest : null)
}

/** What a snapshot was made from, if a build would certainly make the same again; else null. */
export async function unchanged(
  workspace: Workspace,
  company: Company,
  current: Snapshot,
  cache: Cache,
  today: string,
  /** The day through which the books are closed; null where they are not. */
  through: string | null,
  /** The folder in which the snapshots of the members of a group are found. */
  members: string,
): Promise<Reading | null> {
  const reading = readingOf(current, cache, through)
  const configuration = configurationOf(company, workspace.keepInputs)
  const isSame =
    reading !== null &&
    reading.Configuration?.Sha256 === configuration.Sha256 &&
    reading.Configuration.KeepInputs === configuration.KeepInputs &&
    // Only a full build reports entries that are dated after today.
    reading.Inputs.every(({ Role, LastDate }) => Role !== 'ledger' || LastDate === null || LastDate <= today)
  if (!isSame || !isWhole(current) || !(await areKept(workspace, current.manifest))) return null
  const folder = datasetFolder(workspace, company.id)
  return (await haveSameSources(reading, company, folder, workspace.engine, members)) ? reading : null
}

/** Whether all files exist in their sizes. Changed bytes are for `tieout verify` to find. */
function isWhole({ folder, manifest }: Snapshot): boolean {
  try {
    // Synchronous calls: thousands of promises would take five times as long.
    return manifest.Files.every(({ Path, Bytes }) => statSync(join(folder, Path)).size === Bytes)
  } catch {
    return false
  }
}

/** Whether all kept sources are intact. A build restores those that are missing or damaged. */
async function areKept({ snapshots }: Workspace, manifest: Manifest): Promise<boolean> {
  const folder = inputsFolder(snapshots, manifest.CompanyId)
  for (const { Sha256 } of keptInputs(manifest))
    if ((await sha256OfFile(join(folder, Sha256)).catch(() => null)) !== Sha256) return false
  return true
}

/** Whether the sources are the same in number, name and content as those that were read. */
async function haveSameSources(
  { Inputs }: Reading,
  company: Company,
  folder: string,
  engine: Workspace['engine'],
  members: string,
): Promise<boolean> {
  const own = Inputs.filter(({ Sha256 }) => Sha256 !== null)
  const published = Inputs.filter((input) => memberOf(input) !== null)
  const objects = Inputs.filter((input) => input.Sha256 === null && memberOf(input) === null)
  return (
    (await haveSameFiles(own, company, folder)) &&
    (await haveSameMembers(published, company, members)) &&
    (await haveSameObjects(objects, company, engine))
  )
}

/** Whether the members of a group have the current snapshots that were read, in the order of the settings. */
async function haveSameMembers(
  inputs: Reading['Inputs'],
  { group }: Company,
  root: string,
): Promise<boolean> {
  const members = group?.members ?? []
  if (members.length !== inputs.length) return false
  for (const [i, { company }] of members.entries()) {
    // A pointer that cannot be read is for the build to report.
    const pointer = await readPointer(root, company).catch(() => null)
    const is = pointer && `${company}/${pointer.SnapshotId} ${pointer.ManifestSha256}`
    if (is !== `${inputs[i]?.File} ${inputs[i]?.ETag}`) return false
  }
  return true
}

/** Asks only if a table is named now or was before; the client of buckets is loaded for that. */
async function haveSameObjects(
  inputs: Reading['Inputs'],
  company: Company,
  engine: Workspace['engine'],
): Promise<boolean> {
  const addresses = tableAddresses(company)
  if (addresses.length === 0) return inputs.length === 0
  const { openTables } = await import('../snapshot/places/bucket/tables.ts')
  const store = openTables(engine)
  const before = new Map(inputs.map(({ File, Bytes, ETag }) => [File, `${Bytes} ${ETag}`]))
  const now: TableObject[] = []
  try {
    for (const address of addresses) now.push(...(await store.list(address)).objects)
  } catch (problem) {
    // The build itself reports why the bucket does not answer.
    if (problem instanceof BucketError) return false
    throw problem
  }
  return (
    now.length === before.size &&
    now.every(({ file, bytes, etag }) => before.get(file) === `${bytes} ${etag}`)
  )
}

async function haveSameFiles(inputs: Reading['Inputs'], company: Company, folder: string): Promise<boolean> {
  const before = new Map(inputs.map((input) => [fileOf(input), input.Sha256]))
  const files = await sourceFiles(company, folder)
  if (files === null || files.size !== before.size) return false
  for (const file of files) if (before.get(file) !== (await sha256OfFile(join(folder, file)))) return false
  return true
}
