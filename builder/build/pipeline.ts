/** Runs the pipeline from a company's exports to a published snapshot. It only orders the steps; each step is a room. */
import { join } from 'node:path'
import { type ChartEntry, futureFindings, retypedFindings } from '../books/audit.ts'
import { type Books, makeBooks } from '../books/books.ts'
import { databaseFor } from '../books/database.ts'
import type { LedgerEngine } from '../books/engine/engine.ts'
import type { Frame } from '../books/frame.ts'
import { withKeys } from '../books/parquet/keys.ts'
import { frameText } from '../books/store.ts'
import { isWhole } from '../contract/bytes.ts'
import { present } from '../contract/present.ts'
import { bookFiles, type Intake } from '../ingest/format/intake.ts'
import { ingest } from '../ingest/ingest.ts'
import { ParseCache } from '../ingest/parse-cache.ts'
import { withSettingLines } from '../ingest/setting-lines.ts'
import { figureChanges } from '../inspect/diff.ts'
import { isReviewed, reviewOf } from '../inspect/review.ts'
import { openGuard } from '../period-lock/guard.ts'
import { closedMeanwhile, type LockDate, lockDateOf } from '../period-lock/lock-date.ts'
import { programChange } from '../period-lock/program-change.ts'
import { changeOptions } from '../signing/change-options.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { readChart } from '../snapshot/documents.ts'
import {
  bookPath,
  candidateFolder,
  companyFolder as companySnapshots,
  INFO,
  RESTATEMENT,
} from '../snapshot/layout.ts'
import type { Manifest, Restatement } from '../snapshot/manifest.ts'
import { openSnapshot, openSnapshotIn, type Snapshot } from '../snapshot/open.ts'
import { beginStage, type Publication, type Stage } from '../snapshot/stage.ts'
import { chartOf } from '../statements/reference.ts'
import { companyCache } from '../workspace/cache.ts'
import type { Company } from '../workspace/company.ts'
import { type Finding, FindingsError, hasErrors } from '../workspace/finding.ts'
import { sha256 } from '../workspace/hash.ts'
import { sourceFiles } from '../workspace/source-files.ts'
import type { Purpose } from '../workspace/threads.ts'
import { companyFolder, type Workspace } from '../workspace/workspace.ts'
import { BesideStatements } from './beside.ts'
import { ComparingTeam } from './comparing-team.ts'
import { infoText, writeDocuments } from './documents.ts'
import { bodyOf } from './manifest-body.ts'
import { configurationOf, inputEntries, sourcesOf } from './provenance.ts'
import {
  type BuildOptions,
  type BuildResult,
  dateAt,
  type PublishedChanges,
  refusal,
  secondsSince,
} from './result.ts'
import { changedMeanwhile, type SourceWatch } from './source-watch.ts'
import { replacedIn, watchTables } from './table-watch.ts'
import { Team } from './team.ts'
import { noteSame } from './up-to-date.ts'

/** What is to be built, and from which state. */
export interface Order {
  readonly workspace: Workspace
  readonly company: Company
  readonly options: BuildOptions
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The snapshot that was current when the build began; null if there was none. */
  readonly currentSnapshot: Snapshot | null
  /** Noted the state of company.yaml before it was read. */
  readonly watch: SourceWatch
  /** The lock date when the build began. */
  readonly lockDate: LockDate
}

/** The result of a step, or the findings with which the build ends there. */
type Step<T> = { readonly value: T; readonly refused?: never } | { readonly refused: BuildResult }

/** Builds a company completely, whatever was published: reads, checks, composes, and publishes if asked to. */
export async function make(order: Order): Promise<BuildResult> {
  const read = await readExports(order)
  try {
    const checked = await checkBooks(order, read)
    const result = checked.refused ?? (await makeOf(order, read, checked.value))
    return read.tables === null ? result : { ...result, tables: read.tables.reading }
  } finally {
    await read.intake.dispose()
  }
}

