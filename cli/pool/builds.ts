/** Builds or checks companies, several at once; a company that fails does not stop the others. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InvalidArgumentError, Option } from 'commander'
import { type BuildResult, type Progress, refusal } from '../../builder/build/result.ts'
import { present } from '../../builder/contract/present.ts'
import type { Stamped } from '../../builder/snapshot/keys/fetch-stamps.ts'
import { LEAST_MEMORY } from '../../builder/system/machine.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { changesSummary } from '../diff.ts'
import { stampText } from '../stamps.ts'
import type { Surroundings } from '../terminal/command.ts'
import { EXIT, type ExitCode, failureOf, UsageError } from '../terminal/exit.ts'
import { countsText, findingsText } from '../terminal/findings.ts'
import { keyFiguresOf, keyFiguresText, MOST_COMPANIES } from '../terminal/key-figures.ts'
import { changeIn, requestsText, sumOfRequests } from '../terminal/location.ts'
import { showBuilds } from '../terminal/progress.ts'
import { restatementTable, restatementText } from '../terminal/restatement.ts'
import { sayWhenStopped } from '../terminal/stopping.ts'
import { type TableColumn, tableText } from '../terminal/table.ts'
import { bytesText, count, plural, type Terminal, wrap } from '../terminal/terminal.ts'
import { waitingText } from '../terminal/waiting.ts'
import type { Outcome, PoolOptions, Watcher } from './build-pool.ts'

/** The outcome of one company; `failed` where the build ended with an error that is no finding. */
type Built = Omit<BuildResult, 'outcome'> & {
  readonly outcome: BuildResult['outcome'] | 'failed'
  readonly error: { readonly code: string; readonly message: string } | null
}

/** The options that apply to every company. */
export interface BuildsOptions extends PoolOptions {
  /** How many companies are built at once. */
  readonly jobs?: number
}

const MOST = 64

