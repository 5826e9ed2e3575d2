/** The pipeline: a company's exports in, a published snapshot out. A table of contents; each step is a room. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ChartEntry, futureFindings, retypedFindings } from './books/audit.ts'
import { type Books, makeBooks } from './books/books.ts'
import { shareOf } from './books/database.ts'
import { KIND } from './books/postings.ts'
import { BOOK_FILES, writeBooks } from './books/store.ts'
import { ComposedBefore } from './composed-before.ts'
import { type FigureChanges, figureChanges } from './diff.ts'
import { writeDocuments } from './documents.ts'
import { ingest } from './ingest/ingest.ts'
import { ParseCache } from './ingest/parse-cache.ts'
import { withSettingLines } from './ingest/setting-lines.ts'
import { LinesBefore } from './lines-before.ts'
import { configurationOf, inputEntries, sourcesOf } from './provenance.ts'
import { openGuard } from './restatement.ts'
import { BOOKS, bookPath, listPath, RESTATEMENT } from './snapshot/layout.ts'
import type { Restatement, TieOutEntry } from './snapshot/manifest.ts'
import { openCurrent, type Snapshot, SnapshotDamagedError } from './snapshot/open.ts'
import { openSigner } from './snapshot/sign.ts'
import { beginStage } from './snapshot/stage.ts'
import { chartOf } from './statements/reference.ts'
import { unchangedSince } from './unchanged.ts'
import { VERSION } from './version.ts'
import { Cache } from './workspace/cache.ts'
import { error, type Finding, hasErrors } from './workspace/finding.ts'
import { companyFolder, readCompany, type Workspace } from './workspace/workspace.ts'

export type Step = 'read' | 'books' | 'statements' | 'publish'
/** Told as the build goes; `total` is null while unknown. */
export type Progress = (step: Step, done: number, total: number | null) => void

export interface BuildResult {
  readonly company: string
  /** refused: the findings hold errors, nothing was published. checked: no errors, and publication was not asked for. */
  readonly outcome: 'published' | 'unchanged' | 'checked' | 'refused'
  readonly snapshotId: string | null
  readonly findings: readonly Finding[]
  readonly postings: number
  readonly transactions: number
  readonly documents: number
  readonly coverage: { readonly startDate: string; readonly endDate: string } | null
  readonly tieOuts: readonly TieOutEntry[]
  /** Figures that the sources state about themselves (#UB, #RES, #PSALDO) and the books agree with. */
  readonly controlsAgreed: number
  /** Against the snapshot that was current before; null where there was none to compare with, or nothing was published. */
  readonly changes: PublishedChanges | null
  /** What closed months state differently than the current snapshot does; null where nothing. */
  readonly restatement: Restatement | null
  /** The newest snapshot, where it has the very figures of this build and somebody went back from it. */
  readonly takenBack: string | null
  readonly seconds: number
}

export interface PublishedChanges extends FigureChanges {
  readonly since: string
}

export interface BuildOptions {
  readonly publish: boolean
  /** Why figures of closed months may differ from the current snapshot; without it they may not. */
  readonly restate?: string
  readonly progress?: Progress
  /** How many builds share the machine; 1 unless said. */
  readonly share?: number
}