const refusedOf = (
  { company, startedAt }: Order,
  findings: readonly Finding[],
  restatement: Restatement | null = null,
): { readonly refused: BuildResult } => ({
  refused: refusal(company.id, startedAt, findings, restatement),
})

// —— read ——

type Exports = Awaited<ReturnType<typeof readExports>>

async function readExports({ workspace, company, options, watch }: Order) {
  const cache = companyCache(workspace.state, company.id)
  const folder = companyFolder(workspace, company.id)
  const listed = await sourceFiles(company, folder)
  watch.see(listed ?? [])
  const parsed = new ParseCache(cache)
  const tables = await watchTables(workspace, company)
  const by = { sharing: options, purpose: purposeOf(options) }
  const intake = await ingest(company, folder, { cache: parsed, by, tables })
  return {
    ...{ cache, folder, parsed, tables, intake },
    /** False if the sources could not be listed, so that none was watched; the findings say why. */
    isWatched: listed !== null,
    ledgerFiles: bookFiles(intake),
  }
}

// —— check ——

interface Checked {
  readonly books: Books
  readonly loaded: Awaited<ReturnType<typeof makeBooks>>
  readonly findings: readonly Finding[]
  /** Every source that was read. */
  readonly sources: ReturnType<typeof sourcesOf>
  /** The members of the manifest about sources and settings. */
  readonly reading: Pick<Manifest, 'Inputs' | 'Configuration'>
}

async function checkBooks(order: Order, read: Exports): Promise<Step<Checked>> {
  const { workspace, company, options, watch, lockDate } = order
  const { intake, folder, parsed, tables, isWatched } = read
  options.progress?.('books', 0, null)
  const engine = await engineFor(order, intake)
  const loaded = await makeBooks(company, intake, databaseFor(options), lockDate.through, engine).catch(
    (problem: unknown) => {
      // What an engine reports ends this company, and not the others that are built with it.
      if (problem instanceof FindingsError) return problem.findings
      throw problem
    },
  )
  // An engine may have failed because of such a change.
  const replaced = await replacedIn(tables)
  if (!('books' in loaded)) return refusedOf(order, [...replaced, ...loaded])
  if (replaced.length > 0) {
    loaded.books?.db.close()
    return refusedOf(order, replaced)
  }
  // All sources were read by now. A file that changed meanwhile may be the cause of an error.
  const sources = sourcesOf(folder, intake)
  const changed = isWatched || loaded.books !== null ? await watch.changed(sources) : []
  if (changed.length > 0) {
    loaded.books?.db.close()
    return refusedOf(order, changed.map(changedMeanwhile))
  }
  await parsed.keep()
  const findings = withSettingLines(loaded.findings, folder)
  if (loaded.books === null) return refusedOf(order, findings)
  const reading = {
    Inputs: inputEntries(company, intake, loaded.inputs, workspace.keepInputs),
    Configuration: configurationOf(company, workspace.keepInputs),
  }
  return { value: { books: loaded.books, loaded, findings, sources, reading } }
}

/** The engine that the ledger names, which is loaded only then; null where DuckDB reads all files. */
async function engineFor(
  { workspace, company, options }: Order,
  { ledger }: Intake,
): Promise<LedgerEngine | null> {
  if (!ledger.some((input) => input.kind === 'parquet' && input.engine === 'spark')) return null
  const { sparkEngine } = await import('../spark/spark.ts')
  return sparkEngine(workspace, company.id, (done, total) => options.progress?.('engine', done, total))
}

// —— compose ——

const BUILD: Purpose = {
  name: 'this build',
  remedy: 'Nothing was published; build with --workers 1',
}
const CHECK: Purpose = { name: 'this check', remedy: 'Check with --workers 1' }
const purposeOf = ({ publish }: BuildOptions): Purpose => (publish ? BUILD : CHECK)

