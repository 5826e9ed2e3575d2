/** Composes the statements of checked books, and publishes them if asked to. Loaded while the books are made. */

import type { Books } from '../books/books.ts'
import { type ChartEntry, futureFindings, retypedFindings } from '../books/check/audit.ts'
import { withKeys } from '../books/read/parquet/keys.ts'
import type { Frame } from '../books/reference/frame.ts'
import { frameText } from '../books/store/store.ts'
import { isWhole } from '../contract/bytes.ts'
import { present } from '../contract/present.ts'
import { figureChanges } from '../inspect/diff.ts'
import { isReviewed, reviewOf } from '../inspect/review.ts'
import { openGuard } from '../snapshot/closing/guard.ts'
import { closedMeanwhile, type LockDate, lockDateOf } from '../snapshot/closing/lock-date.ts'
import { programChange } from '../snapshot/closing/program-change.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { readPublishedChart } from '../snapshot/files/documents.ts'
import { bookPath, INFO, RESTATEMENT } from '../snapshot/files/layout.ts'
import type { FileEntry, Manifest, Restatement } from '../snapshot/files/manifest.ts'
import { openSnapshot, openSnapshotIn, type Snapshot } from '../snapshot/files/open.ts'
import { beginStage, type Publication, type Stage } from '../snapshot/files/stage.ts'
import { changeOptions } from '../snapshot/signing/change-options.ts'
import { chartOf } from '../statements/reference.ts'
import { sha256 } from '../system/hash.ts'
import { type Finding, hasErrors } from '../workspace/findings/finding.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type BackgroundWork, beginBackgroundWork } from './background-work.ts'
import { DocumentWorkers } from './document-workers.ts'
import { infoText, writeDocuments } from './documents.ts'
import { manifestBodyOf } from './manifest-body.ts'
import { type BuildResult, dateAt, type PublishedChanges, secondsSince } from './result.ts'
import { changedMeanwhile } from './source-watch.ts'
import { type Checked, type Exports, type Order, purposeOf, refusedOf, type StepResult } from './step.ts'
import { noteSame } from './up-to-date.ts'

