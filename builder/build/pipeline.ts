/** The pipeline: a company's exports in, a published snapshot out. A table of contents; each step is a room. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ChartEntry, futureFindings, retypedFindings } from '../books/audit.ts'
import { type Books, makeBooks } from '../books/books.ts'
import { shareOf } from '../books/database.ts'
import type { Frame } from '../books/frame.ts'
import { BOOK_FILES, frameText, writeBooks } from '../books/store.ts'
import { bookFiles } from '../ingest/format/intake.ts'
import { ingest } from '../ingest/ingest.ts'
import { ParseCache } from '../ingest/parse-cache.ts'
import { withSettingLines } from '../ingest/setting-lines.ts'
import { figureChanges } from '../inspect/diff.ts'
import { openGuard } from '../period-lock/guard.ts'
import { closedMeanwhile, type LockDate, lockDateOf } from '../period-lock/lock-date.ts'
import { programChange } from '../period-lock/program-change.ts'
import { changeOptions } from '../signing/change-options.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import {
  BOOKS,
  bookPath,
  candidateFolder,
  companyFolder as companySnapshots,
  INFO,
  listPath,
  RESTATEMENT,
} from '../snapshot/layout.ts'
import type { Restatement } from '../snapshot/manifest.ts'
import { openSnapshot, openSnapshotIn, type Snapshot } from '../snapshot/open.ts'
import { beginStage, type Publication } from '../snapshot/stage.ts'
import { chartOf } from '../statements/reference.ts'
import { companyCache } from '../workspace/cache.ts'
import type { Company } from '../workspace/company.ts'
import { MODES } from '../workspace/effects.ts'
import { error, type Finding, hasErrors } from '../workspace/finding.ts'
import { sourceFiles } from '../workspace/source-files.ts'
import { companyFolder, type Workspace } from '../workspace/workspace.ts'
import { infoText, writeDocuments } from './documents.ts'
import { LinesBefore } from './ledger-line-reuse.ts'
import { bodyOf, totalsOf } from './manifest-body.ts'
import { configurationOf, inputEntries, sourcesOf } from './provenance.ts'
import {
  type BuildOptions,
  type BuildResult,
  dateAt,
  type PublishedChanges,
  refusal,
  secondsSince,
} from './result.ts'
import type { SourceWatch } from './source-watch.ts'
import { ComposedBefore } from './statement-reuse.ts'
import { noteSame } from './up-to-date.ts'

/**
 * Makes all of a company anew, whatever was published. `startedAt` as Date.now() gave it; `seen` was current then, and
 * `lockDate` held; `watch` saw company.yaml before it was read.
 */
