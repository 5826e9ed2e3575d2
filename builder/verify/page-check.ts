/**
 * Makes the pages that a snapshot keeps again, of its published documents, and compares them: with their hashes alone, somebody who has
 * the signing key could publish pages that show other figures than the statements beside them.
 */
import type { Damage } from '../snapshot/damage.ts'
import { isReport, reportPath } from '../snapshot/layout.ts'
import { openSnapshotIn } from '../snapshot/open.ts'
import { sha256 } from '../workspace/hash.ts'
import { isOfMachine } from '../workspace/refusals.ts'
import { thisProgram } from '../workspace/version.ts'
import { type Maker, programName } from './reading.ts'
import type { SoundSnapshot } from './recompute.ts'

interface CheckedPages {
  readonly damages: readonly Damage[]
  /** What can be neither confirmed nor refuted. */
  readonly unproven: readonly string[]
  readonly notes: readonly string[]
}

/**
 * The snapshot's files are as its manifest lists them. Pages of another program may be worded otherwise; version 1.0 and those before made
 * none. That is noted where a known key vouches for the manifest that says so, and unproven where none does.
 */
export async function checkPages(snapshot: SoundSnapshot, maker: Maker): Promise<CheckedPages> {
  const { id, manifest } = snapshot
  const isOfAnother = maker !== 'this program'
  const nothing: CheckedPages = { damages: [], unproven: [], notes: [] }
  if (isOfAnother && !manifest.Files.some(({ Path }) => isReport(Path))) return nothing
  const problems = await pageProblems(snapshot)
  if (problems.length === 0) return nothing
  if (isOfAnother) {
    const message = `${id}: the pages below ${reportPath('')} were made by ${programName(manifest)}, and are not proved by ${thisProgram()}; believe the statements`
    return maker === 'another program'
      ? { ...nothing, notes: [message] }
      : { ...nothing, unproven: [`${message}, or name the publisher's key with --key`] }
  }
  return {
    ...nothing,
    damages: problems.map(({ path, what }) => ({
      kind: 'figures',
      snapshotId: id,
      path,
      message: `${path} ${what}`,
    })),
  }
}

interface PageProblem {
  readonly path: string
  readonly what: string
}

async function pageProblems({ id, folder, manifest }: SoundSnapshot): Promise<PageProblem[]> {
  const published = new Map(
    manifest.Files.filter(({ Path }) => isReport(Path)).map(({ Path, Sha256 }) => [Path, Sha256]),
  )
  const made = new Map<string, string>()
  try {
    const { openedReport } = await import('../report/report.ts')
    const { keptGroups, reportPages } = await import('../report/pages/site.ts')
    const { source, month } = await openedReport(await openSnapshotIn(folder, manifest.CompanyId, id))
    for (const [page, text] of await reportPages(source, month, keptGroups(source.frame)))
      made.set(reportPath(page), sha256(text))
  } catch (problem) {
    if (isOfMachine(problem)) throw problem
    // What was forged together with its manifest can hold anything.
    return [{ path: reportPath(''), what: `cannot be made of the documents: ${(problem as Error).message}` }]
  }
  return [
    ...[...published.keys()].filter((path) => !made.has(path)).map((path) => ({ path, what: ADDED })),
    ...[...made].flatMap(([path, hash]): PageProblem[] => {
      const known = published.get(path)
      if (known === hash) return []
      return [{ path, what: known === undefined ? MISSING : CHANGED }]
    }),
  ]
}

const ADDED = 'was published, but such a snapshot has no such page'
const MISSING = 'was not published, although such a snapshot has that page'
const CHANGED = 'does not show what the statements give'
