/**
 * Whether a build would publish anything: equal sources under equal settings and the same program make equal files. Only
 * hashes are taken; nothing is parsed, and what was published is not composed again.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../snapshot/files.ts'
import { inputsFolder } from '../snapshot/layout.ts'
import { fileOf, keptInputs, type Manifest } from '../snapshot/manifest.ts'
import type { Snapshot } from '../snapshot/open.ts'
import { type Cache, cacheKey } from '../workspace/cache.ts'
import type { Company } from '../workspace/company.ts'
import { fingerprint } from '../workspace/program.ts'
import { sourceFiles } from '../workspace/source-files.ts'
import { companyFolder, type Workspace } from '../workspace/workspace.ts'
import { configurationOf } from './provenance.ts'

/** What a build read, and what it remarked on. */
export type Reading = Pick<Manifest, 'Inputs' | 'Configuration' | 'Warnings'>

const keyOf = (manifestHash: string): string => cacheKey('made the same', manifestHash)

/** A build ended with the very files of this manifest: what it read makes them, although the manifest names others. */
export const noteSame = (cache: Cache, manifestHash: string, reading: Reading): void =>
  cache.keep(keyOf(manifestHash), Buffer.from(JSON.stringify(reading)))

/** What this program made a snapshot of; null where another one did. */
function readingOf({ manifest, manifestHash }: Snapshot, cache: Cache): Reading | null {
  const noted = cache.find(keyOf(manifestHash))
  if (noted !== null) return JSON.parse(noted.toString('utf8')) as Reading
  return manifest.Build.Program === fingerprint() ? manifest : null
}

/** What a snapshot was made of, where a build would make it again of the same; null where that is not certain. */
export async function unchanged(
  workspace: Workspace,
  company: Company,
  current: Snapshot,
  cache: Cache,
  today: string,
): Promise<Reading | null> {
  const reading = readingOf(current, cache)
  const configuration = configurationOf(company, workspace.keepInputs)
  const isSame =
    reading !== null &&
    reading.Configuration?.Sha256 === configuration.Sha256 &&
    reading.Configuration.KeepInputs === configuration.KeepInputs &&
    // Entries that are dated ahead of today are told by a build, and only by it.
    reading.Inputs.every(({ Role, LastDate }) => Role !== 'ledger' || LastDate === null || LastDate <= today)
  if (!isSame || !isWhole(current) || !(await areKept(workspace, current.manifest))) return null
  return (await haveSameSources(reading, company, companyFolder(workspace, company.id))) ? reading : null
}

/** The files are there in their sizes; whether a bit was flipped in one is for `tieout verify` to say. */
function isWhole({ folder, manifest }: Snapshot): boolean {
  try {
    // At once: promises of thousands would take five times as long.
    return manifest.Files.every(({ Path, Bytes }) => statSync(join(folder, Path)).size === Bytes)
  } catch {
    return false
  }
}

/** A build restores what is missing or damaged of them. */
async function areKept({ snapshots }: Workspace, manifest: Manifest): Promise<boolean> {
  const folder = inputsFolder(snapshots, manifest.CompanyId)
  for (const { Sha256 } of keptInputs(manifest))
    if ((await hashOf(join(folder, Sha256)).catch(() => null)) !== Sha256) return false
  return true
}

/** By name and content: no more and no fewer than were read. */
async function haveSameSources({ Inputs }: Reading, company: Company, folder: string): Promise<boolean> {
  const before = new Map(Inputs.map((input) => [fileOf(input), input.Sha256]))
  const files = await sourceFiles(company, folder)
  if (files === null || files.size !== before.size) return false
  for (const file of files) if (before.get(file) !== (await hashOf(join(folder, file)))) return false
  return true
}
