/**
 * The proof of a published snapshot for its auditors: what was checked, how often and with which figures; from
 * which sources it was made; and whether its files are still as published.
 */

import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import type { InputEntry, Manifest, TieOutEntry } from '../snapshot/files/manifest.ts'
import { openSnapshot, readPointer, type Snapshot } from '../snapshot/files/open.ts'
import { withoutNotes } from '../workspace/findings/finding.ts'
import { type AskedFilters, failed, noSuchBasis, publishedSnapshot, type Resolved } from './inspect.ts'

interface ProofRequest extends Pick<AskedFilters, 'basis'> {
  readonly company: string
  readonly snapshotId: string | null
}

interface ProvenSource extends InputEntry {
  /** Whether debits equal credits; null where the file is not a ledger. */
  readonly balanced: boolean | null
}

export interface Proof {
  readonly company: string
  readonly snapshotId: string
  readonly current: boolean
  readonly manifestSha256: string
  readonly contentHash: string
  /** `unchanged` where the previous snapshot's manifest still has the hash that this manifest states. */
  readonly previous: {
    readonly snapshotId: string
    readonly manifestSha256: string
    readonly state: 'unchanged' | 'changed' | 'missing'
  } | null
  readonly currency: string
  readonly coverage: Manifest['Coverage']
  readonly totals: Manifest['Totals']
  readonly tool: Manifest['Tool']
  readonly builtAt: string
  readonly files: { readonly count: number; readonly bytes: number; readonly damaged: readonly string[] }
  readonly sources: readonly ProvenSource[]
  readonly tieOuts: readonly TieOutEntry[]
  /**
   * How many figures that the sources state about themselves agree with the books; null where the manifest does not
   * count them.
   */
  readonly controlsAgreed: number | null
  readonly warnings: number
  /** True where every identity holds and every file is as published. */
  readonly proven: boolean
}

/** Stands in the place of the basis: budgets are the same under both bases. */
const BUDGETS = 'BUDGET'

export async function proof(root: string, request: ProofRequest): Promise<Resolved<Proof>> {
  const opened = await publishedSnapshot(root, request.company, request.snapshotId)
  if (opened.findings) return opened
  const snapshot = opened.value
  const { manifest } = snapshot
  const bases = [...new Set(manifest.TieOuts.map((entry) => entry.Basis))].filter(
    (basis) => basis !== BUDGETS,
  )
  if (request.basis !== null && !bases.includes(request.basis))
    return failed(noSuchBasis(request.company, request.basis, bases))
  const damaged = await damagedFiles(snapshot)
  const pointer = await readPointer(root, request.company)
  const shown = manifest.TieOuts.filter(
    (entry) => request.basis === null || entry.Basis === request.basis || entry.Basis === BUDGETS,
  )
  return {
    value: {
      company: snapshot.company,
      snapshotId: snapshot.id,
      current: pointer?.SnapshotId === snapshot.id,
      manifestSha256: snapshot.manifestHash,
      contentHash: manifest.ContentHash,
      previous: manifest.Previous && {
        snapshotId: manifest.Previous.SnapshotId,
        manifestSha256: manifest.Previous.ManifestSha256,
        state: await stateOf(root, request.company, manifest.Previous),
      },
      currency: manifest.Currency,
      coverage: manifest.Coverage,
      totals: manifest.Totals,
      tool: manifest.Tool,
      builtAt: manifest.Build.At,
      files: {
        count: manifest.Files.length,
        bytes: manifest.Files.reduce((sum, file) => sum + file.Bytes, 0),
        damaged,
      },
      sources: manifest.Inputs.map((input) => ({
        ...input,
        balanced: input.Debit === null ? null : input.Debit === input.Credit,
      })),
      tieOuts: shown,
      controlsAgreed: manifest.ControlsAgreed ?? null,
      warnings: withoutNotes(manifest.Warnings).length,
      proven: damaged.length === 0 && manifest.TieOuts.every((entry) => entry.Result === 'pass'),
    },
  }
}

/** The paths of all files that are not as published. Reads one after the other, so that memory holds one file. */
async function damagedFiles(snapshot: Snapshot): Promise<string[]> {
  const damaged: string[] = []
  for (const { Path } of snapshot.manifest.Files)
    try {
      await snapshot.read(Path)
    } catch (problem) {
      if (!(problem instanceof SnapshotDamagedError)) throw problem
      damaged.push(problem.message)
    }
  return damaged
}

async function stateOf(
  root: string,
  company: string,
  previous: NonNullable<Manifest['Previous']>,
): Promise<NonNullable<Proof['previous']>['state']> {
  try {
    const { manifestHash } = await openSnapshot(root, company, previous.SnapshotId)
    return manifestHash === previous.ManifestSha256 ? 'unchanged' : 'changed'
  } catch (problem) {
    // An archive may hold a snapshot without those before it.
    if (problem instanceof SnapshotDamagedError) return 'missing'
    throw problem
  }
}
