/** Snapshots of a few small files, published without a build: for what is about files and not about figures. */
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Content } from '../../builder/contract/bytes.ts'
import { type VerifiedCompany, verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { openSnapshot, readPointer, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { beginStage, type ManifestBody, type Publication } from '../../builder/snapshot/files/stage.ts'
import type { Signer } from '../../builder/snapshot/keys/key-file.ts'
import { disk, type Effects } from '../../builder/system/effects.ts'

export const ACME = 'acme'

export const BODY: ManifestBody = {
  Format: 4,
  CompanyId: ACME,
  Month: '2026-10',
  Tool: { Name: 'tieout', Version: '0' },
  Currency: 'USD',
  Coverage: { StartDate: '2026-01-01', EndDate: '2026-10-31' },
  Inputs: [],
  Totals: { Postings: 0, Transactions: 0, Documents: 0 },
  TieOuts: [],
  Warnings: [],
}

/** A folder for the snapshots of companies, and a place for keys beside it. */
export function makeRoot(): { scratch: string; root: string; state: string } {
  const scratch = mkdtempSync(join(tmpdir(), 'tieout-snapshots-'))
  return { scratch, root: join(scratch, 'snapshots'), state: join(scratch, '.tieout') }
}

interface PublishOptions {
  readonly body?: ManifestBody
  readonly signer?: Signer | null
  readonly effects?: Effects
  readonly at?: string
}

export async function publish(
  root: string,
  files: Readonly<Record<string, Content>>,
  { body = BODY, signer = null, effects = disk, at = '2026-11-01T00:00:00Z' }: PublishOptions = {},
): Promise<Publication> {
  const stage = await beginStage(root, ACME, { signer, effects })
  try {
    for (const [path, content] of Object.entries(files)) stage.write(path, content)
    return await stage.publish(body, Date.parse(at))
  } finally {
    stage.discard()
  }
}

/** The body of a snapshot that covers the year up to a month. */
export const through = (month: string): ManifestBody => ({
  ...BODY,
  Month: month,
  Coverage: { StartDate: `${month.slice(0, 4)}-01-01`, EndDate: `${month}-28` },
})

export async function current(root: string): Promise<Snapshot> {
  const pointer = await readPointer(root, ACME)
  return openSnapshot(root, ACME, pointer!.SnapshotId, pointer!.ManifestSha256)
}

/** What "tieout verify --files-only" finds: damages as `kind snapshot path`, and notes. */
export async function verified(
  root: string,
  signer: Signer | null = null,
): Promise<VerifiedCompany & { readonly all: readonly string[] }> {
  const { companies } = await verifyCompanies(root, [ACME], { figures: false, known: signer?.known ?? null })
  const [company] = companies
  const damages = [...company!.damages, ...company!.snapshots.flatMap((snapshot) => snapshot.damages)]
  const all = damages.map(({ kind, snapshotId, path }) => [kind, snapshotId ?? '-', path].join(' '))
  return { ...company!, all }
}

export async function rejects(promise: Promise<unknown>, pattern: RegExp): Promise<Error> {
  const problem = await promise.then(
    () => null,
    (found: Error) => found,
  )
  if (!problem) throw new Error(`it must fail with ${pattern}`)
  if (!pattern.test(problem.message)) throw new Error(`"${problem.message}" is not ${pattern}`)
  return problem
}

/** What is published is read-only. */
export const damage = (path: string, how: (path: string) => void): void => {
  chmodSync(path, 0o644)
  how(path)
}