/** Composes the statements, publishes them if asked to, and closes the books and the stage. */
async function makeOf(order: Order, read: Exports, checked: Checked): Promise<BuildResult> {
  const { workspace, company, options, currentSnapshot, startedAt } = order
  const { books } = checked
  const stage = options.publish
    ? await beginStage(workspace.snapshots, company.id, {
        ...(await changeOptions(workspace)),
        currentSnapshot,
      })
    : null
  const team = stage
    ? new Team(stage, options, purposeOf(options))
    : new ComparingTeam(options, purposeOf(options))
  const beside = new BesideStatements(books, stage, read.ledgerFiles)
  try {
    const composed = await compose(order, read, checked, stage, team, beside)
    if (composed.refused) return composed.refused
    if (stage) return await publish(order, read, checked, composed.value, stage, beside)
    const { result } = composed.value
    return { ...result, outcome: 'checked', snapshotId: null, seconds: secondsSince(startedAt) }
  } finally {
    await team.close()
    await beside.settled()
    stage?.discard()
    books.db.close()
  }
}

interface Composed {
  /** The snapshot with which closed months are compared; null if nothing was published before. */
  readonly current: Snapshot | null
  readonly locked: LockDate
  readonly restatement: Restatement | null
  /** The text of restatement.json; null if no closed month is restated. */
  readonly restatementFile: Buffer | string | null
  readonly totals: Manifest['Totals']
  /** The warnings for the manifest, without those that depend on the day of the build. */
  readonly warnings: readonly Finding[]
  readonly result: Omit<BuildResult, 'outcome' | 'snapshotId' | 'seconds'>
}

async function compose(
  order: Order,
  { intake, ledgerFiles }: Exports,
  { books, loaded, findings, reading }: Checked,
  stage: Stage | null,
  team: Team | ComparingTeam,
  beside: BesideStatements,
): Promise<Step<Composed>> {
  const { workspace, company, options, currentSnapshot, lockDate, startedAt } = order
  const current = stage ? stage.currentSnapshot : currentSnapshot
  const program = current && programChange(current.manifest, reading)
  const locked = stage ? await lockDateOf(workspace.snapshots, company, stage.history) : lockDate
  const guard = await openGuard(workspace.snapshots, books.frame, current, locked, program)
  const reviewed = new Map<string, Buffer>()
  const isNeeded = (path: string) => options.review === true && isReviewed(path)
  let observed = 0
  const observe = (path: string, hash: string, text: () => string): void => {
    observed++
    guard.observe(path, hash, text)
    if (isNeeded(path)) reviewed.set(path, Buffer.from(text()))
  }
  const made = await writeDocuments(
    books,
    (path, content, hash) => {
      if (stage) stage.write(path, content, hash)
      else if (isWhole(content)) observe(path, hash ?? sha256(content), () => content.toString())
      // What comes in pieces is neither a statement nor a list that is reviewed.
      else observed++
    },
    {
      progress: (done, total) => options.progress?.('statements', done, total),
      begun: (pieces) => beside.beginPages(pieces),
      composer: (leaves) =>
        team instanceof Team
          ? team.composer(leaves, guard)
          : team.composer(
              leaves,
              (path) => (isNeeded(path) ? null : guard.known(path)),
              ({ Path, Sha256 }, text) => observe(Path, Sha256, () => present(text, `text of ${Path}`)),
              guard,
            ),
    },
  )
  const documents = stage ? stage.files.length : observed
  const composed = [...findings, ...made.findings, ...(await retyped(current, books))]
  if (hasErrors(composed)) return refusedOf(order, composed)
  if (stage) {
    await beside.takeBooks()
    stage.flush()
  }
  const closed = await guard.finish(stage, books, ledgerFiles, options.restate ?? null)
  const { restatement } = closed
  const all = [...composed, ...locked.findings, ...closedMeanwhile(lockDate, locked), ...closed.findings]
  const review = options.review ? { review: await reviewOf(books, current, reviewed) } : {}
  if (hasErrors(all)) return { refused: { ...refusedOf(order, all, restatement).refused, ...review } }
  const totals = { ...(await beside.counts), Documents: documents }
  // Future-dated entries are reported but not stored in the manifest: equal inputs make equal bytes on any day.
  const today = dateAt(startedAt, company.timeZone)
  const future = await withKeys(
    books.db,
    intake.ledger,
    await futureFindings(books.db, books.frame, today, ledgerFiles),
  )
  const result = {
    ...{ company: company.id, findings: [...all, ...future], documents, tieOuts: made.tieOuts, restatement },
    ...{ postings: totals.Postings, transactions: totals.Transactions, coverage: books.frame.coverage },
    controlsAgreed: loaded.controlsAgreed,
    ...{ changes: null, rolledBackFrom: null, candidate: null, logHead: null },
    ...review,
  }
  return {
    value: { current, locked, restatement, restatementFile: closed.file, totals, warnings: all, result },
  }
}