/** Reads, checks and computes one company; publishes where asked to. Problems of the input come back as findings. */
export async function build(
  workspace: Workspace,
  companyId: string,
  options: BuildOptions,
): Promise<BuildResult> {
  const startedAt = Date.now()
  const progress = options.progress ?? (() => {})
  const refused = (findings: readonly Finding[], restatement: Restatement | null = null): BuildResult => ({
    company: companyId,
    outcome: 'refused',
    snapshotId: null,
    findings,
    postings: 0,
    transactions: 0,
    documents: 0,
    coverage: null,
    tieOuts: [],
    controlsAgreed: 0,
    changes: null,
    restatement,
    takenBack: null,
    seconds: (Date.now() - startedAt) / 1000,
  })
  const parsed = readCompany(workspace, companyId)
  if (parsed.value === null) return refused(parsed.findings)
  const company = parsed.value

  const today = new Date(startedAt).toISOString().slice(0, 10)
  progress('read', 0, null)
  if (options.publish && options.restate === undefined) {
    const current = await unchangedSince(workspace, company, today)
    if (current) {
      // Under the lock once, as every build: what a killed one left is settled, and a pointer moved by hand is refused.
      const stage = await beginStage(workspace.snapshots, companyId, await openSigner(workspace.state))
      stage.discard()
      const { manifestHash } = (await openCurrent(workspace.snapshots, companyId)) ?? {}
      if (manifestHash === current.manifestHash) return asPublished(current, (Date.now() - startedAt) / 1000)
    }
  }
  const cache = new Cache(join(workspace.state, 'cache', companyId))
  const intake = await ingest(company, companyFolder(workspace, companyId), new ParseCache(cache))
  const linesBefore = await LinesBefore.of(workspace.snapshots, company, intake, cache)
  try {
    progress('books', 0, null)
    const machine = shareOf(options.share ?? 1)
    const loaded = await makeBooks(company, intake, machine, (input) => linesBefore.find(input))
    const findings = withSettingLines(loaded.findings, companyFolder(workspace, companyId))
    if (loaded.books === null) return refused(findings)
    const { books } = loaded
    const stage = options.publish
      ? await beginStage(workspace.snapshots, companyId, await openSigner(workspace.state))
      : null
    const ledgerFiles = intake.ledger.map((input) => input.file)
    const exported = stage === null ? null : exportBooks(books, join(stage.folder, BOOKS), ledgerFiles)
    // A failure is met where it is waited for, below; until then it is nobody's.
    exported?.catch(() => {})
    try {
      let observed = 0
      const guard = await openGuard(workspace.snapshots, books.frame)
      const made = await writeDocuments(
        books,
        (path, content, hash) => {
          observed++
          if (stage) stage.write(path, content, hash)
          else guard.observe(path, content)
        },
        {
          progress: (done, total) => progress('statements', done, total),
          before: stage && new ComposedBefore(cache, (files) => stage.reuse(files)),
        },
      )
      const documents = stage ? stage.files.length : observed
      const composed = [...findings, ...made.findings, ...(await retyped(workspace, books))]
      if (hasErrors(composed)) return refused(composed)
      if (stage) {
        await exported
        stage.adopt(BOOK_FILES.map(bookPath))
      }
      const closed = await guard.finish(stage, books, ledgerFiles, options.restate ?? null)
      const { restatement } = closed
      const all = [...composed, ...closed.findings]
      if (hasErrors(all)) return refused(all, restatement)
      // What is dated ahead of today is told, but not published: equal inputs make equal bytes on any day.
      const totals = await totalsOf(books, documents)
      const result = {
        company: companyId,
        findings: [...all, ...(await futureFindings(books.db, books.frame, today, ledgerFiles))],
        postings: totals.Postings,
        transactions: totals.Transactions,
        documents,
        coverage: books.frame.coverage,
        tieOuts: made.tieOuts,
        controlsAgreed: loaded.controlsAgreed,
        changes: null,
        restatement,
        takenBack: null,
      }
      const seconds = () => (Date.now() - startedAt) / 1000
      if (!stage) return { ...result, outcome: 'checked', snapshotId: null, seconds: seconds() }

      progress('publish', 0, null)
      if (workspace.keepInputs) {
        const changed = await stage.keep(sourcesOf(companyFolder(workspace, companyId), intake))
        if (changed.length > 0) return refused([...all, ...changed.map(changedMeanwhile)], restatement)
      }
      if (closed.file) stage.write(RESTATEMENT, closed.file)
      const before = await openCurrent(workspace.snapshots, companyId)
      const publication = await stage.publish(
        {
          CompanyId: companyId,
          Month: books.frame.coverage.endDate.slice(0, 7),
          Tool: { Name: 'tieout', Version: VERSION },
          Currency: company.currency,
          Coverage: { StartDate: books.frame.coverage.startDate, EndDate: books.frame.coverage.endDate },
          Inputs: inputEntries(company, intake, loaded.inputs, workspace.keepInputs),
          Configuration: configurationOf(company, workspace.keepInputs),
          Totals: totals,
          TieOuts: made.tieOuts,
          ControlsAgreed: loaded.controlsAgreed,
          Warnings: all,
          Restatement: restatement,
        },
        startedAt,
      )
      const postings = stage.files.find(({ Path }) => Path === bookPath('postings.parquet'))!
      linesBefore.keep(publication.manifestHash, postings.Sha256, loaded)
      cache.prune()
      return {
        ...result,
        outcome: publication.outcome,
        snapshotId: publication.snapshotId,
        changes:
          publication.outcome === 'published' ? await changesSince(workspace, companyId, before) : null,
        takenBack: publication.takenBack,
        seconds: seconds(),
      }
    } finally {
      await exported?.catch(() => {})
      stage?.discard()
      books.db.close()
    }
  } finally {
    await linesBefore.dispose()
    await intake.dispose()
  }
}

