/**
 * Makes the pages that a snapshot keeps again, of its published documents, and compares them: with their hashes alone, somebody who has
 * the signing key could publish pages that show other figures than the statements beside them.
 */
import { join } from 'node:path'
import { andMore } from '../../contract/listed.ts'
import { REPORT_STYLE } from '../../report/pages/style.ts'
import type { Damage } from '../../snapshot/files/damage.ts'
import { isReport, reportPath } from '../../snapshot/files/layout.ts'
import { openSnapshotIn } from '../../snapshot/files/open.ts'
import { sha256 } from '../../system/hash.ts'
import { readFile } from '../../system/plain-file.ts'
import { isOfMachine } from '../../system/refusals.ts'
import { thisProgram } from '../../system/version.ts'
import { judgedPage, type PageJudgement } from './page-reading.ts'
import { Differences, type Maker, programName } from './reading.ts'
import type { SoundSnapshot } from './recompute.ts'
import { releaseOf } from './releases.ts'

interface CheckedPages {
  readonly damages: readonly Damage[]
  readonly readings: readonly Damage[]
  /** What can be neither confirmed nor refuted. */
  readonly unproven: readonly string[]
  readonly notes: readonly string[]
}

/**
 * Checks the pages of a snapshot whose files are as its manifest lists them. Of a page of another program each figure,
 * label and link is compared with the documents. Version 1.0 and those before made no pages.
 */
export async function checkReportPages(snapshot: SoundSnapshot, maker: Maker): Promise<CheckedPages> {
  const { id, manifest } = snapshot
  const nothing: CheckedPages = { damages: [], readings: [], unproven: [], notes: [] }
  const isOfAnother = maker !== 'this program'
  if (isOfAnother && !manifest.Files.some(({ Path }) => isReport(Path))) return nothing
  const differences = new Differences(maker)
  const differs = (path: string, what: string) =>
    differences.add({ kind: 'figures', snapshotId: id, path, message: `${path} ${what}` })
  const problems = await pageProblems(snapshot)
  if (problems.length === 0) return nothing
  const unreadable: string[] = []
  for (const { path, what, given } of problems) {
    if (!isOfAnother) differs(path, what)
    else if (given === undefined) unreadable.push(`${path} ${what}`)
    else {
      const judged = await judgedFile(snapshot, path, given)
      const [first, ...others] = judged.differs
      if (first !== undefined) differs(path, `${what}: ${first}${andMore(others.length)}`)
      if (judged.unreadable[0] !== undefined) unreadable.push(`${path} ${what}: ${judged.unreadable[0]}`)
    }
  }
  const { damages, readings } = differences
  const by = `${programName(manifest)}; this is ${thisProgram()}`
  const [first, ...others] = unreadable
  return {
    damages,
    readings,
    unproven:
      first === undefined
        ? []
        : [
            `the pages were made by ${by}, which cannot judge them: ${first}${andMore(others.length)}; believe the statements`,
          ],
    notes:
      damages.length + readings.length + unreadable.length > 0
        ? []
        : [
            `${id}: the pages were made by ${by}; each of their figures, labels and links is as the documents give it`,
          ],
  }
}

/** Judges a file below `report/` that another program made. `given` is the file that this program makes in its place. */
async function judgedFile(
  { folder, manifest }: SoundSnapshot,
  path: string,
  given: string,
): Promise<PageJudgement> {
  const text = await readFile(join(folder, path), 'utf8')
  if (path.endsWith('.html')) return judgedPage(text, given)
  // The rules of a company's brand follow those of all pages.
  const brand = given.slice(REPORT_STYLE.length)
  const isReleased =
    text.endsWith(brand) && sha256(text.slice(0, text.length - brand.length)) === releaseOf(manifest)?.style
  return { differs: [], unreadable: isReleased ? [] : ['it lays out pages as no known release did'] }
}

interface PageProblem {
  readonly path: string
  readonly what: string
  /** The page that this program makes; absent where only one of both is there. */
  readonly given?: string
}

async function pageProblems({ id, folder, manifest }: SoundSnapshot): Promise<PageProblem[]> {
  const published = new Map(
    manifest.Files.filter(({ Path }) => isReport(Path)).map(({ Path, Sha256 }) => [Path, Sha256]),
  )
  const problems: PageProblem[] = []
  const made = new Set<string>()
  try {
    const { openedReport } = await import('../../report/report.ts')
    const { keptGroups, reportPages } = await import('../../report/pages/site.ts')
    const { source, month } = await openedReport(await openSnapshotIn(folder, manifest.CompanyId, id))
    const laidOut = { ...source, layout: releaseOf(manifest)?.layout ?? source.layout }
    for (const [page, given] of await reportPages(laidOut, month, keptGroups(source.frame))) {
      const path = reportPath(page)
      made.add(path)
      if (!published.has(path)) problems.push({ path, what: MISSING })
      else if (published.get(path) !== sha256(given)) problems.push({ path, what: CHANGED, given })
    }
  } catch (problem) {
    if (isOfMachine(problem)) throw problem
    // Documents that were forged together with their manifest can hold anything.
    return [{ path: reportPath(''), what: `cannot be made of the documents: ${(problem as Error).message}` }]
  }
  const added = [...published.keys()].filter((path) => !made.has(path)).map((path) => ({ path, what: ADDED }))
  return [...added, ...problems]
}

const ADDED = 'was published, but such a snapshot has no such page'
const MISSING = 'was not published, although such a snapshot has that page'
const CHANGED = 'does not show what the statements give'