// —— publish ——

async function publish(
  order: Order,
  { cache }: Exports,
  { books, loaded, sources, reading }: Checked,
  { current, locked, restatement, restatementFile, totals, warnings, result }: Composed,
  stage: Stage,
  beside: BesideStatements,
): Promise<BuildResult> {
  const { workspace, company, options, startedAt } = order
  options.progress?.('publish', 0, null)
  // All documents are written. The books' memory is freed before the manifest needs some.
  books.db.close()
  if (workspace.keepInputs) {
    const changed = await stage.keep(sources)
    if (changed.length > 0)
      return refusedOf(order, [...warnings, ...changed.map(changedMeanwhile)], restatement).refused
  }
  if (restatementFile) stage.write(RESTATEMENT, restatementFile)
  const { tieOuts, controlsAgreed } = result
  await beside.writePages({ warnings, tieOuts, controlsAgreed })
  const body = bodyOf(books.frame, reading, {
    ...{ Totals: totals, TieOuts: result.tieOuts, ControlsAgreed: loaded.controlsAgreed, Warnings: warnings },
  })
  const publication = await stage.publish(
    { ...body, Restatement: restatement },
    startedAt,
    // A lock date that comes from the log alone is not a reason for a new snapshot.
    locked.isNew ? null : (through) => relocked({ ...books.frame, lockedThrough: through }),
  )
  const { outcome, snapshotId, manifestHash, rolledBackFrom, logHead } = publication
  if (outcome === 'unchanged' && rolledBackFrom === null)
    noteSame(cache, manifestHash, { ...reading, Warnings: warnings })
  cache.prune()
  const isNew = outcome !== 'unchanged'
  return {
    ...{ ...result, outcome, snapshotId, rolledBackFrom, logHead },
    changes: isNew ? await changesSince(current, await snapshotOf(workspace, company.id, publication)) : null,
    candidate: outcome === 'waiting' ? manifestHash : null,
    seconds: secondsSince(startedAt),
  }
}

const relocked = (frame: Frame): ReadonlyMap<string, string> =>
  new Map([
    [INFO, infoText(frame)],
    [bookPath('frame.json'), frameText(frame)],
  ])

/** Opens the snapshot that was published or awaits approval. */
function snapshotOf(
  { snapshots }: Workspace,
  company: string,
  { outcome, snapshotId, manifestHash }: Publication,
): Promise<Snapshot> {
  const candidate = candidateFolder(companySnapshots(snapshots, company), manifestHash)
  return outcome === 'waiting'
    ? openSnapshotIn(join(candidate, snapshotId), company, snapshotId, manifestHash)
    : openSnapshot(snapshots, company, snapshotId, manifestHash)
}

/** The changes between two snapshots; null if the earlier one is damaged or in another currency. */
async function changesSince(before: Snapshot | null, now: Snapshot): Promise<PublishedChanges | null> {
  if (before === null || before.manifest.Currency !== now.manifest.Currency) return null
  try {
    return { since: before.id, ...(await figureChanges(before, now)) }
  } catch (problem) {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  }
}

async function retyped(before: Snapshot | null, { frame }: Books): Promise<Finding[]> {
  if (before === null) return []
  const chart = await readChart(before).catch(() => null)
  return chart === null ? [] : retypedFindings(chart, chartOf(frame) as ChartEntry[])
}