/** Composes the statements, publishes them if asked to, and closes the books and the stage. */
export async function makeOf(order: Order, read: Exports, checked: Checked): Promise<BuildResult> {
  const { workspace, company, options, currentSnapshot, startedAt } = order
  const { books } = checked
  const stage = options.publish
    ? await beginStage(workspace.snapshots, company.id, {
        ...(await changeOptions(workspace)),
        currentSnapshot,
      })
    : null
  const workers = new DocumentWorkers(options, purposeOf(options))
  const kept = workspace.keepInputs ? checked.sources : []
  const background = beginBackgroundWork(books, stage, read.ledgerFiles, kept)
  try {
    const composed = await compose(order, read, checked, stage, workers, background)
    if (composed.refused) return composed.refused
    if (stage) return await publish(order, read, checked, composed.value, stage, background)
    const { result } = composed.value
    return { ...result, outcome: 'checked', snapshotId: null, seconds: secondsSince(startedAt) }
  } finally {
    await workers.close()
    await Promise.allSettled(Object.values(background))
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
  workers: DocumentWorkers,
  background: BackgroundWork,
): Promise<StepResult<Composed>> {
  const { workspace, company, options, currentSnapshot, lockDate, startedAt, remarks = [] } = order
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
  const known = (path: string) => (isNeeded(path) ? null : guard.known(path))
  const compare = ({ Path, Sha256 }: FileEntry, text: string | null): void =>
    observe(Path, Sha256, () => present(text, `text of ${Path}`))
  const made = await writeDocuments(
    books,
    (path, content, hash) => {
      if (stage) stage.write(path, content, hash)
      else if (isWhole(content)) observe(path, hash ?? sha256(content), () => content.toString())
      // A document in pieces is neither a statement nor a list, so that it is not reviewed.
      else observed++
    },
    {
      progress: (done, total) => options.progress?.('statements', done, total),
      composer: (data) => workers.composer(data, stage ? { stage } : { known, observe: compare }, guard),
    },
  )
  const documents = stage ? stage.files.length : observed
  const composed = [...findings, ...made.findings, ...(await retyped(current, books))]
  if (hasErrors(composed)) return refusedOf(order, composed)
  if (stage) {
    stage.adopt(await background.exported)
    stage.flush()
  }
  const closed = await guard.finish(stage, books, ledgerFiles, options.restate ?? null)
  const { restatement } = closed
  const all = [...composed, ...locked.findings, ...closedMeanwhile(lockDate, locked), ...closed.findings]
  const review = options.review ? { review: await reviewOf(books, current, reviewed) } : {}
  if (hasErrors(all)) return { refused: { ...refusedOf(order, all, restatement).refused, ...review } }
  const totals = { ...(await background.counts), Documents: documents }
  // Future-dated entries are reported but not stored in the manifest: equal inputs make equal bytes on any day.
  const today = dateAt(startedAt, company.timeZone)
  const future = await withKeys(
    books.db,
    intake.ledger,
    await futureFindings(books.db, books.frame, today, ledgerFiles),
  )
  const result = {
    ...{
      company: company.id,
      findings: [...remarks, ...all, ...future],
      documents,
      tieOuts: made.tieOuts,
      restatement,
    },
    ...{ postings: totals.Postings, transactions: totals.Transactions, coverage: books.frame.coverage },
    controlsAgreed: loaded.controlsAgreed,
    reportsAgreed: loaded.reportsAgreed,
    ...{ changes: null, rolledBackFrom: null, candidate: null, logHead: null },
    ...review,
  }
  return {
    value: { current, locked, restatement, restatementFile: closed.file, totals, warnings: all, result },
  }
}

async function publish(
  order: Order,
  { cache }: Exports,
  { rules, books, loaded, reading }: Checked,
  { current, locked, restatement, restatementFile, totals, warnings, result }: Composed,
  stage: Stage,
  background: BackgroundWork,
): Promise<BuildResult> {
  const { workspace, company, options, startedAt, remarks = [] } = order
  options.progress?.('publish', 0, null)
  // All documents are written. The books' memory is freed before the manifest needs some.
  books.db.close()
  const changed = await background.kept
  if (changed.length > 0)
    return refusedOf(order, [...warnings, ...changed.map(changedMeanwhile)], restatement).refused
  if (restatementFile) stage.write(RESTATEMENT, restatementFile)
  const { tieOuts, controlsAgreed } = result
  const { writePages } = await import('./pages.ts')
  const hasChart = reading.Inputs.some(({ Role }) => Role === 'chart')
  const structure = { frame: books.frame, postings: totals.Postings, hasChart }
  await writePages(stage, structure, { warnings, tieOuts, controlsAgreed })
  const body = manifestBodyOf(books.frame, reading, {
    ...{
      Format: rules,
      Totals: totals,
      TieOuts: result.tieOuts,
      ControlsAgreed: loaded.controlsAgreed,
      Warnings: warnings,
    },
  })
  const publication = await stage.publish(
    { ...body, Restatement: restatement },
    startedAt,
    // A lock date that comes from the log alone is not a reason for a new snapshot.
    locked.isNew ? null : (through) => relocked({ ...books.frame, lockedThrough: through }),
  )
  const { outcome, snapshotId, manifestHash, waiting, rolledBackFrom, logHead } = publication
  if (outcome === 'unchanged' && rolledBackFrom === null)
    noteSame(cache, manifestHash, locked.through, { ...reading, Warnings: [...remarks, ...warnings] })
  cache.prune()
  const isNew = outcome !== 'unchanged'
  return {
    ...{ ...result, outcome, snapshotId, rolledBackFrom, logHead },
    changes: isNew ? await changesSince(current, await snapshotOf(workspace, company.id, publication)) : null,
    candidate: waiting?.hash ?? null,
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
  { snapshotId, manifestHash, waiting }: Publication,
): Promise<Snapshot> {
  return waiting
    ? openSnapshotIn(waiting.folder, company, snapshotId, manifestHash)
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
  const chart = await readPublishedChart(before).catch(() => null)
  return chart === null ? [] : retypedFindings(chart, chartOf(frame) as ChartEntry[])
}