export const fromOneTo =
  (most: number) =>
  (text: string): number => {
    if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > most)
      throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`)
    return Number(text)
  }

export const jobsOption = (what = 'companies'): Option =>
  new Option('-j, --jobs <number>', `${what} at once (default: by cores and memory)`).argParser(
    fromOneTo(MOST),
  )

export const workersOption = (task = 'make the documents of one company', beside = 'companies'): Option =>
  new Option(
    '-w, --workers <number>',
    `threads that ${task} (default: by cores, ${beside} at once and documents)`,
  ).argParser(fromOneTo(MOST))

/** `800MB`, `4GB` and `1.5 GB` in bytes. */
function memoryIn(text: string): number {
  const [, size, unit] = /^(\d{1,6}(?:\.\d{1,3})?) ?(MB|GB)$/i.exec(text) ?? []
  if (size === undefined || unit === undefined)
    throw new InvalidArgumentError('It must be a size such as 800MB or 4GB.')
  const bytes = Math.floor(Number(size) * (unit.toUpperCase() === 'GB' ? 1024 ** 3 : 1024 ** 2))
  if (bytes < LEAST_MEMORY)
    throw new InvalidArgumentError(`A company takes at least ${LEAST_MEMORY / 1024 ** 2}MB.`)
  return bytes
}

export const memoryOption = (): Option =>
  new Option(
    '-m, --memory <size>',
    'memory to use in all, such as 4GB (default: half of what this machine or container has)',
  ).argParser(memoryIn)

export interface Builds {
  readonly builds: readonly Built[]
  readonly exitCode: ExitCode
}

export async function runBuilds(
  { terminal, open }: Surroundings,
  ids: readonly string[],
  order: BuildsOptions,
): Promise<ExitCode> {
  const workspace = await open()
  const { builds, exitCode } = await buildAll(workspace, await chosen(workspace, ids), order, terminal)
  const published = builds
    .filter(({ outcome }) => outcome === 'published' || outcome === 'unchanged')
    .map(({ company }) => company)
  const stamps = await stampsFor(workspace, published, terminal)
  const { openLocation } = await import('../../builder/snapshot/places/open.ts')
  const location = await openLocation(workspace)
  const keyFigures = await keyFiguresOf(location, published)
  const requests = sumOfRequests([...builds.map((built) => built.requests), location.requests])
  const reviews = order.review ? await reviewsOf(workspace, builds) : []
  const more = {
    ...(stamps.length > 0 ? { stamps } : {}),
    ...(order.review ? { reviews } : {}),
    ...(requests === null ? {} : { requests }),
  }
  terminal.show({ companies: builds, keyFigures, ...more }, () =>
    [
      buildsText(builds, terminal, (order.restate ?? order.adopt) !== undefined),
      ...(keyFigures.length > 0 ? ['', keyFiguresText(keyFigures, terminal)] : []),
      ...(reviews.length > 0 ? ['', ...reviews.map(({ company, address }) => `${company}: ${address}`)] : []),
      ...stamps.filter(({ problem }) => problem !== null).map((each) => stampText(each, terminal)),
      ...tablesText(builds),
      ...(requests === null ? [] : ['', wrap(requestsText(location.name, requests), terminal.width)]),
    ].join('\n'),
  )
  return exitCode
}

/** Says how much of the tables in buckets was read on this machine; only a cluster reads them whole. */
const tablesText = (builds: readonly Built[]): string[] =>
  builds.flatMap(({ company, tables }) =>
    tables === undefined
      ? []
      : [
          `${company}: ${plural(tables.objects, 'object')} of ${bytesText(tables.bytes)} in a bucket, of which ${bytesText(tables.read)} were read here (footers).`,
        ],
  )

/** The pages of `tieout check --report`, below .tieout/reports. A company that could not be read has none. */
async function reviewsOf(
  { state }: Workspace,
  builds: readonly Built[],
): Promise<{ readonly company: string; readonly address: string }[]> {
  const { writeReview } = await import('../../builder/report/write.ts')
  return builds
    .filter(({ outcome }) => outcome !== 'failed')
    .map(({ company, findings, coverage, review = null }) => {
      const page = writeReview(join(state, 'reports', `${company}-check`), {
        ...{ company, findings, coverage, review },
      })
      return { company, address: pathToFileURL(page).href }
    })
}

/** Asks for time stamps. An authority that does not answer is a note: what was published stays published. */
async function stampsFor(
  workspace: Workspace,
  published: readonly string[],
  terminal: Terminal,
): Promise<Stamped[]> {
  const { timestamp } = workspace
  if (timestamp === null) return []
  const { stampAll } = await import('../stamps.ts')
  return stampAll(changeIn(workspace, terminal), timestamp, published)
}

/** The companies asked for, or all of them; throws {@link UsageError} where one does not exist. */
export async function chosen(workspace: Workspace, ids: readonly string[]): Promise<readonly string[]> {
  const { datasetFolder, listCompanies } = await import('../../builder/workspace/workspace.ts')
  const { companyFolder } = await import('../../builder/snapshot/files/layout.ts')
  const all = listCompanies(workspace)
  const unknown = ids.filter((id) => !all.includes(id))
  const published = unknown.find((id) => existsSync(companyFolder(workspace.snapshots, id)))
  if (published !== undefined)
    throw new UsageError(
      `of "${published}" there are snapshots here, but no sources: "tieout restore <archive> --sources" takes those back that an archive keeps`,
    )
  if (all.length === 0)
    throw new UsageError(
      `there is no company in ${workspace.datasets} yet; add one: tieout add <company-id> <export files>`,
    )
  const bare = unknown.find((id) => existsSync(datasetFolder(workspace, id)))
  if (bare !== undefined)
    throw new UsageError(
      `${datasetFolder(workspace, bare)} has no company.yaml: "tieout add ${bare} <export files>" makes it`,
    )
  if (unknown.length > 0)
    throw new UsageError(`there is no company "${unknown.join('", "')}"; the workspace has ${all.join(', ')}`)
  return ids.length === 0 ? all : [...new Set(ids)]
}

/** Builds the companies and prints the findings of each when it is done. The exit code is the most severe one. */
export async function buildAll(
  workspace: Workspace,
  ids: readonly string[],
  { jobs, ...options }: BuildsOptions,
  terminal: Terminal,
): Promise<Builds> {
  const { datasetFolder } = await import('../../builder/workspace/workspace.ts')
  const progress = showBuilds(ids.length, terminal)
  if (options.publish) sayWhenStopped(() => stoppedText([...builds.values()]))
  const builds = new Map<string, Built>()
  /** When each build began, in ms; a company that failed before it began counts as taking no time. */
  const begun = new Map<string, number>()
  let exitCode: ExitCode = EXIT.done
  const watcher: Watcher = {
    begin: (company) => {
      begun.set(company, Date.now())
    },
    progress: progress.show,
    end: (company, outcome) => {
      progress.end(company)
      const built =
        'result' in outcome
          ? builtOf(outcome.result)
          : notBuilt(company, outcome.failure, begun.get(company) ?? Date.now())
      if ('failure' in outcome) terminal.trace(outcome.trace)
      exitCode = worst(exitCode, codeOf(outcome))
      builds.set(company, built)
      if (terminal.json) return
      // Of many companies those where nothing changed have a line of the table, with the number of their warnings.
      const isQuiet = built.outcome === 'unchanged' && ids.length > MOST_COMPANIES && !terminal.verbose
      if (built.findings.length > 0 && !isQuiet)
        terminal.print(`${findingsText(built.findings, terminal, datasetFolder(workspace, company))}\n`)
      const table = built.restatement && restatementTable(built.restatement, terminal)
      if (table) terminal.print(`${table}\n`)
    },
  }
  const { buildStages } = await import('../../builder/workspace/group-order.ts')
  const { buildInParallel } = await import('./build-pool.ts')
  const { atOnce } = await import('./pool.ts')
  try {
    for (const stage of buildStages(workspace, ids)) {
      const processes = atOnce(stage.length, { jobs, memory: options.memory })
      if (processes === 1) await buildInTurn(workspace, stage, options, watcher)
      else {
        const stopped = await buildInParallel(workspace.root, stage, options, processes, watcher)
        if (stopped === null) continue
        exitCode = stopped
        break
      }
    }
  } finally {
    progress.close()
  }
  return { builds: ids.map((id) => present(builds.get(id), `outcome of ${id}`)), exitCode }
}

/** The message when builds are stopped: which companies were published before. */
function stoppedText(builds: readonly Built[]): string {
  const published = builds.filter(({ outcome }) => outcome === 'published').map(({ company }) => company)
  return published.length === 0
    ? 'stopped; nothing was published'
    : `stopped; published before that: ${published.join(', ')}`
}

/** Builds one after another in this process, which a single company does not need to leave. */
async function buildInTurn(
  workspace: Workspace,
  ids: readonly string[],
  options: PoolOptions,
  watcher: Watcher,
): Promise<void> {
  const { build } = await import('../../builder/build/build.ts')
  for (const id of ids) {
    watcher.begin(id)
    let outcome: Outcome
    try {
      const progress: Progress = (...at) => watcher.progress(id, ...at)
      outcome = { result: await build(workspace, id, { ...options, progress }) }
    } catch (problem) {
      const trace = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
      outcome = { failure: failureOf(problem), trace }
    }
    watcher.end(id, outcome)
  }
}

const builtOf = (result: BuildResult): Built => ({ ...result, error: null })

const codeOf = (outcome: Outcome): ExitCode => {
  if ('failure' in outcome) return outcome.failure.exitCode
  return CODES[outcome.result.outcome] ?? EXIT.done
}

const CODES: Partial<Record<BuildResult['outcome'], ExitCode>> = {
  refused: EXIT.findings,
  waiting: EXIT.waiting,
}

/**
 * Exit codes by severity. A failure of the program or the machine is more severe than findings, which the reader
 * can correct.
 */
const SEVERITY: readonly ExitCode[] = [EXIT.done, EXIT.waiting, EXIT.findings, EXIT.usage, EXIT.failed]
const worst = (a: ExitCode, b: ExitCode): ExitCode => (SEVERITY.indexOf(a) >= SEVERITY.indexOf(b) ? a : b)

const notBuilt = (
  company: string,
  { exitCode, code, message, findings }: ReturnType<typeof failureOf>,
  startedAt: number,
): Built => ({
  ...refusal(company, startedAt, findings),
  outcome: exitCode === EXIT.findings ? 'refused' : 'failed',
  error: exitCode === EXIT.findings ? null : { code, message },
})

const NOTHING = '–'

export function buildsText(builds: readonly Built[], terminal: Terminal, reasonGiven = false): string {
  const { paint, width } = terminal
  const colours = {
    published: paint.green,
    unchanged: paint.green,
    waiting: paint.yellow,
    checked: paint.green,
    refused: paint.red,
    failed: paint.red,
  }
  const done = ({ outcome }: Built) => outcome !== 'refused' && outcome !== 'failed'
  const figure = (of: (built: Built) => number) => (built: Built) =>
    done(built) ? count(of(built)) : NOTHING
  const warnings = ({ findings }: Built) => findings.filter(({ severity }) => severity === 'warning').length
  const publishes = builds.some(({ snapshotId }) => snapshotId !== null)
  const columns: TableColumn<Built>[] = [
    { title: 'Company', of: ({ company }) => company },
    { title: 'Outcome', of: ({ outcome }) => outcome, colour: ({ outcome }) => colours[outcome] },
    ...(publishes ? [{ title: 'Snapshot', of: ({ snapshotId }: Built) => snapshotId ?? NOTHING }] : []),
    { title: 'Coverage', of: ({ coverage }) => coverageText(coverage) },
    { title: 'Postings', of: figure(({ postings }) => postings), right: true },
    { title: 'Documents', of: figure(({ documents }) => documents), right: true },
    { title: 'Tie-outs', of: ({ tieOuts }) => tieOutsText(tieOutsOf(tieOuts)), right: true },
    { title: 'Warnings', of: (built) => count(warnings(built)), right: true },
    { title: 'Seconds', of: ({ seconds }) => seconds.toFixed(1), right: true },
  ]
  const sentences = builds.flatMap((built) => remarksOn(built, terminal, reasonGiven))
  return [
    tableText(builds, columns, terminal),
    ...(sentences.length > 0 ? ['', ...sentences.map((sentence) => wrap(sentence, width))] : []),
  ].join('\n')
}

/** Sentences on facts for which the table has no column. */
function remarksOn(built: Built, { paint, width }: Terminal, reasonGiven: boolean): string[] {
  const { company, outcome, error, findings, controlsAgreed, changes, restatement, rolledBackFrom, logHead } =
    built
  const { candidate, reportsAgreed } = built
  if (error) return [`${paint.red(`${company} failed`)}: ${error.message}`]
  if (outcome === 'refused')
    return [`${paint.red(`${company} was refused`)}: ${countsText(findings)}; nothing was published.`]
  return [
    ...(controlsAgreed > 0
      ? [
          `${company}: all ${count(controlsAgreed)} figures that its files state about themselves agree with the books.`,
        ]
      : []),
    ...reportsAgreed.map(
      ({ program, kind, figures, of, file }) =>
        `${company}: agrees with ${program === null ? "the program's" : `${program}'${program.endsWith('s') ? '' : 's'}`} own ${kind}${of === null ? '' : ` of ${of}`}: ${count(figures)} of ${count(figures)} figures (${file}).`,
    ),
    ...(changes
      ? [
          `${company}: since ${changes.since} ${changesSummary(changes)} (tieout ${candidate ? 'review' : 'diff'} ${company}).`,
        ]
      : []),
    ...(restatement?.Reason
      ? [`${company}: in closed months ${restatementText(restatement)} (kept in the manifest)`]
      : []),
    ...(rolledBackFrom
      ? [
          `${company}: these are the figures of ${rolledBackFrom}, which was rolled back; ${built.snapshotId} stays current ("tieout use ${company} ${rolledBackFrom}" makes the newer one current again).`,
        ]
      : []),
    ...(reasonGiven && !restatement
      ? [`${company}: closed months are as published; no reason was needed, and none is kept.`]
      : []),
    ...(candidate ? [waitingText(company, candidate, width)] : []),
    ...(logHead
      ? [
          `${company}: the log ends with ${logHead}; note it elsewhere, for "tieout verify ${company} --expect".`,
        ]
      : []),
  ]
}

/** `2023-01 to 2026-10` */
export const coverageText = (coverage: { startDate: string; endDate: string } | null): string =>
  coverage === null ? NOTHING : `${coverage.startDate.slice(0, 7)} to ${coverage.endDate.slice(0, 7)}`

interface TieOutCount {
  readonly passed: number
  readonly checks: number
}

/** How many comparisons passed. In a published snapshot all of them do, and the output shows that. */
export function tieOutsOf(tieOuts: BuildResult['tieOuts']): TieOutCount {
  const checks = (entries: BuildResult['tieOuts']) => entries.reduce((sum, entry) => sum + entry.Checks, 0)
  return { passed: checks(tieOuts.filter((entry) => entry.Result === 'pass')), checks: checks(tieOuts) }
}

export const tieOutsText = ({ passed, checks }: TieOutCount): string =>
  checks === 0 ? NOTHING : `${count(passed)} of ${count(checks)}`
