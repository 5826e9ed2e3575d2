/** Builds or checks several companies, one after the other; one that fails does not stop the others. */
import type { BuildOptions, BuildResult } from '../builder/build.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import type { Surroundings } from './command.ts'
import { changesText } from './diff.ts'
import { EXIT, type ExitCode, failureOf, UsageError } from './exit.ts'
import { countsText, findingsText } from './findings.ts'
import { showProgress } from './progress.ts'
import { restatementTable, restatementText } from './restatement.ts'
import { type Column, tableText } from './table.ts'
import { count, type Terminal, wrap } from './terminal.ts'

/** One line of the table; `failed` where the build could not even say what it found. */
export type Built = Omit<BuildResult, 'outcome'> & {
  readonly outcome: BuildResult['outcome'] | 'failed'
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface Builds {
  readonly builds: readonly Built[]
  readonly exitCode: ExitCode
}

export async function runBuilds(
  { terminal, folder }: Surroundings,
  ids: readonly string[],
  options: Pick<BuildOptions, 'publish' | 'restate'>,
): Promise<ExitCode> {
  const { openWorkspace } = await import('../builder/workspace/workspace.ts')
  const workspace = openWorkspace(folder)
  const { builds, exitCode } = await buildAll(workspace, await chosen(workspace, ids), options, terminal)
  terminal.show({ companies: builds }, () => buildsText(builds, terminal, options.restate !== undefined))
  return exitCode
}

/** The companies asked for, or all; throws {@link UsageError} where one of them is none. */
async function chosen(workspace: Workspace, ids: readonly string[]): Promise<readonly string[]> {
  const { listCompanies } = await import('../builder/workspace/workspace.ts')
  const all = listCompanies(workspace)
  if (all.length === 0)
    throw new UsageError(
      `there is no company in ${workspace.datasets} yet; add one: tieout add <company-id> <export files>`,
    )
  const unknown = ids.filter((id) => !all.includes(id))
  if (unknown.length > 0)
    throw new UsageError(`there is no company "${unknown.join('", "')}"; the workspace has ${all.join(', ')}`)
  return ids.length === 0 ? all : [...new Set(ids)]
}

/** Findings are printed company by company, as they are found; the exit code is that of the worst. */
export async function buildAll(
  workspace: Workspace,
  ids: readonly string[],
  options: Pick<BuildOptions, 'publish' | 'restate'>,
  terminal: Terminal,
): Promise<Builds> {
  const { build } = await import('../builder/build.ts')
  const { companyFolder } = await import('../builder/workspace/workspace.ts')
  const builds: Built[] = []
  let exitCode: ExitCode = EXIT.done
  for (const id of ids) {
    const begun = Date.now()
    const shown = showProgress(id, terminal)
    let built: Built
    let code: ExitCode = EXIT.done
    try {
      built = { ...(await build(workspace, id, { ...options, progress: shown.progress })), error: null }
      if (built.outcome === 'refused') code = EXIT.findings
    } catch (problem) {
      const failure = failureOf(problem)
      terminal.trace(problem)
      built = notBuilt(id, failure, (Date.now() - begun) / 1000)
      code = failure.exitCode
    } finally {
      shown.end()
    }
    builds.push(built)
    exitCode = worst(exitCode, code)
    if (!terminal.json && built.findings.length > 0)
      process.stdout.write(`${findingsText(built.findings, terminal, companyFolder(workspace, id))}\n\n`)
    const table = built.restatement && restatementTable(built.restatement, terminal)
    if (!terminal.json && table) process.stdout.write(`${table}\n\n`)
  }
  return { builds, exitCode }
}

/** A failure of ours or of the machine outweighs findings: those can be mended by whoever reads them. */
const SEVERITY: readonly ExitCode[] = [EXIT.done, EXIT.findings, EXIT.usage, EXIT.failed]
const worst = (a: ExitCode, b: ExitCode): ExitCode => (SEVERITY.indexOf(a) >= SEVERITY.indexOf(b) ? a : b)

const notBuilt = (
  company: string,
  { exitCode, code, message, findings }: ReturnType<typeof failureOf>,
  seconds: number,
): Built => ({
  company,
  outcome: exitCode === EXIT.findings ? 'refused' : 'failed',
  snapshotId: null,
  findings,
  postings: 0,
  transactions: 0,
  documents: 0,
  coverage: null,
  tieOuts: [],
  controlsAgreed: 0,
  changes: null,
  restatement: null,
  seconds,
  error: exitCode === EXIT.findings ? null : { code, message },
})

const NOTHING = '–'

export function buildsText(builds: readonly Built[], terminal: Terminal, reasonGiven = false): string {
  const { paint, width } = terminal
  const colours = {
    published: paint.green,
    unchanged: paint.green,
    checked: paint.green,
    refused: paint.red,
    failed: paint.red,
  }
  const done = ({ outcome }: Built) => outcome !== 'refused' && outcome !== 'failed'
  const figure = (of: (built: Built) => number) => (built: Built) =>
    done(built) ? count(of(built)) : NOTHING
  const warnings = ({ findings }: Built) => findings.filter(({ severity }) => severity === 'warning').length
  const publishes = builds.some(({ snapshotId }) => snapshotId !== null)
  const columns: Column<Built>[] = [
    { title: 'Company', of: ({ company }) => company },
    { title: 'Outcome', of: ({ outcome }) => outcome, colour: ({ outcome }) => colours[outcome] },
    ...(publishes ? [{ title: 'Snapshot', of: ({ snapshotId }: Built) => snapshotId ?? NOTHING }] : []),
    { title: 'Coverage', of: ({ coverage }) => coverageText(coverage) },
    { title: 'Postings', of: figure(({ postings }) => postings), right: true },
    { title: 'Documents', of: figure(({ documents }) => documents), right: true },
    {
      title: 'Tie-outs',
      of: ({ tieOuts }) => tieOutsText(tieOutsOf(tieOuts)),
      right: true,
    },
    { title: 'Warnings', of: (built) => count(warnings(built)), right: true },
    { title: 'Seconds', of: ({ seconds }) => seconds.toFixed(1), right: true },
  ]
  const sentences = builds.flatMap((built) => {
    const { company, outcome, error, findings, controlsAgreed, changes, restatement } = built
    if (error) return [`${paint.red(`${company} failed`)}: ${error.message}`]
    if (outcome === 'refused')
      return [`${paint.red(`${company} was refused`)}: ${countsText(findings)}; nothing was published.`]
    return [
      ...(controlsAgreed > 0
        ? [
            `${company}: all ${count(controlsAgreed)} figures that its files state about themselves agree with the books.`,
          ]
        : []),
      ...(changes
        ? [`${company}: since ${changes.since} ${changesText(changes)} (tieout diff ${company}).`]
        : []),
      ...(restatement?.Reason
        ? [`${company}: in closed months ${restatementText(restatement)} (kept in the manifest)`]
        : []),
      ...(reasonGiven && !restatement
        ? [`${company}: closed months are as published; no reason was needed, and none is kept.`]
        : []),
    ]
  })
  return [
    tableText(builds, columns, terminal),
    ...(sentences.length > 0 ? ['', ...sentences.map((sentence) => wrap(sentence, width))] : []),
  ].join('\n')
}

/** `2023-01 to 2026-10` */
export const coverageText = (coverage: { startDate: string; endDate: string } | null): string =>
  coverage === null ? NOTHING : `${coverage.startDate.slice(0, 7)} to ${coverage.endDate.slice(0, 7)}`

interface TieOutCount {
  readonly passed: number
  readonly checks: number
}

/** Nothing is published that does not tie out, so both numbers are the same; that is the point of showing them. */
export function tieOutsOf(tieOuts: BuildResult['tieOuts']): TieOutCount {
  const checks = (entries: BuildResult['tieOuts']) => entries.reduce((sum, entry) => sum + entry.Checks, 0)
  return { passed: checks(tieOuts.filter((entry) => entry.Result === 'pass')), checks: checks(tieOuts) }
}

export const tieOutsText = ({ passed, checks }: TieOutCount): string =>
  checks === 0 ? NOTHING : `${count(passed)} of ${count(checks)}`