export async function make(
  workspace: Workspace,
  company: Company,
  options: BuildOptions,
  startedAt: number,
  seen: Snapshot | null,
  watch: SourceWatch,
  lockDate: LockDate,
): Promise<BuildResult> {
  const companyId = company.id
  const progress = options.progress ?? (() => {})
  const refused = (findings: readonly Finding[], restatement: Restatement | null = null): BuildResult =>
    refusal(companyId, startedAt, findings, restatement)
  const cache = companyCache(workspace.state, companyId)
  const folder = companyFolder(workspace, companyId)
  const listed = await sourceFiles(company, folder)
  watch.see(listed ?? [])
  const parsed = new ParseCache(cache)
  const intake = await ingest(company, folder, parsed)
  const linesBefore = new LinesBefore(seen, company, intake, cache)
  try {
    progress('books', 0, null)
    const machine = shareOf(options.share ?? 1)
    const loaded = await makeBooks(
      company,
      intake,
      machine,
      (input) => linesBefore.find(input),
      lockDate.through,
    )
    // All of them were read; an error of theirs may well come of that.
    const sources = sourcesOf(folder, intake)
    // Where they could not be listed, none was watched, and the reason is among the findings.
    const changed = listed === null && loaded.books === null ? [] : await watch.changed(sources)
    if (changed.length > 0) {
      loaded.books?.db.close()
      return refused(changed.map(changedMeanwhile))
    }
    await parsed.keep()
    const findings = withSettingLines(loaded.findings, folder)
    if (loaded.books === null) return refused(findings)
    const { books } = loaded
    const stage = options.publish
      ? await beginStage(workspace.snapshots, companyId, { ...(await changeOptions(workspace)), seen })
      : null
    const reading = {
      Inputs: inputEntries(company, intake, loaded.inputs, workspace.keepInputs),
      Configuration: configurationOf(company, workspace.keepInputs),
    }
    const ledgerFiles = bookFiles(intake)
    const exported = stage === null ? null : exportBooks(books, join(stage.folder, BOOKS), ledgerFiles)
    // A failure is met where it is waited for, below; until then it is nobody's.
    exported?.catch(() => {})
    try {
      let observed = 0
      const before = stage ? stage.before : seen
      const program = before && programChange(before.manifest, reading)
      const locked = stage ? await lockDateOf(workspace.snapshots, company, stage.history) : lockDate
      const guard = await openGuard(workspace.snapshots, books.frame, before, locked, program)
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
      const composed = [...findings, ...made.findings, ...(await retyped(before, books))]
      if (hasErrors(composed)) return refused(composed)
      if (stage) {
        await exported
        stage.adopt(BOOK_FILES.map(bookPath))
      }
      const closed = await guard.finish(stage, books, ledgerFiles, options.restate ?? null)
      const { restatement } = closed
      const all = [...composed, ...locked.findings, ...closedMeanwhile(lockDate, locked), ...closed.findings]
      if (hasErrors(all)) return refused(all, restatement)
      // What is dated ahead of today is told, but not published: equal inputs make equal bytes on any day.
      const totals = await totalsOf(books, documents)
      const result = {
        company: companyId,
        findings: [
          ...all,
          ...(await futureFindings(books.db, books.frame, dateAt(startedAt, company.timeZone), ledgerFiles)),
        ],
        postings: totals.Postings,
        transactions: totals.Transactions,
        documents,
        coverage: books.frame.coverage,
        tieOuts: made.tieOuts,
        controlsAgreed: loaded.controlsAgreed,
        changes: null,
        restatement,
        takenBack: null,
        candidate: null,
        logHead: null,
      }
      if (!stage) return { ...result, outcome: 'checked', snapshotId: null, seconds: secondsSince(startedAt) }

      progress('publish', 0, null)
      // All of it is written; the memory of the books is not needed beside the manifest's.
      books.db.close()
      if (workspace.keepInputs) {
        const changed = await stage.keep(sources)
        if (changed.length > 0) return refused([...all, ...changed.map(changedMeanwhile)], restatement)
      }
      if (closed.file) stage.write(RESTATEMENT, closed.file)
      const publication = await stage.publish(
        {
          ...bodyOf(books.frame, reading, {
            Totals: totals,
            TieOuts: made.tieOuts,
            ControlsAgreed: loaded.controlsAgreed,
            Warnings: all,
          }),
          Restatement: restatement,
        },
        startedAt,
        // What the log closes it closes by itself: that alone makes no other snapshot.
        locked.isNew ? null : (through) => relocked({ ...books.frame, lockedThrough: through }),
      )
      if (publication.outcome === 'unchanged' && publication.takenBack === null)
        noteSame(cache, publication.manifestHash, { ...reading, Warnings: all })
      const postings = stage.files.find(bookPath('postings.parquet'))!
      linesBefore.keep(publication.manifestHash, postings.Sha256, loaded)
      cache.prune()
      return {
        ...result,
        outcome: publication.outcome,
        snapshotId: publication.snapshotId,
        changes:
          publication.outcome === 'unchanged'
            ? null
            : await changesSince(before, await snapshotOf(workspace, companyId, publication)),
        candidate: publication.outcome === 'waiting' ? publication.manifestHash : null,
        takenBack: publication.takenBack,
        logHead: publication.logHead,
        seconds: secondsSince(startedAt),
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

const relocked = (frame: Frame): ReadonlyMap<string, string> =>
  new Map([
    [INFO, infoText(frame)],
    [bookPath('frame.json'), frameText(frame)],
  ])

const changedMeanwhile = (file: string): Finding =>
  error('source-changed', 'was changed while it was read: parts of two states may have been read', {
    file,
    remedy: 'build again, once nothing writes to the file any more',
  })

/** On a connection of its own: DuckDB writes its files while the statements are composed. */
async function exportBooks(books: Books, folder: string, ledgerFiles: readonly string[]): Promise<void> {
  const db = await books.db.connect()
  try {
    mkdirSync(folder, { mode: MODES.folder })
    await writeBooks({ ...books, db }, folder, ledgerFiles)
  } finally {
    db.close()
  }
}

/** What was published, or waits. */
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

/** A snapshot before that is damaged, or in another currency, says nothing that could be compared. */
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
  const path = listPath('chart-of-accounts')
  const chart = await before.read(path).catch(() => null)
  if (chart === null) return []
  const { Data } = JSON.parse(chart.toString('utf8')) as { Data: ChartEntry[] }
  return retypedFindings(Data, chartOf(frame) as ChartEntry[])
}
