/**
 * Makes batches of documents, in this thread or in several at once; no batch depends on another one. A build writes them
 * into its stage. A check or a verification writes nothing: it gets the hash of each document, and its text where that is needed.
 */
import { StatementEncoder } from '../contract/encode.ts'
import { agrees, type Closed } from '../snapshot/closing/agreeing.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import { StagedFiles, type WrittenFiles } from '../snapshot/files/staged-files.ts'
import { FigureLimits } from '../statements/limits.ts'
import { TieOuts } from '../statements/tie-outs/tieouts.ts'
import { disk } from '../system/effects.ts'
import { sha256 } from '../system/hash.ts'
import { ClassDocuments } from './class-documents.ts'
import type { CheckedBatch, DocumentBatch, DocumentData, WriteBytes } from './document-batch.ts'
import { BudgetDocuments, MetricDocuments } from './plan-documents.ts'

export interface BatchOrder {
  readonly batch: DocumentBatch
  /**
   * By path: the hash of the document in the snapshot before, or the one that it is expected to have; null where its text
   * is needed in any case.
   */
  readonly known: ReadonlyMap<string, string | null>
}

export interface MadeBatch {
  readonly made: WrittenFiles
  /** By path: the texts of known documents that are not as expected, where nothing is written. */
  readonly texts: ReadonlyMap<string, string>
  /** Paths of documents that differ from those before, and state closed months as these do. */
  readonly agreeing: readonly string[]
  readonly checked: CheckedBatch
}

/** What the threads need for all batches, as plain data whose sums they share. */
export interface Materials {
  readonly data: DocumentData
  /** The folder of the stage, and that of the snapshot before; null where documents are only compared. */
  readonly stage: { readonly folder: string; readonly before: string | null } | null
  /** Null where no month is closed. */
  readonly closed: Closed | null
}

/**
 * Returns the function that makes one batch. Files are written, hashed and read back; the function throws
 * SnapshotDamagedError where a file reads back differently.
 */
export function batchMaker({ data, stage, closed }: Materials): (order: BatchOrder) => MadeBatch {
  const compose = composerOf(data)
  return ({ batch, known }) => {
    const staged = stage && stagedIn(stage, known)
    const files: FileEntry[] = []
    const texts = new Map<string, string>()
    const agreeing: string[] = []
    const checked = compose(batch, (path, bytes) => {
      const Sha256 = sha256(bytes)
      if (staged) staged.write(path, bytes, Sha256)
      else files.push({ Path: path, Bytes: Buffer.byteLength(bytes), Sha256 })
      const before = known.get(path)
      if (before === undefined || before === Sha256) return
      if (closed && before !== null && agrees(closed, { Path: path, Sha256: before }, bytes))
        agreeing.push(path)
      else if (!staged) texts.set(path, bytes.toString())
    })
    return { made: staged?.written() ?? { files, folders: [], linked: [] }, texts, agreeing, checked }
  }
}

/** Composes, checks and encodes the documents of a batch, and returns the results of their checks. */
function composerOf(data: DocumentData): (batch: DocumentBatch, write: WriteBytes) => CheckedBatch {
  const { frame } = data
  const actuals = new ClassDocuments(data, new StatementEncoder())
  const budgets = new BudgetDocuments(data, new StatementEncoder())
  const metrics = new MetricDocuments(data)
  return (batch, write) => {
    const checks = { tieOuts: new TieOuts(frame), limits: new FigureLimits(frame) }
    if (batch.of === 'actuals') actuals.write(batch, checks, write)
    else if (batch.of === 'budget') budgets.write(batch.budgetId, batch, checks, write)
    else metrics.write(batch.budgetId, batch, write)
    return { tieOuts: checks.tieOuts.data(), limits: checks.limits.data() }
  }
}

function stagedIn(
  { folder, before }: NonNullable<Materials['stage']>,
  known: BatchOrder['known'],
): StagedFiles {
  const hashOf = (path: string) => known.get(path) ?? undefined
  return new StagedFiles(folder, before === null ? null : { folder: before, hashOf }, disk)
}