/** Nothing to do: what the manifest says of the snapshot that is there. */
function asPublished({ id, company, manifest }: Snapshot, seconds: number): BuildResult {
  const { Totals, Coverage, TieOuts, Warnings } = manifest
  return {
    company,
    outcome: 'unchanged',
    snapshotId: id,
    findings: Warnings,
    postings: Totals.Postings,
    transactions: Totals.Transactions,
    documents: Totals.Documents,
    coverage: { startDate: Coverage.StartDate, endDate: Coverage.EndDate },
    tieOuts: TieOuts,
    controlsAgreed: 0,
    changes: null,
    restatement: null,
    takenBack: null,
    seconds,
  }
}

const changedMeanwhile = (file: string): Finding =>
  error('source-changed', 'was changed while it was read, so that the bytes that were read cannot be kept', {
    file,
    remedy: 'build again, once nothing writes to the file any more',
  })

/** On a connection of its own: DuckDB writes its files while the statements are composed. */
async function exportBooks(books: Books, folder: string, ledgerFiles: readonly string[]): Promise<void> {
  const db = await books.db.connect()
  try {
    mkdirSync(folder)
    await writeBooks({ ...books, db }, folder, ledgerFiles)
  } finally {
    db.close()
  }
}

/** A snapshot before that is damaged, or in another currency, says nothing that could be compared. */
async function changesSince(
  workspace: Workspace,
  company: string,
  before: Snapshot | null,
): Promise<PublishedChanges | null> {
  const now = await openCurrent(workspace.snapshots, company)
  if (!now || !before || before.manifest.Currency !== now.manifest.Currency) return null
  try {
    return { since: before.id, ...(await figureChanges(before, now)) }
  } catch (problem) {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  }
}

async function retyped(workspace: Workspace, { frame }: Books): Promise<Finding[]> {
  const previous = await openCurrent(workspace.snapshots, frame.companyId)
  if (previous === null) return []
  const path = listPath('chart-of-accounts')
  const chart = await previous.read(path).catch(() => null)
  if (chart === null) return []
  const before = JSON.parse(chart.toString('utf8')) as { Data: ChartEntry[] }
  return retypedFindings(before.Data, chartOf(frame) as ChartEntry[])
}

async function totalsOf({ db }: Books, documents: number) {
  const [row] = await db.rows<{ postings: string; transactions: string }>(
    `SELECT count(*) AS postings, count(DISTINCT (basis, tx)) AS transactions FROM posting WHERE kind <> ${KIND.grossUp}`,
  )
  return { Postings: Number(row!.postings), Transactions: Number(row!.transactions), Documents: documents }
}
