/**
 * Whether a build would publish anything: equal sources under equal settings and the same program make equal files. Only
 * hashes are taken; nothing is parsed, and what was published is not composed again.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { findFiles } from './ingest/files.ts'
import { configurationOf } from './provenance.ts'
import { hashOf } from './snapshot/files.ts'
import { inputsFolder } from './snapshot/layout.ts'
import { fileOf, keptInputs, type Manifest } from './snapshot/manifest.ts'
import type { Snapshot } from './snapshot/open.ts'
import { VERSION } from './version.ts'
import type { Company } from './workspace/company.ts'
import { COMPANY_FILE, companyFolder, type Workspace } from './workspace/workspace.ts'

/** Whether a snapshot is what a build would make; false where that is not certain. */
export async function isUnchanged(
  workspace: Workspace,
  company: Company,
  current: Snapshot,
  today: string,
): Promise<boolean> {
  const { manifest } = current
  const configuration = configurationOf(company, workspace.keepInputs)
  const isSame =
    manifest.Tool.Version === VERSION &&
    manifest.Configuration?.Sha256 === configuration.Sha256 &&
    manifest.Configuration.KeepInputs === configuration.KeepInputs &&
    // Entries that are dated ahead of today are told by a build, and only by it.
    manifest.Inputs.every(({ Role, LastDate }) => Role !== 'ledger' || LastDate === null || LastDate <= today)
  if (!isSame || !isWhole(current) || !(await areKept(workspace, manifest))) return false
  return haveSameSources(manifest, company, companyFolder(workspace, company.id))
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

/** A build mends what is missing or damaged of them. */
async function areKept({ snapshots }: Workspace, manifest: Manifest): Promise<boolean> {
  const folder = inputsFolder(snapshots, manifest.CompanyId)
  for (const { Sha256 } of keptInputs(manifest))
    if ((await hashOf(join(folder, Sha256)).catch(() => null)) !== Sha256) return false
  return true
}

/** By name and content: no more and no fewer than the manifest lists. */
async function haveSameSources(manifest: Manifest, company: Company, folder: string): Promise<boolean> {
  const before = new Map(manifest.Inputs.map((input) => [fileOf(input), input.Sha256]))
  const files = new Set([COMPANY_FILE])
  for (const pattern of patternsIn(company)) {
    const found = await findFiles(folder, pattern, '')
    if (found.findings.length > 0) return false
    for (const file of found.files) files.add(file)
  }
  if (files.size !== before.size) return false
  for (const file of files) if (before.get(file) !== (await hashOf(join(folder, file)))) return false
  return true
}

/** Every `files` of company.yaml that names sources: a chart, a list, entries of a ledger, budgets, metrics. */
function patternsIn(company: Company): string[] {
  return Object.values(company)
    .flat()
    .flatMap((setting: unknown) => {
      const files = (setting as { readonly files?: unknown } | null)?.files
      return typeof files === 'string' ? [files] : []
    })
}
